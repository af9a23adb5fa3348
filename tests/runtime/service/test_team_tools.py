"""Models of a team that write to each other while they work: nothing is lost or said twice."""

from __future__ import annotations

import asyncio
import json
import signal
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from flowc.runtime.errors import Failure
from flowc.runtime.service.operations.executions import Executing
from flowc.runtime.service.records.messages import Messages, StoredMessage
from flowc.runtime.tools.team import TeamTools
from openai_server import OpenAIServer, Recorded, Say
from ports import free_port
from stores import KINDS

from .conftest import Desk, Opening, contract, same_as, step, team
from .test_faults import until
from .test_messages import Team
from .test_processes import Curl, serving

TOOLS = ["team_send", "team_read", "team_respond"]
DONE = Say(calls=[("complete_task", {"output": "found"})])
STEPS = [step("gather", "analyst")]


def at_work(desk: Desk) -> Team:
    """An analyst who is a model with the tools, and two people."""
    body = team("analyst")
    body["agent_roles"][1]["agent_config"]["tools"] = TOOLS
    made = desk.post("/teams", body)
    agents = {agent["role"]: agent["agent_id"] for agent in made["agents"]}
    asked = {"workflow_id": desk.workflow(steps=STEPS), "team_id": made["team_id"]}
    return Team(desk, desk.post("/executions", asked)["execution_id"], agents)


def call(tool: str, **args: Any) -> Say:
    return Say(calls=[(tool, args)])


def heard(model: OpenAIServer) -> list[Any]:
    """What the model's calls of tools came to, as its last request shows it."""
    return results(model.requests[-1])


def results(request: Recorded) -> list[Any]:
    said = request.body["messages"]
    return [json.loads(m["content"]) for m in said if m["role"] == "tool"]


def completed(desk: Desk, team: Team) -> None:
    until(lambda: desk.status(team.id)["workflow_status"] == "completed")


def test_a_model_writes_by_role_to_all_and_is_told_what_it_did_wrong(opening: Opening) -> None:
    with OpenAIServer() as model:
        model.will(
            call("team_send", to=["researcher"], text="which years?", requires_response=True),
            call("team_send", to=["ALL"], text="hello", priority="low", data={"n": 1}),
            call("team_send", to=["nobody"], text="x"),
            call("team_send", to=["analyst"], text="x"),
            call("team_send", to=["ALL"], text="x", data={"n": 2**64}),
            call("team_send", to=[], text="x"),
            call("team_respond", message_id="msg-none", text="x"),
            DONE,
        )
        with opening(base_url=model.url) as desk:
            team = at_work(desk)
            completed(desk, team)
            first, second = desk.get(team.path)["messages"]
        told = heard(model)
    assert first["sender_agent_id"] == team.agents["analyst"]
    assert first["recipient_agent_ids"] == [team.agents["researcher"]]
    assert first["responses_awaited"] == [team.agents["researcher"]]
    assert (second["recipient_agent_ids"], second["content"]["data"]) == (["ALL"], {"n": 1})
    assert told[0]["sent_to"] == ["researcher"]
    assert told[1]["sent_to"] == ["researcher", "synthesizer"]
    words = ("INVALID_RECIPIENT", "is the sender", "64 bits", "to: []", "MESSAGE_NOT_FOUND")
    for answer, word in zip(told[2:], words, strict=True):
        assert word in answer["error"], answer


PLACES = [
    f"{when} {what}"
    for what in ("reading", "response", "reading of what it responds to", "information")
    for when in ("before", "after")
]
"""Everything that tools of the team write, in the order in which the model has it written."""


@dataclass(frozen=True)
class CutMessages(Messages):
    """Messages that hold the process at one place, as if it died there."""

    place: str
    reached: threading.Event

    async def _at(self, place: str) -> None:
        if place == self.place:
            self.reached.set()
            await asyncio.Event().wait()

    async def send(self, made: StoredMessage) -> StoredMessage:
        if made.kind == "request":  # a person's
            return await super().send(made)
        await self._at(f"before {made.kind}")
        message = await super().send(made)
        await self._at(f"after {made.kind}")
        return message

    async def read(
        self, execution: str, agent: str, ids: Sequence[str], time: str, reading: str = ""
    ) -> set[str]:
        if not ids or ids[-1].startswith("told-"):  # the prompt's
            return await super().read(execution, agent, ids, time, reading)
        what = "reading" if reading else "reading of what it responds to"
        await self._at(f"before {what}")
        fresh = await super().read(execution, agent, ids, time, reading)
        await self._at(f"after {what}")
        return fresh


def cut(place: str, reached: threading.Event) -> Callable[[Executing], Executing]:
    class Cut(Executing):
        @property
        def messages(self) -> Messages:
            return CutMessages(self.db, place, reached)

    return lambda executing: same_as(executing, Cut)


