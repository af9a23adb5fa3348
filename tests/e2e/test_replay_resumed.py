"""Recordings and replays that go on: after a kill in an attempt, in a fork."""

from __future__ import annotations

import json
from typing import Any

import pytest
from attempts import CALL
from flowc.runtime.cassette.format import read_cassette
from openai_server import Hang, OpenAIServer, Say


@pytest.fixture(autouse=True)
def key(monkeypatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-demo")


def test_a_run_killed_in_its_second_attempt_is_one_recording(flowc) -> None:
    """What the journal gives back after the kill is not taken down a second time."""
    flowc.write("a.flow.yaml", CALL)
    tape = ("--record", "a.cassette.yaml")
    with OpenAIServer() as server:
        server.will(Say("bad"), Hang(), Say("good"))
        given = ("--model", "openai:gpt-demo", "--base-url", server.url)
        process = flowc.begin("run", "a.flow.yaml", "--run-id", "a", *given, *tape)
        flowc.until(lambda: len(server.requests) == 2, "the second attempt")
        process.kill()
        process.wait()
        done = flowc("resume", "a", "--on-unknown", "repeat", "--quiet")
    assert (done.returncode, done.stdout) == (0, "good\n"), done.stderr
    exchanges = read_cassette(str(flowc.folder / "a.cassette.yaml")).exchanges.values()
    assert [e.place for e in exchanges] == ["mid/ask", "mid~2/ask"]
    assert (flowc.folder / "a.cassette.yaml").read_text().count("\n...\n") == 3
    replay = ("--replay", "a.cassette.yaml")
    again = flowc("run", "a.flow.yaml", "--run-id", "b", "--quiet", *replay)
    assert (again.returncode, again.stdout) == (0, "good\n"), again.stderr
    same = flowc("diff", "a", "b")
    assert same.returncode == 0, same.stdout


FORKED = CALL.replace("nodes:\n", "nodes:\n  - {name: first, exec: date +%N, into: when}\n", 1)


@pytest.fixture
def recorded(flowc) -> Any:
    """A run that was recorded, and the options of a model that would say `good` at once."""
    flowc.write("a.flow.yaml", FORKED)
    with OpenAIServer() as server:
        server.will(Say("bad"), Say("good"), Say("bad"), Say("good"))
        given = ("--model", "openai:gpt-demo", "--base-url", server.url, "--allow-exec")
        tape = ("--record", "a.cassette.yaml", "--run-id", "a", "--quiet")
        assert flowc("run", "a.flow.yaml", *given, *tape).returncode == 0
        yield flowc


def fork(flowc: Any, run: str, name: str, *options: str) -> None:
    """Fork a run before `mid` and go on to its end: two attempts."""
    forked = flowc("fork", run, "--at", "mid", "--run-id", name)
    assert forked.returncode == 0, forked.stderr
    done = flowc("resume", name, "--quiet", *options)
    assert (done.returncode, done.stdout) == (0, "good\n"), done.stderr
    events = map(json.loads, flowc("show", name, "--jsonl").stdout.splitlines())
    assert sum(event["kind"] == "node_retry" for event in events) == 1
    assert json.loads(flowc("diff", "a", name, "--json").stdout)["variables"] == {}


def test_a_fork_of_a_replay_goes_on_replaying(recorded: Any) -> None:
    replay = ("--replay", "a.cassette.yaml", "--run-id", "b", "--quiet")
    assert recorded("run", "a.flow.yaml", *replay).returncode == 0
    fork(recorded, "b", "c")


def test_a_recording_of_a_fork_is_replayed_by_another_fork(recorded: Any) -> None:
    fork(recorded, "a", "b", "--record", "b.cassette.yaml")
    again = recorded("run", "a.flow.yaml", "--replay", "b.cassette.yaml")
    assert again.returncode == 2
    assert "cannot be replayed from the start" in again.stderr
    fork(recorded, "a", "c", "--replay", "b.cassette.yaml")


def test_a_node_in_a_call_runs_again_with_its_recorded_exchange(recorded: Any) -> None:
    done = recorded("step", "mid/ask", "--from", "a", "--replay", "a.cassette.yaml", "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["now"]["text"] == "bad", done.stdout
