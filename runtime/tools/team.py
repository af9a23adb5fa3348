"""The tools with which models of a team write to each other: `team_send`, `team_read`, …

Each is idempotent: an effect that is repeated after a crash finds what it sent, or read, before.
Names and schemas are in compiler/catalog/builtin_tools.py.
"""

from __future__ import annotations

from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any, Protocol

from flowc.compiler.catalog.builtin_tools import TEAM_ENTRIES

from ..errors import Failure
from ..services import Json
from .source import CatalogTools


class Teamwork(Protocol):
    """The team around the step that is being done."""

    async def call(self, tool: str, args: dict[str, Any]) -> Any:
        """Return what came of it, as a JSON value; the same for the same effect, however often it
        is called (`context.EFFECT_KEY`). Raise `Failure` for what the team's rules refuse."""


TEAM: ContextVar[Teamwork | None] = ContextVar("flowc_team", default=None)
"""None where nobody else is there: `flowc run` has no messages."""


@dataclass(frozen=True)
class TeamTools(CatalogTools):
    """Sends messages between the agents of the current execution."""

    name: str = "team"
    entries = TEAM_ENTRIES

    async def call(self, tool: str, args: dict[str, Any]) -> Json:
        """Do a call. Raise `Failure` where there is no team to write to."""
        team = TEAM.get()
        if team is None:
            raise Failure(f"`{tool}`: nobody is there; a team works together under `flowc serve`")
        answer: Json = await team.call(tool, self.defaults(tool) | args)
        return answer
