"""`flowc run`: check a workflow, give it its inputs, execute it until it ends or waits."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from flowc.compiler.driver import CompileResult
from flowc.compiler.ir import Param

from ...assembly.granted_sources import compile_granted
from ...assembly.inputs import Ask, RawInputs, type_inputs
from ...assembly.launch import Launch
from ...assembly.run_options import RunOptions
from ...assembly.sandbox_options import forget_own_folder, own_folder
from ...cassette.format import read_cassette
from ...config.settings import load_config
from ...db.url import MEMORY
from ...engine.signals import RunSignals
from ...errors import RunError, StoreFailed
from ...files.roots import RootedFiles
from ...services import Outcome
from ...state.parameters import WORDS
from ...store.default_store import prepare_default, store_url
from ...store.names import new_run_name
from .. import flags
from ..app import FINDINGS, say
from ..inputs import ReadFile, read_inputs
from ..locate import locate, locate_team
from ..show.ended import show_cut_off
from ..show.output import RunView
from ..show.questions import can_ask, read_line
from ..streams import Mode
from .documents import find_continuation
from .launch import Begin, check_runnable, execute, launch_of
from .plan import print_plan

if TYPE_CHECKING:
    from ...engine.engine import Engine


@flags.with_run_flags
def run(
    target: flags.Target,
    run_flags: flags.RunFlags,
    given: flags.Inputs = None,
    inputs: flags.InputFiles = None,
    team: flags.Team = None,
    run_id: flags.RunId = None,
    dry_run: flags.DryRun = False,
    watch: flags.Watch = False,
) -> int:
    """Run a workflow. Its result goes to stdout, everything else to stderr.

    Exit code 0: it ended SUCCESS, 1: FAILED or faults in the file, 2: wrong usage, 4: paused,
    5: a limit of yours stopped it, 130: interrupted. 4, 5 and 130 go on with `flowc resume`.
    """
    order = RunOrder(team, run_id, dry_run=dry_run, watch=watch)
    try:
        return _run(target, (given or [], inputs or []), run_flags, order)
    except StoreFailed as error:
        return show_cut_off(error, None, run_flags.mode, store_url(run_flags.typed.store))


@dataclass(frozen=True, slots=True)
class RunOrder:
    """What `flowc run` is asked for beside the options of the run."""

    team: str | None = None
    run_id: str | None = None
    dry_run: bool = False
    watch: bool = False


def _run(
    target: str,
    raw: tuple[list[str], list[str]],
    run_flags: flags.RunFlags,
    order: RunOrder,
) -> int:
    """Check, read the inputs (`raw`: those of -i, files of --inputs), wire, execute."""
    path = locate(target, load_config(Path.cwd()).workflows)
    team = locate_team(order.team, path)
    path, compiled, own = _read(path, team, run_flags.typed)
    if not check_runnable(compiled, run_flags.mode) or compiled.workflow is None:
        return FINDINGS
    if order.watch and compiled.workflow.schedules and not order.dry_run:
        return _by_schedule(target, raw, run_flags, order)
    config = load_config(Path.cwd())
    name = order.run_id or new_run_name()
    options = run_flags.options(
        path, RunOptions(team=team, own=own_folder(name)), config, compiled.spec.model
    )
    values = read_inputs(*raw, file_reader(path, options))
    if options.replay:
        values = _as_recorded(values, options.replay, compiled.spec.digest, run_flags.mode)
    values = replace(values, values={**own, **values.values})
    if order.dry_run:
        return print_plan(compiled, values, options, run_flags.mode)
    typed = type_inputs(values, compiled.workflow, compiled.sources, asker(run_flags.mode))
    launch = launch_of(compiled, options, config, run_flags)
    display = run_flags.display(store_url(run_flags.typed.store, config), target)
    display = replace(display, watch=order.watch)
    prepare_default(display.store)
    try:
        return execute(launch, display, name, _beginning(launch, typed))
    finally:
        if display.store == MEMORY:
            forget_own_folder(options.own)


def _by_schedule(
    target: str, raw: tuple[list[str], list[str]], run_flags: flags.RunFlags, order: RunOrder
) -> int:
    """Begin runs at the times of the workflow's schedules, with these inputs."""
    from .watch import watch_files

    if order.run_id is not None:
        raise RunError(
            "--run-id names one run, and a schedule begins many",
            help="leave it out: each is named after the workflow and its time",
        )
    words = [word for value in raw[0] for word in ("-i", value)]
    words += [word for file in raw[1] for word in ("--inputs", file)]
    words += ["--team", order.team] if order.team else []
    return watch_files([target], run_flags, words)


def _beginning(launch: Launch, inputs: dict[str, Any]) -> Begin:
    """Starts the run, with inputs of the right types."""

    async def begin(engine: Engine, view: RunView, signals: RunSignals) -> Outcome:
        return await launch.start(
            engine, view.run, inputs, listeners=(view.listen,), control=signals
        )

    return begin


def _read(
    path: str, team: str | None, typed: RunOptions
) -> tuple[str, CompileResult, dict[str, Any]]:
    """Compile the file of the workflow. A living document is carried on by a workflow of its own:
    return that with its inputs."""
    compiled = compile_granted(path, typed.trust, team=team)
    document = find_continuation(compiled, typed.store)
    if document is None:
        return path, compiled, {}
    return document.workflow, compile_granted(document.workflow), document.inputs


def file_reader(path: str, options: RunOptions) -> ReadFile:
    """Reads `file:` paths of the person who starts the run, within the roots (M22)."""
    files = RootedFiles(tuple(Path(root) for root in options.roots))
    return lambda name: files.read(name, path)


def _as_recorded(values: RawInputs, replay: str, digest: str, mode: Mode) -> RawInputs:
    """Return the inputs with those of the recorded run below them. Raise `RunError` for a file that
    is not a recording."""
    header = read_cassette(replay).header
    if header.digest != digest and mode == "text":
        say(f"{header.workflow} has changed since it was recorded on {header.recorded[:10]}")
    return RawInputs({**header.inputs, **values.values}, values.texts)


def asker(mode: Mode) -> Ask | None:
    """Asks for missing inputs on a terminal; None where nobody can be run_flags."""
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
