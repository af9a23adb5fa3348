"""Nodes that run at the same time: a failure waits until its siblings have ended.

LangGraph cancels the others as soon as one raises, in the middle of a model call or a command,
whose outcome is then unknown. So a node that fails waits for its siblings before it raises.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
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
    quiet: asyncio.Event = field(default_factory=asyncio.Event)

    def leave(self) -> None:
        self.busy -= 1
        if self.busy == 0:
            self.quiet.set()


@dataclass(slots=True)
class Siblings:
    """The visits under way, by graph. Those of one graph all belong to one step."""

    parties: dict[Place, _Party] = field(default_factory=dict)

    @contextmanager
    def visit(self, runtime: Runtime[Any]) -> Iterator[None]:
        """Make the block one visit, from its beginning to its writes."""
        place = _place(runtime)
        party = self.parties.setdefault(place, _Party())
        party.busy += 1
        try:
            yield
        finally:
            party.leave()
            if party.busy == 0 and self.parties.get(place) is party:
                del self.parties[place]

    async def wait(self, runtime: Runtime[Any]) -> None:
        """Wait until every sibling of this visit has ended or waits here too."""
        party = self.parties[_place(runtime)]
        for _ in range(STARTING):
            await asyncio.sleep(0)
        party.leave()
        try:
            while party.busy:
                party.quiet.clear()
                await party.quiet.wait()
        finally:
            party.busy += 1


def _place(runtime: Runtime[Any]) -> Place:
    thread, namespace = visit_of(runtime)
    return thread, around(namespace)
