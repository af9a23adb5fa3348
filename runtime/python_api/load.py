"""Reading workflows: `flowc.load`, `flowc.check` and `flowc.convert`."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from flowc.compiler.catalog.builtin_tools import ToolEntry
from flowc.compiler.catalog.catalog import HostEntry, UnlistedTools
from flowc.compiler.catalog.functions import FunctionEntry
from flowc.compiler.conversion import Conversion, convert_file
from flowc.compiler.diagnostics.diagnostic import Diagnostic, locate
from flowc.compiler.driver import CompileResult, compile_file, compile_text
from flowc.compiler.source.source import SourceSet
from flowc.compiler.writers import DIALECTS, dialect_named

from ..assembly.granted_sources import compile_granted, granted_sources
from ..assembly.host_objects import HostObjects, model_name, script_of
from ..assembly.launch import Faulty
from ..assembly.run_options import RunOptions
from ..assembly.wording import diagnostic_in_python, python_errors
from ..config.settings import load_config
from ..errors import RunError, one_line
from ..files.workflow_files import workflow_files
from .arguments import by_name, each_of, one_of, path_of, store_of, switch_of, text_of
from .choices import option_value
from .flow import Flow

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel
    from langchain_core.tools import BaseTool

    from ..tools.python import ToolObject
    from ..tools.source import ToolSource


@dataclass(frozen=True, slots=True)
class Permissions:
    """What a workflow's commands and files may do. `commands` says whether a person approves each
    block of commands (`ask`) or all are allowed; `sandbox` is auto, strict or off; `network` lets
    commands use the network; `workspace` is a folder that they may write; `roots` are folders that
    files may be read from and written to. See docs/sandbox.md. `trust` grants what the project's
    flowc.toml and the workflow itself want, beyond what the user granted before with `flowc trust`:
    True whatever it is, a text if that is its digest, or a lock file with it; see docs/trust.md.
    What the program binds itself needs none."""

    commands: Literal["ask", "allow"] = "ask"
    sandbox: Literal["auto", "strict", "off"] | None = None
    network: bool = False
    workspace: str | os.PathLike[str] | None = None
    roots: Sequence[str | os.PathLike[str]] = ()
    trust: bool | str | os.PathLike[str] = False


def load(
    source: str | os.PathLike[str],
    *,
    format: str | None = None,
    model: BaseChatModel | str | None = None,
    models: Mapping[str, BaseChatModel] | None = None,
    tools: Iterable[BaseTool | Callable[..., Any] | str | Mapping[str, Any]] = (),
    nodes: Mapping[str, Callable[..., Any]] | None = None,
    team: str | os.PathLike[str] | None = None,
    answers: str | os.PathLike[str] | Mapping[str, Any] | None = None,
    permissions: Permissions | None = None,
    journal: str | os.PathLike[str] | None = None,
    project: str | os.PathLike[str] = "",
) -> Flow:
    """Read a workflow and check it; nothing is run, and a file with faults is a value too: see
    `Flow.ok` and `Flow.diagnostics`.

    `source` is a file's path, or the text itself: a string with a line end in it. `format` names
    the format, which is found out otherwise. `model` answers: a model of LangChain's, or a name
    like `openai:gpt-5-mini`; `models` are those that agents ask for by name. `tools` are functions,
    tools of LangChain's, names (`module:function`), and MCP servers by name as in an `mcpServers`
    object. `nodes` are the functions of `python` nodes, by the names that the file gives them;
    each takes the arguments of its node and, where it asks for them by name, `inputs`, `state`,
    `config`, `runtime` and `idempotency_key`. `team` is the file of a team,
    or `people`. `answers` are scripted answers in place of a model: a file, or its content.
    `journal` is the URL or the file of the store that keeps the runs (default: the project's).
    `project` is the folder whose flowc.toml and store count (default: the current folder). Raise
    `RunError` for an argument of another kind, a tool or function that cannot be one, and for two
    that answer."""
    with python_errors():
        sources, entries = _sources(each_of("tools", tools, "tools"))
        allowed = one_of("permissions", permissions, Permissions, "a flowc.Permissions")
        allowed = allowed or Permissions()
        options = _options(model, team, answers, allowed)
        functions = by_name("nodes", nodes, "names to functions")
        host = _host(model, models, answers, sources, functions)
        host = replace(host, vouches=allowed.trust is True)
        home = Path(path_of("project", project, "a folder"))
        known = [*entries, *_functions(host.nodes), *_tool_settings(home)]
        compiled = _compile(source, format, options, known, everything=host.vouches)
        store = store_of("journal", journal)
        return Flow(compiled, options, host, store, home)


def check(
    paths: str | os.PathLike[str] | Iterable[str | os.PathLike[str]], *, strict: bool = False
) -> list[Diagnostic]:
    """Return the faults of workflow files, and of all in folders, each once, sorted by place.
    `strict` asks for what only careful people want to hear. Raise `RunError` for a folder without
    workflows."""
    with python_errors():
        strict = switch_of("strict", strict)
        one = isinstance(paths, str | os.PathLike)
        several = (paths,) if one else each_of("paths", paths, "files and folders")
        files = [path_of("paths", path, "files and folders") for path in several]
        diagnostics: dict[Diagnostic, None] = {}
        for path in workflow_files(files):
            compiled = compile_granted(path, strict=strict)
            found = map(diagnostic_in_python, compiled.diagnostics)
            diagnostics |= dict.fromkeys(locate(found, compiled.sources))
        return sorted(diagnostics, key=lambda d: (d.primary, d.code, d.message))


def convert(
    source: str | os.PathLike[str], to: str, *, format: str | None = None, out: str | None = None
) -> Conversion:
    """Return a workflow written down in the format `to`: its files by path, and as diagnostics what
    the format cannot say. Nothing is written to the disk; `out` is where the file would stand.
    Raise `RunError` for an unknown format and for a file with errors."""
    with python_errors():
        dialect = dialect_named(str(text_of("to", to, "the name of a format")))
        out = text_of("out", out, "the path of a file")
        if dialect is None:
            names = ", ".join(dialect.name for dialect in DIALECTS)
            raise RunError(f"there is no format `{to}` to write", help=f"one of: {names}")
        compiled = _compile(source, format, RunOptions(), ())
        if not compiled.ok or compiled.parsed is None or compiled.workflow is None:
            raise Faulty(compiled)
        stem = os.path.join(os.path.dirname(compiled.path), compiled.workflow.name or "workflow")
        place = out or stem + dialect.suffix
        done = convert_file(compiled.parsed, compiled.sources.files[compiled.path], dialect, place)
        return replace(done, losses=locate(done.losses, compiled.sources))


def _compile(
    source: str | os.PathLike[str],
    format: str | None,
    options: RunOptions,
    host: Sequence[HostEntry],
    *,
    everything: bool = False,
) -> CompileResult:
    if not isinstance(source, str | os.PathLike) or source == "":
        raise RunError(f"a workflow is a path or a text, not {one_line(repr(source), 60)}")
    if isinstance(source, str) and "\n" in source:
        path, read = "<text>", partial(compile_text, source)
    else:
        path, read = os.fspath(source), partial(compile_file, os.fspath(source))
    sources = SourceSet(granted=None) if everything else granted_sources(path, options.trust)
    text_of("format", format, "the name of a format")
    compiled = read(format=format, team=options.team, host=host, sources=sources)
    return replace(compiled, diagnostics=tuple(map(diagnostic_in_python, compiled.diagnostics)))


def _options(
    model: BaseChatModel | str | None,
    team: str | os.PathLike[str] | None,
    answers: str | os.PathLike[str] | Mapping[str, Any] | None,
    permissions: Permissions,
) -> RunOptions:
    """Return what `load` says of the options of every run. Raise `RunError`."""
    name = model if model is None or isinstance(model, str) else model_name(model)
    trust = permissions.trust
    for field, value, allowed in (
        ("commands", permissions.commands, ("ask", "allow")),
        ("sandbox", permissions.sandbox, (None, "auto", "strict", "off")),
    ):
        if value not in allowed:
            words = ", ".join(filter(None, allowed))
            raise RunError(f"`permissions.{field}` is one of {words}, not {value!r}")
    file = None if isinstance(answers, Mapping) else answers
    if not isinstance(file, str | os.PathLike | None):
        raise RunError(f"`answers` are a path or a mapping, not {one_line(repr(file), 60)}")
    if name is not None and answers is not None:
        raise RunError("`model` and `answers` exclude each other")
    return RunOptions(
        model=option_value("model", name),
        answers=option_value("answers", file),
        team=option_value("team", team),
        allow_exec=permissions.commands == "allow",
        sandbox=permissions.sandbox,
        network=switch_of("permissions.network", permissions.network),
        workspace=option_value("workspace", permissions.workspace, "permissions.workspace"),
        roots=option_value("roots", _folders(permissions.roots), "permissions.roots"),
        trust=option_value(
            "trust", None if isinstance(trust, bool) else trust, "permissions.trust"
        ),
    )


def _folders(roots: object) -> tuple[str, ...]:
    given = each_of("permissions.roots", roots, "folders")
    return tuple(path_of("permissions.roots", root, "a list of folders") for root in given)


def _host(
    model: BaseChatModel | str | None,
    models: Mapping[str, BaseChatModel] | None,
    answers: object,
    tools: Sequence[Callable[[], ToolSource]],
    nodes: Mapping[str, Callable[..., Any]],
) -> HostObjects:
    named = by_name("models", models, "names to chat models")
    for name, held in named.items():
        model_name(held, f"models.{name}")
    if model is not None and not isinstance(model, str):
        named[model_name(model)] = model
    script = script_of(answers) if isinstance(answers, Mapping) else None
    return HostObjects(named, tuple(tools), nodes, script)


def _functions(nodes: Mapping[str, Callable[..., Any]]) -> list[FunctionEntry]:
    """Return what a workflow may know of the functions of its nodes before it runs. Raise
    `RunError` for what is not one."""
    if not nodes:
        return []
    from ..tools.functions import function_entry

    return [function_entry(name, function) for name, function in nodes.items()]


def _tool_settings(project: Path) -> list[HostEntry]:
    """Return what a workflow may know before it runs of the sources of tools in flowc.toml. What is
    wrong with that file is said by a run."""
    try:
        config = load_config(project)
    except RunError:
        return []
    config = config.held.whole if config.held else config
    sources = config.python_tools or config.mcp or config.mcp_servers
    return [UnlistedTools(bound=False)] if sources else []


def _sources(tools: Sequence[Any]) -> tuple[list[Callable[[], ToolSource]], list[HostEntry]]:
    """Return what makes the sources of a run's tools, and what a workflow may know of them before
    it runs. Raise `RunError` for what cannot be a tool."""
    if not tools:
        return [], []
    from ..tools.mcp import McpServer
    from ..tools.mcp_servers import named_servers
    from ..tools.python import ToolObject, import_function

    sources: list[Callable[[], ToolSource]] = []
    entries: list[HostEntry] = []
    for tool in tools:
        if isinstance(tool, Mapping):
            table = by_name("tools", tool.get("mcpServers", tool), "names to MCP servers")
            servers = named_servers("tools", table)
            sources += [partial(McpServer, name, about) for name, about in servers.items()]
            entries += [UnlistedTools()] * bool(servers)
        else:
            named = isinstance(tool, str)
            held = ToolObject(*((import_function(tool, None), tool) if named else (tool,)))
            schema = held.schema()
            sources.append(partial(_same, held))
            about = (schema.name, schema.description, schema.parameters, schema.effect)
            entries.append(ToolEntry(*about, "lock"))
    names = [entry.name for entry in entries if isinstance(entry, ToolEntry)]
    for name in names:
        if names.count(name) > 1:
            raise RunError(
                f"two of `tools` are called `{name}`", help="rename one, or leave it out"
            )
    return sources, entries


def _same(source: ToolObject) -> ToolObject:
    return source
