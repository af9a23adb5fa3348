"""Details: what a document that draws a workflow says of it in flow YAML, and who reads that.

The reader is flow YAML's own. Front ends do not know each other, so it is handed to the one that
has a place for such a block.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field

from ..diagnostics.diagnostic import Sink
from ..ir import Node, Workflow
from ..source.records import dataclass
from ..source.source import Source, SourceSet

_PLAIN = Workflow(name="")


@dataclass(frozen=True, slots=True)
class Details:
    """What a block says: `workflow` has its declarations and its nodes, without edges; `nodes` has
    these by their ids. `given` are the fields that it gives, also those that it leaves empty.
    `check` takes the whole workflow and reports what the block says of variables and nodes that
    this does not have."""

    workflow: Workflow = _PLAIN
    nodes: Mapping[str, Node] = field(default_factory=dict)
    given: frozenset[str] = frozenset()
    check: Callable[[Workflow], None] = field(default=lambda _: None)


ReadDetails = Callable[[Source, SourceSet, Sink, Workflow], Details]
"""Reads a block. The workflow has what the document has beside it: the nodes that it draws, the
agents and threads of its own."""
