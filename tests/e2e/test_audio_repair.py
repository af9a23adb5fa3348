"""What failed goes back to the planner: a plan is repaired, or refused with the reason."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
import sounds


@pytest.fixture
def run(flowc: Any) -> Any:
    def call(request: str, *more: str) -> dict[str, Any]:
        given = ("-i", "audio=in.wav", "-i", f"request={request}")
        done = flowc("run", "edit", *given, "--json", *more)
        assert done.stdout, done.stderr
        told: dict[str, Any] = json.loads(done.stdout)
        return told

    return call


def peaky() -> Any:
    """Raw speech: here and there a syllable stands 20 dB above the rest."""
    frames = sounds.speech_like(6) * 0.25
    time = np.arange(len(frames)) / 44_100
    loud = 1 + 14 * np.exp(-0.5 * ((time % 1.3 - 0.6) / 0.02) ** 2)
    return (frames * loud[:, None]).astype(np.float32)


def document(flowc: Any) -> str:
    (path,) = flowc.folder.glob("workflow_*.md")
    text: str = path.read_text(encoding="utf-8")
    return text


def test_raw_speech_is_compressed_before_its_loudness_is_set(flowc, run):
    sounds.write(flowc.folder / "in.wav", peaky(), 44_100)
    told = run("normalise to -16 LUFS")
    text = document(flowc)
    assert told["status"] == "success", text
    assert "LUFS is the loudest that can be reached" in text
    assert "(plan 2)" in text
    assert "COMPRESS(" in text
    checks = told["variables"]["checks"]
    loud = [c for c in checks if c["subject"] == "result" and c["metric"] == "integrated_lufs"]
    assert loud[0]["measured"] == pytest.approx(-16, abs=0.5)


def test_without_rounds_a_failure_is_the_end(flowc, run):
    sounds.write(flowc.folder / "in.wav", peaky(), 44_100)
    told = run("normalise to -16 LUFS", "-i", "rounds=0")
    assert told["variables"]["status"] == "FAILURE"
    assert "is the loudest that can be reached" in told["variables"]["report"]


def test_what_the_rules_cannot_mend_fails_with_its_reason_and_no_second_plan(flowc, run):
    sounds.write(flowc.folder / "in.wav", sounds.tone(3, dbfs=-1), 48_000)
    told = run("louder by 3 dB")
    assert told["variables"]["status"] == "FAILURE"
    assert "No peak is above full scale" in told["variables"]["report"]
    assert "(plan 2)" not in document(flowc)
