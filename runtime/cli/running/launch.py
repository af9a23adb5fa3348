"""What `flowc run` and `flowc resume` have in common: compile, wire, show, execute."""

from __future__ import annotations

import asyncio
import contextlib
import os
import sys
import time
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Protocol

from flowc.compiler.diagnostics.render import as_dict
from flowc.compiler.driver import CompileResult

from ...assembly.granted_sources import compile_granted
from ...assembly.launch import Launch, prepare
from ...assembly.lazy import open_engine
from ...assembly.run_options import RunOptions
from ...config.settings import Config
from ...engine.signals import RunSignals
from ...errors import RunError, StoreAway, StoreFailed
from ...models.answer_file import read_script, strangers
from ...observe.otel import open_spans
from ...services import Outcome
from ...store.default_store import resume_command
from ..app import INTERRUPTED, complain, say
from ..authoring.check import require_program, show_diagnostics
from ..flags import Display, RunFlags
from ..screen import count_of, screen_on
from ..show.consent import with_consent
from ..show.outcomes import cut_off, exit_code, go_beyond
from ..show.output import RunView
from ..show.questions import can_ask
from ..streams import Mode, print_result, result_alone
from .drive import Begin as OneTry
from .drive import GoOn, Patience, drive

if TYPE_CHECKING:
    from ...engine.engine import Engine


class Begin(Protocol):
    """Starts a run, or goes on with it, until it ends or waits."""

    async def __call__(self, engine: Engine, view: RunView, signals: RunSignals, /) -> Outcome: ...


def compile_runnable(
    path: str, mode: Mode, team: str | None = None, trust: str | None = None
) -> CompileResult | None:
    """Return the compiled file; None when it has errors, which are then shown. Warnings are only
    counted: a person who runs a workflow can seldom mend them. Raise `RunError` for a picture."""
    compiled = compile_granted(path, trust, team=team)
    return compiled if check_runnable(compiled, mode) else None


def check_runnable(compiled: CompileResult, mode: Mode) -> bool:
    """Whether a compiled file has no errors; those that it has are shown."""
    if compiled.ok:
        require_program(compiled)
        if compiled.diagnostics and mode == "text":
            say(f"{count_of(len(compiled.diagnostics), 'warning')}: flowc check {compiled.path}")
        return True
    show_diagnostics(compiled.diagnostics, compiled.sources)
    if mode in ("json", "jsonl"):
        rows = [as_dict(d, compiled.sources) for d in compiled.diagnostics]
        print_result({"status": "invalid", "diagnostics": rows})
    return False


def launch_of(
    compiled: CompileResult, options: RunOptions, config: Config, run_flags: RunFlags
) -> Launch:
    """Return the launch of a workflow; a person on the terminal is asked for what it wants. Raise
    as `prepare` does."""
    pauses = run_flags.typed.breakpoints

    def launch(chosen: RunOptions) -> Launch:
        return prepare(compiled, chosen, config, breakpoints=pauses)

    return with_consent(options, run_flags.mode, launch)


def _note_strangers(launch: Launch, mode: Mode) -> None:
    """Note the names in a file of answers that the workflow lacks: a misspelt one would show only
    as a missing answer."""
    if launch.options.answers is None or mode not in ("text", "quiet"):
        return
    script = read_script(launch.options.answers)
    for name, near in strangers(script, launch.compiled.spec):
        hint = f"; did you mean `{near}`?" if near else ""
        say(f"{os.path.basename(script.path)}: no node or prompt is called `{name}`{hint}")


def execute(launch: Launch, display: Display, run: str, begin: Begin) -> int:
    """Execute with `begin` (a start or a resume) and show it; gives the exit code."""
    _note_strangers(launch, display.mode)
    try:
        with result_alone():
            return asyncio.run(_execute(launch, display, run, begin))
    except asyncio.CancelledError:  # a third signal, while the second one was being obeyed
        say("interrupted", f"  go on: {resume_command(run, display.store)}")
        return INTERRUPTED


async def _drive(
    engine: Engine, view: RunView, first: OneTry, later: GoOn, patience: Patience
) -> Outcome:
    """Execute; what ends a run on the way is an outcome too. Raise `RunError` before it begins."""
    began = time.monotonic()
    try:
        return await drive(view, first, later, patience=patience, ask=view.asks)
    except RunError as error:
        failed = isinstance(error, StoreFailed)
        if not view.begun and not (failed and await _is_kept(engine, view)):
            raise
        view.screen.settle()
        if view.mode in ("text", "quiet"):
            complain(error.message, error.help, error.diff)
        before = await _last_outcome(engine, view.run, error)
        return cut_off(replace(before, seconds=round(time.monotonic() - began, 6)), error)


async def _last_outcome(engine: Engine, run: str, error: RunError) -> Outcome:
    """Return what is kept of a run; a store that went away is not waited for once more."""
    if not isinstance(error, StoreAway):
        with contextlib.suppress(RunError):
            if (kept := await engine.outcome(await engine.store.get(run))) is not None:
                return kept
    return Outcome(run, "interrupted")


async def _is_kept(engine: Engine, view: RunView) -> bool:
    """Whether the store has the run that it was to begin or to go on with."""
    if view.heard:
        return True
    with contextlib.suppress(RunError):
        return (await engine.store.get(view.run)).pid == os.getpid()
    return False


async def _execute(launch: Launch, display: Display, run: str, begin: Begin) -> int:
    go_on = resume_command(run, display.store)
    ask = can_ask() and display.mode in ("text", "quiet")
    view = RunView(
        compiled=launch.compiled,
        screen=screen_on(sys.stderr),
        mode=display.mode,
        run=run,
        store=display.store,
        go_on=go_on,
        verbose=display.verbose,
        asks=ask,
        target=display.target or launch.compiled.path,
    )
    spans = open_spans(display.otel)
    if spans is not None:
        view.followers = (spans.listen,)
    async with open_engine(display.store) as engine:

        async def first(signals: RunSignals) -> Outcome:
            return await begin(engine, view, signals)

        async def later(answers: dict[str, Any], signals: RunSignals) -> Outcome:
            return await launch.resume(
                engine, run, answers, listeners=(view.listen,), control=signals
            )

        with contextlib.closing(spans) if spans else contextlib.nullcontext():
            limits = Patience(launch.options.timeout, watch=display.watch)
            outcome = await _drive(engine, view, first, later, limits)
    view.go_on = go_on and go_beyond(go_on, outcome, launch.options)
    view.finish(outcome)
    if spans is not None and spans.lost:
        say("warning: the spans of this run could not be sent: the collector does not take them")
    return exit_code(outcome)
