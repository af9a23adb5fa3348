"""The tools known at compile time: built-in ones as data, others from the lock `flowc.tools.json`.

Nothing is imported or fetched: `flowc tools lock` asks MCP servers and Python modules once and
writes the lock that `check` reads:

    {"schema_version": 1, "complete": true,
     "tools": [{"name": "get_issue", "description": "…", "parameters": {…}, "effect": "pure",
                "source": "mcp:forge"}]}
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from dataclasses import field
from typing import Any, get_args

from ..diagnostics.diagnostic import Sink
from ..ir import Effect
from ..source.records import dataclass
from ..source.source import Source, SourceSet, Span, Unreadable
from .builtin_tools import BUILTIN, ToolEntry
from .functions import FunctionEntry

LOCK_FILE = "flowc.tools.json"
LOCK_VERSION = 1
_RELOCK = "write it anew with `flowc tools lock`"


@dataclass(frozen=True, slots=True)
class UnlistedTools:
    """A source that a program has, a server of tools or a module that is not imported yet: only a
    run can tell which tools it has. One that the program binds itself (`bound`) is in no lock."""

    bound: bool = True


HostEntry = ToolEntry | FunctionEntry | UnlistedTools
"""What is known before a run of what the program around it brings."""


@dataclass(frozen=True, slots=True)
class Catalog:
    """The known tools, and the functions that a program binds to names. `complete` says that the
    entries cover every source that is configured: a name that is not among them is certainly
    unknown. `unlisted` says that a program brings sources whose tools only a run can tell: then no
    name is unknown."""

    entries: dict[str, ToolEntry] = field(default_factory=dict)
    complete: bool = False
    functions: dict[str, FunctionEntry] = field(default_factory=dict)
    unlisted: bool = False

    def with_host(self, host: Iterable[HostEntry]) -> Catalog:
        """Return the catalog with what a program brings; its tools replace those of their name."""
        entries, functions, unlisted = dict(self.entries), dict(self.functions), self.unlisted
        for entry in host:
            match entry:
                case ToolEntry():
                    entries[entry.name] = entry
                case FunctionEntry():
                    functions[entry.name] = entry
                case UnlistedTools(bound=bound):
                    unlisted = unlisted or bound or not self.complete
        return Catalog(entries, self.complete, functions, unlisted)


def load_catalog(path: str, sources: SourceSet, sink: Sink) -> Catalog:
    """Return the built-in tools and those of the lock nearest to `path` (its folder or a parent). A
    lock that cannot be understood is reported at its place and left out."""
    lock = _nearest_lock(path, sources, sink)
    tools, complete = (_read_lock(lock, sink) if lock is not None else None) or ((), False)
    return Catalog({**BUILTIN, **{tool.name: tool for tool in tools}}, complete)


def lock_text(tools: Iterable[ToolEntry], *, complete: bool = True) -> str:
    """Return the lock that `load_catalog` reads; sorted by name, so that it changes only when tools
    do."""
    rows = [
        {
            "name": tool.name,
            "description": tool.description,
            "parameters": tool.parameters,
            "effect": tool.effect,
            **({"source": tool.provider} if tool.provider else {}),
        }
        for tool in sorted(tools, key=lambda t: t.name)
    ]
    body = {"schema_version": LOCK_VERSION, "complete": complete, "tools": rows}
    return json.dumps(body, indent=2, ensure_ascii=False) + "\n"


def _nearest_lock(path: str, sources: SourceSet, sink: Sink) -> Source | None:
    folder = os.path.dirname(path) or "."
    # Upwards by `..`: a relative path stays one, and no message shows where a machine has it.
    for _ in range(len(os.path.abspath(folder).split(os.sep))):
        candidate = os.path.normpath(os.path.join(folder, LOCK_FILE))
        try:
            if not sources.lacks(candidate):
                return sources.read(candidate, below=folder)
        except Unreadable as error:
            if error.reason != "not found":
                span = sources.add(Source(candidate, "")).span(0)
                sink.report(
                    "FC0001", f"`{candidate}` {error.reason}", span, help=error.help or _RELOCK
                )
                return None
        folder = os.path.join(folder, os.pardir)
    return None


def _read_lock(lock: Source, sink: Sink) -> tuple[list[ToolEntry], bool] | None:
    """Return the lock's tools and whether they are complete; None when it is not a lock at all."""
    try:
        data = json.loads(lock.text)
    except json.JSONDecodeError as error:
        sink.report("FC1001", f"not JSON: {error.msg}", lock.span(error.pos), help=_RELOCK)
        return None
    except (RecursionError, ValueError):
        sink.report("FC1001", "nested too deeply", lock.span(0), help=_RELOCK)
        return None
    rows = data.get("tools") if isinstance(data, dict) else None
    if not isinstance(rows, list):
        sink.report("FC1003", "a lock needs a list `tools`", lock.span(0), help=_RELOCK)
        return None
    version = data.get("schema_version")
    if version != LOCK_VERSION:
        message = f"this is a lock of version {version!r}, flowc reads {LOCK_VERSION}"
        sink.report("FC1005", message, _key(lock, "schema_version"), help=_RELOCK)
        return None
    tools = [_read_tool(row, number, lock, sink) for number, row in enumerate(rows, 1)]
    known = _distinct([tool for tool in tools if tool is not None], lock, sink)
    return known, data.get("complete", True) is True and len(known) == len(rows)


def _distinct(tools: list[ToolEntry], lock: Source, sink: Sink) -> list[ToolEntry]:
    """Return the tools without those whose name is taken by a tool before it or a built-in one."""
    known: dict[str, ToolEntry] = {}
    for tool in tools:
        if tool.name in known or tool.name in BUILTIN:
            taken = "in the lock twice" if tool.name in known else "the name of a built-in tool"
            message = f"`{tool.name}` is {taken}"
            sink.report("FC1004", message, _key(lock, tool.name), help=_RELOCK)
        else:
            known[tool.name] = tool
    return list(known.values())


def _read_tool(row: Any, number: int, lock: Source, sink: Sink) -> ToolEntry | None:
    name = row.get("name") if isinstance(row, dict) else None
    if not isinstance(name, str) or not name:
        message = f"entry {number} of `tools` has no name"
        sink.report("FC1003", message, _key(lock, "tools"), help=_RELOCK)
        return None
    effect, parameters = row.get("effect", "once"), row.get("parameters", {})
    if effect not in get_args(Effect) or not isinstance(parameters, dict):
        wrong = "effect" if effect not in get_args(Effect) else "parameters"
        allowed = "pure, idempotent or once" if wrong == "effect" else "a JSON Schema object"
        message = f"`{wrong}` of the tool `{name}` is not {allowed}"
        sink.report("FC1005", message, _key(lock, name), help=_RELOCK)
        return None
    about, provider = str(row.get("description", "")), str(row.get("source", ""))
    return ToolEntry(name, about, parameters, effect, "lock", provider)


def _key(lock: Source, word: str) -> Span:
    """Return the first place of a JSON string in the lock; its beginning when it is written
    otherwise."""
    text = json.dumps(word, ensure_ascii=False)
    at = lock.text.find(text)
    return lock.span(at, at + len(text)) if at >= 0 else lock.span(0)
