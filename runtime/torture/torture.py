"""A workflow tortured: once undisturbed, then killed at its boundaries and at random moments."""

from __future__ import annotations

import gc
import random
import signal
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path

from flowc.compiler.source.spelling import Spelling

from ..errors import RunError
from .dying import PATIENCE, Blow
from .hosts import HOSTS, Cell, HostName, Victim
from .judge import Judge, Judgement
from .people import Answer, Person
from .stores import StoreMaker
from .trials import NO_BLOW, Boundary, Trials, Undisturbed, tear_down

DEATHS = 3
"""How often a run dies at most that dies at random moments."""
RUN = "torture"


@dataclass(frozen=True, slots=True)
class Kills:
    """Which kills: at so many `boundaries` of the journal (None: at each one), or only at those of
    the titles `at`; at so many random `moments`. `seed` chooses. `patience` is what an execution
    may take, in seconds."""

    boundaries: int | None = None
    moments: int = 0
    seed: int = 0
    at: tuple[str, ...] = ()
    patience: float = PATIENCE


@dataclass(slots=True)
class Ordeal:
    """What came of it. `stopped`: a person had enough before all `planned` kills."""

    host: HostName
    undisturbed: Undisturbed
    judgement: Judgement
    planned: int = 0
    at_boundaries: int = 0
    at_moments: int = 0
    seconds: float = 0.0
    stopped: bool = False


Progress = Callable[[Ordeal], None]
NextBlow = Callable[[int, int], tuple[Blow, str]]


@dataclass(slots=True)
class Torture:
    """Tortures one victim in a folder `room`."""

    victim: Victim
    answer: Answer
    room: Path
    store: StoreMaker
    kills: Kills = field(default_factory=Kills)
    progress: Progress = lambda ordeal: None
    _made: int = 0

    def on(self, host: HostName) -> Ordeal:
        """Torture it on a host until all is done or a person has enough. Raise `RunError` where it
        cannot be run undisturbed, and for a boundary that it does not have."""
        began = time.monotonic()
        _load()
        trials = Trials(HOSTS[host], self.victim, Person(self.answer), self.kills.patience)
        cell = self._cell(host)
        undisturbed = trials.run_undisturbed(cell)
        tear_down(cell.folder)
        judge = Judge(undisturbed)
        person = Person(self.answer, undisturbed.results, judge.base.noted)
        trials = Trials(HOSTS[host], self.victim, person, self.kills.patience)
        chosen = _choose(undisturbed.boundaries, self.kills)
        ordeal = Ordeal(host, undisturbed, judge.judgement, len(chosen) + self.kills.moments)
        try:
            for blow, at_boundary in self._blows(chosen, undisturbed, ordeal):
                self.progress(ordeal)
                cell = self._cell(host)
                run = trials.run_killed(cell, blow)
                judge.add(run)
                tear_down(cell.folder)
                if at_boundary:
                    ordeal.at_boundaries += len(run.died)
                else:
                    ordeal.at_moments += len(run.died)
        except KeyboardInterrupt:
            ordeal.stopped = True
        ordeal.seconds = time.monotonic() - began
        self.progress(ordeal)
        return ordeal

    def _cell(self, host: HostName) -> Cell:
        self._made += 1
        folder = self.room / f"{host}-{self._made:05}"
        return Cell(folder, self.store(folder), f"{RUN}-{self._made}")

    def _blows(
        self, chosen: list[Boundary], undisturbed: Undisturbed, ordeal: Ordeal
    ) -> Iterator[tuple[NextBlow, bool]]:
        for boundary in chosen:
            yield _at_boundary(boundary), True
        dice = random.Random(self.kills.seed)
        missed = 0
        while (left := self.kills.moments - ordeal.at_moments) > 0 and missed < DEATHS + 10:
            before = ordeal.at_moments
            yield _at_moments(dice, undisturbed.seconds, min(left, DEATHS)), False
            missed = missed + 1 if ordeal.at_moments == before else 0


def _load() -> None:
    """Import what every execution would import by itself, so that no child has to."""
    for module in ("jsonschema.validators", "langchain_core.tools", "langchain_core.tracers"):
        import_module(module)
    gc.freeze()


def _choose(boundaries: list[Boundary], kills: Kills) -> list[Boundary]:
    """Return the boundaries to die at. Before something is written the disk is as it was at the
    boundary before, so that nobody dies there."""
    if kills.at:
        known = {boundary.title: boundary for boundary in boundaries}
        for title in kills.at:
            if title not in known:
                raise RunError(
                    f"the undisturbed run comes to no boundary `{title}`",
                    help=Spelling(known).advice(title, "findings and --json name them"),
                )
        return [known[title] for title in kills.at]
    useful = [each for each in boundaries if not each.name.startswith("before ")]
    if kills.boundaries is None or kills.boundaries >= len(useful):
        return useful
    chosen = random.Random(kills.seed).sample(range(len(useful)), kills.boundaries)
    return [useful[index] for index in sorted(chosen)]


def _at_boundary(boundary: Boundary) -> NextBlow:
    def blow(execution: int, deaths: int) -> tuple[Blow, str]:
        hits = not deaths and execution == boundary.execution
        return (boundary.blow if hits else NO_BLOW), boundary.title

    return blow


def _at_moments(dice: random.Random, seconds: list[float], deaths: int) -> NextBlow:
    def blow(execution: int, done: int) -> tuple[Blow, str]:
        if done >= deaths:
            return NO_BLOW, ""
        moment = dice.uniform(0, max(seconds))
        return Blow(((moment, signal.SIGKILL),)), f"{moment:.3f} s after its beginning"

    return blow
