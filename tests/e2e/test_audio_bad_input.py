"""Sound, requests and disks that are not as hoped: clear words, whole documents, resumed runs."""

from __future__ import annotations

import json
import os
import resource
import signal
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soundfile
import sounds
from damaged_sounds import damaged
from disks import small_disk
from openai_server import Hang


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


def test_a_result_that_is_the_sound_by_another_name_ends_before_anything_is_written(flowc):
    before = sounds.write(flowc.folder / "in.wav", sounds.tone(0.5)).read_bytes()
    (flowc.folder / "link.wav").symlink_to("in.wav")
    done = run(flowc, "in.wav", "mono, louder by 3 dB", "-i", "output=link.wav")
    assert done.returncode == 1
    assert "`link.wav` cannot be the result: it is the sound that is edited" in done.stderr
    assert "workflows/audio/edit.yaml:" in done.stderr
    assert "help: name another file, such as `link_edited.wav`" in done.stderr
    assert (flowc.folder / "in.wav").read_bytes() == before
    left = sorted(path.name for path in flowc.folder.iterdir() if path.name != ".flowc")
    assert left == ["in.wav", "link.wav"]


def test_what_the_format_cannot_hold_ends_before_anything_is_done(flowc):
    sounds.write(flowc.folder / "in.wav", sounds.tone(0.5, rate=44_100), 44_100)
    done = run(flowc, "in.wav", "louder by 3 dB, export opus")
    assert done.returncode == 1
    assert "`export opus` cannot be: an opus file cannot hold 44100 samples" in done.stdout
    assert "add `resample to 48000 Hz`" in done.stdout
    assert not [*flowc.folder.glob("*step*")]
    done = run(flowc, "in.wav", "louder by 3 dB, resample to 48 kHz, export opus")
    assert done.returncode == 0, done.stdout + done.stderr


def test_two_runs_at_once_do_not_write_one_file(flowc, openai_server):
    """The second is refused before anything is done, and goes on when the first was killed."""
    folder: Path = flowc.folder
    sounds.write(folder / "in.wav", sounds.tone(0.5))
    request = ("-i", "audio=in.wav", "-i", "request=louder by 3 dB", "-i", "output=out.wav")
    openai_server.answer = lambda _: Hang()  # the first waits for its plan
    model = ("--model", "openai:demo", "--base-url", openai_server.url)
    first = flowc.begin("run", "edit", *request, "--run-id", "first", *model)
    flowc.until(lambda: openai_server.requests, "the first run asks for a plan")
    done = flowc("run", "edit", *request, "--run-id", "second")
    assert done.returncode == 1
    assert "`out.wav` is being written by another run" in done.stderr
    assert "workflows/audio/edit.yaml:" in done.stderr
    assert len([*folder.glob("workflow_*.md")]) == 1
    os.killpg(first.pid, signal.SIGKILL)
    first.wait()
    assert flowc("resume", "second").returncode == 0
    assert flowc("resume", "first", "--model", "offline").returncode == 0
    assert [path.name for path in folder.glob(".*")] == [".flowc"]


def test_a_request_that_the_rules_do_not_know_leaves_no_document(flowc):
    sounds.write(flowc.folder / "in.wav", sounds.tone(0.5))
    done = run(flowc, "in.wav", "mono, bitte hübscher")
    assert done.returncode == 1
    assert "they do not know `hübscher`" in done.stdout
    assert [path.name for path in flowc.folder.iterdir() if path.is_file()] == ["in.wav"]


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


def test_an_output_that_cannot_be_written_stops_the_run_which_goes_on_later(flowc):
    folder: Path = flowc.folder
    (folder / "kept").mkdir()
    sounds.write(folder / "in.wav", sounds.tone(1))
    with small_disk(folder / "kept", "size=2m,ro") as mount:
        where = ("-i", "output=kept/out.flac", "--run-id", "kept")
        done = run(flowc, "in.wav", "mono, normalise to -20 LUFS", *where)
        assert done.returncode == 1
        assert "`kept/out.flac` cannot be written: read-only file system" in done.stderr
        assert "Traceback" not in done.stderr
        (document,) = folder.glob("workflow_*.md")
        assert flowc("check", document.name).returncode == 0
        assert document.read_text(encoding="utf-8").count("**Status:** DONE") == 1
        mount("rw")
        assert flowc("resume", "kept").returncode == 0
        assert document.read_text(encoding="utf-8").count("Executing step_1...") == 1
        # The ending of the file that was asked for says the format, as the request does not.
        found = json.loads(flowc("audio", "measure", "--json", "kept/out.flac").stdout)
        assert (found["format"], found["channels"]) == ("FLAC", 1)


