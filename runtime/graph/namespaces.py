"""Which called workflow the checkpoints of a namespace belong to, and how its place is told."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from flowc.compiler.ir import CallNode, ForeachNode
from flowc.compiler.lowering.graphspec import GraphSpec


@dataclass(frozen=True, slots=True)
class Called:
    """A workflow that runs in a namespace: its graph, where it stands in the program (`workflow`),
    and the calls that lead to it as events name them: `each#3` for the third element."""

    workflow: str
    spec: GraphSpec
    path: tuple[str, ...]


def called_in(
    namespace: str, spec: GraphSpec, subgraphs: Mapping[str, GraphSpec] | None = None
) -> Called | None:
    """What runs in a namespace below the main one; None where no workflow does: inside an agent, a
    command, or a node that is not there. `subgraphs` are `spec`'s, if they are known."""
    subgraphs = dict(spec.subgraphs) if subgraphs is None else subgraphs
    called: Called | None = None
    each = False
    for part in namespace.split("|"):
        name, colon, _ = part.rpartition(":")
        if not colon:
            if each and called is not None and part.isdecimal():  # a number after it: an attempt's
                path = (*called.path[:-1], f"{called.path[-1]}#{int(part) + 1}")
                called = Called(called.workflow, called.spec, path)
            each = False
            continue
        around = spec if called is None else called.spec
        node = next((n for n in around.nodes if n.id == name), None)
        if node is None or not isinstance(node.op, CallNode | ForeachNode):
            return None
        each = isinstance(node.op, ForeachNode)
        path = (*(called.path if called else ()), name)
        called = Called(node.op.workflow, subgraphs[node.op.workflow], path)
    return called
