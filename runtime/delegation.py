"""Tasks that are given to somebody else than the holder of their role while a run goes on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Assigned:
    """Who does one visit of a task instead of the role's holder, and what they are told beside the
    task's own text."""

    agent: str
    text: str = ""


class Assignments(Protocol):
    """Tasks that were given to somebody while the run goes on (C13)."""

    async def of(self, node: str, visit: int) -> Assigned | None:
        """None: whoever holds the role does the `visit`-th visit (from 1) of the node."""


@dataclass(frozen=True, slots=True)
class AsTheTeamSays:
    """Every task is done by whoever holds its role."""

    async def of(self, node: str, visit: int) -> Assigned | None:
        return None
