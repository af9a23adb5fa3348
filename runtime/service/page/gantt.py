"""An execution in time: for each visit of a node a line with what was done in it, and when.

Everything follows from the run's events. A line is a percentage of the whole: where nothing has
ended yet, until now.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Literal

from flowc.compiler.emit.html.svg import Mark

from ...events import EventKind, RunEvent
from .words import seconds_of

MOST = 400
"""Visits that a page shows: the latest."""
WORKS: frozenset[EventKind] = frozenset(
    {"model_called", "tool_called", "command_run", "request_sent"}
)
"""Events that end something that took `seconds`."""
TRIES: frozenset[EventKind] = frozenset({"node_retry", "model_retry", "model_fallback"})
STEPS = (0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14400,
         21600, 43200, 86400, 172800, 604800, 2592000, 31536000)  # fmt: skip
"""Seconds between two ticks."""
TICKS = 5
"""Ticks at most."""

Kind = Literal["visit", "work", "wait"]
"""From begin to end of a visit; something outside at work: a model, a tool; waiting for a person or
a time."""


_ORDER: Sequence[Kind] = ("visit", "wait", "work")
"""What is drawn first lies below."""


@dataclass(slots=True)
class Stretch:
    """A part of a visit. Times are seconds since 1970; `end` None: it goes on."""

    kind: Kind
    begin: float
    end: float | None = None


@dataclass(slots=True)
class VisitLine:
    """One visit of a node, `number` from 1. `tries` are the moments at which something was tried
    again; `tokens` and `cost` (dollars, None: unknown) those of all models that were asked in
    it."""

    node: str
    number: int
    begin: float
    state: Mark = "busy"
    stretches: list[Stretch] = field(default_factory=list)
    tries: list[float] = field(default_factory=list)
    tokens: int = 0
    cost: float | None = None

    def open(self, *kinds: Kind) -> Iterator[Stretch]:
        """Yield the stretches that go on."""
        return (one for one in self.stretches if one.end is None and one.kind in kinds)

    def close(self, at: float, *kinds: Kind) -> None:
        """End the stretches that go on."""
        for one in self.open(*kinds):
            one.end = at


@dataclass(frozen=True, slots=True)
class Bar:
    """A part of a line on the page: `left` and `width` in percent of the whole."""

    kind: Kind
    left: float
    width: float


@dataclass(frozen=True, slots=True)
class GanttLine:
    """A visit as the page shows it. `begin` and `end` are ISO times in UTC, `end` "" while it goes
    on; `seconds` from its begin to its end, `waited` those for a person or a time."""

    node: str
    title: str
    place: int
    number: int
    state: Mark
    begin: str
    end: str
    seconds: float
    waited: float
    bars: Sequence[Bar]
    tries: Sequence[float]
    tokens: int
    cost: float | None


@dataclass(frozen=True, slots=True)
class Gantt:
    """The lines in the order in which the visits began; `hidden` earlier ones are left out. `ticks`
    are positions in percent with their words; `seconds` is the length of the whole."""

    lines: Sequence[GanttLine] = ()
    ticks: Sequence[tuple[float, str]] = ()
    hidden: int = 0
    seconds: float = 0.0


def gantt_of(
    events: Sequence[RunEvent],
    places: Mapping[str, tuple[int, str]],
    states: Mapping[str, Mark],
    now: datetime | None,
) -> Gantt:
    """Return the lines of an execution. `places` say number and title of the nodes that are shown,
    `states` in what each is at last, `now` is None when the execution has ended."""
    known = visits_of(events, places)
    shown = known[-MOST:]
    if not shown:
        return Gantt()
    last: dict[str, VisitLine] = {line.node: line for line in known}
    for node, state in states.items():
        if node in last and last[node].state in ("busy", "waiting"):
            last[node].state = state
    begin = min(line.begin for line in shown)
    ends = [_seconds(events[-1].time), *((now.timestamp(),) if now is not None else ())]
    whole = max(max(ends) - begin, 0.001)
    lines = [_line(line, places[line.node], begin, whole) for line in shown]
    return Gantt(lines, list(_ticks(whole)), len(known) - len(shown), whole)


def visits_of(events: Iterable[RunEvent], wanted: Mapping[str, object]) -> list[VisitLine]:
    """Return the visits of the wanted nodes, in the order in which they began. What is done in a
    workflow that a node calls belongs to the visit of that node."""
    visits: list[VisitLine] = []
    current: dict[str, VisitLine] = {}
    before = 0.0
    for event in events:
        at = _seconds(event.time)
        node = event.path[0] if event.path else event.node
        if event.kind == "run_resumed":
            for line in current.values():  # a process died in the middle of it
                line.close(before, "visit", "work")
        elif event.kind == "node_started" and not event.path and node in wanted:
            _begin(visits, current, event, at)
        elif node in current:
            _hear(current[node], event, at)
        before = at
    return visits


def _begin(
    visits: list[VisitLine], current: dict[str, VisitLine], event: RunEvent, at: float
) -> None:
    """A visit that waited, that failed or that a death cut off begins again under its number."""
    number, line = int(event.data.get("visit", 1)), current.get(event.node)
    if line is None or line.number != number:
        line = current[event.node] = VisitLine(event.node, number, at)
        visits.append(line)
    else:
        if line.state != "waiting":
            line.tries.append(at)
        line.close(at, "wait")
    line.state = "busy"
    line.stretches.append(Stretch("visit", at))


def _hear(line: VisitLine, event: RunEvent, at: float) -> None:
    data = event.data
    if event.kind in WORKS:
        took = float(data.get("seconds") or 0.0)
        line.stretches.append(Stretch("work", max(line.begin, at - took), at))
    if event.kind == "model_called":
        line.tokens += sum(int(data.get(key) or 0) for key in ("input_tokens", "output_tokens"))
        if data.get("cost"):
            line.cost = (line.cost or 0.0) + float(data["cost"])
    elif event.kind in TRIES:
        line.tries.append(at)
    elif event.kind == "interrupted":
        line.state = "waiting"
        line.close(at, "visit")
        if not any(line.open("wait")):
            line.stretches.append(Stretch("wait", at))
    elif event.kind in ("node_finished", "node_failed") and not event.path:
        line.state = "done" if event.kind == "node_finished" else "failed"
        line.close(at, "visit", "wait")


def _line(line: VisitLine, place: tuple[int, str], begin: float, whole: float) -> GanttLine:
    until, goes_on = begin + whole, line.state in ("busy", "waiting", "paused")
    end = max(until if one.end is None else one.end for one in line.stretches)
    bars, waited = [], 0.0
    for one in sorted(line.stretches, key=lambda each: _ORDER.index(each.kind)):
        stop = until if one.end is None else one.end
        left, width = _percent(one.begin - begin, whole), _percent(stop - one.begin, whole)
        bars.append(Bar(one.kind, left, width))
        if one.kind == "wait":
            waited += stop - one.begin
    return GanttLine(
        node=line.node,
        title=place[1],
        place=place[0],
        number=line.number,
        state=line.state,
        begin=_time(line.begin),
        end="" if goes_on else _time(end),
        seconds=end - line.begin,
        waited=waited,
        bars=bars,
        tries=[_percent(at - begin, whole) for at in line.tries],
        tokens=line.tokens,
        cost=line.cost,
    )


def _ticks(whole: float) -> Iterator[tuple[float, str]]:
    """Yield position and words of each tick behind the begin."""
    step = next((step for step in STEPS if whole / step <= TICKS), STEPS[-1])
    for count in range(1, int(whole / step) + 1):
        yield _percent(count * step, whole), tick_words(count * step)


def tick_words(seconds: float) -> str:
    """Return a round time in one or two words: `0.2 s`, `5 min`, `6 h`, `3 d`."""
    if seconds < 60:
        return f"{seconds:g} s" if seconds >= 1 else f"{seconds:.1f} s"
    for size, word in ((86400, "d"), (3600, "h"), (60, "min")):
        if seconds >= size and seconds % size == 0:
            return f"{seconds / size:g} {word}"
    return seconds_of(seconds)


def _percent(part: float, whole: float) -> float:
    return round(100 * min(max(part / whole, 0.0), 1.0), 3)


def _seconds(time: str) -> float:
    return datetime.fromisoformat(time).timestamp()


def _time(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, tz=UTC).isoformat(timespec="milliseconds")
