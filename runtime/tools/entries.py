"""What the sources of built-in tools have in common: they are described by a table."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from flowc.compiler.catalog.builtin_tools import ToolEntry

from ..services import ToolSchema


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
