"""What a model that works in a team may say to the others, and hear: the tools `team_…`."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, Protocol


class Teamwork(Protocol):
    """The team around the step that is being done."""

    async def call(self, tool: str, args: dict[str, Any]) -> Any:
        """What came of it, as a JSON value; the same for the same effect, however often it is
        called (`calls.EFFECT_KEY`). Raises `Failure` for what the team's rules refuse."""


TEAM: ContextVar[Teamwork | None] = ContextVar("flowc_team", default=None)
"""None where nobody else is there: `flowc run` has no messages."""


@contextmanager
def working_in(team: Teamwork) -> Iterator[None]:
    """Runs that are executed in the block have this team."""
    token = TEAM.set(team)
    try:
        yield
    finally:
        TEAM.reset(token)
