"""A workflow and its conversion are one: the same nodes are visited, and the result is the same.

Every shipped example that has scripted answers is written in every dialect that says all of it, and
all the files are run with the same answers over the same files.
"""

from __future__ import annotations

import asyncio
import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from flowc.compiler.conversion import convert_file
from flowc.compiler.driver import compile_file
from flowc.compiler.writers import DIALECTS
from flowc.runtime.events import RunEvent
from flowc.runtime.store.runs import open_store
from flowc.runtime.testing.normalize import canonical_events
from same_runs import variables_of_source, visits_of_source

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "workflows/examples"
SCRIPTED = sorted(EXAMPLES.glob("*/*.answers.yaml"))


def file_of(answers: Path) -> Path:
    """The example that the answers are for; a team and answers lie beside it under its name."""
    stem = answers.name.removesuffix(".answers.yaml")
    beside = (f for f in answers.parent.glob(f"{stem}.*") if f.is_file())
    (file,) = (f for f in beside if not {".answers", ".team", ".flowtest"} & set(f.suffixes))
    return file


def run(flowc, file: Path, answers: Path, name: str) -> dict[str, Any]:
    """What a run did that somebody could notice."""
    team = answers.with_name(answers.name.replace(".answers.yaml", ".team.json"))
    inputs = answers.with_name(answers.name.partition(".")[0]) / "inputs.json"
    more = ("--team", str(team)) if team.exists() else ()
    more += ("--inputs", str(inputs)) if inputs.exists() else ()
    done = flowc(
        "run", str(file), "--answers", str(answers), *more, "--root", ".", "--allow-exec",
        "--json", "--store", "sqlite:///runs.db", "--run-id", name,
    )  # fmt: skip
    assert done.stdout, done.stderr
    outcome = json.loads(done.stdout)
    events = asyncio.run(events_of(flowc.folder / "runs.db", name))
    return {
        "exit code": done.returncode,
        "visited": [
            (e["at"], e["visit"]) for e in canonical_events(events) if e["kind"] == "node_started"
        ],
        **{key: outcome[key] for key in ("status", "result", "variables", "outcomes")},
    }


async def events_of(file: Path, name: str) -> tuple[RunEvent, ...]:
    async with open_store(f"sqlite:///{file}") as store:
        return await store.events(name)


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
        subprocess.run(["git", *command], cwd=folder, check=True, timeout=150)
    shutil.copytree(EXAMPLES, folder / "examples")
    return folder


@pytest.mark.parametrize("answers", SCRIPTED, ids=lambda f: f.name.partition(".")[0])
def test_every_conversion_runs_as_its_source_does(answers, checkout, flowc, monkeypatch) -> None:
    monkeypatch.chdir(checkout)
    file = Path("examples") / file_of(answers).relative_to(EXAMPLES)
    result = compile_file(str(file))
    first = run(flowc, file, answers, "first")
    assert first["visited"]
    written = []
    for dialect in DIALECTS:
        out = file.with_name(f"as-{dialect.name}{dialect.suffix}")
        source = result.sources.files[result.path]
        done = convert_file(result.parsed, source, dialect, str(out))
        if not done.losses:
            for path, text in done.files.items():
                Path(path).parent.mkdir(exist_ok=True)
                Path(path).write_text(text, encoding="utf-8")
            second = run(flowc, out, answers, dialect.name)
            taken = {new: old for names in done.renamed.values() for old, new in names.items()}
            second["visited"] = visits_of_source(second["visited"], taken, first["visited"])
            second["variables"] = variables_of_source(second["variables"], first["variables"])
            assert second == first
            written.append(dialect.name)
    own = {d.name for d in DIALECTS} & {result.frontend.name}
    assert own <= {*written}
