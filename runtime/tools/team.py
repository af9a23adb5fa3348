"""The tools with which models of a team write to each other: `team_send`, `team_read`, …

Each is idempotent: an effect that is repeated after a crash finds what it sent, or read, before.
Names and schemas are in compiler/catalog/builtin_tools.py.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any, Protocol

from flowc.compiler.catalog.builtin_tools import TEAM_ENTRIES

from ..errors import Failure
from ..services import Json, ToolSchema
from .source import defaults_of, schemas_of


class Teamwork(Protocol):
    """The team around the step that is being done."""

    async def call(self, tool: str, args: dict[str, Any]) -> Any:
        """Return what came of it, as a JSON value; the same for the same effect, however often it
        is called (`context.EFFECT_KEY`). Raises `Failure` for what the team's rules refuse."""


TEAM: ContextVar[Teamwork | None] = ContextVar("flowc_team", default=None)
"""None where nobody else is there: `flowc run` has no messages."""


@contextmanager
def working_in(team: Teamwork) -> Iterator[None]:
    """Give runs that are executed in the block this team."""
    token = TEAM.set(team)
    try:
        yield
    finally:
        TEAM.reset(token)


@dataclass(frozen=True, slots=True)
class TeamTools:
    """Sends messages between the agents of the current execution."""

    name: str = "team"

    async def open(self) -> tuple[ToolSchema, ...]:
        """Return all of them."""
        return schemas_of(TEAM_ENTRIES)

    async def call(self, tool: str, args: dict[str, Any]) -> Json:
        """Do a call. Raises `Failure` where there is no team to write to."""
        team = TEAM.get()
        if team is None:
            raise Failure(f"`{tool}`: nobody is there; a team works together under `flowc serve`")
        answer: Json = await team.call(tool, {**_DEFAULTS[tool], **args})
        return answer

    async def close(self) -> None:
        """Do nothing: nothing is held."""


_DEFAULTS = defaults_of(TEAM_ENTRIES)
