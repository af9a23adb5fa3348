"""What a source of tools is: built-in ones, Python functions, an MCP server."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Protocol

from flowc.compiler.catalog.builtin_tools import ToolEntry

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


def schemas_of(entries: Iterable[ToolEntry]) -> tuple[ToolSchema, ...]:
    """What a model is told of the tools."""
    return tuple(ToolSchema(e.name, e.description, e.parameters, e.effect) for e in entries)


def defaults_of(entries: Iterable[ToolEntry]) -> dict[str, dict[str, Any]]:
    """By the tool's name: the arguments that need not be given, and their values then."""
    return {
        entry.name: {
            name: schema["default"]
            for name, schema in entry.parameters["properties"].items()
            if "default" in schema
        }
        for entry in entries
    }
