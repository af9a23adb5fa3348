"""Kills the every-shape workflow on each store and in each of its hosts, and an edit of a sound,
and counts what happened how often: python -m tests.crash --kills 40, which are a thousand. `flowc
torture` kills the workflow itself, and its judge judges here too; then a command dies by SIGINT and
SIGTERM, a graph in a program, one with what LangGraph keeps, one in its server. The exit code is 1
when flowc broke a promise.
"""

from __future__ import annotations

import argparse
import json
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
from typing import Any, get_args

from flowc.runtime.torture.boundaries import kind_of
from flowc.runtime.torture.dying import Blow
from flowc.runtime.torture.judge import Judge, Judgement, NodeCount
from flowc.runtime.torture.trials import KilledRun, Undisturbed

from tests.fixtures.dying import count_boundaries, in_folder
from tests.fixtures.forks import load
from tests.fixtures.own_folders import write_record
from tests.fixtures.stores import fresh_store

from . import hosts, server
from .audio import audio_trial, edit_end, undisturbed_edit
from .trials import Plan, Way, command_trial, undisturbed_command
from .world import ANSWER, HERE, SHAPES, WORKFLOW, Place, model_server, place, undisturbed


@dataclass(frozen=True)
class Subject:
    """What is killed: its trial, its run for measuring, which ends with `code`, and what a run has
    to come to; in which ways it dies, on which `stores`, and how many `kills` a trial has."""

    title: str
    trial: Callable[[Place, str, Plan], KilledRun]
    body: Callable[[Place, str], Callable[[], int]]
    ways: tuple[Way, ...]
    stores: tuple[str, ...] = ("sqlite", "postgresql")
    kills: int = 3
    code: int = 4
    right: Callable[[Place], Undisturbed] = lambda place: undisturbed()


REAL = ("once", "again", "look", "inner/keep", "left", "each/mark", "flaky", "last")
TORTURE = (
    *("torture", WORKFLOW, "--answer", f"ask={ANSWER}", "--yes"),
    *(word for node in REAL for word in ("--real", node)),
)
"""`flowc torture`, in the folder of the workflow."""
COMMAND = Subject("flowc", command_trial, undisturbed_command, ("signal",))
AUDIO = Subject(
    "an edit of a sound",
    audio_trial,
    undisturbed_edit,
    ("moment", "boundary"),
    code=0,
    right=edit_end,
)
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
COUNTS = ("kills", "lost", "repeated", "asked", "again", "stuck", "wrong", "broken")
ALL = "all of flowc"
ALONE = "LangGraph alone"


@dataclass
class Row:
    """What came of all trials of one subject that died in one way: numbers by their names, those of
    effects by shape too."""

    title: str
    counts: Counter[str] = field(default_factory=Counter)
    shapes: dict[str, Counter[str]] = field(default_factory=dict)

    def __add__(self, other: Row) -> Row:
        names = dict.fromkeys((*self.shapes, *other.shapes))
        none = Counter[str]()
        shapes = {n: self.shapes.get(n, none) + other.shapes.get(n, none) for n in names}
        return Row(self.title, self.counts + other.counts, shapes)


def judge_row(title: str, found: Judgement) -> Row:
    """The row of what a judge found."""
    nodes = [{"node": name, **count_of(count)} for name, count in found.nodes.items()]
    kinds = Counter(breach.kind for breach in found.breaches)
    return row_of(title, found.kills, nodes, kinds)


def report_row(title: str, report: dict[str, Any], broken: Counter[str]) -> Row:
    """The row of what `flowc torture` says."""
    kills = report["kills"]["boundaries"] + report["kills"]["moments"]
    return row_of(title, kills, report["nodes"], broken)


def row_of(title: str, kills: int, nodes: list[dict[str, Any]], broken: Counter[str]) -> Row:
    """The row of so many kills, what nodes came to, and promises that were broken, by kind."""
    row = Row(title, Counter(kills=kills, stuck=broken["stuck"], wrong=broken["ending"]))
    row.counts["broken"] = broken.total()
    for node in nodes:
        numbers = Counter({name: node[name] for name in COUNTS[1:5]})
        row.counts += numbers
        for shape in (shape for shape, names in SHAPES.items() if node["node"] in names):
            row.shapes[shape] = row.shapes.get(shape, Counter()) + numbers
    return row


def count_of(node: NodeCount) -> dict[str, int]:
    return {name: getattr(node, name) for name in NodeCount.__slots__}


@dataclass(frozen=True)
class Measure:
    """Of an undisturbed run: seconds, boundaries of each kind, what it came to."""

    seconds: float
    boundaries: Counter[str]
    right: Undisturbed


