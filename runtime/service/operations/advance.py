"""One step of an execution's life: resume its run with people's results."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from flowc.compiler.driver import CompileResult

from ...assembly.compose import make_services
from ...assembly.reach import Reach
from ...assembly.run_options import RunOptions
from ...config.options import default
from ...context import HERE, binding
from ...db.database import Write
from ...engine.engine import ENDED
from ...engine.signals import RunSignals
from ...events import Listener
from ...people import Assignee, QuestionKind
from ...services import Emit, Journal, Json, ModelRequest, Outcome, Services
from ...store.runs import RunRecord
from ...tools.team import TEAM
from ..records.messages import MOST_TOLD, Messages, StoredMessage, messages_text
from ..records.metrics import iso, steps_of
from ..records.model_rates import ModelRates, RatedModels
from ..records.prompt_log import Prompts, prompt_of
from ..records.tables import StoredAssignment, StoredExecution, TakenExecution, assignment_of
from .correspondence import correspondence_of
from .dispatch import assigned_text, failed_at
from .ending import end_early
from .executions import ANSWERS, Clock, Executing, verdicts_of
from .team_tools import TeamDesk


@dataclass(frozen=True, slots=True)
class ExecutionTeam:
    """The team of an execution as its run sees it (`services.People`, `services.Assignments`):
    results that people handed in, assignments, messages. `holders` are the agents of the steps
    without an assignment, `models` the agents that are models."""

    execution: str
    assignments: Sequence[StoredAssignment]
    holders: Mapping[str, str]
    models: Collection[str]
    messages: Messages
    clock: Clock
    marks: list[Write] = field(default_factory=list)
    """What marks messages as read. It is written with the first call of a model that sees them."""

    def answer(self, kind: QuestionKind, node: str, visit: int) -> Json | None:
        if kind != "task":  # what is asked beside steps has its answer by its id, see `_answers`
            return None
        done = self._of(node, visit)
        return None if done is None or done.person is False else done.result

    def holder(self, node: str, visit: int) -> str:
        """Return the agent that does a visit of a step; "" when it is not a step."""
        assignment = self._of(node, visit)
        return assignment.agent if assignment is not None else self.holders.get(node, "")

    def answer_to_model(self, node: str, visit: int, turn: int) -> Json | None:
        return None

    async def of(self, node: str, visit: int) -> Assignee | None:
        """Return a visit's agent, and for a model the messages before it; people read them
        elsewhere."""
        assignment = self._of(node, visit)
        agent = self.holder(node, visit)
        parts = [assigned_text(assignment)] if assignment is not None else []
        if agent in self.models:
            parts.append(messages_text(await self._messages_for(agent, node, visit)))
        text = "\n\n".join(part for part in parts if part)
        return Assignee(agent, text) if assignment is not None or text else None

    async def _messages_for(self, agent: str, node: str, visit: int) -> list[StoredMessage]:
        """Return the messages that a model sees when an attempt begins, to be marked as read.
        After a crash it sees the same ones: its conversation goes on without those that came
        later."""
        here = HERE.get()
        reading = _reading_name(
            self.execution, node, visit, here.attempt if here is not None else 1
        )
        messages, begun = await self.messages.begun(self.execution, agent, reading)
        marks = [id.rpartition(":")[2] for id in begun if id.startswith(reading)]
        own = [m for m in messages if m.is_for(agent) and (not marks or m.number <= int(marks[0]))]
        latest = own[-MOST_TOLD:]
        if not marks:
            until = latest[-1].number if latest else 0
            ids = [*(message.id for message in latest), f"{reading}:{until}"]
            time = iso(self.clock())
            self.marks.append(self.messages.mark(self.execution, agent, ids, time, reading))
        return latest

    def _of(self, node: str, visit: int) -> StoredAssignment | None:
        return assignment_of(self.assignments, node, visit)


def _reading_name(execution: str, node: str, visit: int, attempt: int) -> str:
    """Return the name of what a model reads when an attempt begins. It is marked as read itself,
    with the number of the last message."""
    place = f"{execution} {node} {visit} {attempt}"
    return f"told-{hashlib.sha256(place.encode()).hexdigest()[:32]}"


async def carry_on(
    executing: Executing,
    taken: TakenExecution,
    signals: RunSignals,
    listeners: tuple[Listener, ...] = (),
) -> Outcome | None:
    """Execute the run until it rests; None when it had ended before. `listeners` hear the
    events. Raises `RunError`, and `DuplicateRun` when somebody began it since it was taken."""
    execution = taken.execution
    if await end_early(executing, execution):
        return None
    result = await executing.result_of(execution)
    spec = await asyncio.to_thread(lambda: result.spec)  # a long workflow is lowered in seconds
    timer = _timer(executing, execution, signals)
    engine = executing.engine
    try:
        team = _team_of(executing, execution, result, taken.assignments)
        services = _services(executing, execution, result, team)
        desk = TeamDesk(await correspondence_of(executing, execution), team.holder)
        with binding(TEAM, desk):
            if not taken.has_run:
                return await engine.start(
                    spec,
                    services,
                    run=execution.id,
                    inputs=execution.inputs,
                    options={**_options(executing, result).to_json(), "format": execution.format},
                    control=signals,
                    listeners=listeners,
                )
            record = await engine.store.get(execution.id)
            if record.status in ENDED or failed_at(record.error, taken.assignments):
                return None
            return await engine.resume(
                execution.id,
                spec,
                services,
                answers=await _answers(executing, execution, record),
                control=signals,
                listeners=listeners,
                on_unknown=executing.config.on_unknown or default("on_unknown"),
                answered=True,
            )
    finally:
        if timer is not None:
            timer.cancel()


async def _answers(
    executing: Executing, execution: StoredExecution, record: RunRecord
) -> dict[str, Json]:
    """Return the answers to what the run waits for, by the question's id; what people said of an
    effect in doubt is given once."""
    given = {**execution.config.get(ANSWERS, {}), **verdicts_of(execution, record)}
    if not given:
        return {}
    state = await executing.engine.state(execution.id)
    waiting = {question.id for question in state.questions}
    return {id: answer for id, answer in given.items() if id in waiting}


def _timer(
    executing: Executing, execution: StoredExecution, signals: RunSignals
) -> asyncio.TimerHandle | None:
    """Stop the run when the execution's time is over."""
    end = execution.time_end
    if end is None:
        return None
    left = (end - executing.clock()).total_seconds()
    if left <= 0:
        signals.request_drain("limit")
        return None
    loop = asyncio.get_running_loop()
    return loop.call_later(left, signals.request_drain, "limit")


