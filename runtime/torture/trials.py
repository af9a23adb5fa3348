"""One run that dies, is resumed and in the end has done everything; one that nobody kills."""

from __future__ import annotations

import shutil
import signal
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from ..errors import RunError
from ..services import Json
from .boundaries import read_boundaries
from .dying import Blow, in_child
from .hosts import OUTCOME, Cell, RunEnding, TortureHost, Victim, body, read_ending
from .ledger import LedgerLine
from .people import Person, Verdicts

ROUNDS = 60
"""Executions after which a run that still has not ended counts as stuck."""
NO_BLOW = Blow()


@dataclass(frozen=True, slots=True)
class Boundary:
    """A boundary of the undisturbed run: its `number` among all of its name (from 1), the execution
    that comes to it (from 0) and the `nth` (from 1) of its name there."""

    name: str
    number: int
    execution: int
    nth: int

    @property
    def title(self) -> str:
        """What it is called in every run: `after aput #3`."""
        return f"{self.name} #{self.number}" if self.number > 1 else self.name

    @property
    def blow(self) -> Blow:
        return Blow(at=self.nth, what=self.name)


@dataclass(frozen=True, slots=True)
class Undisturbed:
    """The run that nobody kills: how it ended, its ledger, its boundaries, the seconds of each of
    its executions."""

    ending: RunEnding
    lines: list[LedgerLine]
    boundaries: list[Boundary]
    seconds: list[float]

    @property
    def results(self) -> dict[str, LedgerLine]:
        """The results of its calls, by label."""
        return {line.label: line for line in self.lines if line.what == "result"}


@dataclass(slots=True)
class KilledRun:
    """What came of a run that was killed. `died` names the boundaries, or the moments, in words;
    `stuck` says why it did not end."""

    died: list[str] = field(default_factory=list)
    ending: RunEnding | None = None
    stuck: str = ""
    lines: list[LedgerLine] = field(default_factory=list)
    verdicts: Verdicts = field(default_factory=Verdicts)


@dataclass(frozen=True, slots=True)
class Trials:
    """Runs of one victim on one host; each execution may take `patience` seconds."""

    host: TortureHost
    victim: Victim
    person: Person
    patience: float

    def run_undisturbed(self, cell: Cell) -> Undisturbed:
        """Execute to the end. Raise `RunError` where the run cannot be executed, or waits for an
        answer that nobody has."""
        cell.folder.mkdir(parents=True)
        boundaries: list[Boundary] = []
        seconds: list[float] = []
        answers: dict[str, Json] = {}
        for number in range(ROUNDS):
            notes = cell.folder / f"boundaries-{number}"
            began = time.monotonic()
            child = body(self.host, self.victim, cell, answers)
            end = in_child(child, Blow(notes=notes), cell.folder, self.patience)
            seconds.append(time.monotonic() - began)
            boundaries += _number(read_boundaries(notes), number, boundaries)
            if end.hung:
                raise RunError(
                    f"the undisturbed run did not end in {self.patience:g} s",
                    help="--timeout SECONDS gives each execution more",
                )
            if end.code != 0:
                raise RunError(f"the undisturbed run died: {cell.errors}", exit_code=3)
            ending = read_ending(cell, self.victim.scene)
            lines = cell.ledger.lines()
            if ending.status != "paused":
                return Undisturbed(ending, lines, boundaries, seconds)
            answers = self.person.answers(ending.questions, lines, Verdicts())
        raise RunError(f"the undisturbed run still waits after {ROUNDS} answers")

    def run_killed(self, cell: Cell, blow: Callable[[int, int], tuple[Blow, str]]) -> KilledRun:
        """Execute, with what `blow` says for an execution (from 0) after so many deaths, until the
        run ends."""
        cell.folder.mkdir(parents=True)
        run, answers = KilledRun(), dict[str, Json]()
        for execution in range(ROUNDS):
            (cell.folder / OUTCOME).unlink(missing_ok=True)
            how, words = blow(execution, len(run.died))
            child = body(self.host, self.victim, cell, answers)
            end = in_child(child, how, cell.folder, self.patience)
            answers = {}
            if end.hung:
                run.stuck = f"hung for {self.patience:g} s: {end.hung[-300:]}"
            elif end.code == -signal.SIGKILL and how != NO_BLOW:
                run.died.append(words)
                continue
            elif end.code != 0:
                run.stuck = f"ended with {end.code}: {cell.errors[-300:]}"
            else:
                answers = self._next(cell, run)
            if run.stuck or run.ending:
                return run
        run.stuck = f"did not end in {ROUNDS} executions"
        return run

    def _next(self, cell: Cell, run: KilledRun) -> dict[str, Json]:
        """Take down how an execution ended. Return the answers for the next one."""
        try:
            ending = read_ending(cell, self.victim.scene)
            run.lines = cell.ledger.lines()
            if ending.status == "paused":
                return self.person.answers(ending.questions, run.lines, run.verdicts)
            run.ending = ending
        except RunError as error:
            run.stuck = error.message
        return {}


def _number(names: Sequence[str], execution: int, before: Sequence[Boundary]) -> list[Boundary]:
    all_of, here = Counter(each.name for each in before), Counter[str]()
    found = []
    for name in names:
        all_of[name] += 1
        here[name] += 1
        found.append(Boundary(name, all_of[name], execution, here[name]))
    return found


def tear_down(folder: Path) -> None:
    """Remove what a run left."""
    shutil.rmtree(folder, ignore_errors=True)
