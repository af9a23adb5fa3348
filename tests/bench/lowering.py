"""Workflows of 1,000 and 10,000 steps, from text to GraphSpec and to a compiled graph: a flowchart,
and the way to its GraphSpec of as many nodes in flow YAML.

Beside them the same StateGraph, written by hand in LangGraph: what any way to it has to pay.
"""

from __future__ import annotations

from typing import Any

from flowc.compiler.driver import compile_text
from flowc.compiler.expr import parse as expressions
from flowc.compiler.lowering.graphspec import GraphSpec
from steps import State
from texts import chain, flow_chain
from timing import line, medians

LENGTHS = {1_000: 7, 10_000: 3}
"""Steps and rounds."""
AGENTS = 400


def report() -> None:
    """Print the seconds of each, and how the time per step holds from 1,000 to 10,000 steps."""
    from flowc.runtime.graph.build import build

    times: dict[int, dict[str, float]] = {}
    for length, rounds in LENGTHS.items():
        text, flow = chain(length), flow_chain(length)
        spec = spec_of(text)
        sides = {
            "text": lambda text=text: spec_of(text),
            "flow": lambda text=flow: spec_of(text, "bench.flow.yaml"),
            "graph": lambda spec=spec: build(spec).compile(),
            "hand": lambda length=length: by_hand(length).compile(),
        }
        times[length] = medians(sides, rounds)
    for length, seconds in times.items():
        print(f"{length:,} steps")
        line("flowc, text to GraphSpec, checked", f"{seconds['text']:.2f} s")
        line("flowc, flow YAML to GraphSpec, checked", f"{seconds['flow']:.2f} s")
        line("flowc, GraphSpec to compiled graph", f"{seconds['graph']:.2f} s")
        line("the same StateGraph by hand, compiled", f"{seconds['hand']:.2f} s")
    small, large = times.values()
    slower = {name: large[name] / small[name] / 10 for name in large}
    print("slower a step at 10,000 than at 1,000")
    line("flowc, text to GraphSpec", f"{slower['text']:.2f} x", "target: 1.3 x or less")
    line("flowc, flow YAML to GraphSpec", f"{slower['flow']:.2f} x", "target: 1.3 x or less")
    line("flowc, GraphSpec to compiled graph", f"{slower['graph']:.2f} x")
    line("by hand", f"{slower['hand']:.2f} x")
    _report_agents()


def _report_agents() -> None:
    from flowc.runtime.graph.build import build

    spec = spec_of(agents(AGENTS), "bench.flow.yaml")
    sides = {
        "agents": lambda: build(spec).compile(),
        "hand": lambda: by_hand(AGENTS).compile(),
    }
    took = medians(sides, LENGTHS[1_000])
    line(f"{AGENTS} agents to a compiled graph", f"{took['agents'] * 1000:.0f} ms")
    line(f"{AGENTS} plain nodes by hand", f"{took['hand'] * 1000:.0f} ms")


def agents(count: int) -> str:
    """Flow YAML in which so many nodes ask a model."""
    node = "  - name: p{}\n    agent: a\n    prompt: Say it.\n"
    head = "flow: 1\nname: many\nagents:\n  a: {system: You answer.}\nnodes:\n"
    return head + "".join(node.format(number) for number in range(count))


def spec_of(text: str, path: str = "bench.wf.md") -> GraphSpec:
    """Text to GraphSpec, with all checks; no expression is known from the round before."""
    expressions._known.clear()
    result = compile_text(text, path)
    assert result.ok, result.diagnostics
    return result.spec


def by_hand(length: int) -> Any:
    """The same chain, as somebody would write it who has no need for anything else."""
    from langgraph.graph import END, START, StateGraph

    def assign(value: str) -> Any:
        async def node(state: State) -> State:
            return {"RESULT": value}

        return node

    graph = StateGraph(State)
    before = START
    for n in range(length):
        graph.add_node(f"ASSIGN_{n}", assign(str(n)))
        graph.add_edge(before, f"ASSIGN_{n}")
        before = f"ASSIGN_{n}"
    graph.add_edge(before, END)
    return graph
