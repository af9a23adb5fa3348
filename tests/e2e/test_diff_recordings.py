"""`flowc diff` compares recordings, exchange by exchange, and a replay with what was recorded:
attempts with them, and what it did not ask for, or in vain."""

from __future__ import annotations

import json
from typing import Any

import pytest
from attempts import CALL
from openai_server import OpenAIServer, Say
from stores import KINDS, fresh_store


@pytest.fixture
def recorded(flowc, monkeypatch) -> Any:
    """Runs of a call that is tried until it is good: `a` and `b` twice, `c` once."""
    monkeypatch.setenv("OPENAI_API_KEY", "sk-demo")
    flowc.write("a.flow.yaml", CALL)
    with OpenAIServer() as server:
        for run, replies in ("a", ("bad", "good")), ("b", ("bad", "good")), ("c", ("good",)):
            server.will(*map(Say, replies))
            given = ("--model", "openai:gpt-demo", "--base-url", server.url, "--run-id", run)
            done = flowc("run", "a.flow.yaml", *given, "--record", f"{run}.cassette.yaml")
            assert done.returncode == 0, done.stderr
    return flowc


@pytest.mark.parametrize("two", [("a.cassette.yaml", "b.cassette.yaml"), ("a", "b.cassette.yaml")])
def test_two_recordings_of_the_same_exchanges_do_not_differ(recorded, two) -> None:
    same = recorded("diff", *two)
    assert (same.returncode, "the same way" in same.stdout) == (0, True), same.stdout


def test_an_attempt_that_only_one_has_is_shown(recorded) -> None:
    other = recorded("diff", "a.cassette.yaml", "c.cassette.yaml")
    assert other.returncode == 1
    lines = [line.split()[:3] for line in other.stdout.splitlines() if line[2:3] in "+-"]
    assert ["-", "model", "mid~2/ask"] in lines
    assert "exchanges  2 → 1" in other.stdout
    told = json.loads(recorded("diff", "a", "c.cassette.yaml", "--json").stdout)
    assert (told["same"], [step["in"] for step in told["path"]]) == (
        False,
        ["first", "second", "first"],
    )


def test_what_cannot_be_compared_is_said(recorded) -> None:
    assert (
        recorded(
            "run", "a.flow.yaml", "--replay", "a.cassette.yaml", "--run-id", "d", "--quiet"
        ).returncode
        == 0
    )
    bare = recorded("diff", "d", "a.cassette.yaml")
    assert (bare.returncode, "run d was not recorded" in bare.stderr) == (2, True)
    for name, said in ("none.yaml", "cannot be read"), ("a.flow.yaml", "is not a recording"):
        wrong = recorded("diff", "a.cassette.yaml", name)
        assert (wrong.returncode, said in wrong.stderr) == (2, True)


TAPE = "tape.cassette.yaml"


@pytest.fixture(params=KINDS)
def stored(request, flowc, monkeypatch) -> Any:
    """What a command says of a store, in which the run `live` was recorded: `bad`, then `good`."""
    monkeypatch.setenv("OPENAI_API_KEY", "sk-demo")
    flowc.write("a.flow.yaml", CALL)
    with fresh_store(request.param, flowc.folder) as url:
        with OpenAIServer() as server:
            server.will(Say("bad"), Say("good"))
            given = ("--model", "openai:gpt-demo", "--base-url", server.url, "--record", TAPE)
            done = flowc("run", "a.flow.yaml", *given, "--run-id", "live", "--store", url)
            assert done.returncode == 0, done.stderr
        yield lambda *words: flowc(*words, "--store", url)


def differences(stored: Any, run: str, code: int) -> tuple[dict[str, Any], str]:
    """Replay the recording, and return what `diff` says of it as JSON, and to people."""
    done = stored("run", "a.flow.yaml", "--replay", TAPE, "--run-id", run)
    assert done.returncode == code, done.stderr
    shown = stored("diff", "live", run)
    assert shown.returncode == code, shown.stdout
    return json.loads(stored("diff", "live", run, "--json").stdout), shown.stdout


def test_a_replay_keeps_the_attempts_of_what_was_recorded(stored) -> None:
    told, shown = differences(stored, "again", 0)
    steps = [step["step"] for step in told["path"]]
    first, second = ("mid/ask", "mid/check failed", "mid failed"), ("mid~2/ask", "mid~2/check")
    assert steps == [*first, *second, "mid~2/end", "mid~2", "end"]
    assert {step["in"] for step in told["path"]} == {"both"}
    assert told["costs"]["input_tokens"] == {"first": 22, "second": 22}
    assert "the same way" in shown


def test_an_exchange_too_many_is_told_beside_what_was_recorded(stored, flowc) -> None:
    text = (flowc.folder / TAPE).read_text()
    last = text.rpartition("---\nmodel: mid~2/ask\n")[2]
    flowc.write(TAPE, f"{text}---\nmodel: mid~2/ask\nattempt: 9\n{last}")
    told, shown = differences(stored, "more", 1)
    assert {step["in"] for step in told["path"]} == {"both"}
    assert told["ends"]["status"] == {"first": "success", "second": "error"}
    said = told["ends"]["error"]["second"]
    assert f"one exchange of `{flowc.folder / TAPE}`: model of `mid~2/ask`" in said
    assert "(attempt 9" in said
    assert "+ error  the run did not ask for one exchange" in shown


def test_an_exchange_that_is_missing_is_told_beside_what_was_recorded(stored, flowc) -> None:
    text = (flowc.folder / TAPE).read_text()
    flowc.write(TAPE, text.partition("---\nmodel: mid~2/ask\n")[0])
    told, shown = differences(stored, "less", 1)
    only = [step["step"] for step in told["path"] if step["in"] == "first"]
    assert only[:2] == ["mid~2/ask", "mid~2/check"]
    said = told["ends"]["error"]["second"]
    assert (
        f"`mid~2/ask` asks for a model exchange that `{flowc.folder / TAPE}` does not hold" in said
    )
    assert "+ error  `mid~2/ask` asks for a model exchange" in shown