def test_a_folder_that_takes_no_document_is_said(flowc, tmp_path):
    folder: Path = flowc.folder
    with small_disk(folder, "size=2m") as mount:
        sounds.write(folder / "in.wav", sounds.tone(0.5))
        mount("ro")
        done = run(flowc, "in.wav", "mono", "--store", f"sqlite:///{tmp_path}/runs.db")
        assert done.returncode == 1
        assert "read-only file system" in done.stderr
        assert "Traceback" not in done.stderr


def test_a_disk_that_is_full_stops_the_run_which_goes_on_when_there_is_room(flowc, tmp_path):
    folder: Path = flowc.folder
    with small_disk(folder, "size=3000k") as mount:
        assert flowc("audio", "synth", "speech", "-o", "in.wav", "--seconds", "5").returncode == 0
        store = f"sqlite:///{tmp_path}/runs.db"
        request = "trim silence, high-pass at 80 Hz, compress 3:1, normalise to -16 LUFS"
        done = run(flowc, "in.wav", request, "--store", store, "--run-id", "full")
        assert done.returncode == 1
        assert "no space left on device" in done.stderr
        (document,) = folder.glob("workflow_*.md")
        assert flowc("check", document.name).returncode == 0
        # No room for the original, the result of one step, and that of the last one.
        assert document.read_text(encoding="utf-8").count("**Status:** DONE") == 3
        mount("size=20m")
        assert flowc("resume", "full", "--store", store).returncode == 0
        text = document.read_text(encoding="utf-8")
        assert text.count("**Status:** DONE") == 4
        assert text.count("Executing step_1...") == 1


HOURS, RATE = 2, 16_000
MOST_MB = 400


@pytest.mark.soak
@pytest.mark.timeout(1800)
def test_two_hours_of_sound_are_edited_within_bounded_memory(flowc):
    minute = sounds.speech_like(60, RATE)[: 60 * RATE, :1]
    with soundfile.SoundFile(str(flowc.folder / "in.wav"), "w", RATE, 1, "PCM_16") as file:
        for _ in range(60 * HOURS):
            file.write(minute)
    request = "high-pass at 80 Hz, compress 3:1, normalise to -20 LUFS, export flac"
    given = ("-i", "audio=in.wav", "-i", f"request={request}", "--json")
    out, complaint = flowc.begin("run", "edit", *given).communicate(timeout=1500)
    told = json.loads(out)
    assert told["status"] == "success", complaint
    measure = flowc.begin("audio", "measure", "--json", told["variables"]["final"])
    found = json.loads(measure.communicate(timeout=600)[0])
    assert found["duration_s"] == pytest.approx(HOURS * 3600, abs=0.1)
    assert found["integrated_lufs"] == pytest.approx(-20, abs=0.5)
    # Of all processes that were started, and what they started, the largest.
    assert resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024 < MOST_MB


HOSTILE = """\
flow: 1
params:
  FILE: {required: true}
nodes:
  - {name: listen, tool: audio_measure, args: {input: FILE}, into: heard, on_error: refuse}
  - name: told
    assign: {result: {text: "{{ heard.duration_s }} s"}}
  - {name: done, end: success}
  - name: refuse
    assign: {result: '"another sound, please"'}
outputs: [result]
"""


def test_a_hostile_sound_is_a_failure_of_its_node(flowc):
    """With `on_error` the run goes on; without it ends with the place, as JSON where that is
    asked for."""
    flowc.write("a.flow.yaml", HOSTILE)
    flowc.write("b.flow.yaml", HOSTILE.replace(", on_error: refuse", ""))
    file = damaged(10)
    (flowc.folder / file.name).write_bytes(file.data)
    given = ("-i", f"FILE={file.name}", "--json")
    done = flowc("run", "a.flow.yaml", *given)
    told = json.loads(done.stdout)
    assert (done.returncode, told["status"]) == (0, "success"), done.stderr
    assert told["result"] == "another sound, please"
    done = flowc("run", "b.flow.yaml", *given)
    error = json.loads(done.stdout)["error"]
    assert done.returncode == 1
    assert (error["node"], error["kind"]) == ("listen", "failure")
    assert error["message"].startswith(f"`{file.name}` cannot be read as sound: ")
    assert "Traceback" not in done.stdout + done.stderr
