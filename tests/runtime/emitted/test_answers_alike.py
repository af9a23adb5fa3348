"""A person's answer means in a graph what it means to `flow.resume`."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import flowc
import pytest
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.types import Command

CHOICE = """flow: 1
name: ch
nodes:
  - {name: q, ask: "delete it?", choices: ["yes", "no"], into: a}
  - {name: d, choose: a, cases: {no: kept}, otherwise: del}
  - {name: del, assign: {r: '"DELETED"'}, next: end}
  - {name: kept, assign: {r: '"kept"'}, next: end}
outputs: [r]
"""


class Parent(MessagesState):
    """A graph around, with what the flow gives."""

    r: str


def thread(name: str) -> Any:
    return {"configurable": {"thread_id": name}}


def waiting(name: str) -> tuple[Any, Any]:
    """The graph before its question, and its thread."""
    graph = flowc.load(CHOICE).graph(checkpointer=InMemorySaver())
    graph.invoke({}, thread(name))
    return graph, thread(name)


@pytest.mark.parametrize("answer", ["No", "no", " no "])
def test_a_choice_is_read_as_resume_reads_it(answer):
    graph, config = waiting("a")
    assert graph.invoke(Command(resume=answer), config)["r"] == "kept"


@pytest.mark.parametrize("answer", ["", "maybe", 7, {"q": "yes"}, {}, float("nan"), b"x"])
def test_what_is_none_of_the_choices_is_refused_and_the_question_waits(answer):
    graph, config = waiting("b")
    with pytest.raises(flowc.errors.RunError):
        graph.invoke(Command(resume=answer), config)
    assert [i.value["node"] for i in graph.get_state(config).interrupts] == ["q"]
    assert graph.invoke(Command(resume="no"), config)["r"] == "kept"


def test_an_answer_by_the_id_of_no_question_is_refused():
    graph, config = waiting("c")
    with pytest.raises(flowc.errors.RunError, match="no question `0000"):
        graph.invoke(Command(resume={"0" * 32: "no"}), config)


def test_inside_of_another_graph_the_question_is_asked_again():
    parent = StateGraph(Parent)
    parent.add_node("flow", flowc.load(CHOICE).graph())
    parent.add_edge(START, "flow")
    graph, config = parent.compile(checkpointer=InMemorySaver()), thread("d")
    graph.invoke({"messages": []}, config)
    again = graph.invoke(Command(resume="maybe"), config)
    assert "`maybe` is not an answer" in again["__interrupt__"][0].value["refused"]
    assert graph.invoke(Command(resume="No"), config)["r"] == "kept"


def test_a_function_that_asks_is_named_by_its_node(tmp_path):
    def one(who: str) -> str:
        from langgraph.types import interrupt

        return f"{who}: {interrupt({'question': 'how many?'})}"

    flow = flowc.load(
        "flow: 1\nnodes:\n"
        "  - {name: w1, python: one, args: {who: '\"Ada\"'}, into: a, next: [w2]}\n"
        "  - {name: w2, python: one, args: {who: '\"Bob\"'}, into: b}\noutputs: [a, b]\n",
        nodes={"one": one},
        journal=f"sqlite:///{tmp_path}/r.db",
    )
    outcome = flow.run({}, run="r")
    assert [(q.node, q.text) for q in outcome.questions] == [("w1", "how many?")]
    assert flow.resume("r", {"w1": "3"}).questions[0].node == "w2"
    assert flow.resume("r", {"w2": "4"}).variables == {"a": "Ada: 3", "b": "Bob: 4"}


def test_importing_sets_no_environment_variable():
    code = "import os, flowc; before = dict(os.environ); flowc.load('flow: 1'); "
    code += "assert dict(os.environ) == before; assert 'LANGGRAPH_STRICT_MSGPACK' not in before"
    env = {k: v for k, v in os.environ.items() if not k.startswith("LANGGRAPH_")}
    folder = Path(__file__).parent
    done = subprocess.run([sys.executable, "-c", code], env=env, cwd=folder, capture_output=True)
    assert done.returncode == 0, done.stderr
