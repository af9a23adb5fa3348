"""`flowc run`: check a workflow, give it its inputs, execute it until it ends or waits."""

from __future__ import annotations

import dataclasses
from pathlib import Path

from flowc.compiler.ir import Param

from ..config import load_config
from ..engine import Engine
from ..errors import Failure, RunError
from ..files import RootedFiles
from ..services import Outcome
from ..signals import RunSignals
from ..wiring import RunOptions, make_services
from . import flags
from .app import FINDINGS, say
from .inputs import WORDS, Ask, ReadFile, read_given, type_inputs
from .launch import Launch, compiled_or_none, execute
from .locate import locate, locate_team
from .names import new_run_name
from .output import Mode, RunView
from .plan import print_plan
from .questions import can_ask, read_line
from .stores import prepare_default, store_url


def run(
    target: flags.Target,
    given: flags.Inputs = None,
    inputs: flags.InputFiles = None,
    model: flags.Model = None,
    base_url: flags.BaseUrl = None,
    answers: flags.Answers = None,
    team: flags.Team = None,
    store: flags.Store = None,
    run_id: flags.RunId = None,
    allow_exec: flags.AllowExec = False,
    root: flags.Roots = None,
    mcp: flags.Mcp = None,
    on_unknown: flags.Unknown = None,
    breaks: flags.Breaks = None,
    max_steps: flags.MaxSteps = None,
    timeout: flags.Timeout = None,
    dry_run: flags.DryRun = False,
    as_json: flags.AsJson = False,
    as_json_lines: flags.AsJsonLines = False,
    quiet: flags.Quiet = False,
    verbose: flags.Verbose = False,
) -> int:
    """Run a workflow. Its result goes to stdout, everything else to stderr.

    Exit code 0: it ended SUCCESS, 1: FAILED or faults in the file, 2: wrong usage, 4: paused,
    5: a limit of yours stopped it, 130: interrupted. 4, 5 and 130 go on with `flowc resume`.
    """
    asked = flags.Asked(
        mode=flags.mode_of(as_json, as_json_lines, quiet),
        store=store,
        model=model,
        base_url=base_url,
        answers=answers,
        allow_exec=allow_exec,
        roots=tuple(root or ()),
        mcp=tuple(mcp or ()),
        on_unknown=on_unknown,
        breaks=tuple(breaks or ()),
        max_steps=max_steps,
        timeout=timeout,
        verbose=verbose,
        team=team,
    )
    return _run(target, (given or [], inputs or []), asked, run_id, dry_run)


def _run(
    target: str,
    given: tuple[list[str], list[str]],
    asked: flags.Asked,
    run_id: str | None,
    dry_run: bool,
) -> int:
    """Check, read the inputs (`given`: those of -i, files of --inputs), wire, execute."""
    config = load_config(Path.cwd())
    path = locate(target, config.workflows)
    asked = dataclasses.replace(asked, team=locate_team(asked.team, path))
    compiled = compiled_or_none(path, asked.mode, asked.team)
    if compiled is None or compiled.workflow is None:
        return FINDINGS
    defaults = RunOptions(on_unknown=flags.configured_unknown(config))
    options = asked.options(path, defaults, config)
    values = read_given(*given, _file_reader(path, options))
    if dry_run:
        return print_plan(compiled, values, options, asked.mode)
    typed = type_inputs(values, compiled.workflow, compiled.sources, _asker(asked.mode))
    launch = Launch(
        compiled=compiled,
        services=make_services(options, compiled.spec, config),
        options=options,
        store=store_url(asked.store, config),
        mode=asked.mode,
        verbose=asked.verbose,
        breakpoints=asked.breaks,
        target=target,
    )
    prepare_default(launch.store)

    async def begin(engine: Engine, view: RunView, signals: RunSignals) -> Outcome:
        return await engine.start(
            compiled.spec,
            launch.services,
            run=view.run,
            inputs=typed,
            options=launch.kept_options(),
            listeners=(view.listen,),
            breakpoints=launch.breakpoints,
            control=signals,
        )

    return execute(launch, run_id or new_run_name(), begin)


def _file_reader(path: str, options: RunOptions) -> ReadFile:
    """Reads `file:` paths of the person who starts the run, within the roots (M22)."""
    files = RootedFiles(tuple(Path(root) for root in options.roots))

    def read(name: str) -> str:
        try:
            return files.read(name, path)
        except Failure as failure:
            raise RunError(failure.message, help=failure.help) from None

    return read


def _asker(mode: Mode) -> Ask | None:
    """Asks for missing inputs on a terminal; None where nobody can be asked."""
    if not can_ask() or mode in ("json", "jsonl"):
        return None

    def ask(param: Param, problem: str) -> str | None:
        about = f" ({param.description})" if param.description else ""
        kind = "" if param.type in ("any", "text") else f", {WORDS[param.type]}"
        if problem:
            say(f"  {problem}")
        try:
            return read_line(f"{param.name}{about}{kind} > ")
        except EOFError:
            say("")
            return None

    return ask
