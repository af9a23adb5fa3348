"""Settings of questions and models that are asked in turn, over a real server of the protocol."""

from __future__ import annotations

import asyncio
from decimal import Decimal
from pathlib import Path

import pytest
from flowc.compiler.ir import QuestionSettings
from flowc.runtime.charges import Usage
from flowc.runtime.config.prices import SetPrice
from flowc.runtime.config.settings import Config
from flowc.runtime.errors import Failure, RunError
from flowc.runtime.models.provider import ProviderModels
from flowc.runtime.services import ModelRequest
from metered import Run
from openai_server import Hang, OpenAIServer, Recorded, Refuse, Reply, Say

SETTINGS = """
flow: 1
agents:
  writer:
    settings: {temperature: 0.2, top_p: 0.9, reasoning: low, seed: 7, stop: [END], max_tokens: 90}
nodes:
  - name: draft
    agent: writer
    prompt: Write.
    settings: {temperature: 0, max_tokens: 50}
    into: line
outputs: [line]
"""
TWO_MODELS = """
flow: 1
limits: {tokens: LIMIT}
nodes:
  - {name: draft, agent: writer, prompt: Write., model: ["openai:first", second], into: line}
outputs: [line]
"""
LOOP = """
flow: 1
nodes:
  - name: look
    agent: reader
    prompt: Look.
    tools: [list_files]
    report: true
    into: found
outputs: [found]
"""


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test-0123456789abcdef")


def run_of(tmp_path: Path, server: OpenAIServer, text: str) -> Run:
    file = tmp_path / "w.flow.yaml"
    file.write_text(text.lstrip())
    return Run(file, server.url)


def test_the_request_carries_every_setting_and_a_node_has_the_last_word(tmp_path, openai_server):
    openai_server.will(Say("a line", usage=(10, 3)))
    outcome = run_of(tmp_path, openai_server, SETTINGS).start()
    assert outcome.result == "a line"
    body = openai_server.requests[0].body
    sent = {name: body.get(name) for name in ("temperature", "top_p", "seed", "stop")}
    assert sent == {"temperature": 0, "top_p": 0.9, "seed": 7, "stop": ["END"]}
    assert body["reasoning_effort"] == "low"
    assert body["max_completion_tokens"] == 50


def test_an_answer_that_breaks_off_at_its_own_bound_is_not_an_answer(tmp_path, openai_server):
    openai_server.will(Say("a li", usage=(10, 50), reason="length"))
    outcome = run_of(tmp_path, openai_server, SETTINGS).start()
    assert (outcome.status, outcome.error["kind"]) == ("error", "limit")
    assert "50 tokens" in outcome.error["message"]


def test_a_timeout_of_its_own_bounds_one_attempt(openai_server):
    openai_server.will(Hang())
    models = ProviderModels("openai:gpt-demo", openai_server.url, 20.0)
    models.backoff = type(models.backoff)(attempts=1)
    message = ({"role": "user", "content": "hi"},)
    request = ModelRequest(message, (), "a", None, 1, 1, settings=QuestionSettings(timeout=0.2))
    with pytest.raises(Failure, match="did not answer in time"):
        asyncio.run(models.reply(request))


def test_a_setting_that_would_be_lost_is_refused_before_the_run(tmp_path, openai_server):
    models = ProviderModels("mistralai:small", openai_server.url)
    with pytest.raises(RunError, match="`reasoning`, which flowc cannot tell mistralai"):
        models.prepare([(None, QuestionSettings(reasoning="low"))])


def test_the_next_model_is_asked_when_one_has_failed_for_good(tmp_path, openai_server):
    openai_server.will(Refuse(401, "no such key"), Say("a line", usage=(10, 3)))
    run = run_of(tmp_path, openai_server, TWO_MODELS.replace("LIMIT", "90000"))
    outcome = run.start()
    assert outcome.result == "a line"
    assert [r.body["model"] for r in openai_server.requests] == ["first", "second"]
    (event,) = run.kinds("model_fallback")
    assert (event.data["failed"], event.data["asked"]) == ("openai:first", "second")
    assert "401" in event.data["error"]
    assert (outcome.usage.input_tokens, outcome.usage.output_tokens) == (10, 3)


