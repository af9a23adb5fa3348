"""The function that LangGraph gets for a node."""

from __future__ import annotations

import dis

import specs
from flowc.runtime.graph.build import build

SHORT = 30
"""Instructions."""


def test_langgraph_has_little_to_read_of_a_node():
    """It takes the bytecode of every node apart where a graph is compiled, in search of subgraphs:
    with a long function that was five times the rest of the time."""
    graph = build(specs.program(specs.assign("a", N=specs.lit(1)), specs.SUCCESS))
    for node in graph.nodes.values():
        assert len(list(dis.get_instructions(node.runnable.afunc))) <= SHORT