@pytest.mark.parametrize("kind", KINDS)
def test_a_death_at_any_place_neither_loses_nor_doubles_a_message(
    opening: Opening,
) -> None:
    """The process dies at each place in turn, and the next one goes on from there."""
    written = threading.Event()

    with OpenAIServer() as model:
        script = [call("team_read"), DONE, call("team_send", to=["ALL"], text="began"), DONE]

        def answer(request: Recorded) -> Say:
            assert written.wait(60)
            known = results(request)
            if len(known) == 1:
                return call(
                    "team_respond",
                    message_id=known[0]["messages"][0]["message_id"],
                    text="1871",
                )
            return script[len(known)]

        model.answer = answer
        with opening(base_url=model.url, concurrency=0) as desk:
            team = at_work(desk)
        for place in PLACES:
            reached = threading.Event()
            with opening(base_url=model.url, patience=0.05, around=cut(place, reached)) as desk:
                team = Team(desk, team.id, team.agents)
                if not written.is_set():
                    until(lambda: len(model.requests) == 1)
                    asked = team.send(
                        content={"text": "which years?"},
                        message_type="request",
                        requires_response=True,
                    )
                    written.set()
                assert reached.wait(60), place
        with opening(base_url=model.url) as desk:
            team = Team(desk, team.id, team.agents)
            completed(desk, team)
            messages = desk.get(team.path)["messages"]
        (read, responded, sent) = heard(model)
    assert len(model.requests) == 4, "no turn of the model was repeated"
    assert [m["message_id"] for m in read["messages"]] == [asked["message_id"]]
    assert responded["original_message_updated"] is True
    assert [m["content"]["text"] for m in messages] == ["which years?", "1871", "began"]
    assert [m["message_id"] for m in messages[1:]] == [responded["message_id"], sent["message_id"]]
    assert [r["agent_id"] for r in messages[0]["read_by"]] == [team.agents["analyst"]]
    assert messages[0]["responses_awaited"] == []


def test_what_was_read_is_not_read_again(opening: Opening) -> None:
    """What the prompt told counts; `unread_only` false shows it all the same."""
    steps = [step("first"), step("gather", "analyst", "first")]
    with OpenAIServer() as model:
        model.will(call("team_read"), call("team_read", unread_only=False, limit=1), DONE)
        with opening(base_url=model.url) as desk:
            body = team("analyst")
            body["agent_roles"][1]["agent_config"]["tools"] = TOOLS
            made = desk.post("/teams", body)
            asked = {"workflow_id": desk.workflow(steps=steps), "team_id": made["team_id"]}
            id = desk.post("/executions", asked)["execution_id"]
            own = Team(desk, id, {a["role"]: a["agent_id"] for a in made["agents"]})
            for text in ("one", "two"):
                own.send(content={"text": text})
            desk.complete(id, "first")
            completed(desk, own)
        first, second = heard(model)
    assert (first["messages"], first["unread"]) == ([], 0)
    assert [m["text"] for m in second["messages"]] == ["two"]
    assert "not instructions" in second["about"]


def test_without_a_team_nobody_is_written_to() -> None:
    async def run() -> None:
        await TeamTools().call("team_read", {})

    with pytest.raises(Failure, match="flowc serve"):
        asyncio.run(run())


@pytest.mark.soak
@pytest.mark.timeout(600)
@pytest.mark.parametrize("kind", KINDS)
def test_killed_on_the_way_a_model_says_everything_once(store: str, tmp_path: Path) -> None:
    """`flowc serve` is killed with -9 wherever it is, five times."""
    port, turns = free_port(), 40
    curl = Curl(port)

    def answer(request: Recorded) -> Say:
        said = len(results(request))
        return call("team_send", to=["ALL"], text=f"{said}") if said < turns else DONE

    with OpenAIServer() as model:
        model.answer = answer
        text = f'base_url = "{model.url}"\non_unknown = "repeat"\nstore = "{store}"\n'
        (tmp_path / "flowc.toml").write_text(text, encoding="utf-8")
        id, heard_of = "", 0
        for kill in range(6):
            with serving(tmp_path, port) as server:
                if not id:
                    body = team("analyst")
                    body["agent_roles"][1]["agent_config"]["tools"] = TOOLS
                    asked = {
                        "workflow_id": curl("/workflows", contract(steps=STEPS))["workflow_id"],
                        "team_id": curl("/teams", body)["team_id"],
                    }
                    id = curl("/executions", asked)["execution_id"]
                more = min(turns, heard_of + 6) if kill < 5 else turns
                path = f"/executions/{id}/messages?limit=1"
                until(lambda: curl(path)["total_count"] >= more)  # noqa: B023
                heard_of = curl(path)["total_count"]
                if kill == 5:
                    until(lambda: curl(f"/executions/{id}")["workflow_status"] == "completed")  # noqa: B023
                    texts = curl(f"/executions/{id}/messages?limit=100")["messages"]
                    break
                server.send_signal(signal.SIGKILL)
                server.wait()
    assert [m["content"]["text"] for m in texts] == [str(number) for number in range(turns)]
