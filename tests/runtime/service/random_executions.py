"""Random executions: what models and people do in them, and every status while they go on."""

from __future__ import annotations

import itertools
import json
import random
import re
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from openai_server import Recorded, Refuse, Reply, Say
from status_by_events import HandedIn, Seen, Story

from .conftest import Desk, step, team

PATIENCE = 120.0
GOING = ("starting", "executing")
PEOPLE, MODELS = ("editor", "reader"), ("writer", "checker")


class Fast:
    """A clock on which every second is a minute."""

    def __init__(self) -> None:
        self.begin = datetime.now(UTC)

    def __call__(self) -> datetime:
        return self.begin + 60 * (datetime.now(UTC) - self.begin)

    def forward(self, **by: float) -> None:
        raise AssertionError("it goes on by itself")


class Real(Fast):
    """The clock of this machine, as processes have it that nobody hands another one."""

    def __call__(self) -> datetime:
        return datetime.now(UTC)


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
    content with, that the step failed, or not at all."""

    chance: random.Random
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def __call__(self, request: Recorded) -> Reply:
        (tool,) = request.body["tools"]
        wanted = tool["function"]["parameters"]["properties"]
        with self._lock:
            luck = self.chance.random()
            if luck < 0.04:
                return Refuse(500, headers={"retry-after": "0"})
            said: dict[str, Any] = {"output": "done", "score": round(self.chance.random(), 3)}
            if luck < 0.12:
                said["status"] = "failed"
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
    clock: Callable[[], datetime]
    steps: list[dict[str, Any]]
    agents: dict[str, str]
    created: tuple[datetime, datetime]
    handed_in: list[HandedIn] = field(default_factory=list)
    seen: list[Seen] = field(default_factory=list)
    closed: threading.Lock = field(default_factory=threading.Lock)
    """Held while no process answers."""

    def look(self) -> dict[str, Any]:
        with self.closed:
            asked = self.clock()
            status = self.desk.status(self.id)
            self.seen.append(Seen(status, asked, self.clock()))
        return status

    def until_it_rests_or(self, seconds: float) -> dict[str, Any]:
        end = time.monotonic() + seconds
        while (status := self.look())["workflow_status"] in GOING:
            if self.of_people(status) or time.monotonic() > end:
                break
            time.sleep(0.01)
        return status

    def of_people(self, status: dict[str, Any]) -> list[dict[str, Any]]:
        """The active steps that people do."""
        roles = {s["step_id"]: s["required_role"] for s in self.steps}
        return [a for a in status["active_steps"] if roles[a["step_id"]] in PEOPLE]

    def hand_in(self, active: dict[str, Any], chance: random.Random) -> None:
        """What a person makes of a step: done, or now and then failed."""
        id = active["step_id"]
        data: dict[str, Any] = {"status": "completed", "output": "done"}
        form = next(s for s in self.steps if s["step_id"] == id)
        if form["step_type"] == "review":
            data["scores"] = {n: chance.choice((0.5, 0.9)) for n in form["dependencies"]}
        if chance.random() < 0.1:
            data = {"status": "failed", "output": "no"}
        data["quality_self_assessment"] = round(chance.random(), 3)
        body = {"assignment_id": active["assignment_id"], "completion_data": data}
        sent = self.clock()
        answer = self.desk.client.post(f"/v1/executions/{self.id}/completions", json=body)
        if answer.status_code == 200:
            status, score = data["status"], data["quality_self_assessment"]
            given = (id, sent, self.clock(), status, score, data.get("scores", {}))
            self.handed_in.append(HandedIn(*given))

    def pause_for_a_moment(self) -> None:
        """A graceful pause and its end, unless the execution ended before."""
        answer = self.desk.client.post(f"/v1/executions/{self.id}/pause", json={})
        if answer.status_code == 200:
            self.look()
            token = {"resume_token": answer.json()["resume_token"]}
            self.desk.post(f"/executions/{self.id}/resume", token)

    def act(self, chance: random.Random) -> bool:
        """Do what somebody may do now. Return whether it is completed."""
        status = self.look()
        people = self.of_people(status)
        if status["workflow_status"] == "failed":
            self.restart()
        elif people and chance.random() < 0.8:
            self.hand_in(chance.choice(people), chance)
        elif chance.random() < 0.05:
            self.pause_for_a_moment()
        return bool(status["workflow_status"] == "completed")

    def restart(self) -> None:
        """Begin again what failed."""
        config = {"restart_failed_steps": True}
        asked = {"resume_token": "none", "resume_config": config}
        self.desk.client.post(f"/v1/executions/{self.id}/resume", json=asked)

    def story(self) -> Story:
        events = events_of(self.desk, self.id)
        return Story(self.steps, self.agents, PEOPLE, self.created, events, self.handed_in)

    def faults(self) -> str:
        """Every fault of every status, by the position of its last event."""
        story = self.story()
        found = [
            f"{seen.status['event_position']}: {fault}"
            for seen in self.seen
            for fault in story.faults_of(seen)
        ]
        return "\n".join([*found, "", *_told(story)]) if found else ""


@contextmanager
def watching(watches: Sequence[Watch], pause: float = 0.005) -> Iterator[None]:
    """Look at every execution in turn all the while, whatever the block does, with a pause (in
    seconds) after each: a service answers 100 requests a second."""
    ended = threading.Event()
    faults: list[BaseException] = []

    def look() -> None:
        try:
            for watch in itertools.cycle(watches):
                if ended.wait(pause):
                    return
                watch.look()
        except BaseException as fault:
            faults.append(fault)
            raise

    thread = threading.Thread(target=look)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()
    assert faults == []


def events_of(desk: Desk, id: str) -> list[dict[str, Any]]:
    """The run's events by their stream, without what says that something else changed."""
    with desk.client.stream("GET", f"/v1/executions/{id}/events") as answer:
        text = "".join(answer.iter_text())
    found = re.findall(r"^id: (\d+)\r?\ndata: (.*?)\r?$", text, re.MULTILINE)
    assert found
    assert [int(position) for position, _ in found] == list(range(1, len(found) + 1))
    return [json.loads(data) for _, data in found]


def _told(story: Story) -> Iterator[str]:
    """What happened, line by line."""
    for s in story.steps:
        yield f"{s['step_id']} {s['step_type']} {s['required_role']} {s['dependencies']}"
    for number, event in enumerate(story.events, 1):
        data = json.dumps({k: v for k, v in event["data"].items() if k in _SHOWN})
        yield f"{number} {event['time']} {event['kind']} {event['node']} {data}"
    yield from map(str, story.handed_in)


_SHOWN = ("visit", "score", "scores", "status", "message", "caught")


def watch_of(
    desk: Desk,
    clock: Callable[[], datetime],
    steps: list[dict[str, Any]],
    config: dict[str, Any],
) -> Watch:
    """An execution that has just begun."""
    made = desk.post("/teams", team(*MODELS, roles=(*PEOPLE, *MODELS)))
    workflow = desk.workflow(workflow_type="parallel", steps=steps)
    asked = {"workflow_id": workflow, "team_id": made["team_id"], "execution_config": config}
    before = clock()
    id = str(desk.post("/executions", asked)["execution_id"])
    agents = {agent["role"]: agent["agent_id"] for agent in made["agents"]}
    return Watch(desk, id, clock, steps, agents, (before, clock()))
