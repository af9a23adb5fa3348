"""Wording: what checks call the elements of a file."""

from __future__ import annotations

from collections.abc import Sequence

from ..ir import AgentNode, Node

MAX_PATH = 8
"""A longer path is shown by its two ends."""


def node_name(node: Node) -> str:
    """A node by the file's own name: `CHECK_OK`, or step 2 (`Read the report`). Nodes that came
    from one element of the file go by its name."""
    number = _step(node)
    if number is None:
        return f"`{node.group or node.id}`"
    return f"step {number} (`{node.title}`)" if node.title else f"step {number}"


def path_text(nodes: Sequence[Node]) -> str:
    """A path in one line: `START → CHECK_OK → ASK`."""
    names = [f"step {n}" if (n := _step(node)) else node.group or node.id for node in nodes]
    inside = {n for n in range(1, len(nodes)) if nodes[n].group and names[n] == names[n - 1]}
    number_or_id = [name for n, name in enumerate(names) if n not in inside]
    if len(number_or_id) > MAX_PATH:
        half = MAX_PATH // 2
        number_or_id[half:-half] = ["…"]
    return " → ".join(number_or_id)


def _step(node: Node) -> int | None:
    return node.step + 1 if isinstance(node, AgentNode) and node.step is not None else None
