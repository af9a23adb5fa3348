"""A client's walk through a step workflow: load, execute, report, state, reset (S26 to S46).

The client carries out the steps itself and reports each; the session holds position, variables
and outcomes. Nothing is called and nothing stored.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from flowc.compiler.ir import AgentNode, Workflow

from .report import Report, ReportFault, read_report

Json = Any
Render = Callable[[AgentNode, Mapping[str, Json]], str]


@dataclass(slots=True)
class StepSession:
    """One client's session. `render` turns a step's prompt into text over the variables."""

    render: Render
    file: str = ""
    steps: tuple[AgentNode, ...] = ()
    position: int = 0
    variables: dict[str, Json] = field(default_factory=dict)
    outcomes: dict[int, Report] = field(default_factory=dict)

    def load(self, workflow: Workflow, file: str) -> dict[str, Json]:
        """Begin with a workflow; whatever was loaded before is forgotten (S27)."""
        self.steps = tuple(node for node in workflow.nodes if isinstance(node, AgentNode))
        self.file = file
        self.reset()
        first = self.steps[0]
        return {
            "success": True,
            "step_count": len(self.steps),
            "first_step": {
                "name": first.title,
                "description": first.description,
                "tool_names": list(first.tools),
            },
        }

    def execute(self) -> dict[str, Json]:
        """The prompt of the current step; nothing changes (S29). Raises `ReportFault`."""
        self._need_workflow()
        if self.complete:
            raise ReportFault("the workflow is already complete", "complete", "reset or load again")
        if self.failed:
            raise ReportFault(
                "the workflow cannot continue: a step failed",
                "failed",
                "report the failed step again, or reset",
            )
        step = self.steps[self.position]
        return {
            "prompt": self._prompt(step),
            "step_number": self.position,
            "step_name": step.title,
            "total_steps": len(self.steps),
        }

    def report(self, args: Mapping[str, Json]) -> dict[str, Json]:
        """Take in a report of the current step (S36 to S43). Raises `ReportFault`; when the next
        step lacks an input, the report has been recorded by then (S42)."""
        self._need_workflow()
        if self.position >= len(self.steps):
            raise ReportFault("the workflow is already complete", "complete", "reset or load again")
        step = self.steps[self.position]
        report = read_report(step, args)
        self.outcomes[self.position] = report
        answer: dict[str, Json] = {
            "success": report.status == "passed",
            "step_number": self.position,
        }
        if report.warnings:
            answer["warning"] = " ".join(report.warnings)
        if report.contradiction:
            answer["contradiction"] = report.contradiction
        if report.status == "failed":
            return {**answer, "status": "failed", "error_message": report.error}
        self.variables.update(report.outputs)
        self.position += 1
        if self.position == len(self.steps):
            return {**answer, "workflow_complete": True}
        prompt = self._prompt(self.steps[self.position])
        return {**answer, "next_step": self.position, "prompt": prompt}

    def state(self) -> dict[str, Json]:
        """Everything the session holds (S45). Raises `ReportFault` when nothing is loaded."""
        self._need_workflow()
        return {
            "file_path": self.file,
            "total_steps": len(self.steps),
            "current_step": self.position,
            "is_complete": self.complete,
            "is_failed": self.failed,
            "completed_steps": self._numbers("passed"),
            "failed_steps": self._numbers("failed"),
            "variables": dict(self.variables),
            "step_outcomes": {str(n): _outcome(r) for n, r in sorted(self.outcomes.items())},
        }

    def reset(self) -> dict[str, Json]:
        """Back to the first step; the steps stay (S46)."""
        self._need_workflow()
        self.position = 0
        self.variables = {}
        self.outcomes = {}
        return {"success": True, "current_step": 0, "total_steps": len(self.steps)}

    @property
    def complete(self) -> bool:
        """As many outcomes as steps, so also when the last step failed (S44)."""
        return bool(self.steps) and len(self.outcomes) == len(self.steps)

    @property
    def failed(self) -> bool:
        return any(report.status == "failed" for report in self.outcomes.values())

    def _prompt(self, step: AgentNode) -> str:
        """Raises `ReportFault` naming variable and step when an input is missing (S32)."""
        for entry in step.inputs:
            if entry.name not in self.variables:
                raise ReportFault(
                    f"step `{step.title}` needs the variable `{entry.name}`, which is not set",
                    "variable_missing",
                    "an earlier step has to report it",
                )
        return self.render(step, self.variables)

    def _numbers(self, status: str) -> list[int]:
        return sorted(n for n, report in self.outcomes.items() if report.status == status)

    def _need_workflow(self) -> None:
        if not self.steps:
            raise ReportFault("no workflow loaded", "not_loaded", "load a workflow first")


def refusal(fault: ReportFault) -> dict[str, Json]:
    """A fault as the structured answer that a client gets (S28)."""
    return {
        "success": False,
        "error": fault.message,
        "error_type": fault.kind,
        "suggestion": fault.suggestion,
    }


def _outcome(report: Report) -> dict[str, Json]:
    return {
        "status": report.status,
        "assertion_results": [
            {"assertion": c.assertion, "passed": c.passed, "detail": c.detail}
            for c in report.claims
        ],
        "output_variables": dict(report.outputs),
        "error_message": report.error,
    }
