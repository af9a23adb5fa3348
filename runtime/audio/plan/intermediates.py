"""What a plan makes on the way: which file a step leaves behind, and how one that is gone is made.

A file has done its work when all steps that read it are DONE, or when a step on the way begins that
alone reads it and can have it made once more while it reads: so one file on the way is there at a
time. It is made again, by the calls that made it, when a step that reads it is done once more.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from flowc.compiler import plan
from flowc.compiler.plan.paths import original_input

from ...errors import Failure
from ..calls.call import AudioCall, parse_call
from ..calls.containers import container_of
from ..calls.execute import is_free


def left_by(document: plan.PlanDocument, id: str) -> str:
    """Return the file that a step reads and no other needs any more; "" for none. It has the
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
    waiting = (
        step
        for step in document.steps
        if plan.status_of(step) != "DONE" and plan.text_value(step, "ID") != id
    )
    return "" if any(_reads(document, step) == read for step in waiting) else read


def calls_for(
    document: plan.PlanDocument, path: str, is_found: Callable[[str], bool]
) -> list[AudioCall]:
    """Return the calls, in order, that make a file on the way out of files that are not; none where
    some of it was not made by calls, was rounded, or is too much work to be done each time it is
    read. `is_found` tells of a file whether the search that led to it need not be done again."""
    calls: list[AudioCall] = []
    for _ in document.steps:  # a document may lead round in a circle
        if (step := maker_of(document, path)) is None:
            break
        read, write = plan.step_paths(document, plan.text_value(step, "ID"))
        call = _call_of(step)
        if call is None or read == write or read not in call.reads:
            return []
        others = (one for one in call.reads if one != read)
        if any(maker_of(document, one) for one in others) or not _can_be_redone(
            call, write, is_found
        ):
            return []
        calls.insert(0, call)
        path = read
    return calls if path == original_input(document) else []


def _can_be_redone(call: AudioCall, write: str, is_found: Callable[[str], bool]) -> bool:
    """Tell whether a call on the way gives what stands in the one file that it writes, samples that
    are not rounded, and soon."""
    kept = not call.arguments.get("subtype") and "FLOAT" in container_of(write).subtypes
    name = call.tool.name
    soon = name not in _LONG and (name not in _SEARCHES or is_found(write))
    return kept and call.writes == (write,) and soon


_LONG = frozenset({"pitch_shift", "time_stretch"})
"""Tools that need long for their work."""
_SEARCHES = frozenset({"limit", "loudness_norm"})
"""Tools that read their input again and again until the result fits."""


def maker_of(document: plan.PlanDocument, path: str) -> plan.Block | None:
    """Return the step that made a file by code; None where none did."""
    for step in reversed(document.steps):
        code = plan.text_value(step, "Code")
        if plan.text_value(step, "Output Audio") == path and plan.status_of(step) == "DONE":
            return step if is_free(code) or _call_of(step) else None
    return None


def _call_of(step: plan.Block) -> AudioCall | None:
    try:
        return parse_call(plan.text_value(step, "Code"))
    except Failure:
        return None


def _reads(document: plan.PlanDocument, step: plan.Block) -> str:
    try:
        return plan.step_paths(document, plan.text_value(step, "ID"))[0]
    except plan.PlanError:
        return ""


def _hash_of(document: plan.PlanDocument) -> str:
    section = document.section("request")
    return plan.text_value(section, "Workflow ID").rpartition("_")[2] if section else ""
