"""A workflow's graph for programs of LangGraph's: each execution has services of its own.

Limits, siblings and clocks belong to one execution, not to the process that holds the graph; inputs
are checked at one door, whether the graph is invoked, streamed, or a node of another graph.
"""

from __future__ import annotations

import asyncio
import contextlib
import queue
from collections.abc import AsyncIterator, Iterator, Sequence
from typing import Any

from langchain_core.runnables import RunnableConfig
from langchain_core.runnables.config import ensure_config, merge_configs
from langchain_core.runnables.graph import Graph
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.errors import GraphDrained
from langgraph.runtime import RunControl
from langgraph.types import Command, StateSnapshot, StateUpdate

from ..assembly.wording import python_errors
from ..checkpoints.builder import SendingGraph, with_sends
from ..checkpoints.keys import filter_stream, is_inner, lend, saver_in, store_in, thread_of
from ..checkpoints.types import App, Saver, Store
from ..errors import Ended, RunError
from ..event_loops import run_in_thread
from ..savers.home_loop import at_home
from .door import Door
from .elements import drawing_of, names_shown
from .graph_context import GraphContext, read_context
from .hidden import Names, part_filter, shown_chunk, shown_events, shown_state
from .state_edits import with_authors

_Edits = Sequence[Sequence[StateUpdate]]


