"""The table of the README: every workflow that ships is in it, and its command runs offline."""

from __future__ import annotations

import json
import math
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from forks import as_text, flowc_in

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "workflows/examples"
ROW = re.compile(r"^\| \[([\w-]+)\]\(([^)]+)\) \|.*\| `flowc ([^`]+)` \|$", re.MULTILINE)
README = (ROOT / "README.md").read_text(encoding="utf-8")
ROWS = ROW.findall(README)
FIRST = re.search(r"```sh\nmake setup && (.*?)\n```", README, re.S)


@pytest.mark.parametrize("kind", ["speech", "music"])
def test_the_first_command_makes_sound_that_measures_as_it_says(kind, tmp_path):
    assert FIRST is not None
    command = FIRST[1].replace("\\\n", " ").replace("synth speech", f"synth {kind}")
    command = command.replace(".venv/bin/flowc", f"{sys.executable} -m flowc")
    environment = {**os.environ, "PYTHONPATH": str(ROOT / ".types"), "NO_COLOR": "1"}
    done = subprocess.run(
        ["bash", "-ec", command],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    (result,) = tmp_path.glob("in_*_final.flac")
    before, after = (_measured(path) for path in (tmp_path / "in.wav", result))
    assert after["integrated_lufs"] == pytest.approx(-16.0, abs=0.5)
    assert after["true_peak_dbtp"] <= -1.0
    assert (after["format"], after["sample_rate_hz"], after["channels"]) == ("FLAC", 44_100, 2)
    low = [next(b["share"] for b in m["energy_below"] if b["hz"] == 40) for m in (before, after)]
    assert 10 * math.log10(low[1] / low[0]) <= -12.0
    assert (before["leading_silence_s"], before["trailing_silence_s"]) > (0.9, 1.9)
    assert max(after["leading_silence_s"], after["trailing_silence_s"]) < 0.1
    (document,) = tmp_path.glob("workflow_*.md")
    text = document.read_text(encoding="utf-8")
    assert "**Overall Status:** SUCCESS" in text
    criteria = text.partition("**Success Criteria:**")[2].partition("---")[0].count("*   `")
    passed, idle = (done.stdout.count(f"{word} ·") for word in ("passed", "proves nothing"))
    assert (criteria, passed) == (passed + idle, 8)
    assert done.stderr.splitlines()[1] == "offline rules v1: deterministic, not a language model"
    if kind == "speech":
        _is_as_shown(done)


def _is_as_shown(done: subprocess.CompletedProcess[str]) -> None:
    """The README's excerpt: its first line but for the run's name, and every requirement."""
    shown = README.partition("\n```\n\n```\n")[2].partition("\n```\n")[0].splitlines()
    assert done.stderr.splitlines()[0].rpartition("· run")[0] == shown[0].rpartition("· run")[0]
    passed = [line for line in shown if line.startswith("passed ·")]
    assert passed == [line for line in done.stdout.splitlines() if line.startswith("passed ·")]


def _measured(path: Path) -> dict[str, Any]:
    environment = {**os.environ, "PYTHONPATH": str(ROOT / ".types")}
    command = [sys.executable, "-m", "flowc", "audio", "measure", "--json", str(path)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def test_every_shipped_workflow_has_a_row():
    shipped = {
        file.name.removesuffix(".answers.yaml") for file in EXAMPLES.glob("*/*.answers.yaml")
    }
    shipped |= {file.stem for file in EXAMPLES.glob("plan/*.md")}
    shipped |= {file.stem for file in (ROOT / "workflows/audio").glob("*.yaml")}
    assert {name for name, _, _ in ROWS} == shipped
    assert all((ROOT / path).is_file() for _, path, _ in ROWS)


OFFLINE = [command for name, _, command in ROWS if name not in ("edit", "batch")]
"""The row of `edit` is the first command, which has a test of its own, as `batch` has."""


@pytest.mark.parametrize("command", OFFLINE, ids=lambda c: c.split()[1])
def test_the_command_of_a_row_runs_offline(command, tmp_path):
    environment = {**os.environ, "PYTHONPATH": str(ROOT / ".types"), "NO_COLOR": "1"}
    words = shlex.split(command)
    if words[0] == "run":
        words += ["--store", f"sqlite:///{tmp_path}/runs.db"]
    done = as_text(flowc_in(ROOT, tuple(words), environment, b"", 120))
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip(), "a workflow has a result"
