"""Workflows that flowc executes for a client of the MCP server."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from flowc.compiler.diagnostics.render import as_dict
from flowc.compiler.driver import CompileResult, compile_file

from ..assembly.launch import prepare
from ..assembly.run_options import RunOptions
from ..assembly.standing import standing_of
from ..config.settings import Config
from ..engine.engine import Engine
from ..errors import Failure, RunError
from ..events import Listener, RunEvent
from ..files.roots import Roots
from ..people import Question
from ..services import Json, Outcome

Progress = Callable[[int, str], Awaitable[None]]
"""Told how many nodes have ended, and which was the last."""


@dataclass(frozen=True, slots=True)
class Runs:
    """Runs on one store, with files below `folder`. Commands always wait for approval: the client
    is not the person whose machine this is."""

    engine: Engine
    config: Config
    folder: Path
    new_run: Callable[[], str]

    def compile(self, file: str) -> CompileResult:
        """Return the compiled file with its faults. Raises `RunError` outside the folder."""
        return compile_file(os.path.relpath(self._place(file)))

    def diagnostics(self, compiled: CompileResult) -> list[dict[str, Json]]:
        """Return the diagnostics as `flowc check --format json` prints them."""
        return [as_dict(d, compiled.sources) for d in compiled.diagnostics]

    async def start(
        self,
        file: str,
        inputs: dict[str, Json],
        model: str | None,
        answers: str | None,
        progress: Progress,
        about: dict[str, Json],
    ) -> dict[str, Json]:
        """Execute a new run until it ends or waits. `about` are more options to keep with it."""
        compiled = self.compile(file)
        script = str(self._place(answers)) if answers else None
        options = RunOptions(model=model, answers=script, roots=(str(self.folder),))
        launch = prepare(compiled, options, self.config, about=about)
        listeners = (_reporting(progress),)
        outcome = await launch.start(self.engine, self.new_run(), inputs, listeners=listeners)
        return _outcome_json(outcome)

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
            "questions": [_question(q) for q in state.questions],
            "variables": state.variables,
        }

    async def resume(
        self, run: str, answer: Json, question: str | None, progress: Progress
    ) -> dict[str, Json]:
        """Go on with a run, with the options it was started with."""
        standing = await standing_of(self.engine, run)
        if answer is not None and not question and standing.answered:
            raise RunError(
                f"run {run} has taken an answer before, so this one has to name its question",
                help=" or ".join(f"question={q.id} ({q.name})" for q in standing.questions),
            )
        options = RunOptions.from_json(standing.record.options)
        compiled = compile_file(standing.record.file, team=options.team)
        launch = prepare(compiled, options, self.config)
        line = standing.line(answered=answer is not None)
        answers: dict[str, Json] = {} if answer is None else {question or "": answer}
        listeners = (_reporting(progress),)
        outcome = await standing.resume(self.engine, launch, answers, line, listeners=listeners)
        return _outcome_json(outcome)

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


def _outcome_json(outcome: Outcome) -> dict[str, Json]:
    return {
        "success": outcome.status not in ("failed", "error"),
        "run": outcome.run,
        "status": outcome.status,
        "result": outcome.result,
        "error": outcome.error,
        "questions": [_question(question) for question in outcome.questions],
        "nodes": outcome.nodes,
        "seconds": outcome.seconds,
        "usage": asdict(outcome.usage),
    }


def _question(question: Question) -> dict[str, Any]:
    return {name: value for name, value in question.as_json().items() if value}
