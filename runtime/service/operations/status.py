"""The state of an execution, from its run's checkpoint and its assignments, and as a response."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from flowc.compiler.ir import Workflow

from ...engine.fork import RunState
from ...people import Question
from ...store.runs import RunRecord
from ..contract import responses
from ..records.errors import FaultCode, ServiceFault
from ..records.metrics import (
    TaskStep,
    completion_time,
    gates_of,
    percentage,
    phase,
    ready,
    remaining_minutes,
    score_of,
    steps_of,
    utilisation,
)
from ..records.tables import OPEN, StoredAssignment, StoredExecution


@dataclass(frozen=True, slots=True)
class ExecutionState:
    """An execution now. `record` and `state` are None before its run has begun."""

    execution: StoredExecution
    workflow: Workflow
    record: RunRecord | None
    state: RunState | None
    assignments: Sequence[StoredAssignment]
    fault: str
    now: datetime

    @property
    def steps(self) -> tuple[TaskStep, ...]:
        return steps_of(self.workflow)

    @property
    def sequential(self) -> bool:
        return self.execution.sequential

    @property
    def free_steps(self) -> list[TaskStep]:
        """The steps that can start now."""
        return ready(self.steps, self.done_steps, self.sequential)

    def step(self, id: str) -> TaskStep:
        """Return a step of the workflow."""
        return next(step for step in self.steps if step.id == id)

    def next_visit(self, step: str) -> int:
        """Return the number of the visit of a step that is under way or comes next."""
        return (self.state.visits.get(step, 0) if self.state else 0) + 1

    def pending_needs(self, step: TaskStep) -> list[str]:
        """Return the steps that a step still waits for."""
        return [need for need in step.needs if need not in self.done_steps]

    @property
    def results(self) -> dict[str, Any]:
        """The results of the steps by id: those in the run, and those of people that it has not
        taken in."""
        known: dict[str, Any] = {}
        if self.state is not None:
            ids = {step.id for step in self.steps}
            values = self.state.variables.items()
            known = {id: v for id, v in values if id in ids and isinstance(v, dict)}
        for assignment in self.assignments:
            if assignment.status == "completed" and assignment.result is not None:
                known.setdefault(assignment.step, assignment.result)
        return known

    @property
    def done_steps(self) -> set[str]:
        """The steps that are done and are not being done again."""
        anew = {a.step for a in self.open} | {q.node for q in self.task_questions}
        fresh = {a.step for a in self.assignments if a.status == "completed"}
        waiting = anew - {a.step for a in self._unheard}
        return {id for id in self.results if id not in waiting} | (fresh - waiting)

    @property
    def _unheard(self) -> list[StoredAssignment]:
        """Completed by a person, and not yet taken in by the run."""
        return [
            a
            for a in self.assignments
            if a.result is not None
            and a.status == "completed"
            and a.visit >= self.next_visit(a.step)
        ]

    @property
    def open(self) -> list[StoredAssignment]:
        return [a for a in self.assignments if a.status in OPEN]

    @property
    def task_questions(self) -> list[Question]:
        return [q for q in self._questions if q.kind == "task"]

    @property
    def other_questions(self) -> list[Question]:
        return [q for q in self._questions if q.kind != "task"]

    @property
    def _questions(self) -> tuple[Question, ...]:
        return self.state.questions if self.state else ()

    @property
    def status(self) -> responses.Status:
        """In the contract's words (C12)."""
        if self.execution.paused is not None:
            return "paused"
        if self.record is None:
            return "failed" if self.fault else "starting"
        match self.record.status:
            case "success":
                return "completed"
            case "failed" | "error":
                return "failed"
            case "stopped":
                return "failed" if self.timed_out else "paused"
            case _:
                return "failed" if self.fault else "executing"

    @property
    def timed_out(self) -> bool:
        """Whether the execution's time was over before its work was."""
        record = self.record
        return record is not None and record.status == "stopped"

    def failure(self) -> ServiceFault | None:
        """Return the failure as a fault of the contract, or None."""
        if self.status != "failed":
            return None
        error = (self.record.error if self.record else None) or {}
        message = str(error.get("message") or self.fault or "the workflow ended FAILED")
        code: FaultCode = "EXECUTION_NOT_ACTIVE"
        if self.timed_out:
            code = "WORKFLOW_TIMEOUT"
        elif error.get("kind") == "gate":
            code = "QUALITY_GATE_FAILED"
        agents = tuple(dict.fromkeys(a.agent for a in self.open))
        return self.refusal(code, message, step=str(error.get("node", "")), agents=agents)

    def refusal(self, code: FaultCode, message: str, **more: Any) -> ServiceFault:
        """Return a fault of this execution."""
        return ServiceFault(code, message, execution=self.execution.id, **more)

    def require_active(self) -> None:
        """Raise `ServiceFault` unless the execution goes on."""
        if self.status in ("starting", "executing"):
            return
        failure = self.failure()
        if failure is not None and failure.code in ("WORKFLOW_TIMEOUT", "QUALITY_GATE_FAILED"):
            raise failure
        message = f"execution {self.execution.id} is {self.status}"
        recovery = ("resume it",) if self.status == "paused" else ()
        raise self.refusal("EXECUTION_NOT_ACTIVE", message, recovery=recovery)

    def estimated_end(self) -> str:
        """Return the end if the rest begins now and takes as long as estimated."""
        left = remaining_minutes(self.steps, self.done_steps, self.sequential)
        return completion_time(self.now, left)

    def answer(self, *, details: bool, metrics: bool) -> responses.WorkflowStatus:
        """GET_WORKFLOW_STATUS (C19)."""
        failure = self.failure()
        ended = self.status in ("completed", "failed")
        steps, done = self.steps, self.done_steps
        return responses.WorkflowStatus(
            execution_id=self.execution.id,
            workflow_status=self.status,
            overall_progress=responses.OverallProgress(
                completed_steps=len(done),
                total_steps=len(steps),
                completion_percentage=percentage(steps, done),
                current_phase=phase(steps, done, gates_of(self.workflow), ended),
            ),
            active_steps=[] if ended else [self._active_step(a) for a in self.open],
            completed_steps=self._completed_steps() if details else None,
            performance_metrics=self._metrics() if metrics else None,
            next_steps=[] if ended else self._next_steps(),
            questions=[
                responses.OpenQuestion(
                    question_id=q.name, kind=q.kind, text=q.text, choices=list(q.choices)
                )
                for q in self.other_questions
            ],
            result=self.record.result if self.record else None,
            failure=responses.ErrorAnswer(**failure.as_answer()) if failure else None,
        )

    def _active_step(self, assignment: StoredAssignment) -> responses.ActiveStep:
        step = self.step(assignment.step)
        blocked = self.pending_needs(step)
        review = step.form == "review" and not blocked
        start = datetime.fromisoformat(assignment.start)
        return responses.ActiveStep(
            step_id=step.id,
            step_name=step.name,
            assigned_agent=assignment.agent,
            assignment_id=assignment.id,
            status="blocked" if blocked else "review_pending" if review else "in_progress",
            progress_percentage=assignment.progress,
            estimated_completion=assignment.deadline or completion_time(start, step.minutes),
        )

    def _completed_steps(self) -> list[responses.CompletedStep]:
        results = self.results
        steps = []
        for step in self.steps:
            if step.id not in self.done_steps:
                continue
            own = (a for a in reversed(self.assignments) if a.step == step.id)
            last = next((a for a in own if a.status == "completed"), None)
            feedback = (last.feedback if last else {}) or {}
            words = [str(v) for k, v in feedback.items() if k in _FEEDBACK and v]
            steps.append(
                responses.CompletedStep(
                    step_id=step.id,
                    completion_time=last.ended if last else None,
                    quality_score=score_of(step.id, results),
                    agent_feedback="\n".join(words),
                )
            )
        return steps

    def _metrics(self) -> responses.Metrics:
        begin = datetime.fromisoformat(self.execution.created)
        end = self._end()
        spans = [
            (
                a.agent,
                datetime.fromisoformat(a.start),
                datetime.fromisoformat(a.ended) if a.ended else end,
            )
            for a in self.assignments
            if a.status in (*OPEN, "completed", "failed")
        ]
        ended = [a for a in self.assignments if a.status == "completed" and a.ended]
        took = [_minutes(a) for a in ended]
        results = self.results
        trend = [score_of(a.step, results) for a in sorted(ended, key=lambda a: a.ended or "")]
        return responses.Metrics(
            total_duration=int((end - begin).total_seconds() // 60),
            average_step_duration=round(sum(took) / len(took), 3) if took else None,
            quality_trend=[score for score in trend if score is not None],
            resource_utilization=utilisation(spans, begin, end),
        )

    def _end(self) -> datetime:
        if self.record is not None and self.status in ("completed", "failed"):
            return datetime.fromisoformat(self.record.updated)
        return self.now.astimezone(UTC)

    def _next_steps(self) -> list[responses.NextStep]:
        done, assigned = self.done_steps, {a.step for a in self.open}
        free = self.free_steps
        return [
            responses.NextStep(
                step_id=step.id,
                step_name=step.name,
                required_role=step.role,
                dependencies_met=step in free,
            )
            for step in self.steps
            if step.id not in done and step.id not in assigned
        ]


_FEEDBACK = ("challenges_encountered", "recommendations")


def _minutes(assignment: StoredAssignment) -> float:
    """Return the minutes that the agent reported, else those from beginning to end."""
    reported = assignment.feedback.get("duration_minutes")
    if reported is not None:
        return float(reported)
    assert assignment.ended is not None
    return (
        datetime.fromisoformat(assignment.ended) - datetime.fromisoformat(assignment.start)
    ).total_seconds() / 60
