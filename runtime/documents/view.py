"""A living document as data: whose turn it is, and what a run keeps of it in its variables."""

from __future__ import annotations

import hashlib
from typing import Any

from flowc.compiler.plan import (
    Block,
    PlanDocument,
    PlanError,
    code_request,
    counts,
    final_path,
    is_manual,
    is_placeholder,
    overall_of,
    status_of,
    step_paths,
    text_value,
)
from flowc.compiler.plan.paths import reads_of

from .attempts import attempts_in

Json = Any
ACTIVE = ("RUNNING", "CODE_GENERATED", "EXECUTING")


def digest_of(text: str) -> str:
    """16 hexadecimal digits that tell a text from any other."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def turn_of(document: PlanDocument, shown: str) -> dict[str, Json]:
    """The step whose turn it is and what has to be done: `action` is "code" (it needs code),
    "execute" (it has some), "person" (its code is N/A), or "end" (nothing is left; `overall` says
    how it went). A step that was under way comes first, then the format's order (A8), in which one
    that reads what another has yet to write is passed over."""
    step = next_turn(document)
    said = said_of(document, shown)
    if step is None:
        return {"action": "end", "step": "", "overall": result_of(document), **said}
    request = code_request(document, text_value(step, "ID"))
    return {"action": action_of(step), **step_of(document, step), **said, "request": request}


def next_turn(document: PlanDocument) -> Block | None:
    """The step to go on with, if any."""
    steps = document.steps
    waiting = blocked(document)
    free = [step for n, step in enumerate(steps) if n not in waiting]
    for wanted in (ACTIVE, ("READY",), ("PENDING",)):
        for step in free:
            if status_of(step) in wanted and text_value(step, "ID"):
                return step
    return None


def blocked(document: PlanDocument) -> set[int]:
    """The places of steps that wait: they read what a step that is not DONE is to write (A16), or
    stand behind one that a person has yet to do."""
    steps = document.steps
    unfinished = [n for n, step in enumerate(steps) if status_of(step) != "DONE"]
    readers = {r for r, writer in reads_of(document).items() if writer in unfinished}
    manual = next((n for n in unfinished if is_manual(text_value(steps[n], "Code"))), len(steps))
    return readers | set(range(manual + 1, len(steps)))


def action_of(step: Block) -> str:
    """What has to be done with a step: see `turn_of`. Code counts when the step is READY for it or
    further; of one that is PENDING or RUNNING it is written anew."""
    code = text_value(step, "Code")
    if is_manual(code):
        return "person"
    has_code = not is_placeholder(code) and status_of(step) not in ("PENDING", "RUNNING")
    return "execute" if has_code else "code"


def step_of(document: PlanDocument, step: Block) -> dict[str, Json]:
    """A step as data. Paths have their variables resolved, where they name something (A19)."""
    id = text_value(step, "ID")
    try:
        read, write = step_paths(document, id)
    except PlanError:
        read, write = text_value(step, "Input Audio"), text_value(step, "Output Audio")
    code = text_value(step, "Code")
    return {
        "step": id,
        "title": step.title,
        "description": text_value(step, "Description"),
        "status": status_of(step) or text_value(step, "Status"),
        "input": read,
        "output": write,
        "code": "" if is_placeholder(code) else code,
        "attempts": attempts_in(text_value(step, "Execution Results")),
    }


def said_of(document: PlanDocument, shown: str) -> dict[str, Json]:
    """What every tool says of the document: `document` is its path, `digest` that of its text."""
    return {
        "document": shown,
        "digest": digest_of(document.text),
        "total": len(document.steps),
        "counts": dict(counts(document)),
        "final": final_path(document),
    }


def whole_of(document: PlanDocument, shown: str) -> dict[str, Json]:
    """Everything that a document says, as data."""
    request, needs = document.section("request"), document.section("requirements")
    output = document.section("output")
    return {
        **said_of(document, shown),
        "id": text_value(request, "Workflow ID") if request else "",
        "request": text_value(request, "Original Request") if request else "",
        "input": text_value(request, "Input Audio") if request else "",
        "goal": text_value(needs, "Goal") if needs else "",
        **{key: items(needs, name) for key, name in REQUIREMENTS.items()},
        "steps": [step_of(document, step) for step in document.steps],
        "overall": overall_of(document) or "",
        "summary": text_value(output, "Summary") if output else "",
    }


REQUIREMENTS = {
    "requirements": "Key Requirements",
    "constraints": "Constraints",
    "criteria": "Success Criteria",
}


def items(section: Block | None, name: str) -> list[str]:
    """A list field as lines; [] when it is missing."""
    text = text_value(section, name) if section else ""
    return [line for line in text.split("\n") if line.strip()]


def result_of(document: PlanDocument) -> str:
    """How a document ends whose steps have nothing left to do."""
    found = counts(document)
    if not document.steps:
        return "REQUIRES_REVIEW"
    return "SUCCESS" if found.get("DONE", 0) == len(document.steps) else "FAILURE"
