"""`flowc audio`: numbers for people and programs, the tools, one call."""

from __future__ import annotations

import json

import numpy as np
import pytest
from sounds import tone, write


@pytest.fixture
def speech(tmp_path):
    write(tmp_path / "a.wav", tone(3))


def test_measuring_prints_a_table(flowc, speech):
    done = flowc("audio", "measure", "a.wav")
    assert done.returncode == 0
    lines = done.stdout.splitlines()
    assert lines[0] == "a.wav · 3.00 s · 48000 Hz · 2 channels · WAV FLOAT"
    assert "  integrated loudness      -22.99 LUFS" in lines
    assert "  true peak                -23.00 dBTP" in lines


def test_measuring_as_json_gives_every_number_and_no_nan(flowc, speech, tmp_path):
    done = flowc("audio", "measure", "a.wav", "--json")
    found = json.loads(done.stdout)
    assert found["schema_version"] == 1
    assert found["integrated_lufs"] == pytest.approx(-23, abs=0.1)
    write(tmp_path / "b.wav", np.zeros((100, 1), np.float32))
    both = flowc("audio", "measure", "a.wav", "b.wav", "--json")
    files = json.loads(both.stdout, parse_constant=pytest.fail)["files"]
    assert [row["file"] for row in files] == ["a.wav", "b.wav"]


def test_a_file_that_cannot_be_measured_is_an_error_and_the_others_are_shown(flowc, speech):
    done = flowc("audio", "measure", "nowhere.wav", "a.wav")
    assert done.returncode == 1
    assert done.stderr == "error: `nowhere.wav` does not exist\n"
    assert done.stdout.startswith("a.wav · 3.00 s")


@pytest.mark.parametrize("name", ["/dev/zero", "link.wav"])
def test_a_device_is_no_sound(name, flowc, tmp_path):
    (tmp_path / "link.wav").symlink_to("/dev/zero")
    for words in (("measure", name), ("apply", f"GAIN(input='{name}', output='b.wav', gain_db=1)")):
        done = flowc("audio", *words)
        assert (done.returncode, done.stderr) == (1, f"error: `{name}` is not a regular file\n")


def test_a_link_that_leads_round_in_a_circle_is_told(flowc, tmp_path):
    (tmp_path / "loop.wav").symlink_to("loop.wav")
    for words in (("measure", "loop.wav"), ("apply", "INVERT(input='loop.wav', output='b.wav')")):
        done = flowc("audio", *words)
        assert done.returncode == 1
        assert done.stderr.startswith("error: `loop.wav` leads round in a circle of links\n")


def test_the_tools_and_one_of_them(flowc):
    done = flowc("audio", "tools")
    assert "HIGHPASS        Weaken what lies below a frequency.\n" in done.stdout
    done = flowc("audio", "tools", "gain")
    assert done.stdout.startswith(
        "GAIN(input=…, output=…, subtype=None, gain_db=…, start_s=0, end_s=None, soften_ms=10)\n"
    )
    assert "gain_db    a number from -100 to 60 dB; required: positive is louder" in done.stdout
    rows = json.loads(flowc("audio", "tools", "--json").stdout)["tools"]
    assert len(rows) == 39
    assert "did you mean `GAIN`" in flowc("audio", "tools", "gian").stderr


def test_one_call_writes_one_file(flowc, speech, tmp_path):
    call = 'GAIN(input="a.wav", output="b.flac", gain_db=-3)'
    done = flowc("audio", "apply", call)
    assert done.returncode == 0, done.stderr
    assert done.stdout == (
        "b.flac · 3.00 s · 48000 Hz · 2 channels · FLAC PCM_24 · peak -26.00 dBFS\n"
        "  gain_db                  -3.00\n"
    ) or done.stdout.startswith("b.flac · 3.00 s")
    found = json.loads(flowc("audio", "apply", call, "--json").stdout)
    assert found["output"] == "b.flac"
    done = flowc("audio", "apply", 'COMPARE(a="a.wav", b="b.flac")')
    assert "integrated_lufs" in done.stdout


@pytest.mark.parametrize(
    ("call", "code", "says"),
    [
        ("GAIN(input='a.wav', output='b.wav', gain=3)", 2, "no parameter `gain`"),
        ("GAIN(input='a.wav', output='b.wav', gain_db=300)", 2, "from -100 to 60 dB"),
        ("import os", 2, "not one call"),
        ("GAIN(input='c.wav', output='b.wav', gain_db=3)", 1, "`c.wav` does not exist"),
        ("GAIN(input='a.wav', output='a.wav', gain_db=3)", 1, "is the file that is read"),
    ],
)
def test_a_call_that_does_not_fit_ends_with_2_and_one_that_fails_with_1(
    call, code, says, flowc, speech, tmp_path
):
    done = flowc("audio", "apply", call)
    assert done.returncode == code
    assert says in done.stderr
    assert done.stdout == ""
    assert [path.name for path in tmp_path.iterdir()] == ["a.wav"]
