"""Status is right at every moment: random executions, looked at all the while, and each answer held
against the events of the run by a checker that knows nothing of the service."""

from __future__ import annotations

import json
import os
import random
import re
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import Any

import pytest

pytest.importorskip("fastapi", reason="the extra `service` is not installed")
from openai_server import OpenAIServer, Recorded, Reply, Say
from status_by_events import faults_of

from .conftest import Desk, Opening, step, team

COUNT = 500 if os.environ.get("FLOWC_FUZZ") == "soak" else 5
PATIENCE = 120.0
GOING = ("starting", "executing")
PEOPLE, MODELS = ("editor", "reader"), ("writer", "checker")


def steps_by_chance(chance: random.Random) -> list[dict[str, Any]]:
    """Three to six steps, each behind those it depends on, by models and by people."""
    steps: list[dict[str, Any]] = []
    for number in range(chance.randint(3, 6)):
        before = [s["step_id"] for s in steps]
        needs = chance.sample(before, min(len(before), chance.randint(0, 2)))
        kinds = ["task"] * 4 + (["review"] if len(needs) == 1 else [])
        kinds += ["synchronization"] if len(needs) == 2 else []
        role = chance.choice((*MODELS, *MODELS, *PEOPLE))
        steps.append(
            step(
                f"s{number}",
                role,
                *needs,
                step_type=chance.choice(kinds),
                success_criteria=f"work <s{number}> is done",
            )
        )
    return steps


@dataclass
class Model:
    """Answers after a while, with a score of its own; now and then with one that a review is not
    content with."""

    chance: random.Random
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def __call__(self, request: Recorded) -> Reply:
        (tool,) = request.body["tools"]
        wanted = tool["function"]["parameters"]["properties"]
        with self._lock:
            said: dict[str, Any] = {"output": "done", "score": round(self.chance.random(), 3)}
            if "scores" in wanted:
                named = wanted["scores"]["properties"]
                said["scores"] = {n: self.chance.choice((0.5, 0.9)) for n in named}
            after = self.chance.choice((0.0, 0.01, 0.06))
        return Say(calls=[("complete_task", said)], after=after)


@dataclass
class Watch:
    """Every status of an execution while the block goes on, as it was answered."""

    desk: Desk
    id: str
    steps: list[dict[str, Any]]
    handed_in: set[str] = field(default_factory=set)
    seen: list[tuple[dict[str, Any], frozenset[str]]] = field(default_factory=list)

    def look(self) -> dict[str, Any]:
        before = frozenset(self.handed_in)
        status = self.desk.status(self.id)
        self.seen.append((status, before))
        return status

    def until_it_rests_or(self, seconds: float) -> dict[str, Any]:
        end = time.monotonic() + seconds
        while (status := self.look())["workflow_status"] in GOING:
            people = [a for a in status["active_steps"] if self.person(a["step_id"])]
            if people or time.monotonic() > end:
                break
        return status

    def person(self, id: str) -> bool:
        return next(s for s in self.steps if s["step_id"] == id)["required_role"] in PEOPLE

    def hand_in(self, active: dict[str, Any], chance: random.Random) -> None:
        """What a person completes; a step's form says of what."""
        id = active["step_id"]
        data: dict[str, Any] = {"status": "completed", "output": "done"}
        form = next(s for s in self.steps if s["step_id"] == id)
        if form["step_type"] == "review":
            data["scores"] = {n: chance.choice((0.5, 0.9)) for n in form["dependencies"]}
        data["quality_self_assessment"] = 0.7
        self.handed_in.add(id)
        body = {"assignment_id": active["assignment_id"], "completion_data": data}
        self.desk.client.post(f"/v1/executions/{self.id}/completions", json=body)

    def faults(self, events: list[dict[str, Any]]) -> list[tuple[int, str]]:
        return [
            (status["event_position"], fault)
            for status, handed_in in self.seen
            for fault in faults_of(status, events, self.steps, handed_in | self.handed_in)
        ]


def events_of(desk: Desk, id: str) -> list[dict[str, Any]]:
    """The run's events by their stream, without what says that something else changed."""
    with desk.client.stream("GET", f"/v1/executions/{id}/events") as answer:
        text = "".join(answer.iter_text())
    found = re.findall(r"^id: (\d+)\r?\ndata: (.*?)\r?$", text, re.MULTILINE)
    assert found
    assert [int(position) for position, _ in found] == list(range(1, len(found) + 1))
    return [json.loads(data) for _, data in found]