def test_a_budget_refuses_every_model(tmp_path, openai_server):
    run = run_of(tmp_path, openai_server, TWO_MODELS.replace("LIMIT", "1"))
    outcome = run.start()
    assert outcome.error["kind"] == "limit"
    assert not openai_server.requests
    assert not run.kinds("model_fallback")


def test_the_charge_is_that_of_the_model_that_answered(tmp_path, openai_server):
    openai_server.will(Refuse(401, "no such key"), Say("a line", usage=(1000, 0)))
    run = run_of(tmp_path, openai_server, TWO_MODELS.replace("LIMIT", "90000"))
    dollars = {name: SetPrice(Decimal(d), Decimal(d)) for name, d in (("first", 5), ("second", 1))}
    run.config = Config(prices={f"openai:{name}": price for name, price in dollars.items()})
    outcome = run.start()
    assert outcome.usage == Usage(1000, 0, 0, outcome.usage.cost)
    assert outcome.usage.cost == pytest.approx(0.001)


def test_a_recording_holds_the_settings_and_replays_the_second_model(tmp_path, openai_server):
    text = TWO_MODELS.replace("LIMIT", "90000").replace("into:", "settings: {seed: 7}, into:")
    openai_server.will(Refuse(401, "no such key"), Say("a line", usage=(10, 3)))
    tape = tmp_path / "tape.jsonl"
    run = run_of(tmp_path, openai_server, text)
    assert run.start(record=str(tape)).result == "a line"
    lines = [line.strip() for line in tape.read_text().splitlines()]
    assert [line for line in lines if line in ("model: openai:first", "model: second")] == [
        "model: openai:first",
        "model: second",
    ]
    assert lines.count("seed: 7") == 2
    openai_server.requests.clear()
    folder = tmp_path / "again"
    folder.mkdir()
    again = run_of(folder, openai_server, text)
    assert again.start(model=None, base_url=None, replay=str(tape)).result == "a line"
    assert len(again.kinds("model_fallback")) == 1
    assert not openai_server.requests
    folder = tmp_path / "other"
    folder.mkdir()
    other = run_of(folder, openai_server, text.replace("seed: 7", "seed: 8"))
    with pytest.raises(RunError, match="`settings` is not what was recorded"):
        other.start(model=None, base_url=None, replay=str(tape))


def test_a_model_that_calls_the_same_again_and_again_is_stopped(tmp_path, openai_server):
    def same(request: Recorded) -> Reply:
        return Say("", calls=[("list_files", {"path": "."})])

    openai_server.answer = same
    (tmp_path / "a.txt").write_text("a")
    run = run_of(tmp_path, openai_server, LOOP)
    run.config = Config()
    outcome = run.start(roots=(str(tmp_path),))
    assert outcome.status == "error"
    assert len(openai_server.requests) == 3
    assert "calls `list_files` with the same arguments, 3 times" in outcome.error["message"]
    assert "without reporting it" in outcome.error["message"]


def test_a_model_that_is_told_something_else_each_time_goes_on(tmp_path, openai_server):
    def look(request: Recorded) -> Reply:
        count = len(openai_server.requests)
        (tmp_path / f"{count}.txt").write_text("a")
        if count == 6:
            done = {"step_number": 1, "status": "passed", "assertion_results": [],
                    "output_variables": {}}  # fmt: skip
            return Say("", calls=[("report_step_result", done)])
        return Say("", calls=[("list_files", {"path": "."})])

    openai_server.answer = look
    outcome = run_of(tmp_path, openai_server, LOOP).start(roots=(str(tmp_path),))
    assert outcome.status == "success"
    assert len(openai_server.requests) == 6
