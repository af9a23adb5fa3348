"""Contracts beside the reference engine's verdicts, and beside what their documents demand (C2–C5).

Where the reference accepts what the documents call invalid, the documents count; that is a
difference by rule.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from flowc.compiler.analysis.schedule import schedule_of
from flowc.compiler.driver import CompileResult, compile_text
from flowc.compiler.ir import TaskNode

from .report import Difference, Report

_DEMANDED = {"FC1003": "C2", "FC1005": "C3", "FC1008": "C2", "FC2001": "C2", "FC2004": "C2"}
"""The rule behind each code with which a contract is refused."""


def compare_contracts(corpus: Path) -> Report:
    """Every file of expected/contract-api.json: verdict, order of the steps, total duration."""
    report = Report("contracts")
    listed = corpus / "expected" / "contract-api.json"
    expected = json.loads(listed.read_text(encoding="utf-8")) if listed.is_file() else {}
    for name, theirs in expected.items():
        report.files += 1
        text = (corpus / name).read_text(encoding="utf-8")
        _compare(name, compile_text(text, name), theirs, report)
    return report


def _compare(name: str, result: CompileResult, theirs: dict[str, Any], report: Report) -> None:
    demanded = theirs.get("seed_says", "valid" if theirs["ok"] else "invalid") == "valid"
    errors = [d for d in result.diagnostics if d.severity == "error"]
    if result.ok != demanded:
        report.differences.append(Difference(name, f"we say {'valid' if result.ok else errors}"))
        return
    if result.ok != theirs["ok"]:
        rules = {_DEMANDED.get(d.code, "") for d in errors}
        why = "; ".join(d.message for d in errors)
        report.differences.append(Difference(name, f"they accept it: {why}", min(rules)))
    else:
        report.agreed["verdicts"] += 1
    if not result.ok or result.workflow is None:
        return
    schedule = schedule_of(result.workflow)
    ours = {
        "estimated_total_duration": schedule.total if schedule else 0,
        "order": [node.id for node in result.workflow.nodes if isinstance(node, TaskNode)],
    }
    for what in ours.keys() & theirs.keys():
        if ours[what] == theirs[what]:
            report.agreed[what] += 1
        else:
            report.differences.append(Difference(name, f"{what}: {ours[what]}"))
