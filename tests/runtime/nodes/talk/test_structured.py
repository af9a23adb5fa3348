"""Structured answers: objects that fit a JSON Schema, from a server that speaks the protocol."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from flowc.compiler.ir import Agent, AgentNode
from flowc.runtime.assembly.compose import make_services
from flowc.runtime.assembly.run_options import RunOptions
from flowc.runtime.config.settings import Config
from flowc.runtime.engine.engine import open_engine
from flowc.runtime.nodes.talk.structured import object_in
from flowc.runtime.state.schemas import BrokenSchema, misfits
from openai_server import OpenAIServer, Say
from specs import SUCCESS, lit, program

SCHEMA = {
    "type": "object",
    "properties": {"title": {"type": "string"}, "score": {"type": "integer", "minimum": 0}},
    "required": ["title", "score"],
    "additionalProperties": False,
}
FITS = {"title": "Alps", "score": 3}


def give(**args: Any) -> Say:
    return Say(calls=[("give_answer", args)])


def graph(schema: Any = SCHEMA, **fields: Any) -> Any:
    node = AgentNode(
        id="p", agent="worker", prompt=lit("Rate it"), schema=schema, into="RESULT", **fields
    )
    return program(node, SUCCESS)


@pytest.fixture
def rated(openai_server: OpenAIServer, monkeypatch):
    """The outcome of the graph over HTTP, and the requests that were made."""
    monkeypatch.setenv("OPENAI_API_KEY", "k")

    def run(spec: Any, *replies: Say) -> tuple[Any, list[Any]]:
        openai_server.will(*replies)
        options = RunOptions(model="openai:m", base_url=openai_server.url)

        async def go() -> Any:
            async with open_engine("memory:") as engine:
                factory = make_services(options, spec, Config())
                return await engine.start(spec, factory, run="r", inputs={}, options={})

        outcome = asyncio.run(asyncio.wait_for(go(), 240))
        return outcome, [request.body for request in openai_server.requests]

    return run


def test_the_answer_is_an_object_that_fits(rated) -> None:
    outcome, requests = rated(graph(), give(**FITS))
    assert (outcome.status, outcome.result) == ("success", FITS)
    (request,) = requests
    assert request["tool_choice"]["function"]["name"] == "give_answer"
    assert request["tools"][0]["function"]["parameters"]["required"] == ["title", "score"]


def test_what_does_not_fit_is_sent_back_with_what_is_wrong(rated) -> None:
    outcome, requests = rated(graph(), give(title="Alps", score="many"), give(**FITS))
    assert outcome.result == FITS
    told = requests[1]["messages"][-1]
    assert told["role"] == "tool"
    assert "score: 'many' is not of type 'integer'" in told["content"]


def test_a_model_that_never_fits_is_given_up(rated) -> None:
    outcome, requests = rated(graph(), *[give(score=-1)] * 5)
    assert (outcome.status, len(requests)) == ("error", 3)
    assert "`p`, tried 3 times" in outcome.error["message"]
    assert "'title' is a required property" in outcome.error["message"]


def test_a_model_that_never_writes_json_is_given_up_as_soon(rated) -> None:
    """NaN is none, however well the rest fits."""
    outcome, requests = rated(graph(), *[give(title="Alps", score=float("nan"))] * 4)
    assert outcome.status == "error"
    assert "tried 3 times" in outcome.error["message"]
    assert "not finite" in outcome.error["message"]
    assert len(requests) == 3


@pytest.mark.parametrize("text", [json.dumps(FITS), f"```json\n{json.dumps(FITS)}\n```"])
def test_a_model_may_write_the_object_as_its_text(rated, text) -> None:
    outcome, _ = rated(graph(), Say(text))
    assert outcome.result == FITS


def test_a_written_object_that_does_not_fit_is_sent_back_too(rated) -> None:
    outcome, requests = rated(graph(), Say('{"title": 3}'), give(**FITS))
    assert outcome.result == FITS
    assert "does not fit its schema" in requests[1]["messages"][-1]["content"]


def test_prose_is_answered_with_a_reminder(rated) -> None:
    outcome, requests = rated(graph(), Say("It is fine."), give(**FITS))
    assert outcome.result == FITS
    assert requests[1]["messages"][-1]["content"] == "Give the answer now: call give_answer."


def test_tools_come_first_and_the_answer_last(rated, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "notes.txt").write_text("one\n")
    spec = graph(tools=("read_file",))
    reading = Say(calls=[("read_file", {"path": "notes.txt"})])
    outcome, requests = rated(spec, reading, give(**FITS))
    assert outcome.result == FITS
    assert "tool_choice" not in requests[0]
    names = [tool["function"]["name"] for tool in requests[0]["tools"]]
    assert names == ["read_file", "give_answer"]


def test_a_thread_keeps_the_object_as_its_json_text(rated) -> None:
    talker = Agent(id="talker", thread="main", remember="both")
    ask = AgentNode(id="p", agent="talker", prompt=lit("Rate it"), schema=SCHEMA, into="RESULT")
    more = AgentNode(id="q", agent="talker", prompt=lit("Why?"), into="N")
    outcome, requests = rated(
        program(ask, more, SUCCESS, agents=(talker,)), give(**FITS), Say("So.")
    )
    assert (outcome.result, outcome.variables["N"]) == (FITS, "So.")
    said = [message["content"] for message in requests[1]["messages"]]
    assert said == ["Rate it", '{"title": "Alps", "score": 3}', "Why?"]


def test_a_broken_schema_is_a_failure_in_words(rated) -> None:
    outcome, _ = rated(graph({"type": "object", "properties": 3}), give(**FITS))
    assert outcome.status == "error"
    assert "the schema of `p` is broken" in outcome.error["message"]


def test_scripted_answers_give_objects(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text("p: {result: {title: Alps, score: 3}}\n")
    options = RunOptions(answers=str(tmp_path / "a.yaml"))
    spec = graph()

    async def go() -> Any:
        async with open_engine("memory:") as engine:
            factory = make_services(options, spec, Config())
            return await engine.start(spec, factory, run="r", inputs={}, options={})

    assert asyncio.run(go()).result == FITS


def test_nothing_is_fetched_for_a_schema() -> None:
    with pytest.raises(BrokenSchema):
        misfits({"$ref": "http://127.0.0.1:1/x.json"}, {})


@pytest.mark.parametrize(
    ("text", "value"),
    [('{"a": 1}', {"a": 1}), ("[1]", None), ("{", None), ("{" * 5000, None), ("", None)],
)
def test_objects_in_texts(text: str, value: Any) -> None:
    assert object_in(text) == value
