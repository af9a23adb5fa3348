"""`flowc diff` compares recordings: exchange by exchange, attempts with them."""

from __future__ import annotations

import json
from typing import Any

import pytest
from attempts import CALL
from openai_server import OpenAIServer, Say


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
