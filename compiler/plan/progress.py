"""Progress of a living document: which step is next, and which status may follow which."""

from __future__ import annotations

from collections import Counter

from .blocks import Block
from .document import PlanDocument, text_value
from .edits import PlanError, check_time
from .values import is_template
from .words import OVERALL, STATUSES, Overall, Status

FOLLOWS: dict[Status, tuple[Status, ...]] = {
    "PENDING": ("READY",),
    "READY": ("RUNNING",),
    "RUNNING": ("CODE_GENERATED", "FAILED"),
    "CODE_GENERATED": ("EXECUTING",),
    "EXECUTING": ("DONE", "FAILED"),
    "DONE": (),
    "FAILED": ("READY",),
}
"""What may come after each status; after FAILED only a fix (A7)."""


def status_of(step: Block) -> Status | None:
    """Return a step's status (A6): PENDING without the field or with an empty one (A4), None when
    the word is not a status, as a template in braces (A27)."""
    word = text_value(step, "Status")
    if not word:
        return "PENDING"
    return next((status for status in STATUSES if status == word), None)


def overall_of(document: PlanDocument) -> Overall | None:
    """Return the overall status of the document (A6), or None."""
    section = document.section("output")
    word = text_value(section, "Overall Status") if section else ""
    return next((overall for overall in OVERALL if overall == word), None)


def next_step(document: PlanDocument) -> Block | None:
    """Return the first READY step in file order, else the first PENDING one, else None (A8)."""
    steps, wanted = document.steps, ("READY", "PENDING")
    return next((step for word in wanted for step in steps if status_of(step) == word), None)


def current_step(document: PlanDocument) -> Block | None:
    """Return the step at work, else the next one, else the first that failed."""
    steps = document.steps
    active = ("RUNNING", "CODE_GENERATED", "EXECUTING")
    busy = next((step for step in steps if status_of(step) in active), None)
    failed = next((step for step in steps if status_of(step) == "FAILED"), None)
    return busy or next_step(document) or failed


def transition(document: PlanDocument, id: str, to: Status, time: str) -> PlanDocument:
    """Return the document with the step's status set to `to`. RUNNING sets its start time, DONE and
    FAILED its end time (A7). Raise `PlanError` when the order does not allow it, or `time` is not
    written as `YYYY-MM-DD HH:MM:SS` (A11)."""
    step = document.step(id)
    status = status_of(step)
    if status is None:
        word = text_value(step, "Status")
        what = "a template nobody has filled in" if is_template(word) else "no status"
        raise PlanError(f"step `{id}` cannot become {to}: `{word}` is {what}")
    if to not in FOLLOWS[status]:
        allowed = " or ".join(FOLLOWS[status]) or "nothing"
        raise PlanError(f"step `{id}` cannot become {to}: after {status} comes {allowed}")
    check_time(time)
    document = document.set("Status", to, step=id)
    if to == "RUNNING":
        return document.set("Timestamp Start", time, step=id)
    if to in ("DONE", "FAILED"):
        return document.set("Timestamp End", time, step=id)
    return document


def counts(document: PlanDocument) -> dict[Status, int]:
    """Return how many steps have each status, in the statuses' order, without zeros."""
    steps = Counter(status_of(step) for step in document.steps)
    return {status: steps[status] for status in STATUSES if steps[status]}
