"""A workflow and its conversion are one: the same nodes are visited, and the result is the same.

Every shipped example that has scripted answers is written in every dialect that says all of it, and
both files are run with the same answers over the same files.
"""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from flowc.compiler.conversion import convert_file
from flowc.compiler.driver import compile_file
from flowc.compiler.emit.dialects import DIALECTS

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "workflows/examples"


def file_of(answers: Path) -> Path:
    stem = answers.name.removesuffix(".answers.yaml")
    (file,) = (
        f
        for f in answers.parent.glob(f"{stem}.*")
        if f.is_file() and f.suffix in (".md", ".json", ".yaml") and ".answers." not in f.name
    )
    return file


def pairs() -> list[Any]:
    """Every example with the dialects in which nothing of it is lost."""
    found = []
    for answers in sorted(EXAMPLES.glob("*/*.answers.yaml")):
        file = file_of(answers)
        result = compile_file(str(file))
        for dialect in DIALECTS:
            source, out = result.sources.files[result.path], str(file.with_suffix(dialect.suffix))
            if not convert_file(result.parsed, source, dialect, out).losses:
                found.append(pytest.param(file, dialect, id=f"{file.name}-{dialect.name}"))
    return found


def run(flowc, file: str, answers: str, name: str) -> dict[str, Any]:
    """What a run did that somebody could notice."""
    done = flowc(
        "run", file, "--answers", answers, "--root", ".", "--allow-exec", "--json",
        "--store", "sqlite:///runs.db", "--run-id", name,
    )  # fmt: skip
    assert done.stdout, done.stderr
    outcome = json.loads(done.stdout)
    drawn = flowc(
        "graph", file, "--run", name, "--store", "sqlite:///runs.db", "--format", "json"
    )  # fmt: skip
    return {
        "exit code": done.returncode,
        "visited": json.loads(drawn.stdout)["run"]["path"],
        **{key: outcome[key] for key in ("status", "result", "variables", "outcomes")},
    }


@pytest.fixture
def checkout(flowc) -> Path:
    """What the examples read and run: a few files under version control, and the examples."""
    folder = flowc.folder
    for name in ("pyproject.toml", "constraints.txt", "README.md"):
        shutil.copy(ROOT / name, folder / name)
    for name in ("grammar", "tests/corpus/steps/ok/sections"):
        shutil.copytree(ROOT / name, folder / name)
    who = ["-c", "user.name=Ada", "-c", "user.email=ada@localhost"]
    for command in (["init", "-q"], ["add", "-A"], [*who, "commit", "-qm", "Begin"]):
        subprocess.run(["git", *command], cwd=folder, check=True, timeout=30)
    shutil.copytree(EXAMPLES, folder / "examples")
    return folder


@pytest.mark.parametrize(("file", "dialect"), pairs())
def test_a_conversion_runs_as_its_source_does(file, dialect, checkout, flowc) -> None:
    folder = f"examples/{file.parent.name}"
    source, out = f"{folder}/{file.name}", f"{folder}/converted{dialect.suffix}"
    done = flowc("convert", source, "--to", dialect.name, "-o", out)
    assert done.returncode == 0, done.stderr
    answers = str(next(file.parent.glob(f"{file.name.split('.')[0]}.answers.yaml")))
    first = run(flowc, source, answers, "first")
    assert first["visited"]
    assert run(flowc, out, answers, "second") == first
