"""Numbers that a request does not say: a plan may have others, within bounds."""

from __future__ import annotations

from typing import Any

import pytest
from flowc.runtime.audio.plan.contradictions import Shape
from flowc.runtime.audio.plan.planning import Order, complete_plan
from flowc.runtime.audio.vocabulary.requests import required_by

SOUND = Shape(48_000, 2)


def criteria(request: str, **requirement: Any) -> list[str]:
    """The criteria of a plan of one step with one requirement of its own."""
    steps = [{"title": "Do it", "description": request}]
    planned = [{"subject": "step_1", "text": "as planned", **requirement}]
    plan = {"goal": request, "requirements": planned, "steps": steps, "format": "wav"}
    required = required_by(request, "a.wav", "", SOUND)
    done = complete_plan(plan, Order("id_1", "a.wav", "", SOUND, request, required))
    assert done["problem"] == ""
    return list(done["criteria"])


def has(lines: list[str], condition: str) -> bool:
    return any(condition in line for line in lines)


@pytest.mark.parametrize(
    ("request_text", "metric", "op", "value", "usual"),
    [
        ("remove the rumble", "highpass_misfit_db(100,24)", "<=", 1.5, "highpass_misfit_db(80,24)"),
        ("remove the rumble", "highpass_misfit_db(60,24)", "<=", 1, "highpass_misfit_db(80,24)"),
        ("compress it", "compress_misfit_db(-24,4,5,150,0)", "<=", 1, "compress_misfit_db(-20,3"),
        ("reduce the noise", "quiet_frames_gain_db", "==", -9, "quiet_frames_gain_db == -12"),
        ("normalize it", "integrated_lufs", "==", -14, "integrated_lufs == -16"),
    ],
)
def test_a_number_that_nobody_said_may_be_another_one(request_text, metric, op, value, usual):
    tolerance = {"tolerance": 0.5} if "misfit" not in metric else {}
    lines = criteria(request_text, metric=metric, op=op, value=value, **tolerance)
    assert has(lines, metric)
    assert not has([line for line in lines if "step_1" not in line], usual)


@pytest.mark.parametrize(
    ("request_text", "requirement", "usual"),
    [
        # Out of bounds, on the other side of zero, weaker, or not as exact.
        (
            "remove the rumble",
            {"metric": "highpass_misfit_db(500,24)", "op": "<=", "value": 1.5},
            "highpass_misfit_db(80,24)",
        ),
        (
            "remove the rumble",
            {"metric": "highpass_misfit_db(100,24)", "op": "<=", "value": 3},
            "highpass_misfit_db(80,24)",
        ),
        (
            "reduce the noise",
            {"metric": "quiet_frames_gain_db", "op": "==", "value": 12},
            "quiet_frames_gain_db == -12",
        ),
        (
            "reduce the noise",
            {"metric": "quiet_frames_gain_db", "op": "==", "value": -10, "tolerance": 4},
            "quiet_frames_gain_db == -12",
        ),
        # Said, in figures or in words.
        (
            "high-pass at 80 Hz",
            {"metric": "highpass_misfit_db(100,24)", "op": "<=", "value": 1.5},
            "highpass_misfit_db(80,24)",
        ),
        (
            "normalize to minus sixteen LUFS",
            {"metric": "integrated_lufs", "op": "==", "value": -14},
            "integrated_lufs == -16",
        ),
        # A word that is no measure.
        ("mono", {"metric": "channels", "op": "==", "value": 2}, "channels == 1"),
    ],
)
def test_what_was_said_and_what_is_out_of_bounds_is_required(request_text, requirement, usual):
    assert has(criteria(request_text, **requirement), usual)
