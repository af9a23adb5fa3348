"""What an execution's events say of its steps: when each visit of one began and ended, and how.

A step is visited by its run; only the events of the workflow itself count, those of workflows that
it calls belong to no step. Events are numbered from 1 without a gap, and a visit is known by the
positions of the events that begin and end it.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from ...db.database import marks
from ...events import RunEvent
from ...store.runs import RunStore
from ...values import Json

KEPT = 500
"""Executions whose timelines one process remembers."""
OF_INTEREST = frozenset({"gate", "warning", "node_failed", "run_finished"})
"""Events that people may be told of."""
_RESULT = ("score", "scores")


@dataclass(frozen=True, slots=True)
class StepVisit:
    """One visit of a step, `number` from 1. `began` and `ended` are positions of events, `begin`
    and `end` their times (ISO 8601 UTC); `ended` 0: it goes on, or waits for a person. `counts` is
    false of a failure that no edge takes: the visit comes again under its number. `result` is what
    its end says of the result: `score` and, of a review, `scores`."""

    step: str
    number: int
    began: int
    begin: str
    ended: int = 0
    end: str = ""
    outcome: Literal["", "done", "failed"] = ""
    counts: bool = True
    result: dict[str, Json] = field(default_factory=dict)


@dataclass(slots=True)
class Timeline:
    """The visits by step, the oldest first, as of the event at `position` (0: none yet). `told` are
    the events that people may be told of, `end` the time at which the run rested last;
    `is_completed`: the last event says that it is. `retried` are visits that failed and began anew
    under their number."""

    position: int = 0
    visits: dict[str, list[StepVisit]] = field(default_factory=dict)
    told: list[RunEvent] = field(default_factory=list)
    end: str = ""
    is_completed: bool = False
    retried: list[StepVisit] = field(default_factory=list)

    def hear(self, events: Iterable[tuple[int, RunEvent]]) -> None:
        """Take in events behind the position, in order."""
        for position, event in events:
            self.position = position
            self.is_completed = _says_completed(event)
            if event.kind in OF_INTEREST:
                self.told.append(event)
            if event.kind == "run_finished":
                self.end = event.time
            elif not event.path:
                self._step(position, event)

    def copy(self) -> Timeline:
        """Return the timeline as it is now, which does not go on."""
        visits = {step: list(visits) for step, visits in self.visits.items()}
        return replace(self, visits=visits, told=list(self.told), retried=list(self.retried))

    def before_completion(self) -> Timeline:
        """Return the timeline without the event of the completion: the run's record comes behind
        it, and has the result."""
        return replace(self, position=self.position - 1, told=self.told[:-1], end="")

    def last(self, step: str) -> StepVisit | None:
        """Return the latest visit of a step."""
        visits = self.visits.get(step)
        return visits[-1] if visits else None

    def visit(self, step: str, number: int) -> StepVisit | None:
        """Return one visit of a step."""
        return next((v for v in self.visits.get(step, ()) if v.number == number), None)

    def _step(self, position: int, event: RunEvent) -> None:
        if event.kind == "node_started":
            self._begin(position, event)
        elif event.kind in ("node_finished", "node_failed"):
            visits = self.visits.get(event.node)
            if visits:
                visits[-1] = replace(
                    visits[-1],
                    ended=position,
                    end=event.time,
                    outcome="done" if event.kind == "node_finished" else "failed",
                    counts=event.kind == "node_finished" or bool(event.data.get("caught")),
                    result={name: event.data[name] for name in _RESULT if name in event.data},
                )

    def _begin(self, position: int, event: RunEvent) -> None:
        """A visit that a death cut off begins again under its number, and so does one that failed
        and was restarted: that one anew."""
        number, visits = int(event.data["visit"]), self.visits.setdefault(event.node, [])
        begin = event.time
        if visits and visits[-1].number == number:
            last = visits.pop()
            if last.outcome == "failed":
                self.retried.append(last)
            else:
                begin = last.begin
        visits.append(StepVisit(event.node, number, position, begin))


@dataclass(frozen=True, slots=True)
class Timelines:
    """The timelines of the executions that were asked for last; each event is read once."""

    known: OrderedDict[str, Timeline] = field(default_factory=OrderedDict)

    async def of(self, store: RunStore, execution: str) -> Timeline:
        """Return the timeline of an execution as of now."""
        known = self._timeline(execution)
        while more := await store.events_after(execution, known.position):
            known.hear(_behind(known.position, more))
        return known.copy()

    async def of_each(self, store: RunStore, executions: Sequence[str]) -> dict[str, Timeline]:
        """Return those of a few executions. Events are asked for where there are new ones."""
        query = f"select run, max(seq) from events where run in ({marks(executions)}) group by run"
        latest: dict[str, int] = dict(await store.db.rows(query, executions))
        timelines = {}
        for id in executions:
            known = self._timeline(id)
            is_new = latest.get(id, 0) > known.position
            timelines[id] = await self.of(store, id) if is_new else known.copy()
        return timelines

    def _timeline(self, execution: str) -> Timeline:
        known = self.known.setdefault(execution, Timeline())
        self.known.move_to_end(execution)
        while len(self.known) > KEPT:
            self.known.popitem(last=False)
        return known


def _says_completed(event: RunEvent) -> bool:
    return event.kind == "run_finished" and event.data.get("status") == "success"


def _behind(position: int, events: Sequence[tuple[int, RunEvent]]) -> list[tuple[int, RunEvent]]:
    """Return the events behind a position: another reader may have taken some in meanwhile."""
    return [(at, event) for at, event in events if at > position]
