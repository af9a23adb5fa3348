"""The function that LangGraph gets for a node."""

from __future__ import annotations

import dis

import specs
from flowc.runtime.graph.build import build

SHORT = 30
"""Instructions."""


def test_langgraph_has_little_to_read_of_a_node_and_finds_what_runs_inside():
    """It takes the bytecode of every function apart where a graph is compiled, in search of
    subgraphs: with long ones that was five times the rest of the time."""
    nodes = (specs.assign("a", N=specs.lit(1)), specs.commands("c", "true"), specs.SUCCESS)
    graph = build(specs.program(*nodes))
    functions = [node.runnable.afunc for node in graph.nodes.values()]
    codes = [function.__code__ for function in functions if hasattr(function, "__code__")]
    assert len(codes) == 1
    assert len(list(dis.get_instructions(codes[0]))) <= SHORT
    assert [name for name, _ in graph.compile().get_subgraphs()] == ["c"]
