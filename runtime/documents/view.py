"""A living document as data: the next step, and the values that a run keeps in its variables."""

from __future__ import annotations

import hashlib

from flowc.compiler import plan
from flowc.compiler.plan.paths import reads_of

from ..values import Json
from .attempts import attempts_in

ACTIVE = ("RUNNING", "CODE_GENERATED", "EXECUTING")


def digest_of(text: str) -> str:
    """Return 16 hexadecimal digits that tell a text from any other."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def turn_of(document: plan.PlanDocument, shown: str) -> dict[str, Json]:
    """Return the next step and its `action`: "code" (it needs code), "execute" (it has some),
    "person" (its code is N/A), or "end" (no step is left; `overall` is the result); `last` says
    that no later step has an output. A step under way comes first, then the format's order (A8)
    without the steps that wait for others."""
    step = next_turn(document)
    summary = summary_of(document, shown)
    if step is None:
        return {"action": "end", "step": "", "overall": result_of(document), **summary}
    request = plan.code_request(document, plan.text_value(step, "ID"))
    turn = {"action": action_of(step), **step_of(document, step), "last": is_last(document, step)}
    return {**turn, **summary, "request": request}


def is_last(document: plan.PlanDocument, step: plan.Block) -> bool:
    """Tell whether no step after this one has an output."""
    steps = document.steps
    return not any(plan.text_value(s, "Output Audio") for s in steps[steps.index(step) + 1 :])


def next_turn(document: plan.PlanDocument) -> plan.Block | None:
    """Return the next step, or None."""
    steps = document.steps
    waiting = waiting_steps(document)
    free = [step for n, step in enumerate(steps) if n not in waiting]
    for wanted in (ACTIVE, ("READY",), ("PENDING",)):
        for step in free:
            if plan.status_of(step) in wanted and plan.text_value(step, "ID"):
                return step
    return None


def waiting_steps(document: plan.PlanDocument) -> set[int]:
    """Return the places of steps that wait for the output of a step that is not DONE (A16), or for
    a person's step before them."""
    steps = document.steps
    unfinished = [n for n, step in enumerate(steps) if plan.status_of(step) != "DONE"]
    readers = {r for r, writer in reads_of(document).items() if writer in unfinished}
    manual = next(
        (n for n in unfinished if plan.is_manual(plan.text_value(steps[n], "Code"))), len(steps)
    )
    return readers | set(range(manual + 1, len(steps)))


def action_of(step: plan.Block) -> str:
    """Return the action of a step: see `turn_of`. Code counts from READY on; a step that is PENDING
    or RUNNING gets new code."""
    code = plan.text_value(step, "Code")
    if plan.is_manual(code):
        return "person"
    has_code = not plan.is_placeholder(code) and plan.status_of(step) not in ("PENDING", "RUNNING")
    return "execute" if has_code else "code"


def step_of(document: plan.PlanDocument, step: plan.Block) -> dict[str, Json]:
    """Return a step as data, with the variables in its paths resolved where possible (A19)."""
    id = plan.text_value(step, "ID")
    try:
        read, write = plan.step_paths(document, id)
    except plan.PlanError:
        read, write = plan.text_value(step, "Input Audio"), plan.text_value(step, "Output Audio")
    code = plan.text_value(step, "Code")
    return {
        "step": id,
        "title": step.title,
        "description": plan.text_value(step, "Description"),
        "status": plan.status_of(step) or plan.text_value(step, "Status"),
        "input": read,
        "output": write,
        "code": "" if plan.is_placeholder(code) else code,
        "attempts": attempts_in(plan.text_value(step, "Execution Results")),
    }


def summary_of(document: plan.PlanDocument, shown: str) -> dict[str, Json]:
    """Return the part of every tool's answer: the document's path, the digest of its text, …"""
    return {
        "document": shown,
        "digest": digest_of(document.text),
        "total": len(document.steps),
        "counts": {str(status): number for status, number in plan.counts(document).items()},
        "final": plan.final_path(document),
    }


def whole_of(document: plan.PlanDocument, shown: str) -> dict[str, Json]:
    """Return a whole document as data."""
    request, needs = document.section("request"), document.section("requirements")
    output = document.section("output")
    return {
        **summary_of(document, shown),
        "id": plan.text_value(request, "Workflow ID") if request else "",
        "request": plan.text_value(request, "Original Request") if request else "",
        "input": plan.text_value(request, "Input Audio") if request else "",
        "goal": plan.text_value(needs, "Goal") if needs else "",
        **{key: items(needs, name) for key, name in REQUIREMENTS.items()},
        "steps": [step_of(document, step) for step in document.steps],
        "overall": plan.overall_of(document) or "",
        "summary": plan.text_value(output, "Summary") if output else "",
    }


REQUIREMENTS = {
    "requirements": "Key Requirements",
    "constraints": "Constraints",
    "criteria": "Success Criteria",
}


def items(section: plan.Block | None, name: str) -> list[str]:
    """Return the lines of a list field; [] when it is missing."""
    text = plan.text_value(section, name) if section else ""
    return [line for line in text.split("\n") if line.strip()]


def result_of(document: plan.PlanDocument) -> str:
    """Return the overall status of a document without a next step."""
    if not document.steps:
        return "REQUIRES_REVIEW"
    done = plan.counts(document).get("DONE", 0)
    return "SUCCESS" if done == len(document.steps) else "FAILURE"
