"""Makes the services of a run from flags, configuration and environment; knows every registry."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from flowc.compiler.catalog.catalog import load_catalog
from flowc.compiler.diagnostics.diagnostic import Sink
from flowc.compiler.ir import AgentNode, TaskNode, ToolNode
from flowc.compiler.lowering.graphspec import GraphSpec, answering_agent
from flowc.compiler.source.source import SourceSet
from flowc.compiler.team import PEOPLE

from ..audio.calls.execute import FreeCode
from ..audio.calls.subprocess_call import AudioWorkers
from ..budget.budget import RunBudget, caller_caps
from ..cassette.tape import choose_tape
from ..config.extras import require_for
from ..config.options import default
from ..config.prices import Prices, how_to_price, picodollars, read_dollars
from ..config.settings import Config
from ..errors import RunError
from ..files.roots import RootedFiles, Roots
from ..models.people import HandTools
from ..models.registry import Answering, choose_models
from ..models.scripted import ScriptedModels
from ..sandbox.confinement import Confinement
from ..sandbox.generated.snippet import run_snippet
from ..sandbox.modules import OwnModules
from ..sandbox.policy import Limits, Mode
from ..sandbox.scripts.pool import ScriptLimits, ScriptWorkers
from ..sandbox.shell import BashShell, ShellLimits, allowed_env, shell_env
from ..secrets import looks_secret
from ..services import Emit, Journal, Services, ServicesFactory, ToolSchema
from ..tools.functions import HostFunctions, bind_functions
from ..tools.mcp_servers import read_servers
from ..tools.registry import ToolBox
from ..tools.sources import ToolSetting, tool_sources
from .host_objects import NO_OBJECTS, HostObjects
from .run_options import RunOptions, settle
from .sandbox_options import require_sandbox


def make_services(
    options: RunOptions, spec: GraphSpec, config: Config, host: HostObjects = NO_OBJECTS
) -> ServicesFactory:
    """Return how the engine makes the services of one run. Everything that can be missing is looked
    for now: raise `RunError` (exit 2) when nothing was chosen to answer model calls, a key or
    package is missing, or a file of answers or servers cannot be read."""
    options = settle(options, config, spec.model)
    specs = (spec, *(sub for _, sub in spec.subgraphs))
    require_holders(spec)
    budget = _budget_maker(specs, options)
    answering = _answering(options, specs, host)
    folders = _root_folders(options)
    taping = choose_tape(options.record, options.replay, spec, os.environ)
    own = Path(spec.file).absolute().parent
    mode: Mode = options.sandbox or default("sandbox")
    # Tools look at what the person stands in; a workflow that ships lies somewhere else.
    roots = Roots((*folders, Path(options.workspace or Path.cwd()))[0], (own, *folders[1:]))
    servers = read_servers(config.mcp_servers, options.mcp)
    locked = _locked_tools(spec) if servers or host.tools else ()
    tool_timeout = options.tool_timeout or default("tool_timeout")
    script_limits = ScriptLimits(options.script_timeout or default("script_timeout"))
    needed = needed_tools(spec, by_hand=answering.by_hand)
    functions = _functions(options, specs, needed, host, config)

    def services(journal: Journal, emit: Emit) -> Services:
        held = _confinement(options, mode, (own, *folders), emit)
        workers = AudioWorkers(OwnModules(held))
        around = ToolSetting(config, servers, roots, workers, _free_code(held), host.tools)
        effects = dict(config.effects)
        box = ToolBox(tool_sources(around), needed, effects, tool_timeout, locked)
        plain = Services(
            models=answering.models,
            people=answering.people,
            scripts=ScriptWorkers(script_limits, held),
            functions=functions,
            by_hand=answering.by_hand,
            tools=HandTools(box) if answering.by_hand else box,
            shell=BashShell(shell_env(os.environ, config.env), held, _shell_limits(options)),
            files=RootedFiles(folders),
            journal=journal,
            emit=emit,
            approve="allow" if options.allow_exec else "ask",
            env=readable_env(specs, config, os.environ),
            max_steps=options.max_steps or default("max_steps"),
            max_model_turns=options.max_model_turns or default("max_model_turns"),
            budget=budget(),
        )
        return taping(plain)

    return services


def _answering(options: RunOptions, specs: tuple[GraphSpec, ...], host: HostObjects) -> Answering:
    """Return who answers. A recording needs nobody."""
    if host.answers is not None and not (options.model or options.answers or options.replay):
        scripted = ScriptedModels(host.answers)
        return Answering(scripted, scripted)
    named = sorted({a.model for s in specs for a in s.agents if a.model is not None})
    return choose_models(
        options.model,
        options.base_url,
        options.answers,
        tuple(named),
        options.model_timeout or default("model_timeout"),
        needed=not options.replay and any(answering_agent(n.op, s) for s in specs for n in s.nodes),
        objects=host.models,
        settings=host.model_settings,
    )


def _functions(
    options: RunOptions,
    specs: tuple[GraphSpec, ...],
    needed: tuple[str, ...],
    host: HostObjects,
    config: Config,
) -> HostFunctions:
    """Return the functions that nodes call; a replay calls and starts nothing. Raise `RunError` for
    one that is missing, as for the sandbox and packages of the tools that are `needed`."""
    if options.replay:
        return HostFunctions()
    require_sandbox(options.sandbox or default("sandbox"), specs, needed)
    require_for(needed)
    seconds = options.tool_timeout or default("tool_timeout")
    return bind_functions(specs, host.nodes, config, seconds)


def _locked_tools(spec: GraphSpec) -> tuple[ToolSchema, ...]:
    """Return the tools of which the lock says which source has them, so that the source is not
    asked what they are."""
    entries = load_catalog(spec.file, SourceSet(), Sink({})).entries.values()
    locked = [entry for entry in entries if entry.provider]
    return tuple(
        ToolSchema(tool.name, tool.description, tool.parameters, tool.effect, tool.provider)
        for tool in locked
    )


def _shell_limits(options: RunOptions) -> ShellLimits:
    return ShellLimits(
        seconds=options.command_timeout or default("command_timeout"),
        silence=options.command_silence or default("command_silence"),
    )


def _root_folders(options: RunOptions) -> tuple[Path, ...]:
    """Return the folders of `--root`. Raise `RunError` for a missing one."""
    folders = tuple(Path(root) for root in options.roots)
    for folder in folders:
        if not folder.is_dir():
            raise RunError(f"there is no folder `{folder}`", help="correct `--root`, or make it")
    return folders


def _confinement(
    options: RunOptions, mode: Mode, reads: tuple[Path, ...], emit: Emit
) -> Confinement:
    """Return how foreign code of a run in the current folder is confined; `options` are settled."""
    return Confinement(
        folder=Path.cwd(),
        own=Path(options.own),
        reads=reads,
        workspace=Path(options.workspace) if options.workspace else None,
        network=options.network,
        mode=mode,
        home=Path(os.path.expanduser("~")),
        limits=Limits(),
        listener=lambda data: emit("sandbox", "", data),
    )


def _free_code(held: Confinement) -> FreeCode:
    """Return what runs free audio code in the sandbox: see `audio.calls.execute.FreeCode`."""

    async def run(code: str, reads: Sequence[Path], output: Path) -> dict[str, Any]:
        snippet = partial(run_snippet, code, reads=reads, output=output, mode=held.mode)
        result = await asyncio.to_thread(snippet)
        if result.report is not None:
            held.tell("snippet", result.report)
        return {
            "done": result.status == "done",
            "refused": result.status == "refused",
            "message": f"{result.status}: {result.message}".removesuffix(": "),
            "sandbox": result.report.text if result.report else "nothing ran",
        }

    return run


def require_holders(main: GraphSpec) -> None:
    """Raise `RunError` when there is a task that nobody does."""
    for spec in (main, *(sub for _, sub in main.subgraphs)):
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


def _budget_maker(specs: tuple[GraphSpec, ...], options: RunOptions) -> Callable[[], RunBudget]:
    """Return how the budget of one run is made. Raise `RunError` for a limit on cost, the caller's
    or the workflow's, where a model may be called that has no price."""
    cost = None if options.max_cost is None else picodollars(read_dollars(options.max_cost))
    caps = caller_caps(options.max_tokens, cost)
    prices = Prices(options.prices, options.base_url)

    def budget() -> RunBudget:
        return RunBudget(prices, options.model or "", caps, options.max_output_tokens)

    limits = (m for s in specs for m in (*s.limits, *(m for n in s.nodes for m in n.limits)))
    if options.model and (cost is not None or any(limit.name == "cost" for limit in limits)):
        agents = (answering_agent(node.op, spec) for spec in specs for node in spec.nodes)
        names = dict.fromkeys(budget().full_name(a.model) for a in agents if a is not None)
        for name in names:
            if prices.of(name) is None:
                raise RunError(
                    f"there is no price for `{name}`, so a limit on cost cannot be kept",
                    help=how_to_price(name),
                )
    return budget


