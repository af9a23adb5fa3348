"""Reports of steps: the model's claims beside the measurements."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from flowc.compiler.ir import REPORT_TOOL, AgentNode, Assertion

from ...errors import Failure
from ...services import Json, ToolSchema
from ...state.scope import Scope
from ...state.step_reports import Claim, ReportFault, StepReport, read_report, report_parameters
from .talk import Ending, EndingRefused


def report_ending(op: AgentNode) -> Ending:
    """Return the ending of a step's talk: its report (S26, S31)."""
    about = "Report the result of this step."
    tool = ToolSchema(REPORT_TOOL, about, report_parameters(op), effect="pure")

    def check(args: dict[str, Any]) -> None:
        try:
            read_report(op, args)
        except ReportFault as fault:
            raise EndingRefused(f"{fault.message}: {fault.suggestion}") from None

    reminder = f"Report this step now: call {REPORT_TOOL} with its status."
    return Ending(tool, check, reminder, missing="reporting it")


def judge(
    op: AgentNode,
    report: StepReport,
    used: Sequence[Mapping[str, Any]] | None,
    variables: Scope,
) -> dict[str, Json]:
    """Return {step, title, status, assertions, outputs, error, warnings, contradiction}. The status
    of the report decides; `contradiction` tells of a measurement against it (S38–S41). `used` None:
    the results of the tools are not known, so that nothing is measured."""
    results = list(used or [])
    scope = None if used is None else _measuring_scope(results, report.outputs, variables)
    claims = report.claims
    assertions = [
        _assertion(item, claims[at] if at < len(claims) else Claim(item.text, None), scope)
        for at, item in enumerate(op.asserts)
    ]
    declared = {o.name for o in op.outputs}
    open_ends = _open_ends(op, report, used) if report.status == "passed" else []
    return {
        "step": op.step,
        "title": op.title,
        "status": report.status,
        "assertions": assertions,
        "outputs": {name: value for name, value in report.outputs.items() if name in declared},
        "error": report.error,
        "warnings": [*report.warnings, *open_ends] if report.status == "passed" else [],
        "contradiction": _contradiction(report.status, assertions) or report.contradiction,
    }


def _measuring_scope(
    results: list[Mapping[str, Any]], outputs: Mapping[str, Json], variables: Scope
) -> Scope:
    """Return the scope of assertions: `result` (the last tool's), its fields by their own names,
    every tool's last result by the tool's name, the variables."""
    last = results[-1]["result"] if results else None
    by_tool = {entry["tool"]: entry["result"] for entry in results}
    fields = last if isinstance(last, dict) else {}
    return variables.with_values({**outputs, **by_tool, **fields, "result": last})


def _assertion(item: Assertion, claim: Claim, scope: Scope | None) -> dict[str, Json]:
    """Return {text, claimed, measured, detail}; measured None: prose, or nothing to measure by."""
    detail = claim.detail
    measured: bool | None = None
    if item.expr is not None and scope is not None:
        try:
            value = scope.value(item.expr)
            measured = value if isinstance(value, bool) else None
        except Failure as failure:
            detail = detail or failure.message
    return {"text": item.text, "claimed": claim.passed, "measured": measured, "detail": detail}


def _open_ends(
    op: AgentNode, report: StepReport, results: Sequence[Mapping[str, Any]] | None
) -> list[str]:
    """Return the gaps of a passed report: outputs without value, tools without result (S48)."""
    unreported = [o.name for o in op.outputs if o.name not in report.outputs]
    used = None if results is None else {entry["tool"] for entry in results}
    unused = [tool for tool in dict.fromkeys(op.tools) if used is not None and tool not in used]
    ends = {"not reported": unreported, "no result from": unused}
    return [f"{what}: {', '.join(names)}" for what, names in ends.items() if names]


def _contradiction(status: str, assertions: list[dict[str, Json]]) -> str:
    """Return the first claim that a measurement contradicts, in words; "" when none."""
    for item in assertions:
        if item["claimed"] is not None and item["measured"] not in (None, item["claimed"]):
            claimed = "held" if item["claimed"] else "not held"
            measured = "held" if item["measured"] else "not held"
            return f"`{item['text']}` is claimed {claimed}, measured {measured}"
    for item in assertions:
        if status == "passed" and item["measured"] is False:
            return f"reported as passed, although `{item['text']}` does not hold"
    return ""
