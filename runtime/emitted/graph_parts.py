"""The parts of a workflow's graph by node, for the modules that `flowc compile` writes."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.store.base import BaseStore

from ..checkpoints.types import Graph, Saver, Store
from ..errors import RunError, one_line
from ..graph.build import add_inbox, build, empty_graph, function_of, path_of, relay
from ..nodes.visit.entry import NodeFunction
from ..nodes.visit.visit import Setting
from ..state.channels import State
from .door import Door
from .flow_graph import FlowGraph


class GraphParts:
    """What a written graph is put together from: its functions by node, and the graph itself."""

    def __init__(self, door: Door) -> None:
        self._door = door
        self._spec = door.spec
        self._nodes = {node.id: node for node in door.spec.nodes}
        self._branches = {branch.source: branch for branch in door.spec.branches}
        self._setting = Setting(door.spec, dict(door.spec.subgraphs))  # looks at all nodes once

    def whole_graph(self) -> Graph:
        """Return the workflow's graph, not compiled."""
        return build(self._spec)

    def empty_graph(self) -> Graph:
        """Return a graph with the workflow's channels and without nodes."""
        return empty_graph(self._spec)

    @property
    def relay(self) -> Callable[[State], Awaitable[dict[str, Any]]]:
        """The function of a node that does nothing."""
        return relay

    def node(self, name: str) -> NodeFunction:
        """Return the function of a node, its subgraph in the closure. Raise `RunError` for a name
        that the workflow does not have."""
        if name not in self._nodes:
            raise self._stale(f"a node `{name}`, which")
        return function_of(self._nodes[name], self._setting, self._branches.get(name))

    def route(self, name: str) -> Callable[[State], Awaitable[list[str]]]:
        """Return the path function of a node's branch. Raise `RunError` as `node` does."""
        if name not in self._branches:
            raise self._stale(f"a branch at `{name}`, which")
        return path_of(self._branches[name])

    def compile(
        self, built: Graph, checkpointer: Saver | None = None, store: Store | None = None
    ) -> FlowGraph:
        """Return the compiled graph, each of whose executions has services of its own. Raise
        `RunError` where a node of the workflow is missing, and for what keeps nothing."""
        for name, value, kind in (
            ("checkpointer", checkpointer, BaseCheckpointSaver),
            ("store", store, BaseStore),
        ):
            if value is not None and not isinstance(value, kind):
                shown = one_line(repr(value), 60)
                raise RunError(f"`{name}` is a {name} of LangGraph's, not {shown}")
        missing = [name for name in (*self._nodes, *self._spec.relays) if name not in built.nodes]
        if missing:
            raise self._stale(f"no node `{missing[0]}`, which")
        add_inbox(built, self._spec)
        app = built.compile(checkpointer=checkpointer, store=store, name=self._spec.name)
        return FlowGraph.of(app, self._door)

    def _stale(self, difference: str) -> RunError:
        return RunError(
            f"the graph has {difference} is not so in {self._spec.file}: that has changed since",
            help="compile the workflow again: flowc compile",
        )
