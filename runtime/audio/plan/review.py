"""Reviews the sound of a living document: its success criteria, held against measured numbers."""

from __future__ import annotations

from typing import Any

from flowc.compiler import plan
from flowc.compiler.plan.paths import original_input

from ...documents.attempts import last_error
from ..calls.call import Do
from .check import SubjectFiles, findings_of, line_of, report_of
from .planning import criteria_in
from .predicates import RESULT, Predicate, verdict_of


async def review(document: plan.PlanDocument, do: Do) -> dict[str, Any]:
    """Return {status, summary, verdict, passed, failed, not_measured, checks, table, unmeasured,
    final, shown}: every criterion is there, with its measured value. A criterion without a
    predicate is not measured and keeps the whole from passing; so does a document without criteria.
    `final` is the file of the result, "" where no step has made one, which is FAILURE; `shown` says
    the same in words."""
    section = document.section("requirements")
    lines = plan.text_value(section, "Success Criteria").split("\n") if section else []
    criteria = criteria_in(line for line in lines if line.strip())
    predicates = [one for one in criteria if isinstance(one, Predicate)]
    words = [one for one in criteria if isinstance(one, str)]
    findings = await findings_of(predicates, subjects_of(document), do)
    report = report_of(findings)
    rows = [f"not measured · {text}: nobody said how it is measured" for text in words]
    report["table"] = "\n".join([*map(line_of, findings), *rows]) or "not measured · no criteria"
    report["unmeasured"] = words
    report["not_measured"] += len(words)
    if words and verdict_of(findings) != "failed":
        report["verdict"] = "not measured"
    final = result_file(document)
    undone = [_undone(step) for step in document.steps if plan.status_of(step) != "DONE"]
    status, summary = _status(report["verdict"], undone), _summary(report, undone)
    if not final:
        status, summary = "FAILURE", f"No step has made a sound. {summary}"
    shown = {"final": final, "shown": final or "there is no result"}
    return {**report, **shown, "status": status, "summary": summary, "said": summary}


def result_file(document: plan.PlanDocument) -> str:
    """Return the file of the result; "" where it would be the sound as it came."""
    final = plan.final_path(document)
    return "" if final == original_input(document) else final


def _undone(step: plan.Block) -> str:
    """Return a step that was not done, and why."""
    why = last_error(plan.text_value(step, "Execution Results"))
    return (plan.text_value(step, "ID") or step.title) + (f" ({why})" if why else "")


def _status(verdict: str, undone: list[str]) -> str:
    """Return FAILURE for a step that is not DONE or a number that does not fit, REQUIRES_REVIEW for
    what nobody measured."""
    if undone or verdict == "failed":
        return "FAILURE"
    return "SUCCESS" if verdict == "passed" else "REQUIRES_REVIEW"


def _summary(report: dict[str, Any], undone: list[str]) -> str:
    counts = f"{report['passed']} requirements passed, {report['failed']} failed"
    left = f", {report['not_measured']} not measured" if report["not_measured"] else ""
    steps = f" Not done: {', '.join(undone)}." if undone else ""
    return f"{counts}{left}.{steps}"


def subjects_of(document: plan.PlanDocument) -> dict[str, SubjectFiles]:
    """Return the files of the result and of each step that is DONE."""
    subjects: dict[str, SubjectFiles] = {}
    before, after = original_input(document), plan.final_path(document)
    if after and after != before:
        subjects[RESULT] = SubjectFiles(before or None, after)
    for step in document.steps:
        id = plan.text_value(step, "ID")
        if not id or plan.status_of(step) != "DONE":
            continue
        try:
            read, write = plan.step_paths(document, id)
        except plan.PlanError:
            continue
        if write and write != read:
            subjects[id] = SubjectFiles(read or None, write)
    return subjects
