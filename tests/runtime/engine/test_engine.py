"""Pausing, resuming and failing, on a real store."""

from __future__ import annotations

import copy
import dataclasses
from typing import Any

import pytest
from flowc.compiler.ir import AgentNode, CallNode, Param, ToolNode
from flowc.runtime.engine.engine import Engine, open_engine
from flowc.runtime.errors import Failure, InDoubt, RunError
from specs import (
    FAILED,
    SUCCESS,
    ask,
    assign,
    commands,
    edge,
    edges,
    lit,
    name,
    on_error,
    point,
    program,
    program_of,
    workflow,
)
from worlds import LIMIT, overrun, start


def test_a_question_waits_until_it_is_answered_m41(world, url, wait) -> None:
    spec = program(ask("q"), SUCCESS)

    async def go() -> None:
        async with open_engine(url) as engine:
            outcome = await start(engine, spec, world)
            assert outcome.status == "paused"
            assert [q.text for q in outcome.questions] == ["What of q?"]
        async with open_engine(url) as engine:
            again = await engine.resume("r", spec, world, answers={})
            assert again.questions == outcome.questions
            assert (await engine.store.get("r")).status == "paused"
            with pytest.raises(RunError, match="no question has the id `zzz`"):
                await engine.resume("r", spec, world, answers={"zzz": "x"})
            done = await engine.resume("r", spec, world, answers={"": "blue"})
            assert (done.status, done.result) == ("success", "blue")
            with pytest.raises(RunError, match="run r has ended: success"):
                await engine.resume("r", spec, world, answers={})

    wait(go())


def noting_reads(engine: Engine) -> tuple[Engine, list[str]]:
    """The engine with a saver that notes each reading of a checkpoint."""
    reads: list[str] = []

    saver: Any = copy.copy(engine.saver)
    saver.__class__ = type("Noting", (type(saver),), {})

    async def read(self: Any, config: Any) -> Any:
        reads.append(config["configurable"]["thread_id"])
        return await super(type(saver), self).aget_tuple(config)

    type(saver).aget_tuple = read  # later than `HomeLoop` puts its own there
    return dataclasses.replace(engine, saver=saver), reads


def test_what_a_run_that_ends_came_to_is_not_read(world, url, wait) -> None:
    """LangGraph reads once where it begins; only what waits is in the checkpoint alone."""
    spec = program(assign("a"), SUCCESS)

    async def go() -> None:
        async with open_engine(url) as opened:
            engine, reads = noting_reads(opened)
            ended = await start(engine, spec, world)
            assert (ended.status, reads) == ("success", ["r"])
            kept = await engine.state("r")
            assert kept.variables == ended.variables
            assert kept.next == ()
            reads.clear()
            asked = await start(engine, program(ask("q"), SUCCESS), world, run="asks")
            assert (asked.status, len(reads)) == ("paused", 2)

    wait(go())


def test_two_questions_at_once_are_answered_one_by_one_by_their_ids(world, url, wait) -> None:
    fan_out = (edge("a", "left"), edge("a", "right"), edge("left", "SUCCESS"))
    spec = program(
        assign("a"),
        ask("left"),
        ask("right", "N"),
        SUCCESS,
        edges=(*fan_out, edge("right", "SUCCESS")),
    )

    async def go() -> None:
        async with open_engine(url) as engine:
            outcome = await start(engine, spec, world)
            ids = {q.node: q.id for q in outcome.questions}
            assert set(ids) == {"left", "right"}
            with pytest.raises(RunError, match="2 questions wait"):
                await engine.resume("r", spec, world, answers={"": "x"})
            outcome = await engine.resume("r", spec, world, answers={ids["right"]: "R"})
            assert [q.id for q in outcome.questions] == [ids["left"]], "the id stays the same"
            outcome = await engine.resume("r", spec, world, answers={"": "L"})
            assert (outcome.status, outcome.result, outcome.variables["N"]) == ("success", "L", "R")

    wait(go())


def test_commands_wait_for_approval_and_always_holds_for_the_session(world, url, wait) -> None:
    world.approve = "ask"
    spec = program(commands("e", "one", "two"), ask("q", "N"), commands("f", "three"), SUCCESS)

    async def go() -> None:
        async with open_engine(url) as engine:
            outcome = await start(engine, spec, world)
            assert outcome.questions[0].kind == "approve"
            assert outcome.questions[0].commands == ("one", "two")
            assert world.shell.ran == []
            with pytest.raises(RunError, match="is not an answer to whether `e` may run"):
                await engine.resume("r", spec, world, answers={"": "maybe"})
            await engine.resume("r", spec, world, answers={"": "A"})
            assert world.shell.ran == ["one", "two"]
        async with open_engine(url) as engine:
            outcome = await engine.resume("r", spec, world, answers={"": "on"})
            assert (outcome.status, outcome.result) == ("success", "$ three\nout 2")

    wait(go())