def readable_env(
    specs: tuple[GraphSpec, ...], config: Config, env: Mapping[str, str]
) -> dict[str, str]:
    """Return the environment variables that a workflow may read (M21): those it lists itself,
    unless the name looks like a secret, and those that the configuration allows."""
    listed = {param.env for spec in specs for param in spec.params if param.env is not None}
    own = {name: env[name] for name in listed if name in env and not looks_secret(name)}
    return {**own, **allowed_env(env, config.env)}


def needed_tools(main: GraphSpec, *, by_hand: bool) -> tuple[str, ...]:
    """Return the tools that have to be there: a call that is an answer is executed by nobody, and a
    person who answers a model's turns `by_hand` brings the tools."""
    names: set[str] = set()
    specs = (main, *(sub for _, sub in main.subgraphs))
    for spec in specs:
        agents = {agent.id: agent for agent in spec.agents}
        for op in (node.op for node in spec.nodes):
            match op:
                case AgentNode() | TaskNode() if by_hand:
                    continue
                case AgentNode():
                    names.update((*op.tools, *agents[op.agent].tools))
                case TaskNode():
                    agent = answering_agent(op, spec)
                    names.update((*op.tools, *agent.tools) if agent else ())
                case ToolNode():
                    names.add(op.tool)
                case _:
                    continue
    answers = {tool.id for spec in specs for tool in spec.tools if tool.result == "answer"}
    return tuple(sorted(names - answers))
