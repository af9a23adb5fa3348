"""A person edits the document of a paused run, and goes on by naming it."""

from __future__ import annotations

import asyncio
import json
import re
from pathlib import Path

import pytest
from documents import CARRY_ON
from flowc.runtime.config.settings import load_config
from flowc.runtime.engine.engine import open_engine
from flowc.runtime.errors import RunError
from flowc.runtime.mcp.runs import Runs

STEPS = [
    {"title": "First", "description": "one"},
    {"title": "Listen", "code": "N/A"},
    {"title": "Last", "description": "four", "output": "last.wav"},
]


@pytest.fixture
def paused(flowc) -> Path:
    """The document of a run that waits for a person to do the second of three steps."""
    flowc.write("carry.flow.yaml", CARRY_ON)
    flowc.write("in.wav", "sound")
    inputs = {"request": "Make it so.", "audio": "in.wav", "steps": STEPS}
    flowc.write("inputs.json", json.dumps(inputs))
    done = flowc("run", "carry.flow.yaml", "--inputs", "inputs.json", "--run-id", "r1")
    assert done.returncode == 4, done.stderr
    (place,) = flowc.folder.glob("workflow_*.md")
    return place


def change(place: Path, old: str, new: str, behind: str = "") -> None:
    """Replace the first `old` behind a text."""
    head, mark, tail = (
        place.read_text().partition(behind) if behind else ("", "", place.read_text())
    )
    assert old in tail
    place.write_text(head + mark + tail.replace(old, new, 1))


def test_edits_are_taken_over_and_it_says_from_where(paused, flowc):
    change(paused, "**Description:** four", "**Description:** five")
    done = flowc("resume", paused.name, "--answer", "I like it.")
    assert done.returncode == 0, done.stderr
    assert f"{paused.name} was edited since run r1 wrote it" in done.stderr
    assert re.search(r"from the document +step_3: Description \(line \d+\)", done.stderr)
    assert re.search(r"from the checkpoint +1 step DONE, not executed again", done.stderr)
    assert (flowc.folder / "last.wav").read_text() == 'WRITE(text="five")'
    assert "I like it." in paused.read_text()
    assert "Edits taken over: step_3 Description." in paused.read_text()


def test_a_step_that_is_set_back_is_done_again_with_what_reads_it(paused, flowc):
    assert flowc("resume", "r1", "--answer", "ok").returncode == 0
    change(paused, "**Status:** DONE", "**Status:** PENDING")
    change(paused, "**Description:** one", "**Description:** uno")
    done = flowc("resume", paused.name)
    assert done.returncode == 4, done.stderr
    assert "step_1: PENDING (it was DONE)" in done.stderr
    assert "step_3: begun again (it was DONE): it reads what `step_1` writes" in done.stderr
    (first,) = flowc.folder.glob("in_*_first.wav")
    assert first.read_text() == 'WRITE(text="uno")'


def test_what_the_person_had_to_do_may_be_done_in_the_document(paused, flowc):
    change(paused, "**Status:** PENDING", "**Status:** DONE", behind="Step 2")
    refused = flowc("resume", paused.name, "--answer", "late")
    assert refused.returncode == 2
    assert "may no longer ask this" in refused.stderr
    done = flowc("resume", paused.name)
    assert done.returncode == 0, done.stderr
    assert (flowc.folder / "last.wav").exists()


def test_an_assistant_that_resumes_a_run_meets_the_edits_too(paused, flowc, monkeypatch):
    """Over MCP as on the command line."""
    monkeypatch.chdir(flowc.folder)
    change(paused, "**Status:** PENDING", "**Status:** DONE", behind="Step 2")

    async def tell(done: int, node: str) -> None: ...

    async def resume(answers: dict[str, object]) -> dict[str, object]:
        async with open_engine("sqlite:///.flowc/runs.db") as engine:
            runs = Runs(engine, load_config(flowc.folder, {}), flowc.folder, lambda: "r2")
            return await runs.resume("r1", answers, tell)

    with pytest.raises(RunError, match="may no longer ask this"):
        asyncio.run(resume({"question": "late"}))
    assert asyncio.run(resume({}))["status"] == "success"
    assert (flowc.folder / "last.wav").exists()


CONTRADICTIONS = [
    ("**Status:** DONE", "**Status:** OVER", "", "the status `OVER`, which is none"),
    ("**Input Audio:** `in.wav`", "**Input Audio:** `b.wav`", "", "of the request has changed"),
    ("**Status:** PENDING", "**Status:** DONE", "Step 3", "what it writes is not there"),
]


def test_contradictions_are_shown_with_both_places(paused, flowc):
    for old, new, behind, _ in CONTRADICTIONS:
        change(paused, old, new, behind)
    edited = paused.read_text()
    done = flowc("resume", paused.name, "--answer", "ok")
    assert done.returncode == 1
    assert done.stderr.count("error[FC7001] edit-conflict") == 3, done.stderr
    for *_, said in CONTRADICTIONS:
        assert said in done.stderr
    assert re.search(rf"--> {paused.name}:\d+:\d+", done.stderr)
    assert re.search(rf"::: {paused.name}, as run r1 wrote it:\d+:\d+", done.stderr)
    assert "the checkpoint of run r1 stands before `ask`" in done.stderr
    assert paused.read_text() == edited, "nothing was written"


def test_a_document_that_is_damaged_gone_or_elsewhere_is_said(paused, flowc):
    good = paused.read_bytes()
    paused.write_bytes(b"\xff")
    assert "is not UTF-8" in flowc("resume", paused.name).stderr
    paused.write_bytes(bytes(10 * 2**20 + 1))
    assert re.search(r"larger than 10 MiB\n  help: shorten", flowc("resume", "r1").stderr)
    paused.write_bytes(b"")
    assert "FC7001" in flowc("resume", "r1").stderr
    paused.rename(paused.with_name("other.md"))
    assert "there is no document" in flowc("resume", paused.name).stderr
    assert "put it back" in flowc("resume", "r1").stderr
    paused.with_name("other.md").write_bytes(good)
    assert "and other.md is elsewhere" in flowc("resume", "other.md").stderr
    paused.write_bytes(good)
    assert flowc("resume", paused.name, "--answer", "ok").returncode == 0


def test_a_document_whose_run_has_not_ended_is_not_run_a_second_time(paused, flowc):
    done = flowc("run", paused.name)
    assert done.returncode == 2
    assert f"go on with it: flowc resume {paused.name}" in done.stderr


def test_edits_are_told_as_an_event(paused, flowc):
    change(paused, "**Description:** four", "**Description:** five")
    done = flowc("resume", paused.name, "--jsonl")
    events = [json.loads(line) for line in done.stdout.splitlines()]
    (event,) = [e for e in events if e["kind"] == "document_edited"]
    assert event["data"]["document"] == paused.name
    assert event["data"]["taken"][0]["step"] == "step_3"
