"""Makes the services of a run from flags, configuration and environment; knows every registry."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Any, Literal, TypeAlias
from urllib.parse import urlsplit

from flowc.compiler.graphspec import GraphSpec, agent_asked
from flowc.compiler.ir import AgentNode, ExecNode, TaskNode, ToolNode
from flowc.compiler.team import PEOPLE

from .config import Config
from .errors import RunError
from .files import RootedFiles
from .models.registry import choose_models
from .roots import Roots
from .sandbox.environment import allowed_env, shell_env
from .sandbox.scripts import ScriptLimits, ScriptWorkers
from .sandbox.shell import BashShell, Limits
from .secrets import looks_secret
from .services import Emit, Journal, Services
from .tools.registry import ToolBox
from .tools.sources import tool_sources

ServicesFactory: TypeAlias = Callable[[Journal, Emit], Services]
"""The engine owns journal and emit, and makes the services with them."""

MODEL_TIMEOUT = 600.0
TOOL_TIMEOUT = 600.0
MAX_STEPS = 10_000
MAX_MODEL_TURNS = 50


@dataclass(frozen=True, slots=True)
class RunOptions:
    """What the person who starts a run chose; kept with the run, so that a resume does the same.
    Paths are absolute. Holds no secret."""

    model: str | None = None
    base_url: str | None = None
    answers: str | None = None
    allow_exec: bool = False
    workspace: str | None = None
    roots: tuple[str, ...] = ()
    mcp: tuple[str, ...] = ()
    on_unknown: Literal["ask", "repeat", "fail"] = "ask"
    max_steps: int | None = None
    timeout: float | None = None
    team: str | None = None

    def to_json(self) -> dict[str, Any]:
        """For the run's record."""
        return {key: list(v) if isinstance(v, tuple) else v for key, v in asdict(self).items()}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> RunOptions:
        """From a run's record; keys of another version are left out."""
        known = {field.name for field in fields(cls)} & data.keys()
        values: dict[str, Any] = {key: data[key] for key in known}
        for key, value in values.items():
            values[key] = tuple(value) if isinstance(value, list) else value
        return cls(**values)


def settle(options: RunOptions, config: Config) -> RunOptions:
    """The options with what the configuration says where no flag was given. A flag that chooses who
    answers replaces whatever else was configured to answer. Settling twice changes nothing. Raises
    `RunError` when two were chosen."""
    if options.model and options.answers:
        raise RunError("--model and --answers exclude each other")
    chosen = options.model or options.answers
    _check_url(options.base_url or config.base_url)
    return replace(
        options,
        model=options.model or (None if chosen else config.model),
        answers=_absolute(options.answers or (None if chosen else config.answers)),
        base_url=options.base_url or config.base_url,
        workspace=_absolute(options.workspace) or str(Path.cwd()),
        roots=_absolutes(options.roots, config.roots),
        mcp=_absolutes(options.mcp, config.mcp),
        max_steps=options.max_steps or config.max_steps,
        timeout=options.timeout or config.timeout,
        team=options.team if options.team == PEOPLE else _absolute(options.team),
    )


def _check_url(url: str | None) -> None:
    """The URL is shown and kept with the run, so no password may stand in it."""
    if url is None:
        return
    try:
        parts = urlsplit(url)
    except ValueError:
        parts = urlsplit("")
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise RunError(
            "the base URL is no address of a server", help="write it as http://HOST:PORT/v1"
        )
    if "@" in parts.netloc:
        raise RunError(
            "the base URL holds a user or a password, which would be kept with the run",
            help="leave it out; keys come from the environment: OPENAI_API_KEY",
        )


