"""A workflow carried out step by step by a client, each step of it a durable run's (S26 to S46).

The client is the model: it gets a step's prompt, does the work with its own tools, and reports.
Every step is an interrupt of a run in the store, so a server that is started anew goes on where the
one before it was killed. A step that failed is reported again in a fork from just before it.
"""

from __future__ import annotations

import os
import secrets
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, cast

from flowc.compiler.driver import CompileResult
from flowc.compiler.ir import AgentNode

from ..assembly.compose import make_services
from ..assembly.granted_sources import compile_granted
from ..assembly.launch import Faulty
from ..assembly.run_options import RunOptions
from ..config.settings import Config
from ..engine.engine import ENDED, Engine
from ..errors import Failure, RunError
from ..files.roots import Roots
from ..models.people import PEOPLE
from ..services import Json, Outcome
from ..state.step_reports import ReportFault, number_of, read_report
from ..store.default_store import resume_command
from ..store.runs import STEPPED
from .position import (
    Loaded,
    SessionState,
    complete,
    next_of,
    numbers_of,
    outcome_report,
    refuse_missing,
    refuse_over,
    require_turn,
)
from .turns import answer_of

STEPPED_IN = "stepped_in"
"""The keys of a run's options that name the client that steps it, and the server it does so
through."""
KEPT = 500
"""Workflows that are kept loaded."""


