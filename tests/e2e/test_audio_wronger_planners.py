"""A planner that takes channels, times, units and numbers for others: no wrong sound is a success.

The request is one that the offline rules can read, and one that they cannot: then the plan's own
requirements are all that judges, and each number of the request has to stand in one.
"""

from __future__ import annotations

import json
import re
from typing import Any

import numpy as np
import pytest
import sounds
from wrong_planner import Json, Wrong

RATE = 44_100
READABLE = "cut out from 1 s to 1.5 s, fade in over 200 ms, quieter by 3 dB"
UNREADABLE = "what is said from 1 s to 1.5 s is rubbish; begin softly within 200 ms, 3 dB tamer"
STEPS = ["Cut out from 1 s to 1.5 s", "Fade in over 200 ms", "Quieter by 3 dB"]
CODES = ["CUT(start_s=1, end_s=1.5)", "FADE(in_s=0.2)", "GAIN(gain_db=-3)"]
CUT: Json = {"text": "Without 1 s to 1.5 s", "metric": "cut_misfit_db(1,1.5)", "op": "<=",
             "value": -10, "subject": "step_1"}  # fmt: skip
FADED: Json = {"text": "Fade in of 200 ms", "metric": "fade_misfit_db(0.2,0)", "op": "<=",
               "value": 1.5, "subject": "step_2"}  # fmt: skip
QUIETER: Json = {"text": "Quieter by 3 dB", "metric": "rms_change_db", "op": "==", "value": -3,
                 "tolerance": 0.3, "subject": "step_3"}  # fmt: skip
Way = tuple[Json, list[str]]


def plan(steps: list[str] = STEPS, **more: Any) -> Json:
    rows = [{"title": text.split()[0], "description": text} for text in steps]
    needs = [CUT, FADED, QUIETER]
    return {"goal": "As asked", "requirements": needs, "steps": rows, "format": "wav", **more}


def swap(at: int, code: str, **more: Any) -> Way:
    return plan(**more), [*CODES[:at], code, *CODES[at + 1 :]]


def requiring(*needs: Json) -> Json:
    return {"requirements": list(needs)}


