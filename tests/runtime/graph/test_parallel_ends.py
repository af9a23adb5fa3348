"""Branches side by side: how they end, fail and ask."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from flowc.compiler.ir import CallNode, EndNode, ToolNode
from flowc.runtime.engine.engine import open_engine
from flowc.runtime.engine.signals import RunSignals
from flowc.runtime.errors import Failure
from flowc.runtime.events import RunEvent
from specs import (
    FAILED,
    STATE,
    SUCCESS,
    ask,
    edges,
    lit,
    name,
    on_error,
    plus,
    point,
    program,
    program_of,
    workflow,
)
from worlds import World, start


@pytest.fixture
def tools(world: World) -> World:
    def fail() -> Any:
        raise Failure("no luck")

    world.tools.functions |= {"fail": fail, "fine": lambda: "fine"}
    return world


def test_the_first_failed_end_wins_and_nothing_further_begins(execute) -> None:
    spec = program(
        point("a"),
        point("b"),
        point("c", LIST=lit("c")),
        point("c2", LIST=lit("c2")),
        point("c3", LIST=lit("c3")),
        SUCCESS,
        FAILED,
        edges=edges("a > b c\nb > FAILED\nc > c2\nc2 > c3\nc3 > SUCCESS"),
        state=STATE,
    )
    outcome = execute(spec)
    assert (outcome.status, outcome.variables["LIST"]) == ("failed", ["c", "c2"])


def test_a_called_workflow_whose_branch_fails_has_failed(execute) -> None:
    inner = workflow(
        point("a"),
        point("b"),
        point("c", N=lit(1)),
        point("d", N=lit(2)),
        point("e", N=lit(3)),
        SUCCESS,
        FAILED,
        edges=edges("a > b c\nb > FAILED\nc > d\nd > e\ne > SUCCESS"),
        state=STATE,
    )
    outer = workflow(
        CallNode(id="call", workflow="inner", returns_all=True),
        point("sorry", RESULT=name("N")),
        SUCCESS,
        edges=(*edges("call > SUCCESS\nsorry > SUCCESS"), on_error("call", "sorry")),
        state=STATE,
    )
    outcome = execute(program_of(outer, inner=inner))
    assert (outcome.status, outcome.result) == ("success", 2)


def test_success_waits_for_every_branch(execute) -> None:
    spec = program(
        point("a"),
        point("b"),
        point("c"),
        point("c2", LIST=lit("c2")),
        SUCCESS,
        point("after", LIST=lit("after")),
        EndNode(id="END2", outcome="success"),
        edges=edges("a > b c\nb > SUCCESS\nc > c2\nc2 > SUCCESS\nafter > END2"),
        state=STATE,
        on_success="after",
    )
    outcome = execute(spec)
    assert (outcome.status, outcome.variables["LIST"]) == ("success", ["c2", "after"])


def test_the_handler_of_success_does_not_run_when_a_branch_fails(execute) -> None:
    spec = program(
        point("a"),
        point("b"),
        point("c"),
        SUCCESS,
        FAILED,
        point("after", LIST=lit("after")),
        EndNode(id="END2", outcome="success"),
        edges=edges("a > b c\nb > SUCCESS\nc > FAILED\nafter > END2"),
        state=STATE,
        on_success="after",
    )
    outcome = execute(spec)
    assert (outcome.status, outcome.variables["LIST"]) == ("failed", [])


def test_a_failure_waits_until_the_nodes_beside_it_are_through(wait, url, tools: World) -> None:
    """So nothing is left in doubt, and what was done beside it is not done again."""
    slow = asyncio.Event()
    broken = [True]

    def flaky() -> str:
        if broken[0]:
            raise Failure("not yet")
        return "fine now"

    tools.tools.functions |= {"flaky": flaky}
    call = tools.tools.call

    async def gated(tool: str, args: dict[str, Any]) -> Any:
        if tool == "fine":
            await slow.wait()
        elif tool == "flaky":
            asyncio.get_running_loop().call_later(0.05, slow.set)
        return await call(tool, args)

    tools.tools.call = gated
    spec = program(
        point("a"),
        ToolNode(id="b", tool="flaky", into="N"),
        ToolNode(id="c", tool="fine", into="RESULT"),
        point("d", "all"),
        SUCCESS,
        edges=edges("a > b c\nb > d\nc > d\nd > SUCCESS"),
        state=STATE,
    )

    async def go() -> tuple[Any, Any]:
        async with open_engine(url) as engine:
            first = await start(engine, spec, tools)
            assert first.error["message"] == "not yet"
            broken[0] = False
            return first, await engine.resume("r", spec, tools, answers={})

    first, second = wait(go())
    assert (first.status, second.status) == ("error", "success")
    assert [tool for tool, _ in tools.tools.calls] == ["flaky", "fine", "flaky"]


def test_questions_of_several_branches_are_answered_one_by_one_or_together(wait, url) -> None:
    spec = program(
        point("a"),
        ask("b", "RESULT"),
        ask("c", "N"),
        point("d", "all", LIST=plus(name("RESULT"), name("N"))),
        SUCCESS,
        edges=edges("a > b c\nb > d\nc > d\nd > SUCCESS"),
        state=STATE,
    )

    async def one_by_one() -> Any:
        async with open_engine(url) as engine:
            outcome = await start(engine, spec, World())
            ids = {q.node: q.id for q in outcome.questions}
            assert set(ids) == {"b", "c"}
            outcome = await engine.resume("r", spec, World(), answers={ids["c"]: "C"})
            assert [q.node for q in outcome.questions] == ["b"]
            return await engine.resume("r", spec, World(), answers={"": "B"})

    async def together() -> Any:
        async with open_engine("memory:") as engine:
            outcome = await start(engine, spec, World())
            answers = {q.id: q.node.upper() for q in outcome.questions}
            return await engine.resume("r", spec, World(), answers=answers)

    for outcome in (wait(one_by_one()), wait(together())):
        assert (outcome.status, outcome.variables["LIST"]) == ("success", ["BC"])


def test_a_pause_lets_every_branch_finish_its_node(wait, url, tools: World) -> None:
    spec = program(
        point("a"),
        ToolNode(id="b", tool="fine", into="N"),
        ToolNode(id="c", tool="fine", into="RESULT"),
        point("c2", LIST=lit("c2")),
        point("d", "all", LIST=lit("d")),
        SUCCESS,
        edges=edges("a > b c\nb > d\nc > c2\nc2 > d\nd > SUCCESS"),
        state=STATE,
    )
    signals = RunSignals()

    def pause(event: RunEvent) -> None:
        if event.kind == "tool_called":
            signals.request_drain("pause")

    async def go() -> Any:
        async with open_engine(url) as engine:
            outcome = await start(engine, spec, tools, listeners=(pause,), control=signals)
            assert (outcome.status, outcome.variables["N"]) == ("paused", "fine")
            assert set((await engine.state("r")).next) == {"c2"}
            return await engine.resume("r", spec, tools, answers={})

    outcome = wait(go())
    assert (outcome.status, outcome.variables["LIST"]) == ("success", ["c2", "d"])
    assert len(tools.tools.calls) == 2


def test_the_handler_of_success_waits_for_a_branch_that_waits_for_a_person(wait, url) -> None:
    spec = program(
        point("a"),
        point("b", LIST=lit("b")),
        ask("c", "N"),
        SUCCESS,
        point("after", LIST=lit("after")),
        EndNode(id="END2", outcome="success"),
        edges=edges("a > b c\nb > SUCCESS\nc > SUCCESS\nafter > END2"),
        state=STATE,
        on_success="after",
    )

    async def go(**answers: Any) -> Any:
        async with open_engine(url) as engine:
            if not answers:
                return await start(engine, spec, World())
            return await engine.resume("r", spec, World(), answers={"": "x"})

    assert wait(go()).status == "paused"
    outcome = wait(go(yes=True))
    assert (outcome.status, outcome.variables["LIST"]) == ("success", ["b", "after"])
