"""Requirements as predicates: read, written, judged by numbers; what has none never passes."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from flowc.runtime.audio.calls.call import AudioCall
from flowc.runtime.audio.plan.check import SubjectFiles, findings_of, report_of
from flowc.runtime.audio.plan.metrics import METRICS, Pair
from flowc.runtime.audio.plan.planning import Order, complete_plan, criteria_in
from flowc.runtime.audio.plan.predicates import judge, parse_predicate, read_predicate
from flowc.runtime.errors import Failure

NUMBERS: dict[str, Any] = {
    "integrated_lufs": -16.2, "true_peak_dbtp": -1.0, "sample_peak_dbfs": -1.2, "rms_dbfs": -19.0,
    "range_lu": None, "noise_floor_dbfs": -60.0, "duration_s": 10.0, "leading_silence_s": 0.05,
    "trailing_silence_s": 0.0, "silent": False, "clipped_runs": 2, "not_finite": 0,
    "dc_offset": [0.0, -0.01], "strongest_hz": 440.0, "format": "FLAC", "subtype": "PCM_24",
    "sample_rate_hz": 44_100, "channels": 2, "pcm_sha256": "a", "notes": ["no loudness range"],
    "energy_below": [
        {"hz": 20, "share": 0.0}, {"hz": 40, "share": 0.01}, {"hz": 80, "share": 0.1},
        {"hz": 160, "share": 0.5}, {"hz": 320, "share": 0.9},
    ],
}  # fmt: skip


def pair(**before: Any) -> Pair:
    return Pair({-50.0: {**NUMBERS, **before}}, {-50.0: NUMBERS})


def verdict(metric: str, op: str, value: Any, tolerance: float | None = None, **before: Any) -> str:
    given = {"metric": metric, "op": op, "value": value, "tolerance": tolerance}
    return judge(read_predicate(given), pair(**before)).verdict


@pytest.mark.parametrize(
    ("metric", "op", "value", "tolerance", "expected"),
    [
        ("integrated_lufs", "==", -16, None, "passed"),
        ("integrated_lufs", "==", -16, 0.1, "failed"),
        ("integrated_lufs", "!=", -16, 0.1, "passed"),
        ("true_peak_dbtp", "<=", -1, None, "passed"),
        ("true_peak_dbtp", "<", -1, 0, "failed"),
        ("true_peak_dbtp", ">=", -1, 0, "passed"),
        ("true_peak_dbtp", ">", -1, 0, "failed"),
        ("format", "==", "flac", None, "passed"),
        ("format", "!=", "flac", None, "failed"),
        ("silent", "==", False, None, "passed"),
        ("silent", "==", True, None, "failed"),
        ("dc_offset", "<=", 0, None, "failed"),
        ("range_lu", "<=", 100, None, "not measured"),
        ("pitch_change_semitones", "==", 0, None, "not measured"),
        ("samples_changed", "==", True, None, "failed"),
        ("clipped_runs_added", "<=", 0, None, "passed"),
        ("energy_below_change_db(40)", "<=", 0, None, "passed"),
        ("energy_below_change_db(41)", "<=", 0, None, "not measured"),
    ],
)
def test_numbers_decide(metric, op, value, tolerance, expected):
    assert verdict(metric, op, value, tolerance) == expected


def test_changes_are_after_minus_before():
    assert verdict("loudness_change_lu", "==", 3.8, 0.01, integrated_lufs=-20.0) == "passed"
    assert verdict("loudness_change_lu", "==", 3.8, 0.01, integrated_lufs=None) == "not measured"
    assert verdict("duration_ratio", "==", 0.8, duration_s=12.5) == "passed"
    assert verdict("energy_below_change_db(40)", "<=", 0, rms_dbfs=None) == "not measured"
    assert verdict("noise_floor_change_db", ">=", 0, noise_floor_dbfs=None) == "passed"


def test_what_a_silent_file_has_not_is_told_by_its_silence():
    one = read_predicate({"metric": "rms_change_db", "op": "==", "value": 3})
    found = judge(one, pair(rms_dbfs=None, silent=True, notes=["shorter than 0.4 s"]))
    assert (found.verdict, found.note) == ("not measured", "before: all of it is silence")


def test_peaks_above_full_scale_that_were_cut_are_clipping_that_was_added():
    """Both have two places at full scale or above: before they lay 6 dB above it."""
    assert verdict("clipped_runs_added", "<=", 0, sample_peak_dbfs=6.0) == "failed"
    assert verdict("clipped_runs_added", "<=", 0, sample_peak_dbfs=0.0) == "passed"
    assert verdict("clipped_runs_added", "<=", 0, sample_peak_dbfs=None) == "passed"


def test_a_gain_does_not_change_where_energy_lies():
    louder = [{**band, "share": band["share"]} for band in NUMBERS["energy_below"]]
    found = judge(
        read_predicate({"metric": "energy_below_change_db(40)", "op": "<=", "value": -12}),
        pair(energy_below=louder),
    )
    assert found.measured == 0.0
    assert found.verdict == "failed"


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"metric": "loudness", "value": 1}, "no metric `loudness`"),
        ({"metric": "integrated_lufz", "value": 1}, "no metric `integrated_lufz`"),
        ({"metric": "integrated_lufs", "op": "~", "value": 1}, "not an operator"),
        ({"metric": "integrated_lufs", "op": "==", "value": "loud"}, "with a number"),
        ({"metric": "integrated_lufs", "op": "==", "value": True}, "with a number"),
        ({"metric": "integrated_lufs", "op": "==", "value": float("nan")}, "with a number"),
        ({"metric": "format", "op": "<=", "value": "FLAC"}, "== and != only"),
        ({"metric": "integrated_lufs(3)", "op": "==", "value": 1}, "is written"),
        ({"metric": "energy_below_change_db", "op": "<=", "value": 1}, "is written"),
        ({"metric": "integrated_lufs", "op": "==", "value": 1, "tolerance": -1}, "tolerance"),
        ({"metric": "integrated_lufs", "op": "==", "value": 1, "subject": "a b"}, "not a subject"),
    ],
)
def test_what_is_no_predicate_is_refused(given, says):
    with pytest.raises(Failure, match=says):
        read_predicate(given)


def test_every_metric_is_read_back_as_it_is_written():
    values: dict[str, Any] = {"number": -12.5, "text": "FLAC", "flag": True}
    for metric in METRICS.values():
        names = (*metric.at, *metric.each)
        at = ("a%20b.wav" if name.isupper() else 40.0 + n for n, name in enumerate(names))
        name = metric.spell(tuple(at))
        given = {"metric": name, "op": "==", "value": values[metric.kind], "subject": "step_2"}
        one = read_predicate(given)
        assert parse_predicate(f"{one.subject}: {one.condition}") == one
        (again,) = criteria_in([f"`{one.subject}: {one.condition}` In words"])
        assert again == read_predicate({**one.to_json(), "text": "In words"})


def test_a_criterion_without_a_predicate_stays_words():
    assert criteria_in(["It sounds warm", "`warm == 3` really"]) == [
        "It sounds warm",
        "`warm == 3` really",
    ]


def test_a_file_that_cannot_be_measured_passes_nothing():
    async def do(call: AudioCall) -> dict[str, Any]:
        raise Failure("`b.wav` does not exist")

    one = read_predicate({"metric": "channels", "op": "==", "value": 2})
    other = read_predicate({"metric": "channels", "op": "==", "value": 2, "subject": "step_9"})
    found = asyncio.run(findings_of([one, other], {"result": SubjectFiles("a.wav", "b.wav")}, do))
    assert [f.verdict for f in found] == ["not measured", "not measured"]
    assert "`b.wav` does not exist" in found[0].note
    assert report_of(found)["verdict"] == "not measured"


# --- plans ---

STEP = {"title": "Level", "description": "louder"}


def plan(**given: Any) -> dict[str, Any]:
    whole = {"goal": "g", "requirements": [], "steps": [dict(STEP)], **given}
    return complete_plan(whole, Order("20300101_000000_abcd1234", "in.wav"))


def test_a_plan_gets_its_result_and_what_is_always_required():
    found = plan(format="flac")
    assert found["problem"] == ""
    assert found["steps"][-1]["output"] == "in_abcd1234_final.flac"
    assert any("silent == false" in line for line in found["criteria"])


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"steps": []}, "no steps"),
        ({"steps": [STEP] * 101}, "at most 100"),
        ({"format": "exe"}, "not a format"),
        ({"requirements": [{"text": "x", "metric": "warmth", "value": 1}]}, "no metric `warmth`"),
        (
            {"requirements": [{"metric": "channels", "value": 1, "subject": "step_7"}]},
            "not a step of the plan",
        ),
    ],
)
def test_what_is_wrong_with_a_plan_is_said(given, says):
    assert says in plan(**given)["problem"]


def test_a_result_that_is_named_has_the_format_that_is_asked_for():
    whole = {"goal": "g", "requirements": [], "steps": [dict(STEP)], "format": "flac"}
    assert "is none" in complete_plan(whole, Order("a_b", "in.wav", "out.wav"))["problem"]
    assert complete_plan(whole, Order("a_b", "in.wav", "out.flac"))["problem"] == ""
    assert (
        complete_plan({**whole, "format": "aiff"}, Order("a_b", "in.wav", "o.aif"))["problem"] == ""
    )
