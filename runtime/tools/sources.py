"""TOOL_SOURCES: the one place where a kind of tool source registers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from ..audio.calls.execute import FreeCode
from ..audio.calls.subprocess_call import AudioWorkers
from ..config.settings import Config
from ..files.programs import RunProgram, no_programs
from ..files.roots import Roots
from .audio import AudioTools
from .builtin import BuiltinTools
from .document import DocumentTools
from .mcp import McpServer
from .mcp_servers import ServerSettings
from .python import PythonFunction
from .source import ToolSource
from .team import TeamTools


@dataclass(frozen=True, slots=True)
class ToolSetting:
    """What the sources of one run are made of: the configuration, MCP servers by name, the folders
    of files. `workers` handle sound, `free` runs free code over it, `programs` starts
    what built-in tools need; with `rules` the offline rules answer; `own` make the sources that the
    program around the run brings."""

    config: Config
    servers: Mapping[str, ServerSettings]
    roots: Roots
    workers: AudioWorkers = field(default_factory=AudioWorkers)
    free: FreeCode | None = None
    programs: RunProgram = no_programs
    rules: bool = False
    own: tuple[Callable[[], ToolSource], ...] = ()


@dataclass(frozen=True, slots=True)
class SourceKind:
    """A kind of tool source, and what makes those of a run."""

    kind: type[ToolSource]
    make: Callable[[ToolSetting], Iterable[ToolSource]]


TOOL_SOURCES: tuple[SourceKind, ...] = (
    SourceKind(BuiltinTools, lambda run: [BuiltinTools(run.roots, run.programs)]),
    SourceKind(AudioTools, lambda run: [AudioTools(run.roots, run.workers, run.free, run.rules)]),
    SourceKind(DocumentTools, lambda run: [DocumentTools(run.roots)]),
    SourceKind(TeamTools, lambda run: [TeamTools()]),
    SourceKind(
        PythonFunction,
        lambda run: [PythonFunction(path, run.config.code) for path in run.config.python_tools],
    ),
    SourceKind(
        McpServer, lambda run: [McpServer(name, about) for name, about in run.servers.items()]
    ),
)
"""In the order in which they are asked: what is at hand first, servers last."""


def tool_sources(run: ToolSetting) -> tuple[ToolSource, ...]:
    """Return the sources of one run, those of the program around it first."""
    made = (source for row in TOOL_SOURCES for source in row.make(run))
    return (*(make() for make in run.own), *made)
