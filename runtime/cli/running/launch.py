"""What `flowc run` and `flowc resume` have in common: compile, wire, show, execute."""

from __future__ import annotations

import asyncio
import contextlib
import os
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from flowc.compiler.diagnostics.render import as_dict
from flowc.compiler.driver import CompileResult, compile_file

from ...assembly.lazy import open_engine
from ...assembly.run_options import RunOptions
from ...config.options import default
from ...engine.signals import RunSignals
from ...models.script import read_script, strangers
from ...observe.otel import open_spans
from ...services import Outcome
from ..app import INTERRUPTED, say
from ..authoring.check import require_program, show_diagnostics
from ..screen import count_of, screen_on
from ..show.outcomes import SCHEMA_VERSION, exit_code, resume_command
from ..show.output import RunView
from ..show.questions import can_ask
from ..streams import Mode, print_json, result_alone
from .drive import drive

if TYPE_CHECKING:
    from ...engine.engine import Engine
    from ...engine.execution import ServicesFactory


class Begin(Protocol):
    """Starts a run, or goes on with it, until it ends or waits."""

    async def __call__(self, engine: Engine, view: RunView, signals: RunSignals, /) -> Outcome: ...


@dataclass(frozen=True, slots=True)
class Launch:
    """A run about to be executed in this process. `options` are settled, as they are kept."""

    compiled: CompileResult
    services: ServicesFactory
    options: RunOptions
    store: str
    mode: Mode
    verbose: bool = False
    otel: bool = False
    breakpoints: tuple[str, ...] = ()
    target: str = ""
    """The workflow as it was named on the command line."""

    def kept_options(self) -> dict[str, Any]:
        """Return the options for the run's record, with the folder that paths count from."""
        frontend = self.compiled.frontend
        format_name = frontend.name if frontend else ""
        return {**self.options.to_json(), "format": format_name, "folder": os.getcwd()}


def compile_runnable(path: str, mode: Mode, team: str | None = None) -> CompileResult | None:
    """Return the compiled file; None when it has errors, which are then shown. Warnings are only
    counted: a person who runs a workflow can seldom mend them. Raise `RunError` for a picture."""
    compiled = compile_file(path, team=team)
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
        print_json({"schema_version": SCHEMA_VERSION, "status": "invalid", "diagnostics": rows})
    return False


def _note_strangers(launch: Launch) -> None:
    """Note the names in a file of answers that the workflow lacks: a misspelt one would show only
    as a missing answer."""
    if launch.options.answers is None or launch.mode not in ("text", "quiet"):
        return
    script = read_script(launch.options.answers)
    for name, near in strangers(script, launch.compiled.spec):
        hint = f"; did you mean `{near}`?" if near else ""
        say(f"{os.path.basename(script.path)}: no node or prompt is called `{name}`{hint}")


def execute(launch: Launch, run: str, begin: Begin) -> int:
    """Execute with `begin` (a start or a resume) and show it; gives the exit code."""
    _note_strangers(launch)
    try:
        with result_alone():
            return asyncio.run(_execute(launch, run, begin))
    except asyncio.CancelledError:  # a third signal, while the second one was being obeyed
        say("interrupted", f"  go on: {resume_command(run, launch.store)}")
        return INTERRUPTED


async def _execute(launch: Launch, run: str, begin: Begin) -> int:
    go_on = resume_command(run, launch.store)
    ask = can_ask() and launch.mode in ("text", "quiet")
    view = RunView(
        compiled=launch.compiled,
        screen=screen_on(sys.stderr),
        mode=launch.mode,
        run=run,
        store=launch.store,
        go_on=go_on,
        verbose=launch.verbose,
        asks=ask,
        target=launch.target or launch.compiled.path,
    )
    spans = open_spans(launch.otel)
    if spans is not None:
        view.followers = (spans.listen,)
    async with open_engine(launch.store) as engine:

        async def first(signals: RunSignals) -> Outcome:
            return await begin(engine, view, signals)

        async def later(answers: dict[str, Any], signals: RunSignals) -> Outcome:
            return await resume_with(launch, engine, view, answers, signals)

        with contextlib.closing(spans) if spans else contextlib.nullcontext():
            outcome = await drive(view, first, later, limit=launch.options.timeout, ask=ask)
    view.finish(outcome)
    if spans is not None and spans.lost:
        say("warning: the spans of this run could not be sent: the collector does not take them")
    return exit_code(outcome)


async def resume_with(
    launch: Launch,
    engine: Engine,
    view: RunView,
    answers: dict[str, Any],
    signals: RunSignals,
    said: str | None = None,
    migrate: tuple[str, ...] = (),
) -> Outcome:
    """Go on with answers by question id, or with a line that was said unasked."""
    return await engine.resume(
        view.run,
        launch.compiled.spec,
        launch.services,
        answers=answers,
        line=said,
        listeners=(view.listen,),
        breakpoints=launch.breakpoints,
        control=signals,
        on_unknown=launch.options.on_unknown,
        usually=launch.options.usually or default("on_unknown"),
        migrate=migrate,
    )
