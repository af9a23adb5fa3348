"""In whose name the state of a thread is edited, where nobody says.

LangGraph reads it from the channels that started nodes; those of a flow are sent without one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain

from flowc.compiler.lowering.graphspec import GraphSpec
from flowc.compiler.source.spelling import Spelling
from langchain_core.runnables import RunnableConfig
from langgraph.errors import InvalidUpdateError
from langgraph.graph import START
from langgraph.types import StateUpdate

from ..checkpoints.builder import whole_state
from ..checkpoints.keys import namespace_of
from ..checkpoints.types import App
from ..errors import RunError
from ..services import Json
from ..state.channels import variables_of
from ..state.initial import variable_writes


async def with_authors(
    app: App, spec: GraphSpec, config: RunnableConfig, supersteps: Sequence[Sequence[StateUpdate]]
) -> list[list[StateUpdate]]:
    """Return edits of which the first names a node: that which ran last. Raise LangGraph's
    `InvalidUpdateError` where several ran last, for a key that the state does not have, which would
    be dropped without a word, and for a value that its variable does not hold."""
    edits = [list(step) for step in supersteps]
    if not namespace_of(config):
        for edit in chain.from_iterable(edits):
            _refuse_unknown(app, edit.values)
        edits = [
            [edit._replace(values=_held_values(spec, edit.values)) for edit in s] for s in edits
        ]
    if edits and len(edits[0]) == 1 and edits[0][0].as_node is None:
        edits[0] = [edits[0][0]._replace(as_node=await _last_node(app, config))]
    return edits


def _refuse_unknown(app: App, values: object) -> None:
    for name in values if isinstance(values, Mapping) else ():
        if name not in app.channels:
            known = [key for key in app.builder.channels if key[0] != "$"]
            advice = Spelling(known).advice(name, f"it has {', '.join(known)}")
            raise InvalidUpdateError(f"the state has no key `{name}`: {advice}")


def _held_values(spec: GraphSpec, values: dict[str, Json] | None) -> dict[str, Json] | None:
    """Return what an edit writes, as the variables that it replaces hold it."""
    if not isinstance(values, dict):
        return values
    replaced = {name for name, to in variables_of(spec).items() if to.reducer == "replace"}
    try:
        written = {
            name: variable_writes(spec, {name: value})[name] if name in replaced else value
            for name, value in values.items()
        }
    except RunError as wrong:
        raise InvalidUpdateError(wrong.message) from None
    return written


async def _last_node(app: App, config: RunnableConfig) -> str:
    state = await whole_state(app, config)
    while (state.metadata or {}).get("source") == "update" and state.parent_config is not None:
        state = await whole_state(app, state.parent_config)
    if state.parent_config is None or (state.metadata or {}).get("source") == "input":
        return START
    ran = (await whole_state(app, state.parent_config)).next
    if len(ran) != 1:
        raise InvalidUpdateError(
            f"several nodes ran last, {', '.join(ran)}: say in whose name, with as_node"
        )
    return ran[0]
