"""Where the result of a plan begins in the sound that it was made of."""

from __future__ import annotations

import re

from flowc.compiler import plan

from ...errors import Failure
from ..calls.call import AudioCall, parse_call

_ELSEWHERE = frozenset(
    {"concat", "mix", "split", "split_silence", "shorten_pauses", "time_stretch", "synth"}
)
"""Tools after which what was at one time is at several, or at none."""
_CUT_START = re.compile(r"^cut start: ([0-9.]+) s$", re.MULTILINE)


def beginning_of(document: plan.PlanDocument) -> float | None:
    """Return the second of the original at which the result begins, where all of it lies as it lay
    there; None where a step has moved a part of it, or is not a call."""
    begin = 0.0
    for step in document.steps:
        if plan.status_of(step) != "DONE":
            continue
        try:
            call = parse_call(plan.text_value(step, "Code"))
        except Failure:
            return None
        moved = _beginning_after(call, plan.text_value(step, "Execution Results"))
        if moved is None:
            return None
        begin += moved
    return begin


def _beginning_after(call: AudioCall, results: str) -> float | None:
    values = call.arguments
    match call.tool.name:
        case "trim_silence":
            found = _CUT_START.search(results)
            return float(found[1]) if found else None
        case "clip":
            return float(values["start_s"])
        case "cut" if values["end_s"] is None:
            return 0.0
        case "cut":
            return None if values["start_s"] else float(values["end_s"])
        case "shift":
            return None if values["wrap"] else -float(values["offset_s"])
        case name:
            return None if name in _ELSEWHERE else 0.0