def test_refused_commands_are_a_failure_of_their_own_kind(world, url, wait) -> None:
    world.approve = "ask"
    spec = program(
        commands("e", "rm -rf /"),
        SUCCESS,
        assign("refused", RESULT=lit("no harm done")),
        edges=(on_error("e", "refused", "refused"),),
    )

    async def go() -> None:
        async with open_engine(url) as engine:
            await start(engine, spec, world)
            outcome = await engine.resume("r", spec, world, answers={"": "no"})
            assert (outcome.result, world.shell.ran) == ("no harm done", [])

    wait(go())


def test_a_changed_workflow_is_refused_and_told_what_changed(world, url, wait) -> None:
    spec = program(ask("q"), assign("a", N=lit(1)), SUCCESS)
    other = program(ask("p"), assign("a", N=lit(1)), SUCCESS)

    async def go() -> None:
        async with open_engine(url) as engine:
            await start(engine, spec, world)
            with pytest.raises(RunError) as refused:
                await engine.resume("r", other, world, answers={"": "x"})
            assert "flow.md has changed where run r stands" in refused.value.message
            assert "`q`, which is under way, is gone" in refused.value.message
            assert (await engine.resume("r", spec, world, answers={"": "x"})).status == "success"

    wait(go())


def test_a_failure_no_edge_takes_ends_the_run_resumably(world, url, wait) -> None:
    def offline() -> None:
        raise Failure("the service is down")

    world.tools.functions = {"send": offline, "count": lambda: 1}
    spec = program(ToolNode(id="c", tool="count"), ToolNode(id="s", tool="send"), SUCCESS)

    async def go() -> None:
        async with open_engine(url) as engine:
            outcome = await start(engine, spec, world)
            assert (outcome.status, outcome.error["node"]) == ("error", "s")
            assert (await engine.store.get("r")).error["message"] == "the service is down"
            world.tools.functions["send"] = lambda: "sent"
            assert (await engine.resume("r", spec, world, answers={})).status == "success"
            assert [tool for tool, _ in world.tools.calls] == ["count", "send", "send"]

    wait(go())


def test_a_tool_that_acts_once_is_in_doubt_after_a_timeout(world, url, wait) -> None:
    def slow() -> None:
        raise Failure("no answer in time", "timeout")

    world.tools.functions = {"send": slow}
    spec = program(ToolNode(id="s", tool="send"), SUCCESS)

    async def go() -> None:
        async with open_engine(url) as engine:
            assert (await start(engine, spec, world)).status == "error"
            with pytest.raises(RunError, match="what became of `tool send` is unknown"):
                await engine.fork("r", "s", {}, "r2")
            outcome = await engine.resume("r", spec, world, answers={})
            assert outcome.questions[0].kind == "unknown"
            outcome = await engine.resume("r", spec, world, answers={"": {"sent": 1}})
            assert outcome.status == "success"
            assert len(world.tools.calls) == 1

    wait(go())


def test_a_failure_taken_by_an_edge_leaves_nothing_in_doubt(world, url, wait) -> None:
    def slow() -> None:
        raise InDoubt("no answer in time")

    world.tools.functions = {"send": slow}
    spec = program(
        ToolNode(id="s", tool="send"),
        SUCCESS,
        assign("late", RESULT=lit("late")),
        edges=(on_error("s", "late", "timeout"),),
    )

    async def go() -> None:
        async with open_engine(url) as engine:
            assert (await start(engine, spec, world)).result == "late"
            assert (await engine.fork("r", "s", {}, "r2")).parent == "r"

    wait(go())


def test_inputs_are_checked_before_anything_is_kept(world, url, wait) -> None:
    spec = program(
        assign("a", RESULT=name("CITY")),
        SUCCESS,
        params=(Param(name="CITY", required=True), Param(name="HOME", env="HOME_TOWN")),
    )

    async def go() -> None:
        async with open_engine(url) as engine:
            with pytest.raises(RunError, match="needs the input `CITY`"):
                await start(engine, spec, world)
            with pytest.raises(RunError) as unknown:
                await start(engine, spec, world, inputs={"CTY": "x"})
            assert unknown.value.help == "did you mean `CITY`?"
            assert await engine.store.listing.page() == ()
            world.env = {"HOME_TOWN": "Ulm"}
            outcome = await start(engine, spec, world, inputs={"CITY": "Bonn"})
            assert (outcome.result, outcome.variables["HOME"]) == ("Bonn", "Ulm")
            with pytest.raises(RunError, match="there is a run `r` already"):
                await start(engine, spec, world, inputs={"CITY": "Bonn"})

    wait(go())


def test_events_tokens_and_outcome_are_kept(world, url, wait) -> None:
    world.models.replies = ["hi"]
    spec = program(AgentNode(id="p", agent="main", prompt=lit("?"), into="RESULT"), SUCCESS)

    async def go() -> None:
        async with open_engine(url) as engine:
            outcome = await start(engine, spec, world)
            record = await engine.store.get("r")
            assert (record.status, record.result) == ("success", "hi")
            used = {"input_tokens": 3, "output_tokens": 2, "cached_tokens": 0}
            assert record.usage == {**used, "cost": 0, "estimated": False}
            assert dataclasses.asdict(outcome.usage) == record.usage
            kinds = [event.kind for event in await engine.store.events("r")]
            assert kinds[0] == "run_started"
            assert kinds[-1] == "run_finished"
            assert kinds.count("node_finished") == 2

    wait(go())


