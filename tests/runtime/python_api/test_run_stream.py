"""The events of a run, one after another."""

from __future__ import annotations

import asyncio

import flowc
import pytest
from flowc import errors

KINDS = [
    "run_started", "node_started", "model_text", "model_called", "node_finished", "node_started",
    "interrupted", "run_finished",
]  # fmt: skip


def test_a_stream_gives_every_event_and_then_the_outcome(greet):
    stream = greet.stream({"WHO": "Ada"})
    assert stream.outcome is None
    assert [event.kind for event in stream] == KINDS
    assert stream.outcome.status == "paused"
    assert list(stream) == []


def test_an_async_stream_gives_the_same(greet):
    async def go() -> list[str]:
        async with greet.astream({"WHO": "Ada"}) as stream:
            kinds = [event.kind async for event in stream]
        assert stream.outcome.status == "paused"
        return kinds

    assert asyncio.run(go()) == KINDS


def test_what_keeps_a_run_from_beginning_is_raised_where_the_events_are_asked_for(greet):
    with pytest.raises(errors.RunError, match="`WHO` is missing"):
        next(greet.stream({}))

    async def go() -> None:
        async for _ in greet.astream({}):
            pass

    with pytest.raises(errors.RunError, match="`WHO` is missing"):
        asyncio.run(go())


ROUNDS = """flow: 1
name: rounds
state: {n: {type: integer, default: 0}}
nodes:
  - name: count
    assign: {n: n + 1}
    next: [{when: n < 500, to: count}]
"""


def test_a_stream_that_is_left_early_lets_the_run_be_resumed():
    flow = flowc.load(ROUNDS)
    with flow.stream() as stream:
        for event in stream:
            if event.kind == "node_finished":
                break
    assert stream.outcome.status == "stopped"
    assert 0 < stream.outcome.variables["n"] < 500
    assert flow.resume(stream.outcome.run).variables["n"] == 500


def test_an_async_stream_that_is_left_early_lets_the_run_be_resumed():
    flow = flowc.load(ROUNDS)

    async def go() -> flowc.Outcome:
        async with flow.astream() as stream:
            async for event in stream:
                if event.kind == "node_finished":
                    break
        return stream.outcome

    outcome = asyncio.run(go())
    assert outcome.status == "stopped"
    assert flow.resume(outcome.run).variables["n"] == 500
