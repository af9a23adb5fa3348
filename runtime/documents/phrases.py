"""The lines of a living document's log, in the format's words (A12)."""

from __future__ import annotations

import re

from flowc.compiler import plan

INITIATED = "Workflow Initiated."
PLANNED = "Planner generated PRD and {steps}."
ADDED = "Planner added {steps}."
GENERATING = "Generating code for {step}..."
GENERATED = "Code generated for {step}."
NOT_GENERATED = "Generating code failed for {step}. Error: {error}."
EXECUTING = "Executing {step}..."
AGAIN = "Re-executing {step}..."
COMPLETED = "{Step} completed successfully."
COMPLETED_WITH = "{Step} completed successfully. Output: {output}"
FAILED = "Execution failed for {step}. Error: {error}."
FAILED_ANALYZED = "Execution failed for {step}. Error: {error}. Triggering Error Analyzer."
FIXED = "Error Analyzer proposed fix for {step} code."
REVIEWED = {
    "passed": "QA checks passed.",
    "failed": "QA checks failed.",
    "not measured": "QA checks left requirements that were not measured.",
}
FINISHED = {
    "SUCCESS": "Workflow finished successfully.",
    "FAILURE": "Workflow failed.",
    "REQUIRES_REVIEW": "Workflow finished and requires review.",
}
TAKEN = "Edits taken over: {edits}."
FINAL = "{how} Final output: {final}"
_LONGEST = 200
_STEPS = re.compile(
    r"^\*\s+`[^`\n]*`:\s+Planner (?:generated PRD and|added) ([0-9]+) steps?\.\s*$", re.MULTILINE
)
_NUMBERED = re.compile(r"step_([0-9]+)")


def of_step(words: str, step: str, error: str = "", output: str = "") -> str:
    """Return a line about a step, with the first line of its error, cut, without a full stop."""
    capital = step[:1].upper() + step[1:]
    return words.format(step=step, Step=capital, error=_summary(error), output=output)


def of_steps(words: str, steps: int) -> str:
    """Return a line about a number of steps."""
    return words.format(steps=f"{steps} {'step' if steps == 1 else 'steps'}")


def _summary(error: str) -> str:
    line = next((line.strip() for line in error.splitlines() if line.strip()), "unknown error")
    line = line.removeprefix("Error:").strip()
    return (line if len(line) <= _LONGEST else line[: _LONGEST - 2] + " …").rstrip(".")


def steps_by_hand(document: plan.PlanDocument, since: int = 0) -> set[str]:
    """Return the IDs of the steps behind the first `since` that no planner wrote: the planner's are
    as many as its last line in the log says, those with the lowest numbers."""
    section = document.section("log")
    said = _STEPS.findall(section.text) if section else []
    ids = [plan.text_value(step, "ID") for step in document.steps[since:]]
    numbered = [(int(found[1]), id) for id in ids if (found := _NUMBERED.fullmatch(id))]
    planned = [id for _, id in sorted(numbered)][: int(said[-1]) if said else 0]
    return {id for id in ids if id and id not in planned}
