"""Living documents: a plan, its steps' state and its log in one markdown file that programs and
people change side by side.

A front end reads them, and whoever carries one on edits them; both use this package. It knows
nothing of workflows, and an edit of one field leaves every other byte of the file as it was.
"""

from .blocks import Block, PlanField
from .calls import ToolCall, code_request, fix_request, is_manual, is_placeholder, read_call
from .document import PlanDocument, field_value, is_id, read_plan, text_value
from .edits import PlanError
from .paths import final_path, path_breaks, resolve_path, step_paths
from .progress import counts, current_step, next_step, overall_of, status_of, transition
from .values import Value, is_template
from .words import OVERALL, SECTIONS, STATUSES, Overall, SectionKey, Status

__all__ = [
    "OVERALL",
    "SECTIONS",
    "STATUSES",
    "Block",
    "Overall",
    "PlanDocument",
    "PlanError",
    "PlanField",
    "SectionKey",
    "Status",
    "ToolCall",
    "Value",
    "code_request",
    "counts",
    "current_step",
    "field_value",
    "final_path",
    "fix_request",
    "is_id",
    "is_manual",
    "is_placeholder",
    "is_template",
    "next_step",
    "overall_of",
    "path_breaks",
    "read_call",
    "read_plan",
    "resolve_path",
    "status_of",
    "step_paths",
    "text_value",
    "transition",
]
