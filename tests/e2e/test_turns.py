"""A thread of LangGraph's lives on, whatever the dialect: each turn does what the first one did."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import flowc
import pytest
from flowc.runtime.testing.normalize import canonical_events
from hosts import event_of
from langgraph.checkpoint.memory import InMemorySaver

EXAMPLES = Path(__file__).parents[2] / "workflows/examples"
DIALECTS = (
    "flow/debate.flow.yaml",
    "flowchart/interview.wf.md",
    "machine/trip.json",
    "steps/pinned-versions.md",
    "contract/leaking-roof.json",
)


def turns(file: Path, count: int) -> list[tuple[Any, ...]]:
    """What each turn of one thread did: the visits, and the values at the end."""
    stem = file.name.partition(".")[0]
    team, inputs = file.with_name(f"{stem}.team.json"), file.with_name(stem) / "inputs.json"
    flow = flowc.load(
        str(file),
        answers=str(file.with_name(f"{stem}.answers.yaml")),
        team=str(team) if team.exists() else None,
        permissions=flowc.Permissions(commands="allow", roots=["."]),
    )
    graph = flow.graph(checkpointer=InMemorySaver())
    given = json.loads(inputs.read_text()) if inputs.exists() else {}
    config = {"configurable": {"thread_id": "a"}}
    stories = []
    for _ in range(count):
        events = [event_of(part) for part in graph.stream(given, config, stream_mode="custom")]
        visits = [(e["at"], e["visit"]) for e in canonical_events(events) if "visit" in e]
        values = graph.get_state(config).values
        stories.append((visits, {k: v for k, v in values.items() if k != "messages"}))
    return stories


def stage(name: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The example in a folder of its own, with what the examples read."""
    shutil.copytree(EXAMPLES, folder / "examples")
    for beside in ("pyproject.toml", "constraints.txt"):
        shutil.copy(EXAMPLES.parents[1] / beside, folder / beside)
    monkeypatch.chdir(folder)
    return Path("examples") / name


@pytest.mark.parametrize("name", DIALECTS)
def test_a_thread_lives_on_in_every_dialect(name, tmp_path, monkeypatch):
    first, second, third = turns(stage(name, tmp_path, monkeypatch), 3)
    assert first[0]
    assert first[1]["outcome"] == "success"
    assert first == second == third


@pytest.mark.soak
@pytest.mark.hosts
@pytest.mark.parametrize("name", DIALECTS)
def test_a_thread_lives_on_for_fifty_turns_in_every_dialect(name, tmp_path, monkeypatch):
    first, *others = turns(stage(name, tmp_path, monkeypatch), 50)
    assert [other == first for other in others] == [True] * 49