@dataclass
class Harness:
    """Trials in one room, `kills` of each way."""

    room: Path
    port: int
    kills: int
    seed: int
    number: int = 0
    measured: dict[str, Measure] = field(default_factory=dict)

    def new_place(self) -> Place:
        self.number += 1
        return place(self.room, self.port, self.number)

    def rows(self, kind: str, store: str, titles: list[str], ways: list[Way]) -> Iterator[Row]:
        """One row after another for the subjects of these titles that die in these ways."""
        if TORTURE[0] in titles:
            yield from self.torture(kind, store)
        for subject in _SUBJECTS:
            if subject.title in titles and kind in subject.stores:
                for way in subject.ways:
                    if way in ways:
                        yield self.row(subject, kind, store, way)

    def row(self, subject: Subject, kind: str, store: str, way: Way) -> Row:
        """Trials until as many kills have hit."""
        title = f"{subject.title}, {_STORES[kind]}"
        dice = random.Random(f"{self.seed} {title} {way}")
        if title not in self.measured:
            self.measured[title] = self._measure(subject, store)
        measure = self.measured[title]
        title, judge = f"{title}, {_WORDS[way]}", Judge(measure.right)
        while (done := judge.judgement.kills) < self.kills:
            kills = min(subject.kills, self.kills - done)
            plan = Plan(dice, way, measure.seconds, measure.boundaries, kills)
            where = self.new_place()
            for breach in judge.add(subject.trial(where, store, plan)):
                print(f"{title}, {where.folder}: {breach}", file=sys.stderr)
        return judge_row(title, judge.judgement)

    def _measure(self, subject: Subject, store: str) -> Measure:
        where = self.new_place()
        began = time.monotonic()
        end = in_folder(subject.body(where, store), Blow(), where.folder)
        seconds = time.monotonic() - began
        assert end.code == subject.code, where.text("err")
        right = subject.right(where)
        if "boundary" not in subject.ways:
            return Measure(seconds, Counter(), right)
        where = self.new_place()
        found = count_boundaries(subject.body(where, store), where.folder)
        return Measure(seconds, Counter(map(kind_of, found)), right)

    def torture(self, kind: str, store: str) -> Iterator[Row]:
        """What `flowc torture` finds at each boundary and so many moments; on SQLite beside
        LangGraph alone, whose row counts for nothing."""
        words = [*TORTURE, "--moments", str(self.kills), "--seed", str(self.seed), "--json"]
        words += ["--store", store] if kind == "postgresql" else ["--beside", "langgraph"]
        command = [sys.executable, "-m", "flowc", *words]
        done = subprocess.run(command, cwd=HERE, stdout=subprocess.PIPE, text=True)
        report = json.loads(done.stdout)
        for finding in report["findings"]:
            print(f"{TORTURE[0]}, {_STORES[kind]}: {finding}", file=sys.stderr)
        broken = Counter({each["kind"]: each["runs"] for each in report["findings"]})
        yield report_row(f"{TORTURE[0]}, {_STORES[kind]}, SIGKILL everywhere", report, broken)
        for other in report["beside"].values():
            yield report_row(ALONE, other, Counter())


_STORES = {"sqlite": "SQLite", "postgresql": "PostgreSQL"}
_SUBJECTS = [COMMAND, AUDIO, GRAPH, FOREIGN, SERVER]
TITLES = [TORTURE[0], *(subject.title for subject in _SUBJECTS)]
_WORDS: dict[Way, str] = {
    "moment": "SIGKILL at a moment",
    "boundary": "SIGKILL at a boundary",
    "signal": "SIGINT and SIGTERM",
}


def table(rows: list[Row]) -> Iterator[str]:
    """The rows as lines of text, the last one their sum, and the numbers of effects by shape."""
    total = sum((row for row in rows if row.title != ALONE), Row(ALL))
    yield from _lines([("", *COUNTS), *_cells([*rows, total], COUNTS)])
    yield ""
    shapes = [Row(shape, counts) for shape, counts in total.shapes.items()]
    yield from _lines([("by shape", *COUNTS[1:5]), *_cells(shapes, COUNTS[1:5])])


def _cells(rows: list[Row], names: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    for row in rows:
        yield (row.title, *(str(row.counts[name]) for name in names))


def _lines(cells: list[tuple[str, ...]]) -> Iterator[str]:
    widths = [max(len(row[n]) for row in cells) for n in range(len(cells[0]))]
    for first, *rest in cells:
        numbers = (f"{cell:>{width}}" for cell, width in zip(rest, widths[1:], strict=True))
        yield "  ".join((f"{first:<{widths[0]}}", *numbers))


@contextmanager
def _quiet_world(room: Path) -> Iterator[None]:
    """Nothing of the developer's own settings, and everything imported before the first fork."""
    for name in [n for n in os.environ if n.startswith(("FLOWC_", "OPENAI_", "LANGSMITH_"))]:
        del os.environ[name]
    write_record(room / "home")
    os.environ.update(OPENAI_API_KEY="sk-crash-harness", XDG_CONFIG_HOME=str(room / "home"))
    load()
    from flowc.compiler.driver import compile_file

    compile_file(str(Path(__file__).with_name("every.flow.yaml")))
    yield


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
            harness = Harness(room, port, asked.kills, asked.seed)
            for kind in ("sqlite", "postgresql") if postgres else ("sqlite",):
                with fresh_store(kind, room, postgres or "") as store:
                    for row in harness.rows(kind, store, asked.subjects, ways):
                        print(row.title, dict(row.counts), file=sys.stderr, flush=True)
                        rows.append(row)
    print("", *table(rows), "", f"seed {asked.seed}", sep="\n")
    return 1 if any(row.counts["broken"] for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
