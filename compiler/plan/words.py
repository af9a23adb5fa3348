"""Words of living documents: their sections, fields and statuses."""

from __future__ import annotations

from typing import Literal, get_args

SectionKey = Literal["request", "requirements", "plan", "output", "log"]
Status = Literal["PENDING", "READY", "RUNNING", "CODE_GENERATED", "EXECUTING", "DONE", "FAILED"]
Overall = Literal["SUCCESS", "FAILURE", "REQUIRES_REVIEW", "IN_PROGRESS"]

SECTIONS: dict[SectionKey, str] = {
    "request": "Request Summary",
    "requirements": "Product Requirements Document (PRD)",
    "plan": "Processing Plan & Status",
    "output": "Final Output",
    "log": "Workflow Log",
}
"""The five sections in their order (A1)."""

SECTION_WORDS: dict[str, SectionKey] = {
    "request summary": "request",
    "product requirements document (prd)": "requirements",
    "product requirements document": "requirements",
    "prd": "requirements",
    "processing plan & status": "plan",
    "processing plan and status": "plan",
    "processing plan": "plan",
    "final output": "output",
    "workflow log": "log",
}
"""How a heading may say it, in small letters and without a number."""

STATUSES: tuple[Status, ...] = get_args(Status)
"""What a step can be (A6)."""

OVERALL: tuple[Overall, ...] = get_args(Overall)
"""What the document as a whole can be (A6)."""

STEP_FIELDS: tuple[str, ...] = (
    "ID", "Description", "Status", "Input Audio", "Output Audio", "Code", "Execution Results",
    "Timestamp Start", "Timestamp End", "QA Notes",
)  # fmt: skip
"""The fields of a step in their order (A2, A3)."""

SECTION_FIELDS: dict[SectionKey, tuple[str, ...]] = {
    "request": ("Original Request", "Input Audio", "Timestamp", "Workflow ID"),
    "requirements": ("Goal", "Key Requirements", "Constraints", "Success Criteria"),
    "plan": (),
    "output": ("Overall Status", "Final Audio Path", "Summary"),
    "log": (),
}
"""The fields of each section in their order."""

PROSE = frozenset((
    "Original Request", "Goal", "Key Requirements", "Constraints", "Success Criteria",
    "Description", "QA Notes", "Summary",
))  # fmt: skip
"""Fields of free text: backticks in it belong to it (A2)."""

TICKED = frozenset((
    "ID", "Workflow ID", "Timestamp", "Timestamp Start", "Timestamp End", "Input Audio",
    "Output Audio", "Final Audio Path",
))  # fmt: skip
"""Fields whose value stands in backticks (A2)."""

FENCED: dict[str, str] = {
    "Original Request": "text",
    "Code": "python",
    "Execution Results": "text",
}
"""Fields whose value stands in a fence, and the fence's tag (A3)."""
