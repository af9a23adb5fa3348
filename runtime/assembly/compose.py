"""Makes the services of a run from flags, configuration and environment; knows every registry."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from flowc.compiler.analysis.hosts import hosts_of
from flowc.compiler.catalog.catalog import load_catalog
from flowc.compiler.diagnostics.diagnostic import Sink
from flowc.compiler.ir import Effect
from flowc.compiler.lowering.graphspec import GraphSpec, answering_agent
from flowc.compiler.source.source import SourceSet

from ..audio.calls.execute import FreeCode
from ..audio.calls.subprocess_call import AudioWorkers
from ..budget.budget import RunBudget, caller_caps
from ..cassette.tape import choose_tape
from ..config.extras import require_for
from ..config.options import default
from ..config.prices import Prices, how_to_price, picodollars, read_dollars
from ..config.settings import Config, user_file
from ..errors import RunError
from ..files.roots import RootedFiles, Roots
from ..models.offline import LABEL
from ..models.people import HandTools
from ..models.registry import Answering, choose_models
from ..models.scripted import ScriptedModels, ScriptedSender
from ..net.door import NetworkDoor
from ..requests import Sender
from ..sandbox.confinement import Confinement
from ..sandbox.generated.snippet import run_snippet
from ..sandbox.modules import OwnModules
from ..sandbox.policy import Limits
from ..sandbox.programs import ConfinedPrograms
from ..sandbox.scripts.answers import ScriptLimits
from ..sandbox.scripts.pool import ScriptWorkers
from ..sandbox.shell import BashShell, ShellLimits, allowed_env, shell_env
from ..sandbox.staying import StayingProcess
from ..secrets import looks_secret
from ..services import Emit, Journal, Models, Services, ServicesFactory, ToolSchema
from ..tools.functions import HostFunctions, bind_functions
from ..tools.mcp_servers import read_servers
from ..tools.registry import ToolBox
from ..tools.sources import ToolSetting, tool_sources
from .admission import admit, admit_request, requests_of
from .host_objects import NO_OBJECTS, HostObjects
from .needs import asked_models, needed_tools, require_holders
from .reach import Reach
from .run_options import RunOptions, settle
from .sandbox_options import require_sandbox


def make_services(
    options: RunOptions,
    spec: GraphSpec,
    config: Config,
    host: HostObjects = NO_OBJECTS,
    reach: Reach | None = None,
    waiting: list[StayingProcess] | None = None,
) -> ServicesFactory:
    """Return how the engine makes the services of one run. Raise `RunError` (exit 2) now for what
    is missing: a model, key, package, trust, file. `reach`: all that a request's run has here."""
    specs, config = _specs(spec), _admit(options, spec, config, host, reach)
    options = _with_bound_model(settle(options, config, spec.model), specs, host)
    require_holders(spec)
    budget, answering = _budget_maker(specs, options), _answering(options, specs, host)
    folders = _root_folders(options)
    taping = choose_tape(options.record, options.replay, spec, os.environ)
    roots, files = _files(options, specs, folders, reach)
    servers, effects = read_servers(config.mcp_servers, options.mcp), _effects(specs, config)
    locked = _locked_tools(spec.file, reach) if servers or host.tools else ()
    needed = needed_tools(spec, by_hand=answering.by_hand)
    functions, sender = _functions(options, specs, needed, host, config), _sender(options, specs)
    environment = _env(specs, config.env, os.environ, reach)

    def services(journal: Journal, emit: Emit) -> Services:
        held = _confinement(options, (Path(spec.file).absolute().parent, *folders), emit, reach)
        workers, free = _sound_workers(held, waiting), _free_code(held)
        rules, programs = answering.models.label == LABEL, ConfinedPrograms(held)
        around = ToolSetting(config, servers, roots, workers, free, programs, rules, host.tools)
        box = ToolBox(tool_sources(around), needed, effects, _tool_seconds(options), locked)
        plain = Services(
            models=answering.models,
            people=answering.people,
            scripts=ScriptWorkers(_script_limits(options), held),
            functions=functions,
            by_hand=answering.by_hand,
            tools=HandTools(box) if answering.by_hand else box,
            sender=_with_script(answering.models, sender),
            shell=BashShell(shell_env(os.environ, config.env), held, _shell_limits(options)),
            files=files,
            journal=journal,
            emit=emit,
            approve="allow" if options.allow_exec else "ask",
            env=environment,
            max_steps=options.max_steps or _most_steps(specs[0]),
            max_model_turns=options.max_model_turns or default("max_model_turns"),
            budget=budget(),
        )
        return taping(plain)

    return services


def _sound_workers(held: Confinement, waiting: list[StayingProcess] | None) -> AudioWorkers:
    """Return what does the calls of sounds; the first run takes the process that waits."""
    return AudioWorkers(OwnModules(held, waiting=[waiting.pop()] if waiting else []))


def _specs(spec: GraphSpec) -> tuple[GraphSpec, ...]:
    return (spec, *(sub for _, sub in spec.subgraphs))


def _admit(
    options: RunOptions, spec: GraphSpec, config: Config, host: HostObjects, reach: Reach | None
) -> Config:
    if reach is None:
        return admit(options, spec, config, host)
    return admit_request(options, spec, config, reach.env)


def _tool_seconds(options: RunOptions) -> float:
    """Return the seconds that a call of a tool, a function or a host may take."""
    return options.tool_timeout or float(default("tool_timeout"))


