"""LangGraph's drawings of a workflow: the elements of the user's file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import flowc
from flowc.runtime.emitted.elements import drawing_of
from specs import SUCCESS, assign, edges, program

EXAMPLES = Path(flowc.__file__).resolve().parents[2] / "workflows" / "examples"


def drawn(name: str, xray: bool = False) -> Any:
    return flowc.load(EXAMPLES / name, answers={}).graph().get_graph(xray=xray)


def lines(graph: Any) -> set[tuple[str, str, str | None]]:
    return {(edge.source, edge.target, edge.data) for edge in graph.edges}


def test_a_state_of_a_machine_is_one_node():
    graph = drawn("machine/trip.json")
    assert [*graph.nodes] == ["__start__", "start", "shorten", "resume", "stop", "__end__"]
    assert ("shorten", "shorten", "shorten") in lines(graph)
    assert ("start", "stop", "stop") in lines(graph)


def test_a_choice_belongs_to_the_node_that_it_leaves_and_its_words_are_the_file_s():
    graph = drawn("flow/debate.flow.yaml")
    words = 'trim(word) != "" and word != "stop" and rounds < 3'
    assert lines(graph) >= {("moderate", "propose", words), ("moderate", "minutes", "otherwise")}
    assert "moderate.next" not in graph.nodes


def test_failures_are_one_line_and_ends_that_the_file_does_not_have_are_none():
    chart = drawn("flowchart/toolchain.wf.md")
    assert ("PROMPT_PLAN", "FAILED", "on error") in lines(chart)
    assert ("PROMPT_PLAN", "EXECUTE_PLAN", None) in lines(chart)
    steps = drawn("steps/repo-review.md")
    assert [*steps.nodes][-2:] == ["step_4", "__end__"]


def test_xray_draws_called_workflows_and_no_machinery():
    inner = drawn("flow/menu.flow.yaml", xray=True)
    assert {"translate:into_language", "translate:head"} <= set(inner.nodes)
    assert not [id for id in inner.nodes if id.endswith((":model", ":tool"))]
    assert "dishes" in inner.nodes


def test_a_drawing_can_be_sent_and_says_where_each_node_stands():
    nodes = {n["id"]: n for n in drawn("flow/debate.flow.yaml").to_json()["nodes"]}
    assert nodes["propose"]["type"] == "runnable"
    about = nodes["propose"]["metadata"]
    assert (about["kind"], about["line"], about["column"]) == ("agent", 29, 11)


def test_a_graph_of_a_thousand_nodes_is_drawn_whole():
    chain = [f"n{i}" for i in range(1000)]
    ways = "\n".join(f"{a} > {b}" for a, b in zip(chain, [*chain[1:], "SUCCESS"], strict=True))
    nodes = [assign(id) for id in chain]
    spec = program(*nodes, SUCCESS, edges=edges(ways))
    graph = drawing_of(spec)
    assert len(graph.nodes) == 1003
    assert len(graph.edges) == 1002
