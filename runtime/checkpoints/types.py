"""LangGraph's types by the names that flowc uses for them."""

from __future__ import annotations

from typing import Any, Self

from langgraph.channels import BaseChannel, DeltaChannel
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.graph import StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.store.base import BaseStore


class FlowBuilder(StateGraph[Any, Any, Any, Any]):
    """LangGraph's graph, not compiled. Here a node and a variable may have one name: LangGraph
    refuses that of old, and keeps them apart all the same."""

    def add_node(self, node: Any, *function: Any, **about: Any) -> Self:
        """Add a node as LangGraph does."""
        channel = self.channels.pop(node, None)
        try:
            return super().add_node(node, *function, **about)
        finally:
            if channel is not None:
                self.channels[node] = channel


Graph = StateGraph[Any, Any, Any, Any]
"""A graph that is not compiled."""
App = CompiledStateGraph[Any, Any, Any, Any]
"""A compiled graph, which executes and reads checkpoints."""
Saver = BaseCheckpointSaver[str]
"""LangGraph's checkpointer. Its versions of channels are texts."""
AnyChannel = BaseChannel[Any, Any, Any]
GrowingValue = DeltaChannel[Any]
Store = BaseStore
"""LangGraph's store of values beside its threads."""
