"""Sources of tools: built-in ones, Python functions, an MCP server."""

from __future__ import annotations

from typing import Any, ClassVar, Protocol, runtime_checkable

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
        """Return the tools it provides. Raise `RunError` when it cannot be reached."""

    async def call(self, tool: str, args: dict[str, Any]) -> Json:
        """Return a JSON value; the arguments are valid. Raise `Failure`."""

    async def close(self) -> None: ...


@runtime_checkable
class DistantSource(ToolSource, Protocol):
    """A source that `open` starts or reaches: it is opened when its tools are first asked for."""

    async def require(self) -> None:
        """Raise `RunError` for what keeps it from ever being opened, without opening it."""


class CatalogTools:
    """The part that sources of built-in tools share: the catalogue has their rows, and there is
    nothing to close."""

    entries: ClassVar[tuple[ToolEntry, ...]]

    async def open(self) -> tuple[ToolSchema, ...]:
        """Return all of them; nothing is imported for it."""
        return tuple(
            ToolSchema(e.name, e.description, e.parameters, e.effect) for e in self.entries
        )

    async def close(self) -> None:
        """Do nothing."""

    def defaults(self, tool: str) -> dict[str, Any]:
        """Return the values of a tool's arguments that may be left out."""
        entry = next(entry for entry in self.entries if entry.name == tool)
        properties = entry.parameters["properties"].items()
        return {name: schema["default"] for name, schema in properties if "default" in schema}
