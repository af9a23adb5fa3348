"""What a source of tools is: built-in ones, Python functions, an MCP server."""

from __future__ import annotations

from typing import Any, Protocol

from ..services import Json, ToolSchema


class ToolSource(Protocol):
    """Opened once per run, closed at its end. Every source passes the same conformance tests."""

    @property
    def name(self) -> str:
        """How the source is called in messages and in the lock: `builtin`, `mcp:NAME`,
        `python:MODULE:FUNCTION`."""

    async def open(self) -> tuple[ToolSchema, ...]:
        """The tools it provides. Raises `RunError` when it cannot be reached."""

    async def call(self, tool: str, args: dict[str, Any]) -> Json:
        """A JSON value; the arguments are valid. Raises `Failure`."""

    async def close(self) -> None: ...
