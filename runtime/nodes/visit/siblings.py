"""Nodes that run at the same time: a failure waits until its siblings have ended.

LangGraph cancels the others as soon as one raises, in the middle of a model call or a command,
whose outcome is then unknown. So a node that fails waits for its siblings before it raises.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import Any

from langgraph.runtime import Runtime

from ...checkpoints.keys import visit_of
from ...checkpoints.namespaces import around

STARTING = 3
"""Turns of the event loop in which the nodes of one step have all begun."""

Place = tuple[str, str]
"""A graph that is running: the run, and the path of calls that leads to the graph."""


@dataclass(slots=True)
class _Party:
    """The visits of one graph that have neither ended nor wait to fail."""

    busy: int = 0
    quiet: asyncio.Event | None = None
    """Made when the first of them waits."""

    def leave(self) -> None:
        self.busy -= 1
        if self.busy == 0 and self.quiet is not None:
            self.quiet.set()


class _Stay:
    """A visit among those of its graph."""

    __slots__ = ("_parties", "_party", "_place")

    def __init__(self, parties: dict[Place, _Party], place: Place) -> None:
        self._parties, self._place = parties, place
        self._party = parties.get(place) or _Party()

    def __enter__(self) -> None:
        self._parties[self._place] = self._party
        self._party.busy += 1

    def __exit__(self, *_: object) -> None:
        self._party.leave()
        if self._party.busy == 0 and self._parties.get(self._place) is self._party:
            del self._parties[self._place]


@dataclass(slots=True)
class Siblings:
    """The visits under way, by graph. Those of one graph all belong to one step."""

    parties: dict[Place, _Party] = field(default_factory=dict)

    def visit(self, runtime: Runtime[Any]) -> _Stay:
        """Make the block one visit, from its beginning to its writes."""
        return _Stay(self.parties, _place(runtime))

    async def wait(self, runtime: Runtime[Any]) -> None:
        """Wait until every sibling of this visit has ended or waits here too."""
        party = self.parties[_place(runtime)]
        for _ in range(STARTING):
            await asyncio.sleep(0)
        quiet = party.quiet = party.quiet or asyncio.Event()
        party.leave()
        try:
            while party.busy:
                quiet.clear()
                await quiet.wait()
        finally:
            party.busy += 1


def _place(runtime: Runtime[Any]) -> Place:
    thread, namespace = visit_of(runtime)
    return thread, around(namespace)
