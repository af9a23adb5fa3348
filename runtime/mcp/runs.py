"""Workflows that flowc executes for a client of the MCP server."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from flowc.compiler.diagnostics.render import as_dict
from flowc.compiler.driver import CompileResult
from flowc.compiler.lowering.graphspec import GraphSpec

from ..assembly.granted_sources import compile_granted
from ..assembly.launch import prepare
from ..assembly.own_options import own_options
from ..assembly.run_options import RunOptions
from ..assembly.standing import Standing, standing_of
from ..config.settings import Config
from ..config.wants import StrangeRun
from ..engine.engine import Engine
from ..errors import Failure, RunError
from ..events import Listener, RunEvent
from ..files.roots import Roots
from ..models.people import PEOPLE
from ..people import Question
from ..services import Json, Outcome
from ..stepper.turns import waiting_for_person
from ..store.default_store import resume_command
from ..store.runs import STEPPED, RunRecord

Progress = Callable[[int, str], Awaitable[None]]
"""Told how many nodes have ended, and which was the last."""


@dataclass(frozen=True, slots=True)
class Runs:
    """Runs on one store, with files below `folder`. Questions and commands wait for a person: no
    file of answers is taken, neither from the client nor from the configuration, which lies where
    the client may write."""

    engine: Engine
    config: Config
    folder: Path
    new_run: Callable[[], str]

    def compile(self, file: str) -> CompileResult:
        """Return the compiled file with its faults. Raises `RunError` outside the folder."""
        return compile_granted(os.path.relpath(self._place(file)))

    def diagnostics(self, compiled: CompileResult) -> list[dict[str, Json]]:
        """Return the diagnostics as `flowc check --format json` prints them."""
        return [as_dict(d, compiled.sources) for d in compiled.diagnostics]

    async def start(
        self,
        file: str,
        inputs: dict[str, Json],
        model: str | None,
        progress: Progress,
        about: dict[str, Json],
    ) -> dict[str, Json]:
        """Execute a new run until it ends or waits. `about` are more options to keep with it."""
        if model == PEOPLE:
            raise RunError(
                "a client is not the model of a run that flowc executes",
                help="load_workflow has it carry the workflow out step by step",
            )
        compiled = self.compile(file)
        options = RunOptions(model=model, roots=(str(self.folder),))
        launch = prepare(compiled, options, _without_answers(self.config), about=about)
        listeners = (_reporting(progress),)
        outcome = await launch.start(self.engine, self.new_run(), inputs, listeners=listeners)
        return self._outcome(outcome)

    async def status(self, run: str) -> dict[str, Json]:
        """Return the state of a run. Raises `RunError` when there is none of that name."""
        record = await self.engine.store.get(run)
        state = await self.engine.state(run)
        return {
            "success": True,
            "run": run,
            "status": record.status,
            "file_path": record.file,
            "result": record.result,
            "error": record.error,
            "waits_for_person": self._waiting(run, persons(record, state.questions)),
            "variables": state.variables,
        }

    async def resume(
        self, run: str, answers: dict[str, Json], progress: Progress
    ) -> dict[str, Json]:
        """Go on with a run, with a person's answers by question id. One that waits for a person,
        or that a person stopped, waits on without. What a person gave a run that they started does
        not pass to a client: raises `RunError` where it is more than a client has."""
        standing = await standing_of(self.engine, run)
        held = standing.questions or standing.record.status in ("paused", "stopped")
        if held and not answers and standing.line(answered=False) is None:
            return {**await self.status(run), "prompt": self._who_goes_on(standing)}
        record, here = standing.record, await asyncio.to_thread(Path.cwd)
        compiled = compile_granted(record.file, team=RunOptions.from_json(record.options).team)
        spec = compiled.spec if compiled.ok else None
        options = self._options(record, here, spec)
        launch = prepare(compiled, options, _without_answers(self.config))
        line = standing.line(answered=bool(answers))
        listeners = (_reporting(progress),)
        outcome = await standing.resume(self.engine, launch, answers, line, listeners=listeners)
        return self._outcome(outcome)

    def _options(self, record: RunRecord, here: Path, spec: GraphSpec | None) -> RunOptions:
        """Return what the run goes on with: what `start` gives, and what the server was given."""
        mine = record.signature is None
        asked = replace(record, signature="")
        own = RunOptions(roots=(str(self.folder),))
        try:  # approvals in a store of one's own are those of its person
            return own_options(asked, own, self.config, here, None if mine else spec)
        except StrangeRun as strange:
            if not mine:
                raise
            settings = {k: v for k, v in strange.wants[0].settings.items() if k != "run"}
            more = "; ".join(replace(strange.wants[0], settings=settings).lines())
            raise RunError(
                f"run {record.id} goes on with more than a client may have: {more}",
                help=f"only who gave it that goes on with it: {self.command(record.id)}",
            ) from None

    def command(self, run: str) -> str:
        """Return the command with which a person goes on."""
        return resume_command(run, self.engine.store.location.url)

    def _who_goes_on(self, standing: Standing) -> str:
        run = standing.record.id
        why = "waits for" if standing.questions else "was stopped by"
        return f"run {run} {why} a person; only they go on with it: {self.command(run)}"

    def _waiting(self, run: str, questions: Iterable[Question]) -> list[Json]:
        return waiting_for_person(questions, self.command(run))

    def _outcome(self, outcome: Outcome) -> dict[str, Json]:
        waiting = self._waiting(outcome.run, outcome.questions)
        return {
            "success": outcome.status not in ("failed", "error"),
            "run": outcome.run,
            "status": outcome.status,
            "result": outcome.result,
            "error": outcome.error,
            **({"waits_for_person": waiting} if waiting else {}),
            "nodes": outcome.nodes,
            "seconds": outcome.seconds,
            "usage": asdict(outcome.usage),
        }

    def _place(self, file: str) -> Path:
        try:
            return Roots(self.folder).locate(file)
        except Failure as failure:
            raise RunError(failure.message, help=failure.help) from None


def _reporting(progress: Progress) -> Listener:
    """Return a listener that tells the client of every node that ended. A late one is dropped."""
    done = 0
    telling: set[asyncio.Task[None]] = set()

    def listen(event: RunEvent) -> None:
        nonlocal done
        if event.kind != "node_finished":
            return
        done += 1
        task = asyncio.ensure_future(progress(done, event.node))
        telling.add(task)
        task.add_done_callback(telling.discard)

    return listen


def _without_answers(config: Config) -> Config:
    """Return the configuration without a file of answers."""
    held = config.held
    if held is not None:
        held = replace(held, whole=_without_answers(held.whole))
    return replace(config, answers=None, held=held)


def persons(record: RunRecord, questions: Iterable[Question]) -> list[Question]:
    """Return the questions that a person answers: of a run that a client steps, all but the turns,
    which are the client's."""
    return [q for q in questions if q.kind != "turn" or STEPPED not in record.options]
