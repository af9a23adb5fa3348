"""`flowc tools list` and `flowc tools lock`: the tools that workflows can use here."""

from __future__ import annotations

import asyncio
import os
import sys
from dataclasses import asdict
from pathlib import Path

from flowc.compiler.catalog.builtin_tools import BUILTIN, ToolEntry
from flowc.compiler.catalog.catalog import LOCK_FILE, lock_text

from ...config.settings import Config, load_config
from ...files.roots import Roots
from ...services import ToolSchema
from ...tools.mcp_servers import read_servers
from ...tools.registry import ToolBox
from ...tools.sources import ToolSetting, tool_sources
from .. import flags
from ..app import OK, plain_app, say
from ..delivery import write_own
from ..screen import count_of, one_line, screen_on
from ..show.consent import whole_config
from ..streams import print_result


def list_tools(as_json: flags.AsJson = False, verbose: flags.Verbose = False) -> int:
    """Every tool of every configured source: built-in, Python functions, MCP servers.

    An effect is pure (changes nothing), idempotent (may be repeated) or once (never repeated
    unasked after a crash). With -v the arguments are shown too.
    """
    config = whole_config(load_config(Path.cwd()), "json" if as_json else "text")
    tools_here = asyncio.run(_open_all(config))
    if as_json:
        print_result({"tools": [asdict(tool) for tool in tools_here]})
        return OK
    screen = screen_on(sys.stdout)
    width = max(len(tool.name) for tool in tools_here)
    sources = max(len(tool.source) for tool in tools_here)
    for tool in tools_here:
        lead = f"{tool.name:<{width}}  {tool.effect:<10}  {tool.source:<{sources}}  "
        screen.print(lead + one_line(tool.description, max(screen.width - len(lead), 40)))
        if verbose:
            for name, kind, needed in _arguments(tool):
                screen.print(screen.ink(f"{'':<{width}}    {name}: {kind}{needed}", "dim"))
    return OK


def lock() -> int:
    """Write flowc.tools.json: what `flowc check` knows of tools without asking anybody.

    Asks every configured Python module and MCP server once. The lock belongs into version control.
    """
    config = whole_config(load_config(Path.cwd()))
    tools_here = asyncio.run(_open_all(config))
    entries = [
        ToolEntry(tool.name, tool.description, tool.parameters, tool.effect, "lock", tool.source)
        for tool in tools_here
        if tool.name not in BUILTIN
    ]
    path = Path(config.folder or Path.cwd()) / LOCK_FILE
    shown = os.path.relpath(path)
    write_own(path, lock_text(entries).encode("utf-8"))
    say(f"{shown}: {count_of(len(entries), 'tool')} beside the {len(BUILTIN)} built-in ones")
    return OK


async def _open_all(config: Config) -> tuple[ToolSchema, ...]:
    """Return every tool, by name. Raise `RunError` for a source that cannot be reached."""
    servers = read_servers(config.mcp_servers, config.mcp)
    sources = tool_sources(ToolSetting(config, servers, Roots(Path.cwd())))
    box = ToolBox(sources, effects=dict(config.effects))
    try:
        return await box.open_all()
    finally:
        await box.close()


def _arguments(tool: ToolSchema) -> list[tuple[str, str, str]]:
    """Return name, type and ", required" of each argument."""
    properties = tool.parameters.get("properties") or {}
    required = tool.parameters.get("required") or ()
    return [
        (name, str(about.get("type", "any")), ", required" if name in required else "")
        for name, about in properties.items()
        if isinstance(about, dict)
    ]


tools = plain_app(help="The tools that workflows can use here.")
tools.command("list")(list_tools)
tools.command("lock")(lock)
