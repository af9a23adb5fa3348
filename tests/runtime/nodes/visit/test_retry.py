"""Attempts: a node that failed is run again, and what it had done is not done again."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from flowc.compiler.ir import AgentNode, Assignment, CallNode, ForeachNode, Param, Retry, ToolNode
from flowc.compiler.lowering.graphspec import GraphSpec
from flowc.runtime.context import EFFECT_KEY, WaitClock
from flowc.runtime.engine.engine import open_engine
from flowc.runtime.engine.signals import RunSignals
from flowc.runtime.errors import Failure
from flowc.runtime.events import RunEvent
from flowc.runtime.services import ModelReply, ToolSchema
from killing import Killed, in_process, kill_me
from ledgers import Ledger, resume, world_of
from specs import (
    FAILED,
    STATE,
    SUCCESS,
    commands,
    lit,
    name,
    on_error,
    point,
    program,
    program_of,
    workflow,
)
from worlds import LIMIT, World, overrun, start

SOON = Retry(attempts=3, wait=0.01)


@pytest.fixture
def flaky(world: World) -> World:
    """A tool that fails as often as `world.failures` says, each time in that way."""
    world.failures = []

    def once() -> str:
        if world.failures:
            raise world.failures.pop(0)
        return "fine"

    world.tools.functions |= {"once": once, "mail": lambda **args: {"sent": True}}
    return world


World.failures = ()


def tried(retry: Retry | None = SOON, **fields: Any) -> GraphSpec:
    return program(ToolNode(id="t", tool="once", into="RESULT", retry=retry, **fields), SUCCESS)


def test_a_failed_attempt_is_followed_by_another(execute, flaky) -> None:
    flaky.failures = [Failure("one"), Failure("two", "refused")]
    seen: list[RunEvent] = []
    retry = Retry(attempts=3, wait=0.01, errors=("failure", "refused"))
    outcome = execute(tried(retry), listeners=(seen.append,))
    assert (outcome.status, outcome.result, outcome.nodes) == ("success", "fine", 2)
    retries = [e.data for e in seen if e.kind == "node_retry"]
    assert [(r["attempt"], r["of"], r["error"], r["kind"]) for r in retries] == [
        (1, 3, "one", "failure"),
        (2, 3, "two", "refused"),
    ]
    assert [r["wait"] for r in retries] == [0.01, 0.02]
    assert [e.kind for e in seen if e.kind.startswith("node_f")] == ["node_finished"] * 2


def test_each_attempt_has_a_key_of_its_own(execute, flaky) -> None:
    """Else a server that keeps answers by their keys would repeat its failure."""
    flaky.failures, keys = [Failure("one"), Failure("two")], list[str]()
    call = flaky.tools.call

    async def keyed(tool: str, args: dict[str, Any]) -> Any:
        keys.append(EFFECT_KEY.get())
        return await call(tool, args)

    flaky.tools.call = keyed
    assert execute(tried()).status == "success"
    assert len(set(keys)) == len(keys) == 3


def test_the_last_attempt_fails_as_any_node_does(execute, flaky) -> None:
    flaky.failures = [Failure(str(n)) for n in range(5)]
    outcome = execute(tried())
    assert (outcome.status, outcome.error["message"]) == ("error", "2")
    assert len(flaky.tools.calls) == 3


def test_an_error_edge_is_taken_after_the_last_attempt(execute, flaky) -> None:
    flaky.failures = [Failure(str(n)) for n in range(5)]
    node = ToolNode(id="t", tool="once", retry=SOON)
    spec = program(node, SUCCESS, FAILED, edges=(on_error("t", "FAILED"),))
    assert execute(spec).status == "failed"
    assert len(flaky.tools.calls) == 3


@pytest.mark.parametrize(("errors", "calls"), [((), 1), (("limit",), 2)])
def test_only_the_listed_kinds_are_tried_again(execute, flaky, errors, calls) -> None:
    flaky.failures = [Failure("no", "limit")] * 2
    retry = Retry(attempts=2, wait=0, errors=("failure", "timeout", *errors))
    assert execute(tried(retry)).status == "error"
    assert len(flaky.tools.calls) == calls


def test_each_attempt_has_the_whole_time(execute, flaky) -> None:
    calls = []

    async def slow(tool: str, args: dict[str, Any]) -> Any:
        calls.append(tool)
        if len(calls) < 3:
            await overrun()
        return "fine"

    flaky.tools.call = slow

    async def schema(tool: str) -> ToolSchema:
        return pure(tool)

    flaky.tools.schema = schema
    assert execute(tried(timeout=LIMIT)).result == "fine"
    assert len(calls) == 3


def pure(tool: str) -> Any:
    return ToolSchema(tool, "", {"type": "object"}, "pure")


def test_a_call_that_a_time_out_cut_off_is_in_doubt_in_the_next_attempt(wait, url, flaky) -> None:
    calls = []

    async def slow(tool: str, args: dict[str, Any]) -> Any:
        calls.append(tool)
        if len(calls) < 2:
            await overrun()
        return "fine"

    flaky.tools.call = slow
    spec = tried(timeout=LIMIT)

    async def go() -> Any:
        async with open_engine(url) as engine:
            outcome = await start(engine, spec, flaky)
            assert [q.kind for q in outcome.questions] == ["unknown"]
            assert len(calls) == 1
            return await engine.resume("r", spec, flaky, answers={"": "repeat"})

    assert wait(go()).result == "fine"
    assert len(calls) == 2


def agent(**fields: Any) -> AgentNode:
    return AgentNode(
        id="p", agent="worker", prompt=lit("?"), tools=("mail",), into="RESULT", **fields
    )


def test_an_agent_starts_anew_and_its_tools_keep_their_results(execute, flaky) -> None:
    mail = [("mail", {"to": "Ada"})]
    flaky.models.replies = [mail, Failure("gone"), mail, [("mail", {"to": "Bob"})], "done"]
    outcome = execute(program(agent(retry=SOON), SUCCESS))
    assert outcome.result == "done"
    assert [args["to"] for _, args in flaky.tools.calls] == ["Ada", "Bob"]
    assert len(flaky.models.requests) == 5
    assert [m["role"] for m in flaky.models.requests[2].messages] == ["user"]


def test_a_model_call_that_was_cut_off_is_made_again_unasked(execute, flaky) -> None:
    class Slow:
        label, is_model, asked = "a model", True, 0

        async def reply(self, request: Any) -> Any:
            Slow.asked += 1
            if Slow.asked == 1:
                await overrun()
            return ModelReply("done")

    flaky.models = Slow()
    outcome = execute(program(agent(retry=SOON, timeout=LIMIT), SUCCESS))
    assert (outcome.status, outcome.result) == ("success", "done")
    assert Slow.asked == 2


def test_commands_that_ran_do_not_run_again(execute, world) -> None:
    run = world.shell.run
    failures = [Failure("no shell")]

    async def flaky(command: str, *how: Any) -> Any:
        if command == "two" and failures:
            raise failures.pop()
        return await run(command, *how)

    world.shell.run = flaky
    node = commands("x", "one", "two", "three")
    outcome = execute(program(replace(node, retry=SOON), SUCCESS))
    assert outcome.status == "success"
    assert world.shell.ran == ["one", "two", "three"]


def test_a_called_workflow_starts_anew_and_its_tools_keep_their_results(execute, flaky) -> None:
    flaky.failures = [Failure("first")]
    inner = workflow(
        ToolNode(id="send", tool="mail"),
        ToolNode(id="t", tool="once", into="RESULT"),
        SUCCESS,
        state=STATE,
    )
    call = CallNode(id="call", workflow="inner", returns_all=True, retry=SOON)
    outcome = execute(program_of(workflow(call, SUCCESS, state=STATE), inner=inner))
    assert outcome.result == "fine"
    assert [tool for tool, _ in flaky.tools.calls] == ["mail", "once", "once"]


def test_elements_that_are_done_are_not_run_again(execute, flaky) -> None:
    seen: list[int] = []
    failing = [True]

    async def call(tool: str, args: dict[str, Any]) -> Any:
        seen.append(args["x"])
        if args["x"] == 2 and failing:
            failing.clear()
            raise Failure("once")
        return args["x"]

    flaky.tools.call = call
    inner = workflow(
        ToolNode(
            id="t", tool="once", args=(Assignment(target="x", value=name("ITEM")),), into="RESULT"
        ),
        SUCCESS,
        params=(Param(name="ITEM", type="any"),),
        state=STATE,
    )
    each = ForeachNode(
        id="each",
        items=lit([1, 2, 3]),
        workflow="inner",
        item="ITEM",
        into="RESULT",
        retry=SOON,
    )
    outcome = execute(program_of(workflow(each, SUCCESS, state=STATE), inner=inner))
    assert (outcome.result, seen) == ([1, 2, 3], [1, 2, 2, 3])
    assert outcome.nodes == 1 + 3 * 2 + 1


class Clock:
    """Goes on by five minutes whenever it is looked at."""

    now = 0.0

    def time(self) -> float:
        return self.now

    def monotonic(self) -> float:
        self.now += 300
        return self.now


def test_a_pause_ends_the_wait_and_the_next_attempt_comes_when_it_is_due(wait, url, flaky) -> None:
    clock = Clock()
    flaky.clock = WaitClock(clock.time, clock.monotonic, look=0.001)
    flaky.failures = [Failure("one")]
    spec = tried(Retry(attempts=2, wait=3600.0))
    signals = RunSignals()

    def pause(event: RunEvent) -> None:
        if event.kind == "node_retry":
            signals.request_drain("pause")

    async def go() -> Any:
        async with open_engine(url) as engine:
            outcome = await start(engine, spec, flaky, listeners=(pause,), control=signals)
            assert outcome.status == "paused"
            assert clock.now < 3600
            outcome = await engine.resume("r", spec, flaky, answers={})
            assert clock.now >= 3600
            return outcome

    outcome = wait(go())
    assert (outcome.status, outcome.result) == ("success", "fine")
    assert len(flaky.tools.calls) == 2


def test_attempts_are_counted_across_a_crash(url: str, tmp_path: Path) -> None:
    file = tmp_path / "ledger"
    spec = program(
        point("a"),
        ToolNode(id="t", tool="mail", into="RESULT", retry=Retry(attempts=3, wait=0.01)),
        SUCCESS,
    )

    async def failing(tool: str, args: dict[str, Any]) -> Any:
        Ledger(file).act("tried")
        raise Failure("no")

    def die(event: RunEvent) -> None:
        if event.kind == "node_retry":
            kill_me()

    async def begin() -> None:
        world = world_of(Ledger(file))
        world.tools.call = failing  # type: ignore[method-assign]
        async with open_engine(url) as engine:
            await engine.start(spec, world, run="r", inputs={}, options={}, listeners=(die,))

    async def go_on() -> str:
        world = world_of(Ledger(file))
        world.tools.call = failing  # type: ignore[method-assign]
        async with open_engine(url) as engine:
            return str((await engine.resume("r", spec, world, answers={})).status)

    with pytest.raises(Killed):
        in_process(lambda: asyncio.run(begin()))
    assert in_process(lambda: asyncio.run(go_on())) == "error"
    assert Ledger(file).done() == ["tried"] * 3
    assert in_process(lambda: resume(url, spec, Ledger(file), {}))["status"] == "success"


def test_a_time_out_of_a_call_leaves_what_was_under_way_inside_in_doubt(wait, url, world) -> None:
    waits = [True]

    async def slow(tool: str, args: dict[str, Any]) -> Any:
        world.tools.calls.append((tool, args))
        if waits:
            waits.pop()
            await overrun()
        return "fine"

    world.tools.functions["mail"] = None
    world.tools.call = slow
    inner = workflow(ToolNode(id="send", tool="mail", into="RESULT"), SUCCESS, state=STATE)
    call = CallNode(id="call", workflow="inner", returns_all=True, timeout=LIMIT)
    spec = program_of(workflow(call, SUCCESS, state=STATE), inner=inner)

    async def go() -> Any:
        async with open_engine(url) as engine:
            outcome = await start(engine, spec, world)
            assert (outcome.status, outcome.error["kind"]) == ("error", "timeout")
            outcome = await engine.resume("r", spec, world, answers={})
            assert [(q.kind, q.name) for q in outcome.questions] == [("unknown", "call/send")]
            return await engine.resume("r", spec, world, answers={"": "repeat"})

    outcome = wait(go())
    assert (outcome.status, outcome.result) == ("success", "fine")
    assert len(world.tools.calls) == 2
