"""LangGraph's types by the names that flowc uses for them."""

from __future__ import annotations

from typing import Any

from langgraph.channels import BaseChannel, DeltaChannel
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.graph import StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.store.base import BaseStore

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
