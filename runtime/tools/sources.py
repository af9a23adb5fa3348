"""TOOL_SOURCES: the one place where a kind of tool source registers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from ..audio.calls.execute import FreeCode
from ..audio.calls.subprocess_call import AudioWorkers
from ..config.settings import Config
from ..files.roots import Roots
from .audio import AudioTools
from .builtin import BuiltinTools
from .document import DocumentTools
from .mcp import McpServer, read_servers
from .python import PythonFunction
from .source import ToolSource
from .team import TeamTools

TOOL_SOURCES: tuple[type[ToolSource], ...] = (
    BuiltinTools,
    AudioTools,
    DocumentTools,
    TeamTools,
    PythonFunction,
    McpServer,
)


@dataclass(frozen=True, slots=True)
class SoundWork:
    """Who handles sound in a run: `workers` do calls, `free` runs free code."""

    workers: AudioWorkers = field(default_factory=AudioWorkers)
    free: FreeCode | None = None


def tool_sources(
    config: Config, mcp_files: tuple[str, ...], roots: Roots
) -> Callable[[SoundWork], tuple[ToolSource, ...]]:
    """Return what makes the sources of one run, in the order in which they are asked: what is at
    hand first, servers last. Raises `RunError` when a file of servers cannot be read."""
    servers = read_servers(config.mcp_servers, mcp_files)

    def sources(sound: SoundWork) -> tuple[ToolSource, ...]:
        return (
            BuiltinTools(roots),
            AudioTools(roots, sound.workers, sound.free),
            DocumentTools(roots),
            TeamTools(),
            *(PythonFunction(path, config.folder) for path in config.python_tools),
            *(McpServer(name, settings) for name, settings in servers.items()),
        )

    return sources
