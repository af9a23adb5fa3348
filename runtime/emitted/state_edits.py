"""In whose name the state of a thread is edited, where nobody says.

LangGraph reads it from the channels that started nodes; those of a flow are sent without one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain

from flowc.compiler.source.spelling import Spelling
from langchain_core.runnables import RunnableConfig
from langgraph.errors import InvalidUpdateError
from langgraph.graph import START
from langgraph.types import StateUpdate

from ..checkpoints.keys import namespace_of
from ..checkpoints.types import App


async def with_authors(
    app: App, config: RunnableConfig, supersteps: Sequence[Sequence[StateUpdate]]
) -> list[list[StateUpdate]]:
    """Return edits of which the first names a node: that which ran last. Raise LangGraph's
    `InvalidUpdateError` where several ran last, and for a key that the state does not have: it
    would be dropped without a word."""
    edits = [list(step) for step in supersteps]
    if not namespace_of(config):
        for edit in chain.from_iterable(edits):
            _refuse_unknown(app, edit.values)
    if edits and len(edits[0]) == 1 and edits[0][0].as_node is None:
        edits[0] = [edits[0][0]._replace(as_node=await _last_node(app, config))]
    return edits


def _refuse_unknown(app: App, values: object) -> None:
    for name in values if isinstance(values, Mapping) else ():
        if name not in app.channels:
            known = [key for key in app.builder.channels if key[0] != "$"]
            advice = Spelling(known).advice(name, f"it has {', '.join(known)}")
            raise InvalidUpdateError(f"the state has no key `{name}`: {advice}")


async def _last_node(app: App, config: RunnableConfig) -> str:
    state = await app.aget_state(config)
    while (state.metadata or {}).get("source") == "update" and state.parent_config is not None:
        state = await app.aget_state(state.parent_config)
    if state.parent_config is None or (state.metadata or {}).get("source") == "input":
        return START
    ran = (await app.aget_state(state.parent_config)).next
    if len(ran) != 1:
        raise InvalidUpdateError(
            f"several nodes ran last, {', '.join(ran)}: say in whose name, with as_node"
        )
    return ran[0]