def execution(desk: Desk, steps: list[dict[str, Any]], config: dict[str, Any]) -> str:
    roles = (*PEOPLE, *MODELS)
    made = desk.post("/teams", team(*MODELS, roles=roles))["team_id"]
    workflow = desk.workflow(workflow_type="parallel", steps=steps)
    asked = {"workflow_id": workflow, "team_id": made, "execution_config": config}
    return str(desk.post("/executions", asked)["execution_id"])


@pytest.fixture
def model() -> Iterator[OpenAIServer]:
    with OpenAIServer() as server:
        yield server


@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
@pytest.mark.parametrize("seed", range(COUNT))
def test_status_is_what_the_events_say(
    kind: str, seed: int, opening: Opening, model: OpenAIServer
) -> None:
    """Models, people, reviews that are not content, pauses, and processes that give up at once."""
    chance = random.Random(seed)
    steps = steps_by_chance(chance)
    model.answer = Model(chance)
    around: dict[str, Any] = {"base_url": model.url, "on_unknown": "repeat", "patience": 0.0}
    config = {"max_iterations": 20, "auto_retry": chance.random() < 0.5}
    with ExitStack() as process:
        desk = process.enter_context(opening(answers=0.0, **around))
        watch = Watch(desk, execution(desk, steps, config), steps)
        end = time.monotonic() + PATIENCE
        while (status := watch.until_it_rests_or(0.2))["workflow_status"] in GOING:
            assert time.monotonic() < end, status
            people = [a for a in status["active_steps"] if watch.person(a["step_id"])]
            if people and chance.random() < 0.8:
                watch.hand_in(chance.choice(people), chance)
            elif chance.random() < 0.3:
                process.pop_all().close()
                watch.desk = desk = process.enter_context(opening(answers=0.0, **around))
            elif chance.random() < 0.3:
                pause_for_a_moment(desk, watch)
        assert status["workflow_status"] == "completed", status["failure"]
        events = events_of(desk, watch.id)
    assert watch.faults(events) == []
    assert len({status["event_position"] for status, _ in watch.seen}) > 2


def pause_for_a_moment(desk: Desk, watch: Watch) -> None:
    """A graceful pause and its end, unless the execution ended before."""
    answer = desk.client.post(f"/v1/executions/{watch.id}/pause", json={})
    if answer.status_code == 200:
        watch.look()
        token = {"resume_token": answer.json()["resume_token"]}
        desk.post(f"/executions/{watch.id}/resume", token)


def test_a_chain_of_models_is_told_step_by_step(opening: Opening, model: OpenAIServer) -> None:
    """While s3 ran, s0 was active, and s3 in no list; afterwards three of four had no time."""
    steps = [step("s0", "writer"), *(step(f"s{n}", "writer", f"s{n - 1}") for n in (1, 2, 3))]
    go_on = threading.Event()

    def answer(request: Recorded) -> Reply:
        last = len(model.requests) == 4
        said = {"output": "done", "score": 0.9}
        return Say(calls=[("complete_task", said)], when=go_on if last else None)

    model.answer = answer
    with opening(base_url=model.url, answers=0.0) as desk:
        id = execution(desk, steps, {})
        until(lambda: len(model.requests) == 4)
        status = desk.status(id)
        assert [s["step_id"] for s in status["completed_steps"]] == ["s0", "s1", "s2"]
        assert [s["step_id"] for s in status["active_steps"]] == ["s3"]
        assert status["next_steps"] == []
        assert status["overall_progress"]["current_phase"] == "S3"
        go_on.set()
        until(lambda: desk.status(id)["workflow_status"] == "completed")
        status = desk.status(id)
    assert all(s["completion_time"] for s in status["completed_steps"])
    assert status["performance_metrics"]["quality_trend"] == [0.9] * 4


def until(true: Callable[[], bool]) -> None:
    end = time.monotonic() + PATIENCE
    while not true():
        assert time.monotonic() < end, "it did not come about"
        time.sleep(0.01)
