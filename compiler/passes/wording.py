"""Wording: what checks call the elements of a file."""

from __future__ import annotations

from collections.abc import Sequence

from ..ir import AgentNode, Node

MAX_PATH = 8
"""A longer path is shown by its two ends."""


def called(node: Node) -> str:
    """A node by the file's own name: `CHECK_OK`, or step 2 (`Read the report`)."""
    number = _step(node)
    if number is None:
        return f"`{node.id}`"
    return f"step {number} (`{node.title}`)" if node.title else f"step {number}"


def path_text(nodes: Sequence[Node]) -> str:
    """A path in one line: `START → CHECK_OK → ASK`."""
    number_or_id = [f"step {n}" if (n := _step(node)) else node.id for node in nodes]
    if len(number_or_id) > MAX_PATH:
        half = MAX_PATH // 2
        number_or_id[half:-half] = ["…"]
    return " → ".join(number_or_id)


def _step(node: Node) -> int | None:
    return node.step + 1 if isinstance(node, AgentNode) and node.step is not None else None
