"""Branches side by side: what they write, how they join."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from flowc.compiler.expr.ast import Binary
from flowc.compiler.ir import (
    Agent,
    AgentNode,
    CallNode,
    ChooseNode,
    EndNode,
    MessageNode,
    Program,
    StateField,
    Thread,
    ToolNode,
)
from flowc.runtime.engine.engine import open_engine
from flowc.runtime.errors import Failure
from projects import module_of
from specs import (
    FAILED,
    RESULT,
    STATE,
    SUCCESS,
    case,
    edges,
    lit,
    name,
    on_error,
    point,
    program,
    program_of,
    workflow,
)
from worlds import World, start


def diamond(*more: Any, **fields: Any) -> Any:
    return program(
        point("a"),
        point("b", LIST=lit("b"), SUM=lit(2), KEYS=lit({"b": 1})),
        point("c", LIST=lit("c"), SUM=lit(3), KEYS=lit({"c": 2})),
        point("d", "all", RESULT=name("LIST")),
        SUCCESS,
        *more,
        edges=edges("a > b c\nb > d\nc > d\nd > SUCCESS"),
        state=STATE,
        **fields,
    )


def test_branches_run_side_by_side_and_their_writes_are_put_together(execute) -> None:
    outcome = execute(diamond())
    assert (outcome.status, outcome.result) == ("success", ["b", "c"])
    assert (outcome.variables["SUM"], outcome.variables["KEYS"]) == (5, {"b": 1, "c": 2})
    assert outcome.nodes == 5


def test_a_join_of_branches_of_different_length_runs_once(execute) -> None:
    spec = program(
        point("a"),
        point("b", LIST=lit("b")),
        point("c", LIST=lit("c")),
        point("c2", LIST=lit("c2")),
        point("c3", LIST=lit("c3")),
        point("d", "all", LIST=lit("d")),
        SUCCESS,
        edges=edges("a > b c\nb > d\nc > c2\nc2 > c3\nc3 > d\nd > SUCCESS"),
        state=STATE,
    )
    assert execute(spec).variables["LIST"] == ["b", "c", "c2", "c3", "d"]


def test_a_join_in_a_loop_runs_once_a_round(execute) -> None:
    small = Binary(op="<", left=name("SUM"), right=lit(3))
    spec = program(
        point("a", LIST=lit("a")),
        point("b", LIST=lit("b")),
        point("c", LIST=lit("c")),
        point("d", "all", LIST=lit("d"), SUM=lit(1)),
        ChooseNode(id="again", on=small),
        SUCCESS,
        edges=(
            *edges("a > b c\nb > d\nc > d\nd > again"),
            case("again", "true", "a"),
            case("again", "false", "SUCCESS"),
        ),
        state=STATE,
    )
    outcome = execute(spec)
    assert outcome.variables["LIST"] == ["a", "b", "c", "d"] * 3


@pytest.fixture
def tools(world: World) -> World:
    def fail() -> Any:
        raise Failure("no luck")

    world.tools.functions |= {"fail": fail, "fine": lambda: "fine"}
    return world


def test_a_branch_with_an_error_edge_reaches_the_join_by_its_success(execute, tools) -> None:
    def spec(tool: str) -> Any:
        return program(
            point("a"),
            ToolNode(id="b", tool=tool, into="RESULT"),
            point("c", N=lit(1)),
            point("d", "all"),
            SUCCESS,
            FAILED,
            edges=(*edges("a > b c\nb > d\nc > d\nd > SUCCESS"), on_error("b", "FAILED")),
            state=STATE,
        )

    outcome = execute(spec("fine"))
    assert (outcome.status, outcome.result, outcome.nodes) == ("success", "fine", 5)
    assert execute(spec("fail")).status == "failed"


def test_two_failures_at_once_may_both_be_taken(execute, tools) -> None:
    spec = program(
        point("a"),
        ToolNode(id="b", tool="fail"),
        ToolNode(id="c", tool="fail"),
        point("b2", LIST=lit("b2")),
        point("c2", LIST=lit("c2")),
        SUCCESS,
        edges=(
            *edges("a > b c\nb > SUCCESS\nc > SUCCESS\nb2 > SUCCESS\nc2 > SUCCESS"),
            on_error("b", "b2"),
            on_error("c", "c2"),
        ),
        state=STATE,
    )
    outcome = execute(spec)
    assert (outcome.status, outcome.variables["LIST"]) == ("success", ["b2", "c2"])


def test_two_writers_of_a_plain_variable_are_a_failure_in_words(execute) -> None:
    spec = program(
        point("a"),
        point("b", RESULT=lit("b")),
        point("c", RESULT=lit("c")),
        SUCCESS,
        edges=edges("a > b c\nb > SUCCESS\nc > SUCCESS"),
        state=STATE,
    )
    outcome = execute(spec)
    assert outcome.status == "error"
    assert outcome.error is not None
    assert outcome.error["message"] == "`RESULT` was written by 2 branches at the same time"
    assert "append, merge or add" in outcome.error["help"]


@pytest.mark.parametrize(
    ("variable", "value", "words"),
    [
        ("SUM", "many", "`SUM` adds up numbers: `many` is none"),
        ("SUM", True, "`SUM` adds up numbers: a truth value is none"),
        ("KEYS", ["x"], "`KEYS` merges objects: a list is none"),
    ],
)
def test_a_value_that_cannot_be_put_together_is_a_failure(execute, variable, value, words) -> None:
    spec = program(point("a", **{variable: lit(value)}), SUCCESS, state=STATE)
    outcome = execute(spec)
    assert (outcome.status, outcome.error["message"]) == ("error", words)


def test_an_object_with_the_words_of_the_reducer_is_an_item_like_any_other(execute) -> None:
    value = {"reset": ["gone"]}
    spec = program(point("a", LIST=lit("x")), point("b", LIST=lit(value)), SUCCESS, state=STATE)
    assert execute(spec).variables["LIST"] == ["x", value]


def test_defaults_are_what_values_are_put_to(execute) -> None:
    fields = (
        StateField(name="LIST", type="list", reducer="append", default=["first"]),
        StateField(name="SUM", type="number", reducer="add", default=10),
        RESULT,
    )
    spec = program(point("a", LIST=lit("x"), SUM=lit("5")), SUCCESS, state=fields)
    variables = execute(spec).variables
    assert (variables["LIST"], variables["SUM"]) == (["first", "x"], 15)


def test_a_called_workflow_adds_only_what_is_new(execute) -> None:
    def calls(node: str) -> CallNode:
        return CallNode(id=node, workflow="inner", passes_all=True, returns_all=True)

    fields = tuple(f for f in STATE if f.reducer != "replace")
    inner = workflow(
        point("in", LIST=lit("in"), SUM=lit(1)), SUCCESS, state=fields, outputs=("LIST",)
    )
    outer = workflow(
        point("a", LIST=lit("a"), SUM=lit(5)),
        calls("b"),
        calls("c"),
        SUCCESS,
        edges=edges("a > b c\nb > SUCCESS\nc > SUCCESS"),
        state=STATE,
    )
    outcome = execute(program_of(outer, inner=inner))
    assert outcome.status == "success"
    assert (outcome.variables["LIST"], outcome.variables["SUM"]) == (["a", "in", "in"], 7)
    assert outcome.nodes == 1 + 2 * 3 + 1


def test_the_compiled_module_forks_and_joins_as_the_live_graph_does(wait, tmp_path) -> None:
    flow = workflow(
        point("a"),
        point("b", LIST=lit("b")),
        point("c", LIST=lit("c")),
        point("d", "all", RESULT=name("LIST")),
        SUCCESS,
        FAILED,
        point("after", N=lit(1)),
        EndNode(id="END2", outcome="success"),
        edges=(
            *edges("a > b c\nb > d\nc > d\nd > SUCCESS\nafter > END2"),
            on_error("b", "FAILED"),
        ),
        state=STATE,
        on_success="after",
    )
    whole = Program(entry="flow.md", workflows=(("flow.md", flow),))
    module, text = module_of(whole, tmp_path)
    assert "defer=True" in text
    done = {"RESULT": ["b", "c"], "outcome": "success", "messages": []}
    assert wait(module.graph.ainvoke({})) == done


def test_branches_that_share_a_bounded_conversation_lose_nothing_of_each_other(execute) -> None:
    def say(node: str, words: str) -> MessageNode:
        return MessageNode(id=node, thread="talk", mode="append", role="user", template=lit(words))

    look = AgentNode(id="look", agent="reader", prompt=None, into="RESULT", join="all")
    spec = program(
        say("a", "old " * 10),
        say("b", "from b"),
        say("c", "from c"),
        look,
        SUCCESS,
        edges=edges("a > b c\nb > look\nc > look\nlook > SUCCESS"),
        agents=(Agent(id="reader", thread="talk"),),
        threads=(Thread(id="talk", max_chars=20, keep_min=1),),
    )
    world = World()
    world.models.replies = ["fine"]

    async def go() -> Any:
        async with open_engine("memory:") as engine:
            return await start(engine, spec, world)

    assert asyncio.run(go()).status == "success"
    assert [m["content"] for m in world.models.requests[0].messages] == ["from b", "from c"]