@dataclass(slots=True)
class Stepper:
    """Carries out workflows for clients, one each at a time. Files lie below `folder`; `new_run`
    makes names of runs, `server` is the lease of this process, `loaded` what was loaded last, by
    client and by run. Raises `ReportFault` for what a client cannot do now and `RunError` for what
    cannot be done at all."""

    engine: Engine
    config: Config
    folder: Path
    new_run: Callable[[], str]
    server: str = field(default_factory=lambda: f"mcp-{secrets.token_hex(8)}")
    loaded: OrderedDict[str, Loaded] = field(default_factory=OrderedDict)

    async def load(self, client: str, file: str, inputs: dict[str, Json]) -> dict[str, Json]:
        """Begin with a workflow; whatever the client had loaded before is left as it is (S27)."""
        loaded = Loaded(file, self._compile(file), dict(inputs), "")
        loaded = await self._start_run(client, loaded)
        steps = loaded.steps
        answer: dict[str, Json] = {"success": True, "run": loaded.run}
        if steps:
            first = steps[0]
            about = {"name": first.title, "description": first.description}
            answer |= {
                "step_count": len(steps),
                "first_step": {**about, "tool_names": list(first.tools)},
            }
            return answer
        state = await self._state(loaded)
        answer |= {"step_count": None, "first_step": None}
        if turn := state.turn:
            about = {"name": turn.name, "description": turn.text}
            return {**answer, "first_step": {**about, "tool_names": list(turn.tools)}}
        waits = next_of(loaded, state, self._command(loaded)) if state.questions else {}
        return {**answer, **(waits or {"workflow_complete": True})}

    async def go_on(self, client: str, run: str) -> None:
        """Take up a run that was stepped before. Raise `RunError` for one that is stepped by
        nobody."""
        record = await self.engine.store.get(run)
        if STEPPED not in record.options:
            raise RunError(f"run {run} is not carried out step by step", help="flowc resume")
        file = str(record.options.get("loaded_as", record.file))
        inputs = dict(record.inputs)
        self._keep(client, Loaded(file, self._compile(file), inputs, record.id))

    async def execute(self, client: str) -> dict[str, Json]:
        """Return what is to be done now; nothing changes (S29)."""
        loaded = self._of(client)
        state = await self._state(loaded)
        refuse_over(loaded, state)
        return {**next_of(loaded, state, self._command(loaded)), "run": loaded.run}

    async def answer(self, client: str, question: str, answer: Json) -> dict[str, Json]:
        """Take the answer that a person gave to a question, by its id."""
        loaded = self._of(client)
        outcome = await self._resume(loaded, {question: answer})
        return await self._go_on_from(loaded, outcome)

    async def report(self, client: str, args: Mapping[str, Json]) -> dict[str, Json]:
        """Take in what came of the current step (S36 to S43)."""
        loaded = self._of(client)
        state = await self._state(loaded)
        if loaded.steps:
            return await self._report_step(client, loaded, state, args)
        return await self._report_turn(loaded, state, args)

    async def state(self, client: str) -> dict[str, Json]:
        """Return everything there is to know (S45). Nothing goes on."""
        loaded = self._of(client)
        state = await self._look_at(loaded)
        outcomes = state.outcomes
        status = state.record.status
        ended = status in ENDED
        complete = len(outcomes) == len(loaded.steps) if loaded.steps else ended
        current = state.position if loaded.steps else state.answered
        return {
            "file_path": loaded.file,
            "run": loaded.run,
            "total_steps": len(loaded.steps) or None,
            "current_step": None if complete else current + 1,
            "is_complete": complete,
            "is_failed": state.failed if loaded.steps else status == "failed",
            "completed_steps": numbers_of(outcomes, passed=True),
            "failed_steps": numbers_of(outcomes, passed=False),
            "variables": state.variables,
            "step_outcomes": {str(n): outcome_report(o) for n, o in sorted(outcomes.items())},
        }

    async def reset(self, client: str) -> dict[str, Json]:
        """Return to the first step, in a new run (S46)."""
        loaded = self._of(client)
        who = (await self.engine.store.get(loaded.run)).options[STEPPED]
        again = await self._start_run(str(who), loaded)
        self._keep(client, again)
        total = len(loaded.steps) or None
        return {"success": True, "run": again.run, "current_step": 1, "total_steps": total}

    async def _report_step(
        self, client: str, loaded: Loaded, state: SessionState, args: Mapping[str, Json]
    ) -> dict[str, Json]:
        steps = loaded.steps
        if state.position >= len(steps):
            raise complete()
        step = steps[state.position]
        report = read_report(step, args)
        refuse_missing(loaded, state)
        question_id = state.questions[0].id if state.questions else ""
        if state.failed:
            loaded, question_id = await self._again(client, loaded, step), ""
        await self._resume(loaded, {question_id: {**args, "step_number": report.step}})
        answer: dict[str, Json] = {"success": report.status == "passed", "run": loaded.run}
        answer["step_number"] = report.step
        if report.warnings:
            answer["warning"] = " ".join(report.warnings)
        if report.contradiction:
            answer["contradiction"] = report.contradiction
        if report.status == "failed":
            return {**answer, "status": "failed", "error_message": report.error}
        after = await self._state(loaded)
        if after.position == len(steps):
            return {**answer, "workflow_complete": True}
        refuse_missing(loaded, after)
        prompt = next_of(loaded, after, self._command(loaded))["prompt"]
        return {**answer, "next_step": report.step + 1, "prompt": prompt}

    async def _report_turn(
        self, loaded: Loaded, state: SessionState, args: Mapping[str, Json]
    ) -> dict[str, Json]:
        """Take what the model answers in a workflow that is not a list of steps."""
        number = state.answered + 1
        refuse_over(loaded, state)
        turn = require_turn(state, self._command(loaded))
        if str(args.get("step_number")) != str(number):
            raise ReportFault(
                f"step {args.get('step_number')} was reported, but {number} is the current one",
                "step_out_of_order",
                f"report step_number {number}",
            )
        outcome = await self._resume(loaded, {turn.id: answer_of(turn, args)})
        return {"step_number": number, **await self._go_on_from(loaded, outcome)}

    async def _go_on_from(self, loaded: Loaded, outcome: Outcome) -> dict[str, Json]:
        """Return how an answer ended the workflow, or what is to be done next."""
        answer: dict[str, Json] = {"success": outcome.status != "failed", "run": loaded.run}
        if outcome.status in ENDED:
            return {**answer, "workflow_complete": True, "result": outcome.result}
        after = await self._state(loaded)
        refuse_over(loaded, after)
        following = next_of(loaded, after, self._command(loaded))
        if "waits_for_person" in following:
            return {**answer, **following}
        return {**answer, "next_step": after.answered + 1, "prompt": following["prompt"]}

    def _command(self, loaded: Loaded) -> str:
        """Return the command with which a person goes on."""
        return resume_command(loaded.run, self.engine.store.location.url)

    async def _start_run(self, client: str, loaded: Loaded) -> Loaded:
        """Start a run of the workflow, up to the first thing to do."""
        run = self.new_run()
        frontend = loaded.compiled.frontend
        await self.engine.start(
            loaded.spec,
            self._services(loaded),
            run=run,
            inputs=loaded.inputs,
            options={
                **self._options().to_json(),
                "format": frontend.name if frontend else "",
                "folder": os.getcwd(),
                "loaded_as": loaded.file,
                STEPPED: client,
                STEPPED_IN: self.server,
            },
        )
        started = replace(loaded, run=run)
        self._keep(client, started)
        self._keep(run, started)
        return started

    async def _again(self, client: str, loaded: Loaded, step: AgentNode) -> Loaded:
        """Return a fork from just before a step that failed, waiting for its report (S43)."""
        run = self.new_run()
        await self.engine.fork(loaded.run, step.id, {}, run)
        again = replace(loaded, run=run)
        await self._resume(again, {})
        self._keep(client, again)
        self._keep(run, again)
        return again

    def _keep(self, key: str, loaded: Loaded) -> None:
        """Keep a workflow under a client or a run, so that it can be taken up again."""
        self.loaded[key] = loaded
        self.loaded.move_to_end(key)
        while len(self.loaded) > KEPT:
            self.loaded.popitem(last=False)

    async def _resume(self, loaded: Loaded, answers: dict[str, Json]) -> Outcome:
        spec = loaded.spec
        return await self.engine.resume(loaded.run, spec, self._services(loaded), answers=answers)

    async def _state(self, loaded: Loaded) -> SessionState:
        """Return where a session stands. A run that was killed on its way to the next question is
        brought there first: its last report had set it going."""
        seen = await self._look_at(loaded)
        held = any(question["kind"] == "breakpoint" for question in seen.record.questions)
        if seen.record.status in ENDED or seen.questions or held:
            return seen
        await self._resume(loaded, {})
        return await self._look_at(loaded)

    async def _look_at(self, loaded: Loaded) -> SessionState:
        store = self.engine.store
        record = await store.get(loaded.run)
        state = await self.engine.state(loaded.run)
        outcomes: dict[int, Mapping[str, Json]] = {}
        missing = ""
        for step in loaded.steps:
            outcome = cast("Mapping[str, Json] | None", state.reports.get(step.id))
            lacking = [i.name for i in step.inputs if state.variables.get(i.name) is None]
            if outcome is not None and outcome["status"] != "passed" and lacking:
                missing = lacking[0]  # it could not be started: nobody reported it
            elif outcome is not None:
                outcomes[number_of(step)] = outcome
        events = await store.events(loaded.run) if not loaded.steps else ()
        answered = sum(event.kind == "answered" for event in events)
        return SessionState(record, state, outcomes, missing, answered)

    def _of(self, client: str) -> Loaded:
        if client not in self.loaded:
            raise ReportFault("no workflow loaded", "not_loaded", "load a workflow first")
        return self.loaded[client]

    def _compile(self, file: str) -> CompileResult:
        try:
            place = Roots(self.folder).locate(file)
        except Failure as failure:
            raise RunError(failure.message, help=failure.help) from None
        compiled = compile_granted(os.path.relpath(place))
        if not compiled.ok or compiled.workflow is None:
            raise Faulty(compiled)
        if compiled.parsed is not None and compiled.parsed.not_run:
            raise RunError(f"{file} is not run: {compiled.parsed.not_run}")
        return compiled

    def _options(self) -> RunOptions:
        return RunOptions(model=PEOPLE, team=PEOPLE, roots=(str(self.folder),))

    def _services(self, loaded: Loaded) -> Any:
        return make_services(self._options(), loaded.spec, self.config)
