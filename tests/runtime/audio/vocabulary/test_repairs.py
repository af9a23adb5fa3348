"""What is said when a plan did not come out and the offline rules know no other."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from flowc.runtime.audio.vocabulary.repairs import another_plan
from flowc.runtime.errors import Failure
from sounds import speech_like, write

PROBLEMS = {
    "no step of the plan makes a sound. add one that changes the sound": "no step of the plan",
    "2 requirements passed, 1 failed.\npassed · a: x == 1 · measured 1\n"
    "failed · b: y <= 2 · measured 3": "failed · b: y <= 2 · measured 3; the",
    "0 requirements passed, 0 failed. Not done: step_1 (`a.wav` is silent).\n"
    "failed · b: y <= 2": "step_1 (`a.wav` is silent); the",
}


@pytest.mark.parametrize("problem", PROBLEMS)
def test_the_first_problem_is_said_with_what_can_be_done(problem):
    with pytest.raises(Failure) as raised:
        another_plan({"steps": []}, problem, 1, {})
    assert raised.value.message.startswith(PROBLEMS[problem])
    assert "--model provider:name" in raised.value.message
    assert raised.value.kind == "refused"


def test_a_person_reads_the_first_problem_and_not_that_there_is_no_other_plan(tmp_path: Path):
    write(tmp_path / "a.wav", speech_like(1, 8000), 8000, "PCM_16")
    asked = ["-i", "audio=a.wav", "-i", "request=let me listen"]
    done = subprocess.run(
        [sys.executable, "-m", "flowc", "run", "edit", *asked, "--json"],
        cwd=tmp_path, capture_output=True, text=True, check=False,
    )  # fmt: skip
    report = json.loads(done.stdout)["result"]
    assert "no step of the plan makes a sound" in report
