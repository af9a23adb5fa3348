"""Looking back, also inside called workflows: what LangGraph would tell, but in one pass."""

from __future__ import annotations

from typing import Any

import pytest
from flowc.compiler.expr.ast import Binary
from flowc.compiler.ir import Assignment, CallNode, ChooseNode, ForeachNode, Param
from flowc.runtime.checkpoints.channels import SNAPSHOT_AFTER
from flowc.runtime.checkpoints.keys import thread_config
from flowc.runtime.engine.engine import Engine, open_engine
from flowc.runtime.errors import RunError
from flowc.runtime.graph.build import build, nested_graph
from flowc.runtime.state.called_workflow import called_in
from flowc.runtime.state.channels import variable_values
from specs import (
    LIST,
    RESULT,
    STATE,
    SUCCESS,
    SUM,
    N,
    ask,
    assign,
    case,
    commands,
    edges,
    lit,
    name,
    plus,
    point,
    program_of,
    workflow,
)
from worlds import start

LONG = "long " * 40


def everything() -> Any:
    """A loop that fills a list, two branches and their join, a call with a question in it, a call
    for each of two elements, a question."""
    inner = workflow(
        assign("greet", N=lit(LONG), LIST=lit("deep")),
        ask("inside", "N"),
        commands("shell", "echo"),
        assign("after", LIST=lit("deeper")),
        SUCCESS,
        state=(LIST, N, RESULT),
        outputs=("LIST",),
        variables=(),
    )
    item = workflow(
        assign("one", N=plus(name("ITEM"), lit(1))),
        assign("two", SUM=name("N")),
        SUCCESS,
        params=(Param(name="ITEM", type="any"),),
        state=(N, SUM),
        outputs=("SUM",),
        variables=(),
    )
    main = workflow(
        assign("begin", N=lit(0), KEYS=lit({"a": [1]})),
        point("again", LIST=name("N"), N=plus(name("N"), lit(1))),
        ChooseNode(id="more", on=Binary(op="<", left=name("N"), right=lit(9))),
        point("split"),
        point("left", SUM=lit(1), LIST=lit("l")),
        point("right", SUM=lit(2), LIST=lit("r")),
        point("joined", "all", KEYS=lit({"b": None})),
        CallNode(id="sub", workflow="inner"),
        ForeachNode(
            id="each",
            workflow="item",
            items=lit([10, 20]),
            item="ITEM",
            passes=(Assignment(target="N", value=lit(0)),),
            into="RESULT",
        ),
        ask("q"),
        SUCCESS,
        edges=(
            case("more", "true", "again"),
            case("more", "false", "split"),
            *edges("split > left right\nleft > joined\nright > joined"),
        ),
        state=STATE,
    )
    return program_of(main, inner=inner, item=item)


async def by_langgraph(engine: Engine, spec: Any, run: str, namespace: str = "") -> list[Any]:
    """What LangGraph's own history says of a level, in the shape of ours."""
    config: Any = thread_config(run)
    level, app = spec, build(spec).compile(checkpointer=engine.saver)
    if namespace:
        called = called_in(namespace, spec)
        assert called is not None
        level, graph = called.spec, nested_graph(called.spec, dict(spec.subgraphs))
        app = graph.compile(checkpointer=engine.saver)
        config["configurable"] |= {
            "checkpoint_ns": namespace,
            "__pregel_checkpointer": engine.saver,
        }
    items = [item async for item in app.aget_state_history(config)]
    after = {item.config["configurable"]["checkpoint_id"]: item.next for item in items}
    told = []
    for item in reversed(items):
        here = item.config["configurable"]["checkpoint_id"]
        parent = item.parent_config["configurable"]["checkpoint_id"] if item.parent_config else ""
        if item.next == ("__start__",) or (item.next and set(level.relays).issuperset(item.next)):
            continue
        ran = tuple(node for node in after.get(parent, ()) if node != "__start__")
        following = tuple(node for node in item.next if node not in level.relays)
        values = variable_values(level, item.values)
        told.append((here, item.metadata["step"], ran, following, item.created_at, values))
    return told


async def agree(engine: Engine, spec: Any, run: str) -> None:
    """Every level that our history tells is told alike by LangGraph."""
    levels: dict[str, list[Any]] = {}
    for v in await engine.history(run):
        shown = (v.id, v.step, v.nodes, v.next, v.time, v.variables)
        levels.setdefault(v.namespace, []).append(shown)
    for namespace, ours in levels.items():
        assert ours == await by_langgraph(engine, spec, run, namespace), namespace


def test_the_past_of_a_list_that_was_kept_whole_once(any_store, wait, world) -> None:
    more = Binary(op="<", left=name("N"), right=lit(SNAPSHOT_AFTER + 5))
    spec = program_of(
        workflow(
            assign("begin", N=lit(0)),
            point("again", LIST=name("N"), N=plus(name("N"), lit(1))),
            ChooseNode(id="more", on=more),
            SUCCESS,
            edges=(case("more", "true", "again"), case("more", "false", "SUCCESS")),
            state=STATE,
        )
    )

    async def go() -> None:
        async with open_engine(any_store) as engine:
            assert (await start(engine, spec, world)).status == "success"
            await agree(engine, spec, "r")

    wait(go())


def test_the_past_is_told_as_langgraph_tells_it(any_store, wait, world) -> None:
    spec = everything()

    async def go() -> None:
        async with open_engine(any_store) as engine:
            assert (await start(engine, spec, world)).status == "paused"
            await agree(engine, spec, "r")
            await engine.resume("r", spec, world, answers={"": "x"})
            await engine.resume("r", spec, world, answers={"": "y"})
            await agree(engine, spec, "r")
            paths = {view.path for view in await engine.history("r")}
            assert paths == {(), ("sub",), ("each#1",), ("each#2",)}
            await engine.fork("r", "joined", {"N": 7, "LIST": ["new"]}, "f")
            await agree(engine, spec, "f")
            await engine.compact("r", history=True)
            await agree(engine, spec, "r")

    wait(go())


def test_a_store_in_memory_has_a_past_too(wait, world) -> None:
    spec = everything()

    async def go() -> None:
        async with open_engine("memory:") as engine:
            await start(engine, spec, world)
            await agree(engine, spec, "r")
            inner = [view for view in await engine.history("r") if view.path][-1]
            with pytest.raises(RunError, match="lies inside `sub`"):
                await engine.fork("r", inner.id, {}, "f")

    wait(go())


def test_a_fork_inside_a_call_is_refused_with_the_checkpoint_before_it(
    any_store, wait, world
) -> None:
    spec = everything()

    async def go() -> None:
        async with open_engine(any_store) as engine:
            await start(engine, spec, world)
            await engine.resume("r", spec, world, answers={"": "x"})
            past = await engine.history("r")
            caller = next(view for view in past if "sub" in view.next and not view.path)
            inside = [view for view in past if view.path == ("sub",)]
            for at in (*(view.id for view in inside), "sub/greet", "sub@1/greet"):
                with pytest.raises(RunError, match="lies inside `sub`") as refused:
                    await engine.fork("r", at, {}, "f")
                assert f"flowc fork r --at {caller.id}" in (refused.value.help or "")
            with pytest.raises(RunError, match="no checkpoint `␛"):
                await engine.fork("r", "\x1b[31m", {}, "f")
            assert (await engine.fork("r", caller.id, {}, "f")).parent == "r"

    wait(go())
