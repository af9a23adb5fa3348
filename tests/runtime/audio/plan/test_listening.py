"""An edit measures of the sound as it came what its planner is told, and no more."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from sounds import speech_like, write


def test_the_sound_as_it_came_is_measured_without_a_spectrum(tmp_path: Path):
    write(tmp_path / "a.wav", speech_like(1, 8000), 8000, "PCM_16")
    asked = ["-i", "audio=a.wav", "-i", "request=let me listen"]
    done = subprocess.run(
        [sys.executable, "-m", "flowc", "run", "edit", *asked, "--json"],
        cwd=tmp_path, capture_output=True, text=True, check=False,
    )  # fmt: skip
    before = json.loads(done.stdout)["variables"]["before"]
    assert {"integrated_lufs", "true_peak_dbtp", "leading_silence_s", "not_finite"} <= before.keys()
    assert "energy_below" not in before
