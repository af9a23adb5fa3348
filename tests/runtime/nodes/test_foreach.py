"""foreach: a workflow for every element of a list, some at a time."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from flowc.compiler.expr.ast import Binary, Call
from flowc.compiler.ir import (
    Agent,
    AgentNode,
    Assignment,
    ForeachNode,
    Limit,
    Param,
    Program,
    StateField,
    ToolNode,
    Workflow,
)
from flowc.compiler.lowering.graphspec import GraphSpec
from flowc.runtime.assembly.compose import make_services
from flowc.runtime.assembly.run_options import RunOptions
from flowc.runtime.config.settings import Config
from flowc.runtime.engine.engine import open_engine
from flowc.runtime.engine.signals import RunSignals
from flowc.runtime.errors import Failure
from flowc.runtime.events import RunEvent
from projects import module_of
from specs import (
    FAILED,
    STATE,
    SUCCESS,
    ask,
    lit,
    name,
    on_error,
    plus,
    point,
    program_of,
    workflow,
)
from worlds import LIMIT, World, overrun, start

OUT = StateField(name="OUT", type="any")


def item(*nodes: Any, **fields: Any) -> Workflow:
    """A workflow with the parameters ITEM, INDEX and MORE; OUT is its result."""
    params = tuple(Param(name=n, type="any") for n in ("ITEM", "INDEX", "MORE"))
    fields = {"outputs": ("OUT",), "state": (OUT,), "params": params, **fields}
    return workflow(*nodes, SUCCESS, name="item", **fields)


def tool(node: str = "work", **more: Any) -> ToolNode:
    args = (Assignment(target="x", value=name("ITEM")),)
    return ToolNode(id=node, tool="work", args=args, into="OUT", **more)


def each(inner: Workflow, *rest: Any, items: Any = (1, 2, 3), **fields: Any) -> GraphSpec:
    edges = fields.pop("edges", ())
    flow = {"limits": fields.pop("flow_limits", ())}
    items = lit(list(items)) if isinstance(items, tuple | range) else items
    node = ForeachNode(
        id="each", items=items, workflow="item", item="ITEM", into="RESULT", **fields
    )
    main = workflow(node, *(rest or (SUCCESS,)), edges=edges, state=STATE, **flow)
    return program_of(main, item=inner)


@pytest.fixture
def busy(world: World) -> World:
    """A tool that takes a moment, longer for earlier elements, and notes how many were at it."""
    world.at_work = world.most = 0
    all_here = asyncio.Event()

    async def call(tool: str, args: dict[str, Any]) -> Any:
        world.tools.calls.append((tool, args))
        world.at_work += 1
        world.most = max(world.most, world.at_work)
        if world.most >= world.crew:
            all_here.set()
        await all_here.wait()
        await asyncio.sleep(0.02 / (1 + args["x"]))
        world.at_work -= 1
        if args["x"] in world.failing:
            raise Failure("no luck")
        return args["x"] * 10

    world.failing = set()
    world.tools.functions["work"] = None
    world.tools.call = call
    return world


World.at_work = World.most = World.crew = 0
World.failing = frozenset()


def done_by(world: World) -> list[Any]:
    return [args["x"] for _, args in world.tools.calls]


@pytest.mark.parametrize("concurrency", [1, 2, 10])
def test_results_stand_in_the_order_of_the_elements(execute, busy, concurrency) -> None:
    busy.crew = min(concurrency, 6)
    outcome = execute(each(item(tool()), items=range(6), concurrency=concurrency))
    assert (outcome.status, outcome.result) == ("success", [0, 10, 20, 30, 40, 50])
    assert busy.most == min(concurrency, 6)
    assert outcome.nodes == 1 + 6 * 2 + 1


def test_the_parameters_of_an_element(execute) -> None:
    inner = item(
        point("p", OUT=plus(plus(name("ITEM"), name("INDEX")), name("MORE"))),
    )
    spec = each(
        inner,
        items=("a", "b"),
        index="INDEX",
        passes=(Assignment(target="MORE", value=lit("!")),),
    )
    assert execute(spec).result == ["a0!", "b1!"]


def test_a_workflow_with_several_outputs_gives_objects(execute) -> None:
    fields = (OUT, StateField(name="N", type="any"))
    inner = item(point("p", OUT=name("ITEM"), N=lit(1)), outputs=("OUT", "N"), state=fields)
    assert execute(each(inner, items=("a",))).result == [{"OUT": "a", "N": 1}]


def test_no_elements_no_results(execute) -> None:
    assert execute(each(item(tool()), items=())).result == []


def test_what_is_no_list_is_a_failure(execute) -> None:
    outcome = execute(each(item(tool()), items=lit("abc")))
    assert outcome.error["message"] == "`each` goes through a list: this is abc"


def test_until_no_further_element_begins(execute, busy) -> None:
    enough = Binary(op=">=", left=Call(function="length", args=(name("RESULT"),)), right=lit(2))
    outcome = execute(each(item(tool()), items=range(100), until=enough))
    assert outcome.result == [0, 10]
    assert done_by(busy) == [0, 1]


def test_an_element_that_fails_is_named_and_those_beside_it_are_through(execute, busy) -> None:
    busy.failing = {2}
    outcome = execute(each(item(tool()), items=range(8), concurrency=3))
    assert outcome.status == "error"
    assert outcome.error["message"] == "item 3 of 8: no luck"
    assert outcome.error["node"] == "work"
    assert busy.at_work == 0
    assert len(busy.tools.calls) < 8


def test_an_error_edge_takes_the_failure_of_an_element(execute, busy) -> None:
    busy.failing = {1}
    spec = each(
        item(tool()),
        SUCCESS,
        FAILED,
        edges=(on_error("each", "FAILED"),),
    )
    assert execute(spec).status == "failed"


def test_a_workflow_that_ends_failed_is_a_failure_of_its_element(execute) -> None:
    inner = workflow(
        point("p"), FAILED, name="item", outputs=("OUT",), state=(OUT,),
        params=(Param(name="ITEM", type="any"),),
    )  # fmt: skip
    outcome = execute(each(inner))
    assert outcome.error["message"] == "item 1 of 3: the workflow `item` ended FAILED"


def test_after_a_failure_only_what_is_left_runs(wait, url, busy) -> None:
    busy.failing = {3}
    spec = each(item(tool()), items=range(6))

    async def go() -> Any:
        async with open_engine(url) as engine:
            assert (await start(engine, spec, busy)).status == "error"
            busy.failing = set()
            return await engine.resume("r", spec, busy, answers={})

    outcome = wait(go())
    assert (outcome.status, outcome.result) == ("success", [0, 10, 20, 30, 40, 50])
    assert done_by(busy) == [0, 1, 2, 3, 3, 4, 5]
    assert outcome.nodes == 1 + 6 * 2 + 1


def test_questions_of_elements_are_named_apart_and_answered_one_by_one(wait, url) -> None:
    inner = item(ask("who", "OUT"))
    spec = each(inner, concurrency=2)

    async def go() -> Any:
        async with open_engine(url) as engine:
            outcome = await start(engine, spec, World())
            assert [q.name for q in outcome.questions] == ["each#1/who", "each#2/who"]
            second = outcome.questions[1].id
            outcome = await engine.resume("r", spec, World(), answers={second: "B"})
            assert [q.name for q in outcome.questions] == ["each#1/who", "each#3/who"]
            answers = {q.id: q.name[5] for q in outcome.questions}
            return await engine.resume("r", spec, World(), answers=answers)

    outcome = wait(go())
    assert (outcome.status, outcome.result) == ("success", ["1", "B", "3"])


def test_elements_in_elements(execute, busy) -> None:
    lists = [[1, 2], [3]]
    inner = item(
        ForeachNode(
            id="inner", items=name("ITEM"), workflow="leaf", item="ITEM", into="OUT", concurrency=2
        )
    )
    main = workflow(
        ForeachNode(
            id="each",
            items=lit(lists),
            workflow="item",
            item="ITEM",
            into="RESULT",
            concurrency=2,
        ),
        SUCCESS,
        state=STATE,
    )
    outcome = execute(program_of(main, item=inner, leaf=item(tool())))
    assert outcome.result == [[10, 20], [30]]


def test_events_tell_how_far_it_is_and_which_element_a_node_belongs_to(execute, busy) -> None:
    seen: list[RunEvent] = []
    execute(each(item(tool()), items=range(2)), listeners=(seen.append,))
    items = [(e.kind, e.data) for e in seen if e.kind.startswith("item")]
    assert items[0] == ("item_started", {"item": 1, "of": 2, "done": 0})
    assert items[-1] == ("item_finished", {"item": 2, "of": 2, "done": 2})
    inside = [e.path for e in seen if e.kind == "node_started" and e.node == "work"]
    assert inside == [("each#1",), ("each#2",)]


@pytest.mark.parametrize("whose", ["limits", "flow_limits"])
def test_steps_of_elements_count(execute, busy, whose) -> None:
    limit = Limit(name="steps", value=lit(7))
    outcome = execute(each(item(tool()), items=range(9), **{whose: (limit,)}))
    assert outcome.status == "error"
    assert "7 steps are done" in outcome.error["message"]
    assert done_by(busy) == [0, 1, 2]


def test_a_limit_of_the_workflow_that_is_run_counts_for_each_element(execute, busy) -> None:
    limit = Limit(name="steps", value=lit(3))
    outcome = execute(each(item(tool(), limits=(limit,)), items=range(9)))
    assert outcome.status == "success"


def test_the_callers_limit_stops_between_elements(execute, busy) -> None:
    busy.max_steps = 6
    outcome = execute(each(item(tool()), items=range(9)))
    assert (outcome.status, outcome.error["kind"]) == ("stopped", "limit")


def test_scripted_answers_may_name_the_element(tmp_path, wait) -> None:
    inner = item(ask("who", "OUT"), AgentNode(id="say", agent="a", prompt=name("OUT"), into="OUT"),
                 agents=(Agent(id="a"),))  # fmt: skip
    (tmp_path / "a.yaml").write_text("say: all\nwho: Ada\neach#2/say: second\n")
    spec = each(inner, items=("x", "y", "z"))
    options = RunOptions(answers=str(tmp_path / "a.yaml"))

    async def go() -> Any:
        async with open_engine("memory:") as engine:
            factory = make_services(options, spec, Config())
            return await engine.start(spec, factory, run="r", inputs={}, options={})

    assert wait(go()).result == ["all", "second", "all"]


def test_a_time_out_bounds_all_elements_together(execute, busy) -> None:
    async def slow(tool: str, args: dict[str, Any]) -> Any:
        await overrun()

    busy.tools.call = slow
    outcome = execute(each(item(tool()), timeout=LIMIT, concurrency=2))
    assert outcome.error["kind"] == "timeout"
    assert "`each` took longer than 20 s" in outcome.error["message"]


def test_a_pause_comes_between_the_nodes_of_elements(wait, url, busy) -> None:
    spec = each(item(tool(), point("p")), items=range(6), concurrency=2)
    signals = RunSignals()

    def pause(event: RunEvent) -> None:
        if event.kind == "item_finished":
            signals.request_drain("pause")

    async def go() -> Any:
        async with open_engine(url) as engine:
            outcome = await start(engine, spec, busy, listeners=(pause,), control=signals)
            assert outcome.status == "paused"
            assert len(busy.tools.calls) < 6
            return await engine.resume("r", spec, busy, answers={})

    outcome = wait(go())
    assert (outcome.status, outcome.result) == ("success", [0, 10, 20, 30, 40, 50])
    assert sorted(done_by(busy)) == list(range(6))
    assert outcome.nodes == 1 + 6 * 3 + 1


def test_the_compiled_module_goes_through_a_list_too(wait, tmp_path) -> None:
    main = workflow(
        ForeachNode(
            id="each", items=lit(["a", "b"]), workflow="flow.md#item", item="ITEM", into="RESULT"
        ),
        SUCCESS,
        state=STATE,
    )  # fmt: skip
    inner = item(point("p", OUT=plus(name("ITEM"), lit("!"))))
    whole = Program(entry="flow.md", workflows=(("flow.md", main), ("flow.md#item", inner)))
    module, _ = module_of(whole, tmp_path)
    assert wait(module.graph.ainvoke({}))["RESULT"] == ["a!", "b!"]
