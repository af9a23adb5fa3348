"""Nodes that run at the same time: a failure waits until those beside it are through.

LangGraph cancels the others as soon as one raises, in the middle of a model call or a command, and
what becomes of that is then unknown. So the one that fails waits for them before it raises.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from langgraph.runtime import Runtime

from ...checkpoints.keys import around, visit_of

STARTING = 3
"""Turns of the event loop in which the nodes of one step have all begun."""

Place = tuple[str, str]
"""A graph that is being executed: the run, and the path of calls that leads to the graph."""


@dataclass(slots=True)
class _Party:
    """The visits of one graph that are neither through nor waiting to fail."""

    busy: int = 0
    quiet: asyncio.Event = field(default_factory=asyncio.Event)

    def less(self) -> None:
        self.busy -= 1
        if self.busy == 0:
            self.quiet.set()


@dataclass(slots=True)
class Siblings:
    """Who is under way where. A graph's nodes run in steps, so whoever is there is in one step."""

    parties: dict[Place, _Party] = field(default_factory=dict)

    @contextmanager
    def visit(self, runtime: Runtime[Any]) -> Iterator[None]:
        """One visit, from its beginning to its writes. A `Failure` or another exception leaves the
        block at once; see `others`."""
        place = _place(runtime)
        party = self.parties.setdefault(place, _Party())
        party.busy += 1
        try:
            yield
        finally:
            party.less()
            if party.busy == 0 and self.parties.get(place) is party:
                del self.parties[place]

    async def others(self, runtime: Runtime[Any]) -> None:
        """Wait until every other visit beside this one is through or waits here too."""
        party = self.parties[_place(runtime)]
        for _ in range(STARTING):
            await asyncio.sleep(0)
        party.less()
        try:
            while party.busy:
                party.quiet.clear()
                await party.quiet.wait()
        finally:
            party.busy += 1


def _place(runtime: Runtime[Any]) -> Place:
    thread, namespace = visit_of(runtime)
    return thread, around(namespace)
