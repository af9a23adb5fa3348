"""Every example that ships is recorded and replayed: the same events and the same end each time."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest
from tapes import Taped

EXAMPLES = Path(__file__).parents[2] / "workflows/examples"
ROOT = Path(__file__).parents[2]
TIMES = 20 if os.environ.get("FLOWC_FUZZ") == "soak" else 2
pytestmark = pytest.mark.fuzz
SCRIPTED = sorted(EXAMPLES.rglob("*.answers.yaml"))


def workflow_of(answers: Path) -> Path:
    """The workflow that a file of answers is for."""
    name = answers.name.removesuffix(".answers.yaml")
    named = (answers.with_name(f"{name}{e}") for e in (".wf.md", ".flow.yaml", ".json", ".md"))
    return next(file for file in named if file.is_file())


def inputs_of(file: Path) -> dict:
    given = file.with_suffix("") / "inputs.json"
    return json.loads(given.read_text()) if given.is_file() else {}


@pytest.mark.parametrize("answers", SCRIPTED, ids=lambda file: f"{file.parent.name}-{file.stem}")
def test_it_is_replayed_the_same(answers: Path, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.chdir(ROOT)
    who = ["-c", "user.name=Ada", "-c", "user.email=ada@localhost"]
    for command in (["init", "-q"], [*who, "commit", "-q", "--allow-empty", "-m", "Begin"]):
        subprocess.run(["git", *command], cwd=tmp_path, check=True, timeout=150)
    file, tape = workflow_of(answers), str(tmp_path / "run.cassette.yaml")
    team = file.with_suffix(".team.json")
    crew = str(team) if team.is_file() else None
    folder = str(ROOT if file.parent.name == "steps" else tmp_path)
    live = Taped(
        file,
        {
            "answers": str(answers),
            "allow_exec": True,
            "record": tape,
            "roots": (folder,),
            "workspace": str(tmp_path),
        },
        inputs_of(file),
        crew,
    )
    assert live.start().status == "success"
    digests = set()
    for _ in range(TIMES):
        again = Taped(file, {"replay": tape}, live.inputs, crew)
        again.start()
        digests.add(again.digest)
    assert digests == {live.digest}
