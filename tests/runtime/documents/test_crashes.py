"""A run that lives in a document, killed at every point: nothing is executed, or logged, twice."""

from __future__ import annotations

import asyncio
import os
import re
from pathlib import Path
from typing import Any

import pytest
from documents import CARRY_ON
from flowc.compiler.driver import compile_file, compile_text
from flowc.compiler.lowering.graphspec import GraphSpec
from flowc.runtime.assembly.compose import make_services
from flowc.runtime.assembly.run_options import RunOptions
from flowc.runtime.config.settings import Config
from flowc.runtime.engine.engine import open_engine
from flowc.runtime.events import RunEvent
from killing import Killed, in_process, kill_me

STEPS = [
    {"title": "First", "description": "one"},
    {"title": "Second", "description": "broken"},
    {"title": "Third", "description": "three", "output": "third.wav"},
    {"title": "Last", "description": "four", "output": "last.wav"},
]
INPUTS = {"request": "Make it so.", "audio": "in.wav", "steps": STEPS}


@pytest.fixture
def spec(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> GraphSpec:
    monkeypatch.chdir(tmp_path)
    Path("carry.flow.yaml").write_text(CARRY_ON)
    Path("in.wav").write_text("sound")
    return compile_file("carry.flow.yaml").spec


def run(
    spec: GraphSpec, begin: bool, die_at: int | None = None, in_file: bool = False
) -> dict[str, Any]:
    """Start or resume; dies at the `die_at`-th change of the document: in the middle of replacing
    it, or, not `in_file`, when the file is changed and the checkpoint is not."""
    import flowc.runtime.documents.file as module

    real, seen = os.replace, -1

    def dying(source: Any, target: Any) -> None:
        nonlocal seen
        if not str(target).endswith(".md"):
            return real(source, target)
        seen += 1
        if seen == die_at and in_file:
            kill_me()
        real(source, target)
        if seen == die_at:
            kill_me()
        return None

    async def go() -> dict[str, Any]:
        services = make_services(RunOptions(workspace="."), spec, Config())
        async with open_engine("sqlite:///runs.db") as engine:
            module.os.replace = dying
            if begin:
                outcome = await engine.start(spec, services, run="r", inputs=INPUTS, options={})
            else:
                await engine.take_edits("r", Path.cwd())
                outcome = await engine.resume("r", spec, services, answers={})
        return {"status": outcome.status, "error": outcome.error, "changes": seen + 1}

    return asyncio.run(go())


def story() -> list[str]:
    """The log of the only document, without times and without its own name's hash."""
    (place,) = Path.cwd().glob("workflow_*.md")
    assert compile_text(place.read_text(), place.name).diagnostics == ()
    lines = re.findall(r"^\*   `[^`]*`: (.*)$", place.read_text(), re.MULTILINE)
    return [re.sub(r"_[0-9a-f]{8}_", "_", line) for line in lines]


def written() -> dict[str, int]:
    """How often the run wrote each output, by the events that it kept."""

    async def go() -> list[RunEvent]:
        async with open_engine("sqlite:///runs.db") as engine:
            return list(await engine.store.events("r"))

    done = [e.node for e in asyncio.run(go()) if e.kind == "node_finished"]
    return {node: done.count(node) for node in ("output", "done", "create", "fill", "finish")}


CHANGES = 27
"""How often the run changes its document."""
POINTS = [(at, in_file) for at in range(CHANGES) for in_file in (True, False)]


@pytest.mark.timeout(3000)  # all points are more than a hundred runs
@pytest.mark.parametrize("points", [pytest.param(POINTS, marks=pytest.mark.soak), POINTS[::18]])
def test_killed_at_changes_of_the_document(spec, tmp_path, points):
    whole = in_process(lambda: run(spec, True))
    assert (whole["status"], whole["changes"]) == ("success", CHANGES)
    expected, outputs = story(), written()
    sounds = {p.name: p.read_bytes() for p in tmp_path.glob("*.wav")}
    assert expected[0] == "Workflow Initiated."
    assert len(expected) == len(set(expected)), "no line stands twice"
    for at, in_file in points:
        for path in tmp_path.iterdir():
            if path.name not in ("carry.flow.yaml", "in.wav") and path.is_file():
                path.unlink()
        with pytest.raises(Killed):
            in_process(lambda at=at, in_file=in_file: run(spec, True, at, in_file))
        outcome = in_process(lambda: run(spec, False))
        assert outcome["status"] == "success", (at, in_file, outcome)
        assert story() == expected, (at, in_file)
        # What was told in the last moment before a kill may be lost; nothing is told twice.
        told = written()
        assert all(told[node] <= outputs[node] for node in outputs), (at, in_file, told)
        assert {p.name: p.read_bytes() for p in tmp_path.glob("*.wav")} == sounds
        assert not list(tmp_path.glob(".*.next"))