NO_CLIPPING: Json = {"text": "No clipping", "metric": "clipped_runs", "op": "==", "value": 0}
WAYS: dict[str, Way] = {
    "one channel": swap(2, "CONVERT(channels=1)"),
    "one channel more": (plan([*STEPS, "Mono"]), [*CODES, "CONVERT(channels=1)"]),
    "beyond the end": swap(0, "CUT(start_s=10, end_s=15)"),
    "from before the end to beyond it": swap(0, "CUT(start_s=1, end_s=150)"),
    "seconds for milliseconds": swap(1, "FADE(in_s=200)"),
    "milliseconds for seconds": swap(0, "CUT(start_s=0.001, end_s=0.0015)"),
    "samples for seconds": swap(0, "CUT(start_s=10000, end_s=14000)"),
    "minutes for seconds": swap(0, "CUT(start_s=60, end_s=90)"),
    "a percentage": swap(2, "GAIN(gain_db=-30)"),
    "a factor for decibels": swap(2, "GAIN(gain_db=0.7)"),
    "another language": (plan(["剪掉 1 到 1.5 秒", "淡入 200 毫秒", "降低 3 dB"]), CODES),
    "criterion of another thing": swap(
        2, "GAIN(gain_db=0)", **requiring(CUT, FADED, {**QUIETER, "metric": "duration_s"})
    ),
    "criterion that was true before": (plan(**requiring(NO_CLIPPING)), ["GAIN(gain_db=0)"] * 3),
    "criterion of no step": swap(
        2, "GAIN(gain_db=0)", **requiring(CUT, FADED, {**QUIETER, "subject": "step_9"})
    ),
    "criterion with the other sign": swap(
        2, "GAIN(gain_db=3)", **requiring(CUT, FADED, {**QUIETER, "value": 3})
    ),
    "criterion of the other step": swap(
        2, "GAIN(gain_db=0)", **requiring(CUT, FADED, {**QUIETER, "subject": "step_1"})
    ),
    "criterion that is not a number": swap(
        2, "GAIN(gain_db=-9)", **requiring(CUT, FADED, {**QUIETER, "value": float("nan")})
    ),
    "criterion without an end": swap(
        2,
        "GAIN(gain_db=-9)",
        **requiring(CUT, FADED, {**QUIETER, "op": "<=", "value": float("inf")}),
    ),
    "five thousand criteria": swap(2, "GAIN(gain_db=-9)", **requiring(*[NO_CLIPPING] * 5000)),
    "a claim": swap(2, "Done: the sound is 3 dB quieter and all requirements are met."),
    "a claim in a comment": swap(2, "GAIN(gain_db=0)  # 3 dB quieter, measured"),
    "tool that is not there": swap(2, "ATTENUATE(gain_db=-3)"),
    "doubled call": swap(2, "GAIN(gain_db=-3)\nGAIN(gain_db=-3)"),
    "doubled step": (plan([*STEPS, STEPS[2]]), [*CODES, CODES[2]]),
    "doubled argument": swap(2, "GAIN(gain_db=-3, gain_db=-9)"),
    "not a number": swap(2, "GAIN(gain_db=nan)"),
    "not a number, called": swap(2, 'GAIN(gain_db=float("nan"))'),
    "without an end": swap(2, "GAIN(gain_db=-1e999)"),
    "truth for a number": swap(2, "GAIN(gain_db=True)"),
    "text for a number": swap(2, 'GAIN(gain_db="-9")'),
    "a sum": swap(2, "GAIN(gain_db=-3-6)"),
    "the minus of typesetters": swap(2, "GAIN(gain_db=−9)"),
    "nothing": swap(2, ""),
    "nothing at all": (plan(), ["", "", ""]),
    "no step": (plan([]), CODES),
    "ten thousand calls": swap(2, "\n".join(["GAIN(gain_db=-3)"] * 10_000)),
    "three thousand steps": (plan([*STEPS, *["Quieter by 0.1 dB"] * 3000]), CODES),
    "writes the input": swap(2, 'GAIN(output="in.wav", gain_db=-3)'),
    "writes outside": swap(2, 'GAIN(output="../out.wav", gain_db=-3)'),
    "writes by a detour": swap(2, 'GAIN(output="x/../in.wav", gain_db=-3)'),
    "reads outside": swap(2, 'GAIN(input="/etc/passwd", gain_db=-3)'),
    "reads the sound as it came": swap(2, 'GAIN(input="in.wav", gain_db=-3)'),
    "a NUL in a name": swap(2, 'GAIN(output="out.wav\\0.mp3", gain_db=-3)'),
    "two tenths too late": swap(0, "CUT(start_s=1.2, end_s=1.7)"),
    "8 kHz and back": (
        plan([*STEPS, "Prepare", "Deliver"]),
        [*CODES, "CONVERT(sample_rate_hz=8000)", "CONVERT(sample_rate_hz=44100)"],
    ),
    "mono and back": (
        plan([*STEPS, "Prepare", "Deliver"]),
        [*CODES, "CONVERT(channels=1)", "CONVERT(channels=2)"],
    ),
    "taken back and said so": (
        plan([*STEPS, "Louder by 3 dB"])
        | requiring(
            CUT,
            FADED,
            QUIETER,
            {**QUIETER, "text": "Louder by 3 dB", "value": 3, "subject": "step_4"},
        ),
        [*CODES, "GAIN(gain_db=3)"],
    ),
    **{
        f"{name}, which the plan vouches for": (
            plan([*STEPS, "Tidy"])
            | requiring(CUT, FADED, QUIETER, {**need, "text": "Tidy", "subject": "step_4"}),
            [*CODES, code],
        )
        for name, code, need in (
            (
                "sides swapped",
                "CHANNELS(order=[2, 1])",
                {"metric": "channels_misfit_db(2,1)", "op": "<=", "value": -10},
            ),
            ("backwards", "REVERSE()", {"metric": "reverse_misfit_db", "op": "<=", "value": -10}),
            ("turned round", "INVERT()", {"metric": "correlation", "op": "==", "value": -1}),
            (
                "moved",
                "SHIFT(offset_s=0.05)",
                {"metric": "shift_misfit_db(0.05,0)", "op": "<=", "value": -10},
            ),
        )
    },
    "peaks crushed": (plan([*STEPS, "Safe peaks"]), [*CODES, "LIMIT(ceiling_dbtp=-18)"]),
    "bound in place of a value": swap(
        2, "GAIN(gain_db=-9)", **requiring(CUT, FADED, {**QUIETER, "op": "<="})
    ),
    "ends turned round": swap(0, "CUT(start_s=1.5, end_s=1)"),
    "a time before the start": swap(0, "CUT(start_s=-1, end_s=1.5)"),
    "the rest of it": swap(0, "CLIP(start_s=1, end_s=1.5)"),
    "the other end": swap(1, "FADE(out_s=0.2)"),
    "both ends": swap(1, "FADE(in_s=0.2, out_s=0.2)"),
    "a level for a change": swap(2, "PEAK_NORM(target_dbfs=-3)"),
    "a limiter for a gain": swap(2, "LIMIT(ceiling_dbtp=-20)"),
    "turned round as well": (plan([*STEPS, "Tidy"]), [*CODES, "INVERT()"]),
    "moved as well": (plan([*STEPS, "Tidy"]), [*CODES, "SHIFT(offset_s=0.05)"]),
    "eight bits' worth": (plan([*STEPS, "Tidy"]), [*CODES, "ADD_NOISE(snr_db=30)"]),
    "muffled as well": (plan([*STEPS, "Tidy"]), [*CODES, "LOWPASS(cutoff_hz=3000)"]),
}
IN_CHECK = {
    "two tenths too late",
    "taken back and said so",
    "8 kHz and back",
    "sides swapped, which the plan vouches for",
    "criterion that was true before",
}
"""The others are tried in `make soak`."""