def _options(executing: Executing, result: CompileResult) -> RunOptions:
    """Return the run's options. Agents without a model have the configured one, else that of the
    first agent with one. A sender of requests approves no commands on this machine."""
    agents = result.workflow.agents if result.workflow else ()
    named = next((model for agent in agents for model in agent.models), None)
    config = executing.config
    return RunOptions(model=config.model or named, base_url=config.base_url)


def _team_of(
    executing: Executing,
    execution: StoredExecution,
    result: CompileResult,
    assignments: list[StoredAssignment],
) -> ExecutionTeam:
    workflow = result.workflow
    assert workflow is not None
    return ExecutionTeam(
        execution=execution.id,
        assignments=assignments,
        holders={step.id: step.agent for step in steps_of(workflow) if step.agent},
        models={agent.id for agent in workflow.agents if not agent.person},
        messages=executing.messages,
        clock=executing.clock,
    )


def _services(
    executing: Executing,
    execution: StoredExecution,
    result: CompileResult,
    team: ExecutionTeam,
) -> Any:
    reach = executing.reaches.get(execution.owner, Reach())
    made = make_services(_options(executing, result), result.spec, executing.config, reach=reach)
    prompts = Prompts(executing.engine.store.db)
    rates = ModelRates(executing.engine.store.db, executing.clock)

    def services(journal: Journal, emit: Emit) -> Services:
        def keep(request: ModelRequest) -> Sequence[Write]:
            marks, team.marks[:] = list(team.marks), []
            return (*marks, prompts.write(execution.id, prompt_of(request, models.label)))

        plain = made(journal, emit)
        models = RatedModels(plain.models, rates, executing.config.calls_per_minute)
        clock = replace(plain.clock, now=lambda: executing.clock().timestamp())
        return replace(
            plain, models=models, people=team, assignments=team, clock=clock, before_call=keep
        )

    return services