def _sender(options: RunOptions, specs: Sequence[GraphSpec]) -> NetworkDoor:
    """Return what sends the requests of nodes: to the hosts that the user allowed, and to those of
    the file, which was admitted."""
    named = (host for node in requests_of(specs) for host in hosts_of(node))
    allowed = options.allow_net
    granted = tuple(dict.fromkeys((*allowed, *named)))
    return NetworkDoor(granted, allowed, _tool_seconds(options))


def _with_script(models: Models, sender: Sender) -> Sender:
    """Return what sends requests where a script may answer in the place of hosts."""
    return ScriptedSender(models.script, sender) if isinstance(models, ScriptedModels) else sender


def _script_limits(options: RunOptions) -> ScriptLimits:
    return ScriptLimits(options.script_timeout or default("script_timeout"))


def _most_steps(spec: GraphSpec) -> int:
    """Return the steps of a run that nobody limits: as many as the workflow's own limit allows,
    where it has one."""
    own = any(limit.name == "steps" for limit in spec.limits)
    return sys.maxsize if own else int(default("max_steps"))


def _effects(specs: tuple[GraphSpec, ...], config: Config) -> dict[str, Effect]:
    """Return the effects of tools: those that the files declare to act once, and what the
    configuration says."""
    once = {tool.id: tool.effect for s in specs for tool in s.tools if tool.effect == "once"}
    return {**once, **config.effects}


def _with_bound_model(
    options: RunOptions, specs: tuple[GraphSpec, ...], host: HostObjects
) -> RunOptions:
    """Return the options with a model where none was chosen and none is missed: whatever asks one
    asks for it by a name that the program bound."""
    if options.model or options.answers or options.replay or host.answers is not None:
        return options
    asked = {name for spec in specs for name, _ in asked_models(spec)}
    if not asked or not asked <= host.models.keys():
        return options
    return replace(options, model=min(filter(None, asked)))


def _answering(options: RunOptions, specs: tuple[GraphSpec, ...], host: HostObjects) -> Answering:
    """Return who answers. A recording needs nobody."""
    if host.answers is not None and not (options.model or options.answers or options.replay):
        scripted = ScriptedModels(host.answers)
        return Answering(scripted, scripted)
    return choose_models(
        options.model,
        options.base_url,
        options.answers,
        tuple(dict.fromkeys(one for spec in specs for one in asked_models(spec))),
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
    return bind_functions(specs, host.nodes, config, _tool_seconds(options))


def _files(
    options: RunOptions,
    specs: Sequence[GraphSpec],
    folders: tuple[Path, ...],
    reach: Reach | None,
) -> tuple[Roots, RootedFiles]:
    """Return the folders of the tools, and of the workflows, the main one first."""
    if reach is not None:
        return reach.roots(), RootedFiles(only=reach.roots())
    # Tools look at what the person stands in; a workflow that ships lies somewhere else.
    start = (*folders, Path(options.workspace or Path.cwd()))[0]
    own = Path(specs[0].file).absolute().parent
    bases = tuple(spec.file for spec in specs)
    return Roots(start, (own, *folders[1:])), RootedFiles(folders, bases=bases)


def _locked_tools(path: str, reach: Reach | None) -> tuple[ToolSchema, ...]:
    """Return the tools of which the lock says which source has them, so that the source is not
    asked what they are."""
    if reach is not None:  # a request names its file as it likes
        path = str(Path.cwd() / Path(path).name)
    entries = load_catalog(path, SourceSet(), Sink({})).entries.values()
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
    options: RunOptions, reads: tuple[Path, ...], emit: Emit, reach: Reach | None
) -> Confinement:
    """Return how foreign code of a run in the current folder is confined; `options` are settled."""
    return Confinement(
        folder=Path.cwd() if reach is None else reach.root or Path(options.own),
        own=Path(options.own),
        reads=reads if reach is None else (),
        workspace=Path(options.workspace) if options.workspace else None,
        network=options.network,
        mode=options.sandbox or default("sandbox"),
        home=Path(os.path.expanduser("~")),
        limits=Limits(),
        hidden=(user_file().parent,),
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
        asked = (name for spec in specs for name, _ in asked_models(spec))
        names = dict.fromkeys(budget().full_name(name) for name in asked)
        for name in names:
            if prices.of(name) is None:
                raise RunError(
                    f"there is no price for `{name}`, so a limit on cost cannot be kept",
                    help=how_to_price(name),
                )
    return budget


def _env(
    specs: tuple[GraphSpec, ...],
    allowed: tuple[str, ...],
    env: Mapping[str, str],
    reach: Reach | None,
) -> dict[str, str]:
    """Return the variables that a run may read; what came by a request lists none itself."""
    return readable_env(specs, allowed, env) if reach is None else allowed_env(env, allowed)


def readable_env(
    specs: tuple[GraphSpec, ...], allowed: tuple[str, ...], env: Mapping[str, str]
) -> dict[str, str]:
    """Return the environment variables that a workflow may read (M21): those it lists itself,
    unless the name looks like a secret, and those that the configuration allows."""
    listed = {param.env for spec in specs for param in spec.params if param.env is not None}
    own = {name: env[name] for name in listed if name in env and not looks_secret(name)}
    return {**own, **allowed_env(env, allowed)}