class FlowGraph(SendingGraph):
    """A compiled graph with a door: `door` opens each execution, and closes it."""

    def __init__(self, *, door: Door, **attributes: Any) -> None:
        super().__init__(**attributes)
        self.door = door

    @classmethod
    def of(cls, app: App, door: Door) -> FlowGraph:
        """Return the graph of a program that was compiled, which shows nothing of flowc's own."""
        attributes = {k: v for k, v in vars(app).items() if k != "__orig_class__"}
        attributes["stream_channels"] = [c for c in app.stream_channels_list if c[0] != "$"]
        attributes["context_schema"] = GraphContext
        if isinstance(app.checkpointer, BaseCheckpointSaver):
            attributes["checkpointer"] = at_home(app.checkpointer)
        return cls(door=door, **attributes)

    async def astream(
        self, input: Any, config: RunnableConfig | None = None, **choices: Any
    ) -> AsyncIterator[Any]:
        """Execute the graph, as LangGraph's `astream` does. Raise `RunError` as `Door.execution`
        does."""
        with python_errors():
            given = merge_configs(self.config, config)
            whole = lend(ensure_config(given), at_home)
            if "recursion_limit" not in given:  # LangChain's default is not a wish of the host's
                whole.pop("recursion_limit")
            whole, show = filter_stream(whole, shown_chunk), part_filter(choices, self.stream_mode)
            input = with_sends(self, input) if isinstance(input, Command) else input
            saver = self._saver(whole)
            if saver is not None and not is_inner(whole) and not thread_of(whole):
                raise RunError(
                    "the graph has a checkpointer, so it needs a thread",
                    help='config={"configurable": {"thread_id": "…"}}',
                )
            if saver is not None:
                # An effect has another key where the step before it is lost.
                choices |= {"durability": "sync", "checkpoint_during": None}
            asked = choices.get("context")
            context = await asyncio.to_thread(read_context, asked) if asked else GraphContext()
            store = self._store(whole)
            async with self.door.execution(input, whole, self, saver, store, context) as begun:
                # A branch that ends FAILED keeps the others from beginning nodes, no more.
                with contextlib.suppress(Ended):
                    async for part in super().astream(*begun, **choices):
                        yield show(part)

    def astream_events(
        self, input: Any, config: RunnableConfig | None = None, **choices: Any
    ) -> Any:
        """Execute the graph and return its events, as LangGraph's method does."""
        events: Any = super().astream_events(input, config, **choices)
        return events if choices.get("version") == "v3" else shown_events(events)

    def get_state(self, config: RunnableConfig, *, subgraphs: bool = False) -> StateSnapshot:
        """Return the state of a thread."""
        return shown_state(super().get_state(config, subgraphs=subgraphs), self._names)

    async def aget_state(self, config: RunnableConfig, *, subgraphs: bool = False) -> StateSnapshot:
        """Return the state of a thread."""
        return shown_state(await super().aget_state(config, subgraphs=subgraphs), self._names)

    def get_state_history(self, config: RunnableConfig, **choices: Any) -> Iterator[StateSnapshot]:
        """Yield the states of a thread, the newest first."""
        for state in super().get_state_history(config, **choices):
            yield shown_state(state, self._names)

    async def aget_state_history(
        self, config: RunnableConfig, **choices: Any
    ) -> AsyncIterator[StateSnapshot]:
        """Yield the states of a thread, the newest first."""
        async for state in super().aget_state_history(config, **choices):
            yield shown_state(state, self._names)

    @property
    def _names(self) -> Names:
        return names_shown(self.door.spec)

    def _store(self, config: RunnableConfig) -> Store | None:
        """Return the store of the program: that of the graph around, or the graph's own."""
        return store_in(config) or self.store

    def _saver(self, config: RunnableConfig) -> Saver | None:
        """Return the saver of an execution, which a config names: that of the graph around; or the
        graph's own."""
        own = self.checkpointer if isinstance(self.checkpointer, BaseCheckpointSaver) else None
        return saver_in(config) or own

    async def abulk_update_state(
        self, config: RunnableConfig, supersteps: _Edits
    ) -> RunnableConfig:
        """Edit the state, as LangGraph's method does: where nobody says in whose name, in that of
        the node that ran last. Raise `RunError` while an effect is in doubt: it would have another
        key."""
        edits = await self._allowed_edits(config, supersteps)
        return await super().abulk_update_state(config, edits)

    def bulk_update_state(self, config: RunnableConfig, supersteps: _Edits) -> RunnableConfig:
        """Edit the state: see `abulk_update_state`."""
        edits = run_in_thread(self._allowed_edits(config, supersteps)).result()
        return super().bulk_update_state(config, edits)

    async def _allowed_edits(self, config: RunnableConfig, supersteps: _Edits) -> _Edits:
        whole = ensure_config(merge_configs(self.config, config))
        saver = self._saver(whole)
        with python_errors():
            if saver is not None:
                await self.door.refuse_edit(whole, saver, self._store(whole))
            return await with_authors(self, self.door.spec, whole, supersteps)

    def get_graph(self, config: RunnableConfig | None = None, *, xray: int | bool = False) -> Graph:
        """Return the drawing: one node for each element of the workflow's file; with `xray` of the
        called workflows too."""
        return drawing_of(self.door.spec, xray)

    async def aget_graph(
        self, config: RunnableConfig | None = None, *, xray: int | bool = False
    ) -> Graph:
        """Return the drawing, as `get_graph` does."""
        return drawing_of(self.door.spec, xray)

    def get_input_jsonschema(self, config: RunnableConfig | None = None) -> dict[str, Any]:
        """Return the JSON Schema of the parameters, for forms and clients."""
        return self.door.input_schema()

    def stream(
        self, input: Any, config: RunnableConfig | None = None, **choices: Any
    ) -> Iterator[Any]:
        """Execute the graph in a thread with an event loop of its own: its nodes are async. Raise
        `RunError` for a saver without async methods, and on the thread of the saver's loop."""
        _refuse_own_thread(self._saver(ensure_config(merge_configs(self.config, config))))
        parts: queue.SimpleQueue[tuple[Any] | None] = queue.SimpleQueue()
        control: RunControl = choices.get("control") or RunControl()
        choices["control"] = control

        async def execute() -> None:
            async for part in self.astream(input, config, **choices):
                parts.put((part,))

        end = run_in_thread(execute())
        end.add_done_callback(lambda _: parts.put(None))
        try:
            while (part := parts.get()) is not None:
                yield part[0]
        finally:
            if not end.done():  # nobody wants the rest
                control.request_drain("closed")
                with contextlib.suppress(GraphDrained):
                    end.result()
        end.result()


def _refuse_own_thread(saver: Saver | None) -> None:
    """Raise `RunError` on the thread of a saver's event loop, which would wait for itself."""
    try:
        running = asyncio.get_running_loop()
    except RuntimeError:
        return
    if getattr(saver, "loop", None) is running:
        raise RunError(
            "on the thread of its event loop the checkpointer would wait for itself: use `ainvoke`,"
            " `astream` and the like"
        )
