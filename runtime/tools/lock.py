"""Behind `flowc tools list` and `flowc tools lock`: every tool that is configured."""

from __future__ import annotations

from pathlib import Path

from flowc.compiler.catalog.builtin_tools import ToolEntry
from flowc.compiler.catalog.catalog import BUILTIN, lock_text

from ..config.settings import Config
from ..files.roots import Roots
from ..services import ToolSchema
from .registry import ToolBox
from .sources import SoundWork, tool_sources


async def configured_tools(
    config: Config, mcp_files: tuple[str, ...] = (), folder: Path | None = None
) -> tuple[ToolSchema, ...]:
    """Every tool of every source, by name: modules are imported and servers started. Raises
    `RunError` when one of them fails."""
    files = (*config.mcp, *mcp_files)
    sources = tool_sources(config, files, Roots((folder or Path.cwd()).absolute()))
    box = ToolBox(sources(SoundWork()), effects=dict(config.effects))
    try:
        return await box.open_all()
    finally:
        await box.close()


def lock_of(tools: tuple[ToolSchema, ...]) -> str:
    """The lock's text (flowc.tools.json) for tools that do not come with flowc."""
    return lock_text(
        ToolEntry(tool.name, tool.description, tool.parameters, tool.effect, "lock")
        for tool in tools
        if tool.name not in BUILTIN
    )
