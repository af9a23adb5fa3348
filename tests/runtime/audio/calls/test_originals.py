"""The sound that somebody brought is never written, whatever the path to it is called."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path
from typing import Any

import pytest
from flowc.runtime.audio.calls.subprocess_call import AudioWorkers
from flowc.runtime.errors import Failure
from flowc.runtime.files.roots import Roots
from flowc.runtime.tools.audio import AudioTools

NAMES = ("in.wav", "x/../in.wav", "./in.wav", "link.wav", "hard.wav", "x/link.wav")
DOCUMENT = """\
## 1. Request Summary

*   **Original Request:** louder
*   **Input Audio:** `in.wav`

## 3. Processing Plan & Status

### Step 1: Gain

*   **ID:** `step_1`
*   **Status:** {status}
*   **Input Audio:** `mid.wav`
*   **Output Audio:** `{output}`

## 5. Workflow Log
"""


async def _never(*args: Any, **given: Any) -> Any:
    pytest.fail("something was executed")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A sound by all its names."""
    sound = tmp_path / "in.wav"
    sound.write_text("sound")
    (tmp_path / "x").mkdir()
    (tmp_path / "link.wav").symlink_to("in.wav")
    (tmp_path / "x/link.wav").symlink_to("../link.wav")
    (tmp_path / "hard.wav").hardlink_to(sound)
    (tmp_path / "mid.wav").write_text("another")
    os.mkfifo(tmp_path / "pipe.wav")
    return tmp_path


def call(folder: Path, tool: str, **args: Any) -> Any:
    tools = AudioTools(Roots(folder), AudioWorkers(_never), _never)
    return asyncio.run(tools.call(tool, args))


@pytest.mark.parametrize("output", NAMES)
def test_a_result_that_is_the_sound_is_refused(folder, output):
    with pytest.raises(Failure) as caught:
        call(folder, "audio_places", input="in.wav", output=output)
    assert f"`{output}` cannot be the result: it is the sound" in caught.value.message
    assert "_edited.wav" in caught.value.help


@pytest.mark.parametrize(
    ("output", "says"),
    [
        ("none/out.wav", "the folder of `none/out.wav` does not exist"),
        ("out.xyz", "the ending of `out.xyz` says no format"),
        ("x", "the ending of `x` says no format"),
        ("pipe.wav", "`pipe.wav` is not a regular file"),
        ("../out.wav", "outside the folders of this run"),
    ],
)
def test_a_result_that_cannot_be_written_is_said_before_anything_is_done(folder, output, says):
    with pytest.raises(Failure, match=says):
        call(folder, "audio_places", input="in.wav", output=output)


def test_other_results_are_fine(folder):
    for output in ("", "out.wav", "x/out.FLAC", "mid.wav", "out.aif"):
        assert call(folder, "audio_places", input="in.wav", output=output)


@pytest.mark.parametrize("output", NAMES)
def test_a_document_with_a_step_that_writes_the_sound_is_refused_with_the_line(folder, output):
    (folder / "plan.md").write_text(DOCUMENT.format(status="PENDING", output=output))
    with pytest.raises(Failure, match=r"`plan\.md`, line 13: the step would write"):
        call(folder, "audio_places", input="in.wav", document="plan.md")
    # What somebody has done to it already is no reason to keep the other steps from being done.
    (folder / "plan.md").write_text(DOCUMENT.format(status="DONE", output=output))
    assert call(folder, "audio_places", input="in.wav", document="plan.md")


@pytest.mark.parametrize("output", NAMES)
@pytest.mark.parametrize("code", ["call", "OUTPUT = INPUT"])
def test_a_step_that_would_write_the_sound_is_not_executed(folder, output, code):
    """A name may lead to the sound only since the run has begun."""
    if code == "call":
        code = f'GAIN(input="mid.wav", output="{output}", gain_db=1)'
    given = {"code": code, "input": "mid.wav", "output": output, "also": ["in.wav"], "free": True}
    with pytest.raises(Failure, match=f"would write `{output}`, which is a sound"):
        call(folder, "audio_execute", **given)