def is_right(before: Any, after: Any) -> bool:
    """Whether the sound is what was asked for, to the sample where it is not faded or joined."""
    kept = np.concatenate([before[:RATE], before[round(1.5 * RATE) :]]) * 10 ** (-3 / 20)
    if after.shape != kept.shape:
        return False
    fade = round(0.2 * RATE)
    plain = np.r_[fade + 500 : RATE - 500, RATE + 500 : len(kept)]
    off = ((after[plain] - kept[plain]) ** 2).mean() / (kept[plain] ** 2).mean()
    first, half = (after[a:b].std() / kept[a:b].std() for a, b in ((0, 441), (3969, 4851)))
    return bool(off < 1e-3 and first < 0.25 and 0.3 < half < 0.85)


@pytest.mark.parametrize("request_", [READABLE, UNREADABLE], ids=["readable", "unreadable"])
@pytest.mark.parametrize(
    "way", [way if way in IN_CHECK else pytest.param(way, marks=pytest.mark.soak) for way in WAYS]
)
def test_a_wrong_planner_ends_right_or_refused(way, request_, flowc, openai_server):
    heard = sounds.wide(sounds.speech_like(3)[RATE : -2 * RATE])
    sounds.write(flowc.folder / "in.wav", heard, RATE)
    Wrong(openai_server, *WAYS[way])
    done = flowc(
        *("run", "edit", "-i", "audio=in.wav", "-i", f"request={request_}", "-i", "rounds=1"),
        *("--model", "openai:demo", "--base-url", openai_server.url, "--json"),
    )
    same, _ = sounds.read(flowc.folder / "in.wav")
    assert np.array_equal(same, heard)
    told = json.loads(done.stdout)
    status = told["variables"].get("status")
    if status is None:  # the answer is no answer, however often the model is asked
        assert (done.returncode, told["status"]) == (1, "error")
        assert "tried 3 times" in told["error"]["message"]
    elif status == "SUCCESS":
        after, _ = sounds.read(flowc.folder / told["variables"]["final"])
        assert is_right(heard, after), told["variables"]["report"]
    else:
        assert status in ("FAILURE", "REQUIRES_REVIEW")
        report = told["variables"]["report"]
        assert re.search("failed ·|Not done|not proved|no plan", report), report


@pytest.mark.parametrize("request_", [READABLE, UNREADABLE], ids=["readable", "unreadable"])
def test_the_right_plan_is_right(request_, flowc, openai_server):
    heard = sounds.speech_like(3)[RATE : -2 * RATE]
    sounds.write(flowc.folder / "in.wav", heard, RATE)
    Wrong(openai_server, plan(), CODES)
    done = flowc(
        *("run", "edit", "-i", "audio=in.wav", "-i", f"request={request_}"),
        *("--model", "openai:demo", "--base-url", openai_server.url, "--json"),
    )
    told = json.loads(done.stdout)["variables"]
    assert told["status"] == "SUCCESS", told["report"]
    assert is_right(heard, sounds.read(flowc.folder / told["final"])[0])


def test_there_are_more_than_fifty_ways():
    assert len(WAYS) > 50
