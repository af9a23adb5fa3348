"""GraphSpec -> LangGraph StateGraph: async nodes, edges, joins, branches with a full path map.

The same GraphSpec makes the emitted Python module, so both have the same nodes and edges. A called
workflow is compiled once per calling node and runs inside it.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Hashable, Mapping
from typing import Any, cast

from flowc.compiler.ir import CallNode, ForeachNode
from flowc.compiler.lowering.graphspec import Branch, GraphSpec, NodeSpec, labelled_targets
from flowc.compiler.source.gc_pause import collector_at_rest
from langgraph.graph import START

from ..checkpoints.builder import READS_STATE, FlowBuilder
from ..checkpoints.types import App, Graph, Saver
from ..nodes import NODE_KINDS
from ..nodes.visit.entry import NodeFunction, node_function
from ..nodes.visit.visit import Setting
from ..state.channels import State, nested_schema, output_schema, state_schema
from .inbox import INPUT_NODE


def build(spec: GraphSpec) -> Graph:
    """Return the graph of a program's main workflow, not compiled. Whoever executes it gives its
    nodes their services: see `Surroundings`."""
    graph = empty_graph(spec)
    _fill(graph, Setting(spec, dict(spec.subgraphs)))
    add_inbox(graph, spec)
    return graph


def compile_graph(spec: GraphSpec, saver: Saver) -> App:
    """Return the graph of a program's main workflow with a saver. A long one takes seconds."""
    with collector_at_rest():
        return build(spec).compile(checkpointer=saver, name=spec.name)


def empty_graph(spec: GraphSpec) -> Graph:
    """Return the graph of a main workflow without its nodes."""
    return FlowBuilder(state_schema(spec), output_schema=output_schema(spec))


def add_inbox(graph: Graph, spec: GraphSpec) -> None:
    """Add the node in whose name a line that was said unasked is kept, where a workflow hears
    such lines and the graph does not have it."""
    if spec.on_input is not None and INPUT_NODE not in graph.nodes:
        add_relay(graph, INPUT_NODE)
        graph.add_edge(INPUT_NODE, spec.on_input.target)


def nested_graph(spec: GraphSpec, subgraphs: Mapping[str, GraphSpec]) -> Graph:
    """Return the graph of a called workflow, not compiled."""
    schema = nested_schema(spec)
    graph = FlowBuilder(state_schema(spec), input_schema=schema, output_schema=schema)
    _fill(graph, Setting(spec, subgraphs))
    return graph


def single_graph(node: NodeSpec, setting: Setting) -> Graph:
    """Return a graph of one node with all channels of its workflow, not compiled."""
    spec = setting.spec
    schema = state_schema(spec)
    graph = FlowBuilder(schema, input_schema=schema, output_schema=schema)
    branch = next((b for b in spec.branches if b.source == node.id), None)
    function = cast("Any", function_of(node, setting, branch))
    graph.add_node(node.id, function)
    graph.add_edge(START, node.id)
    return graph


def _fill(graph: Graph, setting: Setting) -> None:
    spec = setting.spec
    branches = {branch.source: branch for branch in spec.branches}
    for node in spec.nodes:
        function = cast("Any", function_of(node, setting, branches.get(node.id)))
        graph.add_node(node.id, function, defer=node.defer)
    for name in spec.relays:
        add_relay(graph, name)
    graph.add_edge(START, spec.entry)
    for edge in spec.edges:
        graph.add_edge(edge.source, edge.target)
    for join in spec.joins:
        graph.add_edge(list(join.sources), join.target)
    for branch in spec.branches:
        targets: dict[Hashable, str] = {
            label: target for _, label, target in labelled_targets(branch)
        }
        graph.add_conditional_edges(branch.source, path_of(branch), targets)


async def relay(state: State) -> dict[str, Any]:
    """Write nothing: a join waits for the end of a node that does nothing."""
    return {}


setattr(relay, READS_STATE, True)


def add_relay(graph: Graph, name: str) -> None:
    """Add a node that does nothing, such as one in whose name the state is changed."""
    graph.add_node(name, cast("Any", relay))


def function_of(node: NodeSpec, setting: Setting, branch: Branch | None) -> NodeFunction:
    """Return what LangGraph runs for a node, its subgraph compiled; `branch` is the node's."""
    run = NODE_KINDS[node.op.kind].run
    return node_function(node, setting, run, branch, _subgraph(node, setting))


def _subgraph(node: NodeSpec, setting: Setting) -> App | None:
    if isinstance(node.op, CallNode | ForeachNode):
        called = setting.subgraphs[node.op.workflow]
        return nested_graph(called, setting.subgraphs).compile(name=called.name)
    compile_inner = NODE_KINDS[node.op.kind].subgraph
    return compile_inner(node, setting) if compile_inner else None


def path_of(branch: Branch) -> Callable[[State], Awaitable[list[str]]]:
    """Return the path function of a branch: a bare read of its route channel, as labels."""
    labels: dict[str, list[str]] = {}
    fallback: list[str] = []
    for case, label, _ in labelled_targets(branch):
        if case is None:
            fallback = [label]
        else:
            labels.setdefault(case, []).append(label)

    # LangGraph runs one that is not async in a thread.
    async def path(state: State) -> list[str]:
        return labels.get(state[branch.channel], fallback)

    path.__name__ = f"case_of_{branch.source}"
    return path
