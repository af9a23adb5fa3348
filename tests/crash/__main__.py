"""Kills the every-shape workflow in each of its hosts and counts what happened how often: python -m
tests.crash --kills 200. A command by SIGINT and SIGTERM, a graph in a program, one with what
LangGraph keeps, one in its server. `flowc torture` kills the workflow itself, and its judge judges
here too. The exit code is 1 when flowc broke a promise.
"""

from __future__ import annotations

import argparse
import os
import random
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import get_args

from flowc.runtime.torture.boundaries import kind_of
from flowc.runtime.torture.dying import Blow
from flowc.runtime.torture.judge import Judge
from flowc.runtime.torture.trials import KilledRun

from tests.fixtures.dying import count_boundaries, in_folder
from tests.fixtures.forks import EVERYTHING, load
from tests.fixtures.own_folders import write_record
from tests.fixtures.stores import fresh_store

from . import hosts, server
from .trials import Plan, Way, command_trial, undisturbed_command
from .world import ANSWER, HERE, WORKFLOW, Place, model_server, place, undisturbed


@dataclass(frozen=True)
class Subject:
    """What is killed: its trial, its run up to the question for measuring, and in which ways it
    dies, on which `stores`, and how many `kills` a trial has."""

    title: str
    trial: Callable[[Place, str, Plan], KilledRun]
    body: Callable[[Place, str], Callable[[], int]]
    ways: tuple[Way, ...]
    stores: tuple[str, ...] = ("sqlite", "postgresql")
    kills: int = 3


REAL = ("once", "again", "look", "inner/keep", "left", "each/mark", "flaky", "last")
TORTURE = (
    *("torture", WORKFLOW, "--answer", f"ask={ANSWER}", "--yes"),
    *(word for node in REAL for word in ("--real", node)),
)
"""`flowc torture`, in the folder of the workflow."""
COMMAND = Subject("flowc", command_trial, undisturbed_command, ("signal",))
GRAPH = Subject("a graph", hosts.graph_trial, hosts.undisturbed, get_args(Way))
FOREIGN = Subject(
    "LangGraph's saver",
    hosts.foreign_trial,
    hosts.foreign_undisturbed,
    ("moment", "boundary"),
)
SERVER = Subject(
    "langgraph dev",
    server.server_trial,
    server.undisturbed,
    ("moment",),
    stores=("sqlite",),
    kills=1,
)
COLUMNS = ("", "runs", "kills", "lost", "repeated", "asked", "again", "broken")


@dataclass
class Row:
    """All trials of one subject that died in one way."""

    title: str
    judge: Judge = field(default_factory=lambda: Judge(undisturbed()))

    def cells(self) -> list[str]:
        found = self.judge.judgement
        all = found.total()
        numbers = (found.runs, found.kills, all.lost, all.repeated, all.asked, all.again)
        return [self.title, *map(str, numbers), str(len(found.breaches))]


@dataclass
class Harness:
    """Trials in one room, `kills` of each way."""

    room: Path
    port: int
    kills: int
    seed: int
    number: int = 0
    measured: dict[str, tuple[float, Counter[str]]] = field(default_factory=dict)

    def new_place(self) -> Place:
        self.number += 1
        return place(self.room, self.port, self.number)

    def row(self, subject: Subject, kind: str, store: str, way: Way) -> Row:
        """Trials until as many kills have hit."""
        title = f"{subject.title}, {_STORES[kind]}"
        dice = random.Random(f"{self.seed} {title} {way}")
        if title not in self.measured:
            self.measured[title] = self._measure(subject, store)
        seconds, boundaries = self.measured[title]
        row = Row(f"{title}, {_WORDS[way]}")
        while (done := row.judge.judgement.kills) < self.kills:
            plan = Plan(dice, way, seconds, boundaries, min(subject.kills, self.kills - done))
            where = self.new_place()
            for breach in row.judge.add(subject.trial(where, store, plan)):
                print(f"{row.title}, {where.folder}: {breach}", file=sys.stderr)
        return row

    def _measure(self, subject: Subject, store: str) -> tuple[float, Counter[str]]:
        """Seconds that a run takes up to its question, and its boundaries of each kind."""
        where = self.new_place()
        began = time.monotonic()
        end = in_folder(subject.body(where, store), Blow(), where.folder)
        seconds = time.monotonic() - began
        assert end.code == 4, where.text("err")
        if "boundary" not in subject.ways:
            return seconds, Counter()
        where = self.new_place()
        found = count_boundaries(subject.body(where, store), where.folder)
        return seconds, Counter(map(kind_of, found))


