"""The tools with which models of a team write to each other: `team_send`, `team_read`, …

Each is idempotent: an effect that is repeated after a crash finds what it sent, or read, before.
Names and schemas are in compiler/catalog/builtin_tools.py.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from flowc.compiler.catalog.builtin_tools import TEAM_ENTRIES

from ..errors import Failure
from ..services import Json, ToolSchema
from .entries import defaults_of, schemas_of
from .team_channel import TEAM


@dataclass(frozen=True, slots=True)
class TeamTools:
    """Messages between the agents of the execution that is going on."""

    name: str = "team"

    async def open(self) -> tuple[ToolSchema, ...]:
        """All of them."""
        return schemas_of(TEAM_ENTRIES)

    async def call(self, tool: str, args: dict[str, Any]) -> Json:
        """Raises `Failure` where there is no team to write to."""
        team = TEAM.get()
        if team is None:
            raise Failure(f"`{tool}`: nobody is there; a team works together under `flowc serve`")
        return await team.call(tool, {**_DEFAULTS[tool], **args})

    async def close(self) -> None:
        """Nothing is held."""


_DEFAULTS = defaults_of(TEAM_ENTRIES)
