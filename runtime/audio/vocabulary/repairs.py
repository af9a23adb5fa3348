"""Another plan after one that did not come out: what the rules know to do about it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from ...errors import Failure

Json = dict[str, Any]
_LEVEL = r"-?[0-9]+(?:\.[0-9]+)?"
_TOO_PEAKY = re.compile(
    rf"be brought to (?P<target>{_LEVEL}) LUFS.*?(?P<loudest>{_LEVEL}) LUFS is the loudest",
    re.DOTALL,
)
_LOUDNESS = "Set the loudness"
_RATIO, _ATTACK_MS = 4, 0.5
"""Peaks are taken down by three quarters of what stands above the threshold, from their start."""
_ROOM_DB = 3.0
"""What a compressor lowers beyond what is needed, with each plan more: it lowers the rest a bit."""


def another_plan(plan: Json, problem: str, round: int, measured: Mapping[str, Any]) -> Json:
    """Return a plan without the fault of the last one. Only what a limiter cannot do alone is
    mended: a compressor of the peaks goes before the loudness, deeper with each round. Raise
    `Failure` (refused) for other problems: the same plan would end the same way."""
    at = next((n for n, s in enumerate(plan["steps"]) if s["title"] == _LOUDNESS), None)
    peak, said = measured.get("true_peak_dbtp"), _TOO_PEAKY.search(problem)
    if said is None or at is None or peak is None:
        help = "change the request, or let a model plan: --model provider:name"
        text = f"{first_problem(problem)}; the offline rules have no other plan: {help}"
        raise Failure(text, "refused")
    missing = max(float(said["target"]) - float(said["loudest"]), 0) + _ROOM_DB * round
    threshold = max(round_half(float(peak) - missing / (1 - 1 / _RATIO)), -60)
    call = f"compress {_RATIO}:1 at {threshold:g} dB with {_ATTACK_MS:g} ms attack"
    step = {"title": "Compress", "description": call, "person": False}
    steps = [*plan["steps"][:at], step, *plan["steps"][at:]]
    return {
        **plan,
        "steps": steps,
        "requirements": [*map(_shift_subjects(at + 1), plan["requirements"])],
    }


def first_problem(problem: str) -> str:
    """Return what has to be mended first of what is said of a plan: a step that could not be done,
    a requirement that failed, or else the first line."""
    lines = [line.strip() for line in problem.splitlines() if line.strip()]
    undone = (line.partition("Not done: ")[2] for line in lines)
    failed = (line for line in lines if line.startswith("failed · "))
    said = next((one for one in (*undone, *failed) if one), next(iter(lines), ""))
    return said.rstrip(".")


def round_half(number: float) -> float:
    """Return the next half below a number."""
    return float(number * 2 // 1) / 2


def _shift_subjects(first: int) -> Any:
    """Return a function that moves the subjects of steps from `first` on, one later."""

    def move(requirement: Json) -> Json:
        number = str(requirement.get("subject") or "").removeprefix("step_")
        if not number.isdecimal() or int(number) < first:
            return requirement
        return {**requirement, "subject": f"step_{int(number) + 1}"}

    return move
