"""Reports of steps as pure data: what a report may say, and what follows from it (S36 to S41).

The agent node reads a model's report with `read_report`, and `stepping` that of a client which
carries out the steps by itself.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from flowc.compiler.ir import AgentNode

from ..services import Json

Status = Literal["passed", "failed"]


class ReportFault(Exception):
    """A report that cannot be accepted; nothing changed. `kind` names the fault for programs,
    `suggestion` says what to do instead."""

    def __init__(self, message: str, kind: str, suggestion: str) -> None:
        super().__init__(message)
        self.message = message
        self.kind = kind
        self.suggestion = suggestion


def refusal(fault: ReportFault) -> dict[str, Json]:
    """Return a fault as the structured answer that a client gets (S28)."""
    return {
        "success": False,
        "error": fault.message,
        "error_type": fault.kind,
        "suggestion": fault.suggestion,
    }


@dataclass(frozen=True, slots=True)
class Claim:
    """The agent's claim about one assertion. `passed` is None when it made none."""

    assertion: str
    passed: bool | None
    detail: str = ""


@dataclass(frozen=True, slots=True)
class StepReport:
    """An accepted report. `claims` are in the order of the step's assertions."""

    step: int
    status: Status
    claims: tuple[Claim, ...]
    outputs: dict[str, Json]
    error: str
    warnings: tuple[str, ...] = ()

    @property
    def contradiction(self) -> str:
        """Return a claim that does not fit the status word, which alone decides (S41); "" when all
        fit."""
        denied = [c.assertion for c in self.claims if c.passed is False]
        if self.status == "passed" and denied:
            return f"reported as passed, although `{denied[0]}` does not hold"
        return ""


def number_of(step: AgentNode) -> int:
    """Return the number under which a step is reported: that of its heading, from 1."""
    return (step.step or 0) + 1


def report_parameters(step: AgentNode) -> dict[str, Any]:
    """Return JSON Schema of the reporting tool's arguments for one step (S26, S31): its number is
    fixed, and results and outputs are asked for only where the step has any."""
    properties: dict[str, Any] = {
        "step_number": {"type": "integer", "const": number_of(step)},
        "status": {"type": "string", "enum": ["passed", "failed"]},
        "error_message": {"type": "string", "description": 'what went wrong, "" if nothing did'},
    }
    if step.asserts:
        texts = list(dict.fromkeys(assertion.text for assertion in step.asserts))
        properties["assertion_results"] = {
            "type": "array",
            "description": f"{len(step.asserts)} results, in the order of the success criteria",
            "items": {
                "type": "object",
                "properties": {
                    "assertion": {"type": "string", "enum": texts},
                    "passed": {"type": "boolean"},
                    "detail": {"type": "string", "description": "why it holds or does not"},
                },
                "required": ["assertion", "passed"],
            },
        }
    if step.outputs:
        properties["output_variables"] = {
            "type": "object",
            "properties": {o.name: {"description": o.source} for o in step.outputs},
        }
    return {"type": "object", "properties": properties, "required": ["step_number", "status"]}


def read_report(step: AgentNode, args: Mapping[str, Json]) -> StepReport:
    """Return the report that `args`, the reporting tool's arguments, make about `step`.

    It must name the current step (S36); every status but `passed` means failed (S37); fewer results
    than assertions give a warning, more give none (S40). Raise `ReportFault`."""
    current, number = number_of(step), args.get("step_number")
    if isinstance(number, bool) or str(number) != str(current):
        raise ReportFault(
            f"step {number} was reported, but step {current} is the current one",
            "step_out_of_order",
            f"report step_number {current}",
        )
    results = args.get("assertion_results") or []
    outputs = args.get("output_variables") or {}
    if not isinstance(results, list):
        raise _malformed_field("assertion_results", "a list")
    if not isinstance(outputs, dict):
        raise _malformed_field("output_variables", "an object")
    return StepReport(
        step=current,
        status="passed" if args.get("status") == "passed" else "failed",
        claims=_claims(step, results),
        outputs=outputs,
        error=str(args.get("error_message") or ""),
        warnings=_warnings(len(step.asserts), len(results)),
    )


def _claims(step: AgentNode, results: Sequence[Json]) -> tuple[Claim, ...]:
    claims: list[Claim] = []
    for place, result in enumerate(results):
        fields = result if isinstance(result, dict) else {}
        text = step.asserts[place].text if place < len(step.asserts) else ""
        passed = fields.get("passed")
        claims.append(
            Claim(
                assertion=str(fields.get("assertion") or text),
                passed=passed if isinstance(passed, bool) else None,
                detail=str(fields.get("detail") or ""),
            )
        )
    return tuple(claims)


def _warnings(expected: int, received: int) -> tuple[str, ...]:
    if received >= expected:
        return ()
    open_count = expected - received
    return (
        f"{expected} assertion results were expected, {received} received: {open_count} unverified",
    )


def _malformed_field(field: str, shape: str) -> ReportFault:
    return ReportFault(f"{field} is not {shape}", "malformed_report", f"give {field} as {shape}")