def test_the_first_event_says_how_large_the_graph_is(world, url, wait) -> None:
    """Its edges are those of the graph that runs: an edge into a join by way of a relay is one, and
    a node that may end in two ways has two."""
    spec = program(
        point("a"),
        point("b"),
        point("c", join="all"),
        SUCCESS,
        FAILED,
        edges=(*edges("a > b c\nb > c\nc > SUCCESS"), on_error("a", "FAILED")),
    )
    assert (len(spec.relays), len(spec.joins)) == (1, 1)

    async def go() -> None:
        async with open_engine(url) as engine:
            await start(engine, spec, world)
            (first, *_) = await engine.store.events("r")
            assert (first.kind, first.data["nodes"]) == ("run_started", 5)
            assert first.data["edges"] == 7

    wait(go())


def test_a_question_inside_a_called_workflow_is_answered_by_a_later_process(
    world, url, wait
) -> None:
    world.approve = "ask"
    inner = workflow(commands("deep", "one"), ask("why", "N"), SUCCESS)
    call = CallNode(
        id="c", workflow="inner", passes_all=True, returns_all=True, shares_sessions=True
    )
    spec = program_of(workflow(call, SUCCESS), inner=inner)

    async def resume(answer: str) -> Any:
        async with open_engine(url) as engine:
            return await engine.resume("r", spec, world, answers={"": answer})

    async def go() -> None:
        async with open_engine(url) as engine:
            outcome = await start(engine, spec, world)
            assert [(q.kind, q.node) for q in outcome.questions] == [("approve", "deep")]
        outcome = await resume("yes")
        assert [(q.kind, q.node) for q in outcome.questions] == [("ask", "why")]
        outcome = await resume("because")
        assert (outcome.status, outcome.variables["N"]) == ("success", "because")
        assert (outcome.result, outcome.nodes) == ("$ one\nout 0", 5)
        assert world.shell.ran == ["one"]

    wait(go())


def test_a_question_that_was_answered_is_asked_of_nobody_while_its_call_goes_on(
    world, url, wait
) -> None:
    """LangGraph keeps it pending in the outer checkpoint until the whole call has ended."""
    inner = workflow(ask("why", "N"), ToolNode(id="t", tool="flaky", into="RESULT"), SUCCESS)
    call = CallNode(id="c", workflow="inner", passes_all=True, returns_all=True)
    spec = program_of(workflow(call, SUCCESS), inner=inner)

    def fail() -> str:
        raise Failure("not today")

    async def go() -> None:
        world.tools.functions = {"flaky": fail}
        async with open_engine(url) as engine:
            await start(engine, spec, world)
            assert (await engine.resume("r", spec, world, answers={"": "x"})).status == "error"
            assert (await engine.state("r")).questions == ()
            assert (await engine.store.get("r")).questions == []
            with pytest.raises(RunError, match="waits for no answer"):
                await engine.resume("r", spec, world, answers={"": "y"})
            world.tools.functions = {"flaky": lambda: "well"}
            outcome = await engine.resume("r", spec, world, answers={})
            assert (outcome.result, outcome.variables["N"]) == ("well", "x")

    wait(go())


def test_a_timed_out_node_whose_failure_is_taken_leaves_nothing_in_doubt(world, url, wait) -> None:
    async def never(request: Any) -> Any:
        await overrun()

    world.models.is_model = True
    world.models.reply = never
    node = AgentNode(id="p", agent="worker", prompt=lit("?"), into="RESULT", timeout=LIMIT)
    spec = program(
        node, SUCCESS, assign("late", RESULT=lit("late")), edges=(on_error("p", "late", "timeout"),)
    )

    async def go() -> None:
        async with open_engine(url) as engine:
            assert (await start(engine, spec, world)).result == "late"
            assert (await engine.fork("r", "p", {}, "r2")).parent == "r", "nothing is in doubt"

    wait(go())


def test_who_refused_commands_may_think_better_of_it(world, url, wait) -> None:
    world.approve = "ask"
    spec = program(commands("e", "one"), SUCCESS)

    async def go() -> None:
        async with open_engine(url) as engine:
            await start(engine, spec, world)
            refused = await engine.resume("r", spec, world, answers={"": "no"})
            assert (refused.status, refused.error["kind"]) == ("error", "refused")
            again = await engine.resume("r", spec, world, answers={})
            assert [q.kind for q in again.questions] == ["approve"], "it asks again"
            outcome = await engine.resume("r", spec, world, answers={"": "yes"})
            assert (outcome.status, world.shell.ran) == ("success", ["one"])

    wait(go())
