"""Events in canonical order: the same for every run that did the same, however its branches fell.

Branches that run side by side, elements of a foreach and calls within both report in the order in
which they happen to get on. Here the visits of a run stand in the order of the graph's steps, those
of one step in that of their names, and each with its own events in their order. Left out is what
differs from run to run by nature: ids and times, the seconds that things took, and what belongs to
the process and not to the work, such as pauses and the pieces in which an answer came.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from ..events import EventKind, RunEvent
from ..services import Json

OF_THE_PROCESS: frozenset[EventKind] = frozenset(
    {
        "run_started",
        "run_resumed",
        "model_text",
        "interrupted",
        "answered",
        "run_finished",
        "sandbox",
    }
)
_OF_THE_DAY = frozenset(
    {
        "sandbox",
        "seconds",
        "wait",
        "model",
        "replayed",
        "exchanges",
        "done",
        "step",
        "time",
        "elapsed",
        "cost",
        "estimated",
        "left",
    }
)
"""Fields of events that another run of the same does not repeat. `done` counts the elements that
are through when another one begins; `model` is what answered, and `step` is in the order."""
_FOLDER = re.compile(r"(?:[A-Za-z]:)?[^\s`'\"]*[/\\](?=[^/\\\s`'\"]+:\d+:\d+)")
"""The folder in front of a file's name, a line and a column."""

_OF_ELEMENTS = ("item_started", "item_finished")

Order = tuple[tuple[int, str, int, int], ...]


@dataclass(slots=True)
class _Visit:
    """A visit: where it stands (step, node, element, visit on each level), its events."""

    order: Order
    place: str
    number: int
    events: list[dict[str, Json]] = field(default_factory=list)


def canonical_events(events: Iterable[RunEvent]) -> list[dict[str, Json]]:
    """Return the events of one run, given whole and in the order in which they came: those of each
    visit as {kind, at, visit, …data}, in canonical order."""
    visits: dict[tuple[str, ...], _Visit] = {}
    every: dict[Order, _Visit] = {}
    outside = _Visit((), "", 0)
    for event in events:
        if event.kind in OF_THE_PROCESS:
            continue
        key = (*event.path, event.node)
        if event.kind == "node_started":
            begun = _begun(event, visits)
            # A visit that goes on after a pause or a crash is entered again.
            visits[key] = every.setdefault(begun.order, begun)
            continue
        visit = visits.get(key, outside)
        visit.events.append(_shorten(event, visit))
    ordered = sorted((*every.values(), outside), key=lambda visit: visit.order)
    return [shown for visit in ordered for shown in (_head(visit), *_sort_events(visit)) if shown]


def _begun(event: RunEvent, visits: dict[tuple[str, ...], _Visit]) -> _Visit:
    number, step = int(event.data.get("visit", 1)), int(event.data.get("step", 0))
    outer: Order = ()
    place = event.node
    if event.path:
        *before, call = event.path
        name, mark, item = call.rpartition("#")
        caller = visits.get((*before, name if mark else call))
        if caller is not None:
            *above, (at, node, _, visit) = caller.order
            outer = (*above, (at, node, int(item) if mark else 0, visit))
            again = f"@{visit}" if visit > 1 else ""
            place = f"{caller.place}{again}{mark + item if mark else ''}/{event.node}"
    return _Visit((*outer, (step, event.node, 0, number)), place, number)


def _sort_events(visit: _Visit) -> list[dict[str, Json]]:
    """Return the visit's own events, then those of its elements by their numbers."""
    items = [shown for shown in visit.events if shown["kind"] in _OF_ELEMENTS]
    own = [shown for shown in visit.events if shown["kind"] not in _OF_ELEMENTS]
    return own + sorted(items, key=lambda shown: (shown["item"], shown["kind"] != "item_started"))


def _head(visit: _Visit) -> dict[str, Json] | None:
    if not visit.order:
        return None
    return {"kind": "node_started", "at": visit.place, "visit": visit.number}


def _shorten(event: RunEvent, visit: _Visit) -> dict[str, Json]:
    data = {key: _anywhere(value) for key, value in event.data.items() if key not in _OF_THE_DAY}
    return {"kind": event.kind, "at": visit.place, "visit": visit.number, **data}


def _anywhere(value: Json) -> Json:
    """Return a value without folders in its places: a file is the same wherever it lies."""
    match value:
        case str():
            return _FOLDER.sub("", value.replace(os.getcwd(), "."))
        case dict():
            return {key: _anywhere(item) for key, item in value.items()}
        case list() | tuple():
            return [_anywhere(item) for item in value]
    return value
