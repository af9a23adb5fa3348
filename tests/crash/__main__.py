"""Kills a run again and again and counts what happened how often: python -m tests.crash --kills 200

For flowc on each store, as a command and as a graph in a program, and for the same workflow on bare
LangGraph with its SQLite saver. A row is a way to die: at a random moment by SIGKILL, at a boundary
of the journal, a command also by SIGINT and SIGTERM. The exit code is 1 when flowc broke a promise.
"""

from __future__ import annotations

import argparse
import os
import random
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import get_args

from tests.fixtures.dying import Blow, count_boundaries, in_child, kind_of
from tests.fixtures.forks import EVERYTHING, load
from tests.fixtures.stores import fresh_store

from . import bare, hosts, server
from .trials import Plan, Trial, Way, bare_trial, flowc_trial, undisturbed
from .world import MODEL, ONCE, Place, model_server, place


@dataclass(frozen=True)
class Subject:
    """What is killed: its trial, its run up to the question for measuring, and in which ways it
    dies, on which `stores`. Without `promises` it is there to compare with. A `clocked` one prints
    how many seconds it took, because it has to start first."""

    title: str
    trial: Callable[[Place, str, Plan], Trial]
    body: Callable[[Place, str], Callable[[], int]]
    ways: tuple[Way, ...]
    promises: bool = True
    stores: tuple[str, ...] = ("sqlite", "postgresql")
    clocked: bool = False


COMMAND = Subject("flowc", flowc_trial, undisturbed, get_args(Way))
GRAPH = Subject("a graph", hosts.graph_trial, hosts.undisturbed, ("moment", "boundary"))
SERVER = Subject(
    "langgraph dev",
    server.server_trial,
    server.undisturbed,
    ("moment",),
    stores=("sqlite",),
    clocked=True,
)
BARE = Subject("bare LangGraph", bare_trial, bare.undisturbed, ("moment",), promises=False)
COLUMNS = ("", "runs", "kills", "lost", "once", "model", "free", "keys", "asked", "stuck")
MEANING = """\
lost: effects that never happened. once: repetitions of effects declared once. model: model calls
paid again unasked. free: repetitions of effects that may be repeated. keys: repetitions under
another idempotency key (bare LangGraph has none). asked: effects in doubt that a person decided.
stuck: runs that did not end, or not with the right result.
"""


@dataclass
class Row:
    """All trials of one subject that died in one way."""

    title: str
    trials: list[Trial] = field(default_factory=list)

    def cells(self) -> list[str]:
        trials = self.trials
        repeated = [(k, n) for t in trials for k, n in t.repeated.items()]
        paid = sum(trial.paid_unasked for trial in trials)
        free = sum(n for k, n in repeated if k not in ONCE and k not in MODEL)
        numbers = [
            len(trials), sum(t.kills for t in trials), sum(sum(t.lost.values()) for t in trials),
            sum(n for k, n in repeated if k in ONCE), paid, free,
            sum(t.other_keys for t in trials), sum(t.answers for t in trials),
            sum(bool(t.stuck) for t in trials),
        ]  # fmt: skip
        return [self.title, *map(str, numbers)]


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
        while (done := sum(t.kills for t in row.trials)) < self.kills:
            plan = Plan(dice, way, seconds, boundaries, min(3, self.kills - done))
            where = self.new_place()
            row.trials.append(subject.trial(where, store, plan))
            if (wrong := row.trials[-1].wrong) and subject.promises:
                print(f"{row.title}, {where.folder}: {wrong}", file=sys.stderr)
        return row

    def _measure(self, subject: Subject, store: str) -> tuple[float, Counter[str]]:
        """Seconds that a run takes up to its question, and its boundaries of each kind."""
        where = self.new_place()
        began = time.monotonic()
        end = in_child(subject.body(where, store), Blow(), str(where.folder))
        seconds = time.monotonic() - began
        assert end.code == 4, (where.folder / "err").read_text()
        if subject.clocked:
            seconds = float((where.folder / "out").read_text())
        if "boundary" not in subject.ways:
            return seconds, Counter()
        where = self.new_place()
        names = str(where.folder / "boundaries")
        found = count_boundaries(subject.body(where, store), str(where.folder), names)
        return seconds, Counter(map(kind_of, found))


_STORES = {"sqlite": "SQLite", "postgresql": "PostgreSQL"}
_SUBJECTS = [COMMAND.title, GRAPH.title, SERVER.title]
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
    os.environ.update(OPENAI_API_KEY="sk-crash-harness", XDG_CONFIG_HOME=str(room / "home"))
    load((*EVERYTHING, "langchain.agents"))
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
    parser.add_argument("--subject", action="append", dest="subjects", choices=_SUBJECTS)
    parser.add_argument("--no-bare", action="store_true")
    asked = parser.parse_args()
    asked.subjects = asked.subjects or _SUBJECTS
    ways: list[Way] = asked.way or list(get_args(Way))
    postgres = asked.postgres or os.environ.get("FLOWC_TEST_POSTGRES")
    rows: list[Row] = []
    with tempfile.TemporaryDirectory(prefix="flowc-crash-") as folder:
        room = Path(folder)
        with _quiet_world(room), model_server(room) as port:
            harness = Harness(room, port, asked.kills, asked.seed)
            for kind in ("sqlite", "postgresql") if postgres else ("sqlite",):
                with fresh_store(kind, room, postgres or "") as store:
                    rows += [
                        harness.row(subject, kind, store, way)
                        for subject in (COMMAND, GRAPH, SERVER)
                        if subject.title in asked.subjects and kind in subject.stores
                        for way in subject.ways
                        if way in ways
                    ]
            held = all(not trial.wrong for row in rows for trial in row.trials)
            if not asked.no_bare:
                bare_store = str(room / "bare.db")
                rows.append(harness.row(BARE, "sqlite", bare_store, "moment"))
    print(*table(rows), "", MEANING + f"seed {asked.seed}", sep="\n")
    return 0 if held else 1


if __name__ == "__main__":
    sys.exit(main())
