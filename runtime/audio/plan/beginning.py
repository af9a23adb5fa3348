"""Where the result of a plan begins in the sound that it was made of."""

from __future__ import annotations

import re

from flowc.compiler import plan
from flowc.compiler.plan.paths import original_input

from ...errors import Failure
from ..calls.call import AudioCall, parse_call

_ELSEWHERE = frozenset(
    {
        "concat", "mix", "split", "split_silence", "shorten_pauses", "time_stretch", "synth",
        "reverse",
    }
)  # fmt: skip
"""Tools after which what was at one time is at several, or at none."""
_CUT_START = re.compile(r"^cut start: ([0-9.]+) s$", re.MULTILINE)
_LENGTH = re.compile(r"^wrote .+: ([0-9.]+) s, [0-9]+ Hz, ", re.MULTILINE)


def beginning_of(document: plan.PlanDocument, seconds: float) -> float | None:
    """Return the second of the original, which is so many seconds long, at which the result begins,
    where all of it lies as it lay there; None where a step has moved a part of it, or is not a
    call. A plan that was given up counts for nothing."""
    begin, length = 0.0, seconds
    for step in _last_plan(document):
        results = plan.text_value(step, "Execution Results")
        try:
            call = parse_call(plan.text_value(step, "Code"))
        except Failure:
            return None
        moved = _beginning_after(call, results, length)
        if moved is None:
            return None
        begin += moved
        found = _LENGTH.search(results)
        length = float(found[1]) if found else length
    return begin


def _last_plan(document: plan.PlanDocument) -> list[plan.Block]:
    """Return the steps that are done, from the last one that reads the sound as it came."""
    steps = [step for step in document.steps if plan.status_of(step) == "DONE"]
    original = original_input(document)
    firsts = [n for n, step in enumerate(steps) if plan.text_value(step, "Input Audio") == original]
    return steps[firsts[-1] :] if firsts else steps


def _beginning_after(call: AudioCall, results: str, length: float) -> float | None:
    """Return where what a call wrote begins in what it read, which was so many seconds long."""
    values = call.arguments

    def at(name: str) -> float:
        second = float(values[name])
        return max(0.0, length + second) if second < 0 else second

    match call.tool.name:
        case "trim_silence":
            found = _CUT_START.search(results)
            return float(found[1]) if found else None
        case "clip":
            return at("start_s")
        case "cut" if values["end_s"] is None:
            return 0.0
        case "cut":
            return None if values["start_s"] else at("end_s")
        case "pad":
            return -float(values["start_s"])
        case "shift":
            return None if values["wrap"] else -float(values["offset_s"])
        case name:
            return None if name in _ELSEWHERE else 0.0
