"""Graphs whose edges send: a node begins once; joins, commands and foreign nodes as ever."""

from __future__ import annotations

import operator
from itertools import pairwise
from typing import Annotated, Any

import pytest
from flowc.runtime.checkpoints.builder import (
    READS_STATE,
    FlowBuilder,
    Starts,
    read_state,
    with_sends,
)
from flowc.runtime.checkpoints.channels import SENT, checkpoint_with, started_nodes
from flowc.runtime.checkpoints.keys import thread_config
from flowc.runtime.checkpoints.next_nodes import following_nodes, next_nodes
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import END, START
from langgraph.types import Command, Send
from typing_extensions import TypedDict

CONFIG = thread_config("r")


class State(TypedDict, total=False):
    seen: Annotated[list[str], operator.add]
    way: str


def node(name: str, **writes: str) -> Any:
    async def visit(state: Any, config: Any) -> dict[str, Any]:
        whole = read_state(config, ("seen",)) if state is None else state
        count = len(whole.get("seen", []))
        return {"seen": [f"{name}{count}"], **writes}

    visit.__annotations__.clear()
    setattr(visit, READS_STATE, True)
    return visit


def diamond(*, join: bool) -> FlowBuilder:
    """`a` leads to `c` and `b`, both to `d`."""
    graph = FlowBuilder(State)
    for name in "abcd":
        graph.add_node(name, node(name))
    graph.add_edge(START, "a")
    graph.add_edge("a", "c")
    graph.add_edge("a", "b")
    if join:
        graph.add_edge(["b", "c"], "d")
    else:
        graph.add_edge("b", "d")
        graph.add_edge("c", "d")
    graph.add_edge("d", END)
    return graph


@pytest.mark.parametrize("join", [False, True])
def test_a_node_begins_once_however_many_edges_lead_to_it(join: bool, wait: Any) -> None:
    app = diamond(join=join).compile()
    assert wait(app.ainvoke({}))["seen"] == ["a0", "b1", "c1", "d3"]


def test_only_a_node_that_waits_keeps_a_channel() -> None:
    def starting(app: Any) -> set[str]:
        return {name for name in app.channels if name.startswith("branch:to:")}

    assert starting(diamond(join=False).compile()) == set()
    assert starting(diamond(join=True).compile()) == {"branch:to:d"}


def test_a_node_that_waits_for_the_end_is_the_last(wait: Any) -> None:
    graph = FlowBuilder(State)
    for name in "ab":
        graph.add_node(name, node(name))
    graph.add_node("last", node("last"), defer=True)
    graph.add_edge(START, "a")
    graph.add_edge("a", "last")
    graph.add_edge("a", "b")
    assert wait(graph.compile().ainvoke({}))["seen"] == ["a0", "b1", "last2"]


def test_a_branch_sends_too(wait: Any) -> None:
    graph = FlowBuilder(State)
    graph.add_node("a", node("a", way="right"))
    for name in ("left", "right"):
        graph.add_node(name, node(name))
    graph.add_edge(START, "a")

    async def path(state: Any) -> str:
        return str(state["way"])

    graph.add_conditional_edges("a", path, {"left": "left", "right": "right"})
    assert wait(graph.compile().ainvoke({}))["seen"] == ["a0", "right1"]


def test_a_node_of_somebody_else_s_gets_its_state(wait: Any) -> None:
    graph = FlowBuilder(State)
    graph.add_node("a", node("a"))
    graph.add_node("theirs", lambda state: {"seen": [f"after {state['seen']}"]})
    graph.add_node("b", node("b"))
    graph.add_edge(START, "a")
    graph.add_edge("a", "theirs")
    graph.add_edge("theirs", "b")
    assert wait(graph.compile().ainvoke({}))["seen"] == ["a0", "after ['a0']", "b2"]


@pytest.mark.parametrize("join", [False, True])
def test_a_command_goes_to_a_node(join: bool, wait: Any) -> None:
    app = diamond(join=join).compile(checkpointer=InMemorySaver())
    wait(app.ainvoke({}, CONFIG))
    command = with_sends(app, Command(goto=["b", "d"]))
    assert {"b4", "d4"} <= set(wait(app.ainvoke(command, CONFIG))["seen"])


def test_a_command_that_goes_nowhere_stays_as_it_is() -> None:
    app = diamond(join=False).compile()
    nowhere: Any = None
    assert with_sends(app, Command(goto=nowhere, resume="x")).goto is None


def test_a_copy_of_the_graph_sends_alike(wait: Any) -> None:
    app = diamond(join=False).compile().copy({"name": "copy"}).with_config({"tags": ["t"]})
    assert wait(app.ainvoke({}))["seen"] == ["a0", "b1", "c1", "d3"]


def test_a_checkpoint_says_what_was_sent(wait: Any) -> None:
    saver = InMemorySaver()
    app = diamond(join=False).compile(checkpointer=saver, interrupt_before=["b"])
    wait(app.ainvoke({}, CONFIG))
    item = wait(saver.aget_tuple(CONFIG))
    assert list(next_nodes(item)) == ["b", "c"]
    assert following_nodes(item) == []
    wait(app.aupdate_state(CONFIG, {"way": "x"}, as_node="b"))
    assert wait(app.aget_state(CONFIG)).next == ("d",)


def test_what_was_sent_is_kept_as_one_text_unless_it_has_an_argument(wait: Any) -> None:
    starts = Starts(Send)
    starts.update([Send("b", None), Send("a", None), Send("b", None)])
    assert starts.checkpoint() == '["a", "b"]'
    assert starts.from_checkpoint('["a", "b"]').get() == starts.get()
    assert started_nodes(SENT, starts.checkpoint()) == ["a", "b"]
    given = [Send("a", {"seen": []}), Send("a", {"seen": ["x"]})]
    starts.update(given)
    assert starts.from_checkpoint(starts.checkpoint()).get() == given
    assert started_nodes(SENT, starts.checkpoint()) == ["a", "a"]


def test_a_checkpoint_does_not_grow_with_the_nodes_that_ran(wait: Any) -> None:
    graph = FlowBuilder(State)
    names = [f"n{number:03}" for number in range(60)]
    for name in names:
        graph.add_node(name, node(name))
    graph.add_edge(START, names[0])
    for one, other in pairwise(names):
        graph.add_edge(one, other)
    saver = InMemorySaver()
    wait(graph.compile(checkpointer=saver).ainvoke({}, {**CONFIG, "recursion_limit": 100}))
    item = wait(saver.aget_tuple(CONFIG))
    kept = checkpoint_with(item.checkpoint, {})
    assert len(kept["channel_versions"]) < 10
    assert list(kept["versions_seen"]) == [START]
