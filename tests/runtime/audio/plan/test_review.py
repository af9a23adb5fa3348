"""What a step is judged by beside the criteria of its plan."""

from __future__ import annotations

import asyncio

import numpy as np
import pytest
import sounds
from flowc.compiler.plan import read_plan
from flowc.runtime.audio.calls.call import parse_call
from flowc.runtime.audio.calls.execute import check_paths
from flowc.runtime.audio.plan.check import SubjectFiles, findings_of
from flowc.runtime.audio.plan.review import step_requires
from flowc.runtime.errors import Failure

PLAN = """# Jingle

## Processing Plan & Status

### Step 1: Export

* **ID:** `step_1`
* **Status:** PENDING
* **Input Audio:** `a.wav`
* **Output Audio:** `{write}`
"""


def verdicts(folder, apply, write, wrote, code='CONVERT(input="a.wav", output="{}")', swap=None):
    """What a step that writes `write` by `code` comes to where the file is `wrote`, or where the
    call of `swap` was done in place of it."""
    frames = np.stack((sounds.noise(1, 0.1)[:, 0], sounds.tone(1, 300, -20)[:, 0]), axis=1)
    sounds.write(folder / "a.wav", frames, 48_000, "FLOAT")
    said = parse_call(code.format(wrote))
    tool, arguments = swap or (said.tool.name, said.arguments)
    apply(tool, **{**arguments, "input": "a.wav", "output": wrote})
    (folder / wrote).rename(folder / write)
    document = read_plan(PLAN.format(write=write))
    wanted = step_requires(document, "step_1", code.format(write))
    files = {"step_1": SubjectFiles("a.wav", write)}

    async def do(call):
        return await asyncio.to_thread(apply, call.tool.name, **call.arguments)

    return {one.verdict for one in asyncio.run(findings_of(wanted, files, do))}


@pytest.mark.parametrize("name", ["b.mp3", "b.ogg", "b.opus", "b.flac"])
def test_an_export_is_told_by_the_format_that_it_wrote(tmp_path, apply, name):
    found = verdicts(tmp_path, apply, name, name)
    assert "passed" in found
    assert found <= {"passed", "proves nothing"}


@pytest.mark.parametrize(("name", "wrote"), [("b.opus", "b.ogg"), ("b.mp3", "b.wav")])
def test_an_export_that_wrote_another_format_fails(tmp_path, apply, name, wrote):
    assert "failed" in verdicts(tmp_path, apply, name, wrote)


def test_an_export_of_the_sound_as_it_came_in_place_of_what_was_made_of_it_is_refused():
    export = parse_call('CONVERT(input="in.mp3", output="out.mp3")')
    with pytest.raises(Failure, match=r"reads `in\.mp3`, but the step has to read `a\.wav`"):
        check_paths(export, "a.wav", "out.mp3", ["in.mp3"])
    joined = parse_call('CONCAT(inputs=["in.mp3", "a.wav"], output="out.mp3")')
    check_paths(joined, "a.wav", "out.mp3", ["in.mp3"])


MONO = 'CONVERT(input="a.wav", output="{}", channels=1)'


def test_mono_is_the_mean_of_both_channels_and_not_one_of_them(tmp_path, apply):
    assert verdicts(tmp_path, apply, "b.wav", "b.wav", MONO) <= {"passed", "proves nothing"}
    left = ("channels", {"order": [1]})
    assert "failed" in verdicts(tmp_path, apply, "b.flac", "b.flac", MONO, left)
