"""Edges that send: LangGraph looks at every channel of a graph in every step, and gives each node a
channel that starts it. A thousand nodes are a thousand channels for one step; sent nodes share one.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, Self, cast

from langchain_core.runnables import RunnableConfig
from langgraph._internal._constants import TASKS
from langgraph.channels import Topic
from langgraph.graph import StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.pregel._read import ChannelRead
from langgraph.pregel._write import ChannelWrite, ChannelWriteEntry
from langgraph.types import Checkpointer, Command, Send, StateSnapshot

from .channels import started_node
from .types import App

READS_STATE = "reads_state"
"""The attribute of a node's function that gets None and reads the state itself: `read_state`."""


class Starts(Topic[Send]):
    """The nodes that begin in the next step, each once, however many edges lead to it. What a host
    sends with an argument begins as often as it is sent."""

    __slots__ = ()

    def update(self, values: Sequence[Any]) -> bool:
        """Take the sends of a step, in the order of the nodes' names."""
        starts = {send.node if _is_plain(send) else id(send): send for send in values}
        ordered: list[Send] = sorted(starts.values(), key=lambda send: send.node)
        return super().update(ordered)

    def checkpoint(self) -> Any:
        """Return the names as one text, which a store keeps beside the checkpoint's own; what was
        sent with an argument as it is."""
        plain = all(map(_is_plain, self.values))
        return json.dumps([send.node for send in self.values]) if plain else self.values

    def from_checkpoint(self, checkpoint: Any) -> Self:
        """Return the channel with what was stored."""
        if isinstance(checkpoint, str):
            checkpoint = [Send(name, None) for name in json.loads(checkpoint)]
        return super().from_checkpoint(checkpoint)


def _is_plain(send: Send) -> bool:
    return send.arg is None and send.timeout is None


class SendingGraph(CompiledStateGraph[Any, Any, Any, Any]):
    """A compiled graph, and each copy of it, whose nodes are sent through one channel."""

    def __init__(self, **attributes: Any) -> None:
        super().__init__(**attributes)
        self.channels[TASKS] = Starts(Send)

    def validate(self) -> Self:
        """Find which channel starts which node."""
        super().validate()
        # A step that only sends is not the last one: joins for the end still wait.
        self.trigger_to_nodes = {**self.trigger_to_nodes, TASKS: ()}
        return self


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

    def compile(self, checkpointer: Checkpointer = None, **named: Any) -> SendingGraph:
        """Compile the graph as LangGraph does, with edges that send."""
        app = super().compile(checkpointer, **named)
        _send_along_edges(app)
        return SendingGraph(**{k: v for k, v in vars(app).items() if k != "__orig_class__"})


def _send_along_edges(app: App) -> None:
    """Let the edges of a compiled graph send where the node behind them reads the state itself. A
    node that waits for several (a join), or for the end, keeps its channel."""
    sent = {name for name, node in app.nodes.items() if _is_sent(app, name, node.triggers)}

    def send(entry: object) -> Any:
        name = started_node(entry.channel) if isinstance(entry, ChannelWriteEntry) else ""
        return Send(name, None) if name in sent else entry

    def through(write: Callable[..., Sequence[Any]]) -> Callable[..., Sequence[Any]]:
        return lambda targets, static=False: [send(entry) for entry in write(targets, static)]

    for node in app.nodes.values():
        for place, writer in enumerate(node.writers):
            if isinstance(writer, ChannelWrite):
                node.writers[place] = ChannelWrite([send(entry) for entry in writer.writes])
            elif "writer" in (parts := getattr(writer, "kwargs", {})):
                parts["writer"] = through(parts["writer"])
    for name in sent:
        (trigger,) = app.nodes[name].triggers
        app.nodes[name].triggers.clear()
        del app.channels[trigger]


def _is_sent(app: App, name: str, triggers: list[str]) -> bool:
    spec = app.builder.nodes.get(name)
    function = getattr(spec and spec.runnable, "afunc", None)
    own = [started_node(trigger) for trigger in triggers] == [name]
    return own and spec is not None and not spec.defer and hasattr(function, READS_STATE)


async def whole_state(app: App, config: RunnableConfig) -> StateSnapshot:
    """Return the state of a thread with all that flowc keeps for itself."""
    return await CompiledStateGraph.aget_state(app, config)


def read_state(config: RunnableConfig, channels: Sequence[str]) -> dict[str, Any]:
    """Return what the channels hold at a node that was sent."""
    state: dict[str, Any] = ChannelRead.do_read(config, select=list(channels), fresh=False)
    return state


def with_sends(app: App, command: Command[Any]) -> Command[Any]:
    """Return a command that goes to nodes by their names, with sends for those that are sent."""
    if not command.goto:  # servers say None
        return command
    several = isinstance(command.goto, list | tuple)
    goto = cast("Sequence[object]", command.goto if several else [command.goto])
    sent = {name for name, node in app.nodes.items() if not node.triggers}
    ways = [Send(to, None) if isinstance(to, str) and to in sent else to for to in goto]
    return replace(command, goto=cast("list[Send | str]", ways))