def make_services(options: RunOptions, spec: GraphSpec, config: Config) -> ServicesFactory:
    """How the engine makes the services of one run. Everything that can be missing is looked for
    now: raises `RunError` (exit 2) when nothing was chosen to answer model calls, a key or package
    is missing, or a file of answers or servers cannot be read."""
    options = settle(options, config)
    specs = (spec, *(sub for _, sub in spec.subgraphs))
    _require_holders(specs)
    named = sorted({a.model for s in specs for a in s.agents if a.model is not None})
    answering = choose_models(
        options.model,
        options.base_url,
        options.answers,
        tuple(named),
        config.model_timeout or MODEL_TIMEOUT,
        needed=any(agent_asked(node.op, s) for s in specs for node in s.nodes),
    )
    folders = tuple(Path(root) for root in options.roots)
    for folder in folders:
        if not folder.is_dir():
            raise RunError(f"there is no folder `{folder}`", help="correct `--root`, or make it")
    own = Path(spec.file).absolute().parent
    workspace = Path(options.workspace or ".")
    # Tools look at what the person stands in; a workflow that ships lies somewhere else.
    roots = Roots(folders[0] if folders else workspace, (own, *folders[1:]))
    sources = tool_sources(config, options.mcp, roots)
    limits = Limits(
        seconds=config.command_timeout or Limits().seconds,
        silence=config.command_silence or Limits().silence,
    )
    script_limits = ScriptLimits(seconds=config.script_timeout or ScriptLimits().seconds)
    tool_timeout = config.tool_timeout or TOOL_TIMEOUT

    def services(journal: Journal, emit: Emit) -> Services:
        return Services(
            models=answering.models,
            people=answering.people,
            scripts=ScriptWorkers(script_limits),
            tools=ToolBox(sources(), _needed(specs), dict(config.effects), tool_timeout),
            shell=BashShell(workspace, shell_env(os.environ, config.env), limits),
            files=RootedFiles(folders),
            journal=journal,
            emit=emit,
            approve="allow" if options.allow_exec else "ask",
            env=readable_env(specs, config, os.environ),
            max_steps=options.max_steps or MAX_STEPS,
            max_model_turns=config.max_model_turns or MAX_MODEL_TURNS,
        )

    return services


def _require_holders(specs: tuple[GraphSpec, ...]) -> None:
    """Raise `RunError` when there is a task that nobody does."""
    for spec in specs:
        roles = dict.fromkeys(
            op.role
            for op in (node.op for node in spec.nodes)
            if isinstance(op, TaskNode) and op.form != "synchronization" and op.agent is None
        )
        if roles:
            raise RunError(
                f"{spec.file} needs a team: {', '.join(roles)}",
                help=f"--team FILE.json says who does what; --team {PEOPLE}: you do all of it",
            )


def readable_env(
    specs: tuple[GraphSpec, ...], config: Config, env: Mapping[str, str]
) -> dict[str, str]:
    """The environment variables that a workflow may read (M21): those it lists itself, unless the
    name looks like a secret, and those that the configuration allows."""
    listed = {param.env for spec in specs for param in spec.params if param.env is not None}
    own = {name: env[name] for name in listed if name in env and not looks_secret(name)}
    return {**own, **allowed_env(env, config.env)}


def runs_commands(spec: GraphSpec) -> bool:
    """Whether a workflow, or one that it calls, runs shell commands, or scripts in Python, which
    may do the same."""
    specs = (spec, *(sub for _, sub in spec.subgraphs))
    python = any(script.language == "python" for one in specs for script in one.scripts)
    return python or any(isinstance(op, ExecNode) for op in _ops(specs))


def _needed(specs: tuple[GraphSpec, ...]) -> tuple[str, ...]:
    """The tools that have to be there: a call that is an answer needs nobody to execute it."""
    names: set[str] = set()
    for spec in specs:
        agents = {agent.id: agent for agent in spec.agents}
        for op in (node.op for node in spec.nodes):
            match op:
                case AgentNode():
                    names.update((*op.tools, *agents[op.agent].tools))
                case TaskNode():
                    agent = agent_asked(op, spec)
                    names.update((*op.tools, *agent.tools) if agent else ())
                case ToolNode():
                    names.add(op.tool)
                case _:
                    continue
    answers = {tool.id for spec in specs for tool in spec.tools if tool.result == "answer"}
    return tuple(sorted(names - answers))


def _ops(specs: tuple[GraphSpec, ...]) -> Iterator[object]:
    return (node.op for spec in specs for node in spec.nodes)


def _absolute(path: str | None) -> str | None:
    return str(Path(path).absolute()) if path else None


def _absolutes(*groups: tuple[str, ...]) -> tuple[str, ...]:
    """Every path once, in full."""
    return tuple(dict.fromkeys(str(Path(path).absolute()) for group in groups for path in group))
