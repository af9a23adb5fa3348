"""What a plan makes on the way: which file a step leaves behind, and how one that is gone is made.

A file has done its work when all steps that read it are DONE. It is made again, by the calls that
made it, when a step that reads it is done once more.
"""

from __future__ import annotations

import re

from flowc.compiler import plan
from flowc.compiler.plan.paths import original_input

from ...errors import Failure
from ..calls.call import parse_call
from ..calls.execute import is_free


def left_by(document: plan.PlanDocument, id: str) -> str:
    """Return the file that a step has read and nothing needs any more; "" for none. It has the
    name that the document gave it, which holds the document's hash, and a call made it: what
    somebody brought is not touched."""
    try:
        read, write = plan.step_paths(document, id)
    except plan.PlanError:
        return ""
    maker = maker_of(document, read)
    hash = _hash_of(document)
    if maker is None or not hash or read in (write, original_input(document), ""):
        return ""
    if not re.search(rf"_{re.escape(hash)}_step_[0-9]+_", read):
        return ""
    waiting = (s for s in document.steps if plan.status_of(s) != "DONE")
    return "" if any(_reads(document, step) == read for step in waiting) else read


def maker_of(document: plan.PlanDocument, path: str) -> plan.Block | None:
    """Return the step that made a file by code; None where none did."""
    for step in reversed(document.steps):
        code = plan.text_value(step, "Code")
        if plan.text_value(step, "Output Audio") == path and plan.status_of(step) == "DONE":
            return step if _is_code(code) else None
    return None


def _is_code(code: str) -> bool:
    try:
        parse_call(code)
    except Failure:
        return is_free(code)
    return True


def _reads(document: plan.PlanDocument, step: plan.Block) -> str:
    try:
        return plan.step_paths(document, plan.text_value(step, "ID"))[0]
    except plan.PlanError:
        return ""


def _hash_of(document: plan.PlanDocument) -> str:
    section = document.section("request")
    return plan.text_value(section, "Workflow ID").rpartition("_")[2] if section else ""
