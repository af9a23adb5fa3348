"""The workflow, or the node, that a namespace belongs to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from flowc.compiler.ir import CallNode, ForeachNode
from flowc.compiler.lowering.graphspec import GraphSpec, NodeSpec

from ..checkpoints.namespaces import levels


@dataclass(frozen=True, slots=True)
class CalledWorkflow:
    """A workflow that runs in a namespace: its graph, where it stands in the program (`workflow`),
    and the calls that lead to it as events name them: `each#3` for the third element."""

    workflow: str
    spec: GraphSpec
    path: tuple[str, ...]


def called_in(
    namespace: str, spec: GraphSpec, subgraphs: Mapping[str, GraphSpec] | None = None
) -> CalledWorkflow | None:
    """Return what runs in a namespace below the main one; None where no workflow does: inside an
    agent, a command, or a node that is not there. `subgraphs` are `spec`'s, if they are known."""
    subgraphs = dict(spec.subgraphs) if subgraphs is None else subgraphs
    called: CalledWorkflow | None = None
    for name, numbers in levels(namespace):
        node = (spec if called is None else called.spec).node(name)
        if node is None or not isinstance(node.op, CallNode | ForeachNode):
            return None
        # After a call a number is that of an attempt; so is the second one after a foreach.
        element = isinstance(node.op, ForeachNode) and numbers
        path = (*(called.path if called else ()), f"{name}#{numbers[0] + 1}" if element else name)
        called = CalledWorkflow(node.op.workflow, subgraphs[node.op.workflow], path)
    return called


def node_at(namespace: str, spec: GraphSpec) -> NodeSpec | None:
    """Return the innermost node of a workflow on a path of calls, which may lead into an agent."""
    innermost, inner, subgraphs = None, spec, dict(spec.subgraphs)
    for name, _ in levels(namespace):
        node = inner.node(name)
        if node is None:
            break
        innermost = node
        if not isinstance(node.op, CallNode | ForeachNode):
            break
        inner = subgraphs[node.op.workflow]
    return innermost
