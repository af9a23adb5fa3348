"""The step workflows that ship with flowc: clean, and run offline with their scripted answers."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest
from flowc.compiler.driver import compile_file

ROOT = Path(__file__).parents[2]
SHIPPED = sorted((ROOT / "workflows/examples/steps").glob("*.md"))


@pytest.fixture
def checkout(flowc) -> Path:
    """What the workflows read of a checkout, with a history of its own."""
    folder = flowc.folder
    for name in ("pyproject.toml", "constraints.txt", "README.md"):
        shutil.copy(ROOT / name, folder / name)
    for name in ("grammar", "tests/corpus/steps/ok/sections"):
        shutil.copytree(ROOT / name, folder / name)
    who = ["-c", "user.name=Ada", "-c", "user.email=ada@localhost"]
    for command in (["init", "-q"], ["add", "-A"], [*who, "commit", "-qm", "Begin"]):
        subprocess.run(["git", *command], cwd=folder, check=True, timeout=150)
    return folder


def test_there_are_three() -> None:
    assert len(SHIPPED) >= 3


@pytest.mark.parametrize("file", SHIPPED, ids=lambda f: f.stem)
def test_it_is_clean_and_every_tool_is_built_in(file: Path) -> None:
    result = compile_file(str(file))
    assert result.diagnostics == ()
    assert {tool.source for tool in result.workflow.tools} == {"builtin"}


@pytest.mark.parametrize("file", SHIPPED, ids=lambda f: f.stem)
def test_it_runs_offline_and_what_it_claims_is_measured(file: Path, checkout: Path, flowc) -> None:
    answers = file.with_suffix(".answers.yaml")
    done = flowc("run", str(file), "--answers", str(answers), "--root", str(checkout), "--json")
    assert done.returncode == 0, done.stderr
    outcome = json.loads(done.stdout)
    assert outcome["status"] == "success"
    reports = outcome["outcomes"]
    assert len(reports) == len(file.read_text(encoding="utf-8").split("WORKFLOW STEP: ")) - 1
    for report in reports.values():
        assert report["status"] == "passed"
        assert report["warnings"] == []
        assert report["contradiction"] == ""
    assert any(a["measured"] is True for r in reports.values() for a in r["assertions"])
