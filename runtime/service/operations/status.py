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
from ..records.happenings import StoredHappening
from ..records.metrics import (
    TaskStep,
    completion_time,
    gates_of,
    percentage,
    phase,
    remaining_minutes,
    utilisation,
)
from ..records.tables import OPEN, StoredAssignment, StoredExecution, assignment_of
from ..records.timeline import Timeline
from .turns import Turns, next_visit


@dataclass(frozen=True, slots=True)
class ExecutionState:
    """An execution now. `record` and `state` are None before its run has begun."""

    execution: StoredExecution
    workflow: Workflow
    record: RunRecord | None
    state: RunState | None
    timeline: Timeline
    turns: Turns
    fault: str
    now: datetime
    told: Sequence[StoredHappening] = ()
    """What time has brought about."""

    @property
    def steps(self) -> tuple[TaskStep, ...]:
        return tuple(self.turns.steps)

    @property
    def assignments(self) -> Sequence[StoredAssignment]:
        return self.turns.assignments

    @property
    def sequential(self) -> bool:
        return self.execution.sequential

    @property
    def free_steps(self) -> list[TaskStep]:
        """The steps that can start now."""
        return list(self.turns.free)

    def step(self, id: str) -> TaskStep:
        """Return a step of the workflow."""
        return self.turns.by_id[id]

    def next_visit(self, step: str) -> int:
        """Return the number of the visit of a step that is under way or comes next."""
        return next_visit(self.timeline, step)

    def pending_needs(self, step: TaskStep) -> list[str]:
        """Return the steps that a step still waits for."""
        return [id for id in step.waits if id not in self.done_steps]

    @property
    def results(self) -> dict[str, Any]:
        """The results of the steps by id, in the order in which they were done last: those in the
        run, and those of people that it has not taken in. Of one that was done beside another that
        goes on there is the score."""
        ends = [v for visits in self.timeline.visits.values() for v in visits if v.result]
        scores = {v.step: v.result for v in sorted(ends, key=lambda v: v.ended)}
        values = self.state.variables if self.state else {}
        handed_in = {
            a.step: a.result
            for a in self.assignments
            if a.status == "completed" and a.result is not None
        }
        done = self.turns.done
        order = sorted(self.turns.places, key=lambda id: done[id].ended if id in done else 0)
        known: dict[str, Any] = {}
        for id in order:
            value = values.get(id)
            if isinstance(value, dict) or id in scores or id in handed_in:
                kept = value if isinstance(value, dict) else handed_in.get(id) or {}
                known[id] = {**kept, **scores.get(id, {})}
        return known

    @property
    def done_steps(self) -> set[str]:
        """The steps that are done and are not being done again."""
        return set(self.turns.done)

    @property
    def open(self) -> list[StoredAssignment]:
        """The assignments of steps that are not done, and can be or are being."""
        places, there = self.turns.places, ("active", "next")
        return [a for a in self.assignments if a.status in OPEN and places[a.step] in there]

    @property
    def task_questions(self) -> list[Question]:
        return [q for q in self.questions if q.kind == "task"]

    @property
    def other_questions(self) -> list[Question]:
        return [q for q in self.questions if q.kind != "task"]

    @property
    def questions(self) -> tuple[Question, ...]:
        """What the run waits for."""
        return self.state.questions if self.state else ()

    @property
    def status(self) -> responses.Status:
        """In the contract's words (C12)."""
        run = self.record.status if self.record is not None else ""
        if run == "success":
            return "completed"
        if self.execution.cancelled is not None:
            return "cancelled"
        if self.execution.paused is not None:
            return "paused"
        if run in ("failed", "error", "stopped") or self.fault or self.timed_out:
            return "failed"
        return "executing" if run else "starting"

    @property
    def record_error(self) -> dict[str, Any] | None:
        """What the run ended with."""
        return self.record.error if self.record is not None else None

    @property
    def timed_out(self) -> bool:
        """Whether the execution's time was over before its work was. What is under way at that
        moment may still finish; what has not begun is told by the worker that begins it."""
        run = self.record.status if self.record is not None else "running"
        if self.execution.is_run:  # somebody stopped it, or a limit of its own
            return False
        return run == "stopped" or (self.is_overdue and run not in (*_ENDS, "running", "crashed"))

    @property
    def is_overdue(self) -> bool:
        """Whether the execution's time is over."""
        end = self.execution.time_end
        return end is not None and end <= self.now

    def failure(self) -> ServiceFault | None:
        """Return the failure as a fault of the contract, or None."""
        if self.status != "failed":
            return None
        error = (self.record.error if self.record else None) or {}
        message = str(error.get("message") or self.fault or "the workflow ended FAILED")
        code: FaultCode = "EXECUTION_NOT_ACTIVE"
        if self.timed_out:
            code, message = "WORKFLOW_TIMEOUT", str(error.get("message") or _TIME_IS_UP)
        elif error.get("kind") == "gate":
            code = "QUALITY_GATE_FAILED"
        step, agents = str(error.get("node", "")), tuple(dict.fromkeys(a.agent for a in self.open))
        recovery: tuple[str, ...] = ()
        if self.execution.is_run:
            recovery = (f"where it was started: flowc show {self.execution.id}",)
        elif code == "EXECUTION_NOT_ACTIVE":
            own = step in self.turns.by_id or any(a.status == "failed" for a in self.assignments)
            again = ("begin the failed steps again: resume with restart_failed_steps",)
            mended = (f"when the fault is mended: flowc jobs retry {self.execution.id}",)
            recovery = (
                *(again if own else ()),
                *(mended if self.fault else ()),
                "go on from an earlier step: POST …/forks",
            )
        return self.refusal(code, message, step=step, agents=agents, recovery=recovery)

    def refusal(self, code: FaultCode, message: str, **more: Any) -> ServiceFault:
        """Return a fault of this execution."""
        return ServiceFault(code, message, execution=self.execution.id, **more)

    def require_active(self) -> None:
        """Raise `ServiceFault` unless the execution goes on."""
        if self.status in ("starting", "executing"):
            if self.is_overdue:
                raise self.refusal("WORKFLOW_TIMEOUT", _TIME_IS_UP)
            return
        failure = self.failure()
        if failure is not None and failure.code in ("WORKFLOW_TIMEOUT", "QUALITY_GATE_FAILED"):
            raise failure
        message = f"execution {self.execution.id} is {self.status}"
        recovery = ("resume it",) if self.status == "paused" else ()
        raise self.refusal("EXECUTION_NOT_ACTIVE", message, recovery=recovery)

    def estimated_end(self) -> str:
        """Return the end if the rest begins now and takes as long as estimated."""
        return completion_time(self.now, self._minutes_left())

    def due(self) -> str:
        """Return the same; "" where nobody has estimated anything, which is not an end now."""
        return self.estimated_end() if self._minutes_left() else ""

    def _minutes_left(self) -> float:
        return remaining_minutes(self.steps, self.done_steps, self.sequential)

    def answer(self, *, details: bool, metrics: bool) -> responses.WorkflowStatus:
        """GET_WORKFLOW_STATUS (C19)."""
        failure = self.failure()
        ended = self.status in ENDS
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
            active_steps=[] if ended else self._active_steps(),
            completed_steps=self._completed_steps() if details else None,
            performance_metrics=self._metrics() if metrics else None,
            next_steps=[] if self.status == "completed" else self._next_steps(ended),
            event_position=self.turns.position,
            questions=[
                responses.OpenQuestion(
                    question_id=q.name, kind=q.kind, text=q.text, choices=list(q.choices)
                )
                for q in self.other_questions
            ],
            result=self.record.result if self.record else None,
            failure=responses.ErrorAnswer(**failure.as_answer()) if failure else None,
            forked_from=self.record.parent if self.record else None,
        )

    def _active_steps(self) -> list[responses.ActiveStep]:
        """The steps that are being done; of a synchronization nobody has an assignment."""
        current = {a.step: a for a in self.open}
        active = [step for step in self.steps if self.turns.places[step.id] == "active"]
        return [self._active_step(step, current.get(step.id)) for step in active]

    def _active_step(
        self, step: TaskStep, assignment: StoredAssignment | None
    ) -> responses.ActiveStep:
        review = step.form == "review"
        start = datetime.fromisoformat(assignment.start if assignment else self.execution.created)
        deadline = assignment.deadline if assignment else None
        return responses.ActiveStep(
            step_id=step.id,
            step_name=step.name,
            assigned_agent=assignment.agent if assignment else "",
            assignment_id=assignment.id if assignment else "",
            status="review_pending" if review else "in_progress",
            progress_percentage=assignment.progress if assignment else None,
            estimated_completion=deadline or completion_time(start, step.minutes),
            overdue=deadline is not None and datetime.fromisoformat(deadline) <= self.now,
        )

    def _completed_steps(self) -> list[responses.CompletedStep]:
        done = self.turns.done
        steps = []
        for step in self.steps:
            if step.id not in done:
                continue
            own = (a for a in reversed(self.assignments) if a.step == step.id)
            last = next((a for a in own if a.status == "completed"), None)
            feedback = (last.feedback if last else {}) or {}
            words = [str(v) for k, v in feedback.items() if k in _FEEDBACK and v]
            steps.append(
                responses.CompletedStep(
                    step_id=step.id,
                    completion_time=(last.ended if last else None)
                    or completion_time(datetime.fromisoformat(done[step.id].time), 0),
                    quality_score=self.turns.score(step.id),
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
        for visit in self.timeline.retried:
            held = assignment_of(self.assignments, visit.step, visit.number)
            if held is not None and not held.person:  # people have an assignment for each time
                since = datetime.fromisoformat(visit.begin)
                spans.append((held.agent, since, datetime.fromisoformat(visit.end)))
        ended = [a for a in self.assignments if a.status == "completed" and a.ended]
        took = [_minutes(a) for a in ended]
        in_order = sorted(ended, key=lambda a: a.ended or "")
        trend = [self.turns.scores.get((a.step, a.visit)) for a in in_order]
        return responses.Metrics(
            total_duration=max(0, int((end - begin).total_seconds() // 60)),
            average_step_duration=round(sum(took) / len(took), 3) if took else None,
            quality_trend=[score for score in trend if score is not None],
            resource_utilization=utilisation(spans, begin, end),
        )

    def _end(self) -> datetime:
        if self.record is not None and self.status in ENDS:
            return datetime.fromisoformat(self.timeline.end or self.record.updated)
        return self.now.astimezone(UTC)

    def _next_steps(self, ended: bool) -> list[responses.NextStep]:
        """The steps that are neither done nor being done: where it failed, all that are not."""
        away = ("completed",) if ended else ("completed", "active")
        free = self.free_steps
        return [
            responses.NextStep(
                step_id=step.id,
                step_name=step.name,
                required_role=step.role,
                dependencies_met=step in free,
            )
            for step in self.steps
            if self.turns.places[step.id] not in away
        ]


ENDS = ("completed", "failed", "cancelled")
"""The statuses of an execution that does not go on by itself."""
_ENDS = ("success", "failed", "error")
_TIME_IS_UP = "the execution's time is over"
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
