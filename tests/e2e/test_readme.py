"""The table of the README: every workflow that ships is in it, and its command runs offline."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "workflows/examples"
ROW = re.compile(r"^\| \[([\w-]+)\]\(([^)]+)\) \|.*\| `flowc ([^`]+)` \|$", re.MULTILINE)
ROWS = ROW.findall((ROOT / "README.md").read_text(encoding="utf-8"))


def test_every_shipped_workflow_has_a_row():
    shipped = {
        file.name.removesuffix(".answers.yaml") for file in EXAMPLES.glob("*/*.answers.yaml")
    }
    shipped |= {file.stem for file in EXAMPLES.glob("plan/*.md")}
    assert {name for name, _, _ in ROWS} == shipped
    assert all((ROOT / path).is_file() for _, path, _ in ROWS)


@pytest.mark.parametrize("command", [command for _, _, command in ROWS], ids=lambda c: c.split()[1])
def test_the_command_of_a_row_runs_offline(command, tmp_path):
    environment = {**os.environ, "PYTHONPATH": str(ROOT / ".types"), "NO_COLOR": "1"}
    verb, *words = shlex.split(command)
    if verb == "run":
        words += ["--store", f"sqlite:///{tmp_path}/runs.db"]
    done = subprocess.run(
        [sys.executable, "-m", "flowc", verb, *words],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip(), "a workflow has a result"
