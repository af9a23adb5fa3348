"""Sound, requests and disks that are not as hoped: clear words, whole documents, resumed runs."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sounds


def run(flowc: Any, audio: str, request: str, *more: str) -> Any:
    return flowc("run", "edit", "-i", f"audio={audio}", "-i", f"request={request}", *more)


@pytest.mark.parametrize(
    ("audio", "request_text", "says"),
    [
        ("none.wav", "mono", "`none.wav` does not exist"),
        ("text.wav", "mono", "`text.wav` cannot be read as sound"),
        ("zero.wav", "mono", "`zero.wav` holds no samples"),
        ("nan.wav", "mono", "1 of its samples are no finite numbers"),
        ("in.wav", " ", "The request is empty"),
    ],
)
def test_what_cannot_be_edited_ends_before_anything_is_written(flowc, audio, request_text, says):
    folder = flowc.folder
    (folder / "text.wav").write_text("no sound")
    bad = sounds.tone(0.5)
    bad[7, 0] = np.nan
    sounds.write(folder / "nan.wav", bad)
    sounds.write(folder / "zero.wav", sounds.silence(0))
    sounds.write(folder / "in.wav", sounds.tone(0.5))
    done = run(flowc, audio, request_text)
    assert done.returncode == 1
    assert says in done.stderr
    assert "Traceback" not in done.stderr
    assert not [*folder.glob("workflow_*")]


def test_a_request_that_the_rules_do_not_know_stands_in_a_document_that_failed(flowc):
    sounds.write(flowc.folder / "in.wav", sounds.tone(0.5))
    done = run(flowc, "in.wav", "mono, bitte leiser")
    assert done.returncode == 1
    assert "they do not know `bitte`, `leiser`" in done.stdout
    (document,) = flowc.folder.glob("workflow_*.md")
    assert "**Overall Status:** FAILURE" in document.read_text(encoding="utf-8")
    assert sorted(path.suffix for path in flowc.folder.iterdir() if path.is_file()) == [
        ".md",
        ".wav",
    ]


@pytest.mark.parametrize(("rate", "channels"), [(8_000, 1), (48_000, 6), (192_000, 2)])
def test_other_rates_and_channels_are_kept(flowc, rate, channels):
    mono = sounds.speech_like(1.5, rate)[:, :1]
    sounds.write(flowc.folder / "in.wav", np.repeat(mono, channels, axis=1), rate)
    done = run(flowc, "in.wav", "normalise to -20 LUFS, export flac", "--json")
    told = json.loads(done.stdout)
    assert told["status"] == "success", done.stderr
    final = flowc("audio", "measure", "--json", told["variables"]["final"])
    found = json.loads(final.stdout)
    assert (found["sample_rate_hz"], found["channels"]) == (rate, channels)
    assert found["integrated_lufs"] == pytest.approx(-20, abs=0.5)


def test_a_disk_that_is_full_stops_the_run_which_goes_on_when_there_is_room(flowc, tmp_path):
    folder: Path = flowc.folder
    mount = ["mount", "-t", "tmpfs", "-o", "size=3600k", "tmpfs", str(folder)]
    if subprocess.run(mount, capture_output=True).returncode != 0:
        pytest.skip("this machine lets nobody mount a small disk")
    try:
        assert flowc("audio", "synth", "speech", "-o", "in.wav", "--seconds", "5").returncode == 0
        store = f"sqlite:///{tmp_path}/runs.db"
        request = "trim silence, high-pass at 80 Hz, compress 3:1, normalise to -16 LUFS"
        done = run(flowc, "in.wav", request, "--store", store, "--run-id", "full")
        assert done.returncode == 1
        assert "no space left on device" in done.stderr
        (document,) = folder.glob("workflow_*.md")
        assert flowc("check", document.name).returncode == 0
        assert document.read_text(encoding="utf-8").count("**Status:** DONE") == 2
        grow = ["mount", "-o", "remount,size=20m", str(folder)]
        subprocess.run(grow, check=True, capture_output=True)
        assert flowc("resume", "full", "--store", store).returncode == 0
        text = document.read_text(encoding="utf-8")
        assert text.count("**Status:** DONE") == 4
        assert text.count("Executing step_1...") == 1
    finally:
        subprocess.run(["umount", str(folder)], check=False, capture_output=True)
