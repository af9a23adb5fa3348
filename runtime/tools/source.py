"""What a source of tools is: built-in ones, Python functions, an MCP server."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Protocol

from flowc.compiler.catalog.builtin_tools import ToolEntry

from ..services import Json, ToolSchema


class ToolSource(Protocol):
    """A source of tools, opened once per run and closed at its end. Every source passes the same
    conformance tests."""

    @property
    def name(self) -> str:
        """Return the name in messages and in the lock: `builtin`, `mcp:NAME`,
        `python:MODULE:FUNCTION`."""

    async def open(self) -> tuple[ToolSchema, ...]:
        """Return the tools it provides. Raises `RunError` when it cannot be reached."""

    async def call(self, tool: str, args: dict[str, Any]) -> Json:
        """Return a JSON value; the arguments are valid. Raises `Failure`."""

    async def close(self) -> None: ...


def schemas_of(entries: Iterable[ToolEntry]) -> tuple[ToolSchema, ...]:
    """Return what a model sees of the tools."""
    return tuple(ToolSchema(e.name, e.description, e.parameters, e.effect) for e in entries)


def defaults_of(entries: Iterable[ToolEntry]) -> dict[str, dict[str, Any]]:
    """Return, by the tool's name, the arguments that may be left out, and their values then."""
    return {
        entry.name: {
            name: schema["default"]
            for name, schema in entry.parameters["properties"].items()
            if "default" in schema
        }
        for entry in entries
    }
