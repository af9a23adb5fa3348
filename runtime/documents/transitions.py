"""The changes of a living document by a run. Each function makes one change, repeated none.

A step goes from status to status in the format's order (A7). A run that died between a change of
the file and its own checkpoint repeats the change, which then leaves the document as it is, so that
no line is logged twice. A step that a person has moved meanwhile is `PlanError`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from flowc.compiler import plan

from . import phrases as words
from .attempts import after_failure, attempts_in, attempts_text

RETRIES = 3
"""The number of times that a failed step is executed again (A14)."""
Verdict = Literal["passed", "failed", "not measured"]

_ORDER = plan.STATUSES[:-1]
_FROM: dict[plan.Status, tuple[plan.Status, ...]] = {
    "PENDING": (),
    "READY": ("PENDING", "FAILED"),
    "RUNNING": ("PENDING", "READY"),
    "CODE_GENERATED": ("RUNNING",),
    "EXECUTING": ("READY", "RUNNING", "CODE_GENERATED"),
    "DONE": ("EXECUTING",),
    "FAILED": ("RUNNING", "CODE_GENERATED", "EXECUTING"),
}
"""The statuses from which one move leads to a status, through those in between."""


@dataclass(frozen=True, slots=True)
class Move:
    """The move of a step to a status, with its `code` for CODE_GENERATED, its `results` for DONE,
    its `error` for FAILED."""

    step: str
    to: plan.Status
    code: str = ""
    results: str = ""
    error: str = ""
    retries: int = RETRIES

    def advance(self, document: plan.PlanDocument, time: str) -> plan.PlanDocument:
        """Return the document one status further, or the same at the end. Raise `PlanError`."""
        status = plan.status_of(document.step(self.step))
        if status == self.to:
            return document
        self._refuse(document, status)
        assert status is not None
        hop = self._hop(status)
        document = plan.transition(document, self.step, hop, time)
        return self._enter(document, status, time) if hop == self.to else document

    def _refuse(self, document: plan.PlanDocument, status: plan.Status | None) -> None:
        manual = plan.is_manual(plan.text_value(document.step(self.step), "Code"))
        allowed = _FROM[self.to]
        if manual and self.to in ("EXECUTING", "DONE", "FAILED"):
            allowed = ("PENDING", "READY", "RUNNING", "CODE_GENERATED", "EXECUTING")
        if status not in allowed:
            present = status or plan.text_value(document.step(self.step), "Status")
            raise plan.PlanError(f"step `{self.step}` is {present}, so it cannot become {self.to}")
        code = plan.text_value(document.step(self.step), "Code")
        if self.to == "EXECUTING" and plan.is_placeholder(code):
            raise plan.PlanError(f"step `{self.step}` has no code that could be executed")

    def _hop(self, status: plan.Status) -> plan.Status:
        if status == "FAILED":
            return "READY"
        if self.to == "FAILED" and status in ("RUNNING", "EXECUTING"):
            return "FAILED"
        return _ORDER[_ORDER.index(status) + 1]

    def _enter(
        self, document: plan.PlanDocument, before: plan.Status, time: str
    ) -> plan.PlanDocument:
        """Return the document with the fields and the line of the log of the status."""
        step = self.step
        match self.to:
            case "RUNNING":
                if document.value("Execution Results", step=step):
                    document = document.set("Execution Results", "", step=step)
                return document.append_log(time, words.of_step(words.GENERATING, step))
            case "CODE_GENERATED":
                document = document.set("Code", self.code, step=step)
                return document.append_log(time, words.of_step(words.GENERATED, step))
            case "EXECUTING":
                again = bool(attempts_in(plan.text_value(document.step(step), "Execution Results")))
                return document.append_log(
                    time, words.of_step(words.AGAIN if again else words.EXECUTING, step)
                )
            case "DONE":
                return self._complete(document, time)
            case "FAILED":
                return self._fail(document, before, time)
            case _:
                return document

    def _complete(self, document: plan.PlanDocument, time: str) -> plan.PlanDocument:
        step = document.step(self.step)
        earlier = attempts_text(plan.text_value(step, "Execution Results"))
        text = "\n\n".join(part for part in (earlier, self.results.strip()) if part)
        document = document.set("Execution Results", text, step=self.step)
        output = plan.text_value(step, "Output Audio")
        line = words.COMPLETED_WITH if output else words.COMPLETED
        return document.append_log(time, words.of_step(line, self.step, output=output))

    def _fail(
        self, document: plan.PlanDocument, before: plan.Status, time: str
    ) -> plan.PlanDocument:
        step = document.step(self.step)
        results, code = plan.text_value(step, "Execution Results"), plan.text_value(step, "Code")
        attempt = attempts_in(results) + 1
        text = after_failure(results, code if before != "RUNNING" else "", self.error)
        document = document.set("Execution Results", text, step=self.step)
        if before == "RUNNING":
            line = words.NOT_GENERATED
        else:
            line = words.FAILED_ANALYZED if attempt <= self.retries else words.FAILED
        return document.append_log(time, words.of_step(line, self.step, self.error))


def fix(document: plan.PlanDocument, step: str, code: str, time: str) -> plan.PlanDocument:
    """Replace the code of a failed step, which is then READY to be executed again (A14, A15). The
    same code changes nothing. Raise `PlanError`."""
    block = document.step(step)
    status, old = plan.status_of(block), plan.text_value(block, "Code").strip()
    if old == code.strip():
        return document
    if status != "FAILED":
        raise plan.PlanError(f"step `{step}` is {status}: only one that has failed is fixed")
    document = plan.transition(document, step, "READY", time).set("Code", code.strip(), step=step)
    return document.append_log(time, words.of_step(words.FIXED, step))


def log(document: plan.PlanDocument, text: str, time: str) -> plan.PlanDocument:
    """Add a line to the log, unless it ends with that line."""
    section = document.section("log")
    lines = section.logs() if section else []
    last = section.text[lines[-1].start : lines[-1].end] if section and lines else ""
    if last.partition("`: ")[2].strip() == " ".join(text.split()):
        return document
    return document.append_log(time, text)


def review(
    document: plan.PlanDocument, verdict: Verdict, notes: str, step: str, time: str
) -> plan.PlanDocument:
    """Add the review of the sound: notes of a step, or else of the last one that is DONE, and a
    line of the log."""
    done = [s for s in document.steps if plan.status_of(s) == "DONE"]
    if not step and done:
        step = plan.text_value(done[-1], "ID")
    before = document
    if step:
        document = document.set("QA Notes", notes.strip(), step=step)
    if document is before and words.REVIEWED[verdict] in document.text:
        return log(document, words.REVIEWED[verdict], time)
    return document.append_log(time, words.REVIEWED[verdict])


def finish(
    document: plan.PlanDocument, overall: str, summary: str, final: str, time: str
) -> plan.PlanDocument:
    """Add the final output, and the last line of the log."""
    fields: dict[str, str] = {
        "Overall Status": overall,
        "Final Audio Path": final or plan.final_path(document),
        "Summary": " ".join(summary.split()),
    }
    before = document
    for name, value in fields.items():
        document = document.set(name, value, section="output")
    line, path = words.FINISHED[overall], fields["Final Audio Path"]
    line = words.FINAL.format(how=line, final=path) if path else line
    return log(document, line, time) if document is before else document.append_log(time, line)


def add_steps(
    document: plan.PlanDocument,
    requirements: Mapping[str, plan.Value],
    steps: Sequence[Mapping[str, plan.Value]],
    time: str,
) -> plan.PlanDocument:
    """Set the requirements, and add steps with `title` and fields by their names (A22). A document
    that ends with these steps stays the same."""
    before = document
    for name, value in requirements.items():
        document = document.set(name, value, section="requirements")
    wanted = [(s["title"], s["Description"]) for s in steps]
    present = [(s.title, plan.text_value(s, "Description")) for s in document.steps]
    if document is before and present[len(present) - len(wanted) :] == wanted:
        return document
    first = not present
    for step in steps:
        document = document.add_step(str(step["title"]), _fields_of(document, step))
    line = words.of_steps(words.PLANNED if first else words.ADDED, len(steps))
    return document.append_log(time, line)


def _fields_of(
    document: plan.PlanDocument, step: Mapping[str, plan.Value]
) -> dict[str, plan.Value]:
    fields = {name: value for name, value in step.items() if name != "title"}
    waits = any(plan.status_of(s) != "DONE" for s in document.steps)
    return {"Status": "PENDING" if waits else "READY", **fields}
