"""The position of a client in a workflow that it carries out step by step, and its words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from flowc.compiler.driver import CompileResult
from flowc.compiler.ir import AgentNode, Workflow
from flowc.compiler.lowering.graphspec import GraphSpec

from ..engine.fork import RunState
from ..people import Question
from ..services import Json
from ..state.step_reports import ReportFault, number_of
from ..store.runs import RunRecord
from .turns import describe_question, turn_prompt, waiting_for_person

_WAITS = """\
This waits for a person, and nothing that you report answers it. They answer where this client asks
them, or with the command under `answer_with`; then call execute_workflow_step."""


@dataclass(frozen=True)
class Loaded:
    """A workflow that a client loaded, and its run."""

    file: str
    compiled: CompileResult
    inputs: dict[str, Json]
    run: str

    @cached_property
    def spec(self) -> GraphSpec:
        """Return the program. A list of steps requires no input before it begins: the step that
        needs one says so when its turn comes (S32)."""
        spec = self.compiled.spec
        if not self.steps:
            return spec
        params = tuple(replace(param, required=False) for param in spec.params)
        return replace(spec, params=params)

    @property
    def workflow(self) -> Workflow:
        assert self.compiled.workflow is not None
        return self.compiled.workflow

    @property
    def steps(self) -> tuple[AgentNode, ...]:
        """Return the numbered steps, in order; none where a workflow's nodes are not a list of
        steps."""
        nodes = (node for node in self.workflow.nodes if isinstance(node, AgentNode))
        return tuple(node for node in nodes if node.report and node.step is not None)


@dataclass(frozen=True, slots=True)
class SessionState:
    """The position of a loaded workflow. `outcomes` are the reported ones by step number."""

    record: RunRecord
    state: RunState
    outcomes: dict[int, Mapping[str, Json]]
    missing: str = ""
    """A variable that the current step needs and that has no value."""
    answered: int = 0
    """How many questions were answered."""

    @property
    def position(self) -> int:
        """Return how many steps passed: the index of the current one."""
        return sum(outcome["status"] == "passed" for outcome in self.outcomes.values())

    @property
    def failed(self) -> bool:
        return any(outcome["status"] != "passed" for outcome in self.outcomes.values())

    @property
    def variables(self) -> dict[str, Json]:
        return {name: value for name, value in self.state.variables.items() if value is not None}

    @property
    def questions(self) -> tuple[Question, ...]:
        return self.state.questions

    @property
    def turn(self) -> Question | None:
        """Return what the client does now. Every other question is a person's."""
        return next((q for q in self.questions if q.kind == "turn"), None)


def next_of(loaded: Loaded, state: SessionState, go_on: str) -> dict[str, Json]:
    """Return what is to be done now, for a client, or what waits for a person, whose command is
    `go_on`."""
    turn = state.turn
    if turn is None:
        waiting = waiting_for_person(state.questions, go_on)
        return {"prompt": _WAITS, "waits_for_person": waiting}
    if loaded.steps:
        step = loaded.steps[state.position]
        return {
            "prompt": turn.text,
            "step_number": number_of(step),
            "step_name": step.title,
            "total_steps": len(loaded.steps),
        }
    number = state.answered + 1
    about: dict[str, Json] = {"step_number": number, "step_name": turn.name, "total_steps": None}
    return {"prompt": turn_prompt(turn, number), **about, **describe_question(turn)}


def refuse_over(loaded: Loaded, state: SessionState) -> None:
    """Raise `ReportFault` when nothing can be done: all is, a step failed, a value is missing."""
    if loaded.steps:
        if len(state.outcomes) == len(loaded.steps):
            raise complete()
        if state.failed:
            raise ReportFault(
                "the workflow cannot continue: a step failed",
                "failed",
                "report the failed step again, or reset",
            )
    refuse_missing(loaded, state)
    status = state.record.status
    if status == "failed" and not loaded.steps:
        raise ReportFault("the workflow has ended FAILED", "failed", "reset or load again")
    if status == "success":
        raise complete()
    if not state.questions:
        error = state.record.error or {}
        message = str(error.get("message") or "the run stands still")
        raise ReportFault(message, "stopped", f"flowc show {loaded.run} says more")


def require_turn(state: SessionState, go_on: str) -> Question:
    """Return the turn that a report answers. Raise `ReportFault` when only a person can answer."""
    if state.turn is None:
        raise ReportFault(
            f"`{state.questions[0].name}` waits for a person, and no report answers it",
            "waits_for_person",
            f"execute_workflow_step asks them where this client can; else they call {go_on}",
        )
    return state.turn


def refuse_missing(loaded: Loaded, state: SessionState) -> None:
    """Raise `ReportFault` naming variable and step (S32)."""
    if not state.missing:
        return
    steps = loaded.steps
    where = steps[min(state.position, len(steps) - 1)].title if steps else loaded.file
    raise ReportFault(
        f"`{where}` needs the variable `{state.missing}`, which is not set",
        "variable_missing",
        "an earlier step has to report it, or give it to load_workflow with `inputs`",
    )


def complete() -> ReportFault:
    """Return the fault of a workflow with nothing left to do."""
    return ReportFault("the workflow is already complete", "complete", "reset or load again")


def numbers_of(outcomes: Mapping[int, Mapping[str, Json]], *, passed: bool) -> list[int]:
    """Return the steps that passed, or those that did not, in order."""
    return sorted(n for n, o in outcomes.items() if (o["status"] == "passed") is passed)


def outcome_report(outcome: Mapping[str, Any]) -> dict[str, Json]:
    """Return an outcome in the words of the step protocol (S45)."""
    return {
        "status": outcome["status"],
        "assertion_results": [
            {"assertion": a["text"], "passed": a["claimed"], "detail": a["detail"]}
            for a in outcome["assertions"]
            if a["claimed"] is not None
        ],
        "output_variables": dict(outcome["outputs"]),
        "error_message": outcome["error"],
    }