_STORES = {"sqlite": "SQLite", "postgresql": "PostgreSQL"}
_SUBJECTS = [COMMAND, GRAPH, FOREIGN, SERVER]
TITLES = [TORTURE[0], *(subject.title for subject in _SUBJECTS)]
_WORDS: dict[Way, str] = {
    "moment": "SIGKILL at a moment",
    "boundary": "SIGKILL at a boundary",
    "signal": "SIGINT and SIGTERM",
}


def table(rows: list[Row]) -> Iterator[str]:
    """The rows as lines of text."""
    cells = [list(COLUMNS), *(row.cells() for row in rows)]
    widths = [max(len(row[n]) for row in cells) for n in range(len(COLUMNS))]
    for row in cells:
        first, *rest = row
        numbers = (f"{cell:>{width}}" for cell, width in zip(rest, widths[1:], strict=True))
        yield "  ".join((f"{first:<{widths[0]}}", *numbers))


@contextmanager
def _quiet_world(room: Path) -> Iterator[None]:
    """Nothing of the developer's own settings, and everything imported before the first fork."""
    for name in [n for n in os.environ if n.startswith(("FLOWC_", "OPENAI_", "LANGSMITH_"))]:
        del os.environ[name]
    write_record(room / "home")
    os.environ.update(OPENAI_API_KEY="sk-crash-harness", XDG_CONFIG_HOME=str(room / "home"))
    load(EVERYTHING)
    from flowc.compiler.driver import compile_file

    compile_file(str(Path(__file__).with_name("every.flow.yaml")))
    yield


def _torture(kills: int, seed: int) -> bool:
    """Whether `flowc torture` finds something, at each boundary and so many moments."""
    words = (*TORTURE, "--moments", str(kills), "--seed", str(seed), "--beside", "langgraph")
    return subprocess.run([sys.executable, "-m", "flowc", *words], cwd=HERE).returncode != 0


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.crash")
    parser.add_argument("--kills", type=int, default=20, help="of each way, on each store")
    parser.add_argument(
        "--postgres", help="the URL of a server; a database is made on it and dropped"
    )
    parser.add_argument("--seed", type=int, default=int(time.time()))
    parser.add_argument("--way", action="append", choices=get_args(Way))
    parser.add_argument("--subject", action="append", dest="subjects", choices=TITLES)
    asked = parser.parse_args()
    asked.subjects = asked.subjects or TITLES
    ways: list[Way] = asked.way or list(get_args(Way))
    postgres = asked.postgres or os.environ.get("FLOWC_TEST_POSTGRES")
    rows: list[Row] = []
    with tempfile.TemporaryDirectory(prefix="flowc-crash-") as folder:
        room = Path(folder)
        with _quiet_world(room), model_server(room) as port:
            broken = TORTURE[0] in asked.subjects and _torture(asked.kills, asked.seed)
            harness = Harness(room, port, asked.kills, asked.seed)
            for kind in ("sqlite", "postgresql") if postgres else ("sqlite",):
                with fresh_store(kind, room, postgres or "") as store:
                    rows += [
                        harness.row(subject, kind, store, way)
                        for subject in _SUBJECTS
                        if subject.title in asked.subjects and kind in subject.stores
                        for way in subject.ways
                        if way in ways
                    ]
    if rows:
        print("", *table(rows), "", f"seed {asked.seed}", sep="\n")
    return 1 if broken or any(row.judge.judgement.breaches for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
