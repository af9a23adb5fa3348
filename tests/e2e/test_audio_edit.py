"""The audio system from end to end: a request becomes sound that measures as asked, by rules."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import sounds

ROOT = Path(__file__).resolve().parents[2]
EDIT = str(ROOT / "workflows/audio/edit.yaml")
REQUEST = "trim silence, high-pass at 80 Hz, compress 3:1, normalise to -16 LUFS, export flac"


def edit(flowc: Any, request: str, *more: str, audio: str = "in.wav") -> dict[str, Any]:
    """One run; what `--json` prints of it."""
    done = flowc("run", EDIT, "-i", f"audio={audio}", "-i", f"request={request}", "--json", *more)
    assert done.stdout, done.stderr
    told: dict[str, Any] = json.loads(done.stdout)
    return told


def measured(flowc: Any, path: str) -> dict[str, Any]:
    done = flowc("audio", "measure", path, "--json")
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def document_of(flowc: Any) -> str:
    (path,) = flowc.folder.glob("workflow_*.md")
    return path.read_text(encoding="utf-8")


@pytest.fixture
def speech(flowc: Any) -> Path:
    return sounds.write(flowc.folder / "in.wav", sounds.speech_like(4), 44_100)


def test_a_request_becomes_sound_that_measures_as_asked(flowc, speech):
    told = edit(flowc, REQUEST)
    assert told["status"] == "success"
    assert told["answered_by"]["label"].endswith("not a language model")
    result = told["variables"]
    before, after = measured(flowc, "in.wav"), measured(flowc, result["final"])
    assert after["integrated_lufs"] == pytest.approx(-16, abs=0.5)
    assert after["true_peak_dbtp"] <= -1
    assert after["format"] == "FLAC"
    shares = [next(b["share"] for b in m["energy_below"] if b["hz"] == 40) for m in (before, after)]
    assert shares[1] < shares[0] / 10**1.2
    assert after["leading_silence_s"] < 0.1 < before["leading_silence_s"]
    verdicts = {check["verdict"] for check in result["checks"]}
    assert verdicts == {"passed", "proves nothing"}
    proved = {check["subject"] for check in result["checks"] if check["verdict"] == "passed"}
    assert {"step_1", "step_2", "step_3", "step_4", "result"} <= proved
    document = document_of(flowc)
    for check in result["checks"]:
        assert check["shown"] in document
    assert "Overall Status:** SUCCESS" in document


def test_why_a_fade_was_not_measured_is_told_when_its_files_are_gone(flowc, speech):
    told = edit(flowc, "low-pass at 4 kHz, fade out over 0.2 s, high-pass at 80 Hz")
    assert told["variables"]["status"] == "REQUIRES_REVIEW"
    assert "where the fade is asked for there is silence" in told["variables"]["report"]
    assert "does not exist" not in told["variables"]["report"]


def test_a_step_is_judged_before_a_coder_adds_its_noise(flowc, speech):
    told = edit(flowc, "trim silence, low-pass at 4 kHz, export mp3")
    assert told["status"] == "success", told["variables"]["report"]
    assert measured(flowc, told["variables"]["final"])["format"] == "MP3"


@pytest.mark.parametrize("request_", ["append in.wav", "put in.wav under the voice 15 dB lower"])
def test_files_of_floats_are_joined_and_mixed(flowc, speech, request_):
    """What joins files has several inputs, and what it writes is heard by none of them."""
    float_call = 'CONVERT(input="in.wav", output="float.wav", subtype="FLOAT")'
    assert flowc("audio", "apply", float_call).returncode == 0
    told = edit(flowc, request_, audio="float.wav")
    assert told["status"] == "success", told["variables"]["report"]
    assert measured(flowc, told["variables"]["final"])["subtype"] == "FLOAT"


@pytest.mark.soak
@sounds.needs_ffmpeg
def test_m4a_goes_in_and_comes_out(flowc, speech):
    done = flowc("audio", "apply", 'CONVERT(input="in.wav", output="in.m4a", bitrate_kbps=192)')
    assert done.returncode == 0, done.stderr
    asked = "normalise to -16 LUFS, make it an m4a at 128k"
    told = edit(flowc, asked, audio="in.m4a")
    assert told["status"] == "success", told
    after = measured(flowc, told["variables"]["final"])
    assert (after["format"], after["subtype"]) == ("M4A", "AAC")
    assert after["integrated_lufs"] == pytest.approx(-16, abs=0.5)
    assert after["bitrate_kbps"] == pytest.approx(128, abs=3)
    assert after["frames"] == measured(flowc, "in.wav")["frames"]


@pytest.mark.parametrize("request_", ["split at pauses of 1 s", "louder by 1 dB, split at 1 s"])
def test_a_part_is_not_written_over_a_file_that_nobody_named(flowc, speech, request_):
    for name in ("out.wav", "out-2.wav", "out-3.wav"):
        (flowc.folder / name).write_text("mine")
    told = flowc("run", EDIT, "-i", "audio=in.wav", "-i", f"request={request_}", "-i",
                 "output=out.wav")  # fmt: skip
    assert told.returncode == 1
    assert "`out-2.wav`" in told.stderr
    assert ("`out-3.wav`" in told.stderr) == ("pauses" in request_)
    assert {p.read_text() for p in flowc.folder.glob("out*")} == {"mine"}
    assert not list(flowc.folder.glob("workflow_*"))


def test_a_call_writes_no_part_over_a_file_that_nobody_named(flowc, speech):
    (flowc.folder / "out-2.wav").write_text("mine")
    done = flowc("audio", "apply", 'SPLIT(input="in.wav", output_pattern="out.wav", points_s=[1])')
    assert (done.returncode, "`out-2.wav` is there already" in done.stderr) == (1, True)
    named = 'SPLIT(input="in.wav", output_pattern="out-{n}.wav", points_s=[1])'
    assert flowc("audio", "apply", named).returncode == 0
