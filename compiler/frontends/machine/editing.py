"""What an editor completes in state machines, and where names stand, in the script too."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ...reading.editing import Editing, Kind, Mention, Slot, Suggestion, json_keys, json_value
from ...reading.tree import Scalar
from .document import (
    ACTION_KEYS,
    AGENT_KEYS,
    CALLS,
    CONTEXT_KEYS,
    PARAMETER_KEYS,
    SIDES,
    STATE_KEYS,
    TOP_KEYS,
    TRANSITION_KEYS,
    Machine,
)
from .scripts.functions import ScriptFile

_MESSAGE = {"role": "who speaks", "content": "the message"}


def machine_editing() -> Editing:
    """Complete keys, and names of states, agents, contexts and handlers."""
    return Editing(
        slots=(
            Slot(json_value("target"), ("node",)),
            Slot(json_value("agent"), ("agent",)),
            Slot(json_value("agent_role"), ("agent",), path=re.compile(r"states\.\*\.action.*")),
            Slot(json_value("context"), ("thread",)),
            Slot(json_value("(?:pre|post|transition)_handler"), ("function",)),
            Slot(json_value("function"), words=tuple(Suggestion(name) for name in CALLS)),
            Slot(
                json_value("role"),
                words=tuple(Suggestion(side) for side in SIDES),
                path=re.compile(r"agents\.\*"),
            ),
            json_keys("", TOP_KEYS),
            json_keys("input|output", PARAMETER_KEYS),
            json_keys(r"contexts\.\*", CONTEXT_KEYS),
            json_keys(r"contexts\.\*\.starting_messages\.\*", _MESSAGE),
            json_keys(r"agents\.\*", AGENT_KEYS),
            json_keys(r"states\.\*", STATE_KEYS),
            json_keys(r"states\.\*\.action", ACTION_KEYS),
            json_keys(r"states\.\*\.transition\.\*", TRANSITION_KEYS),
        ),
        keys="json",
        triggers=('"',),
    )


def machine_mentions(machine: Machine, file: ScriptFile | None) -> Iterator[Mention]:
    """Yield the places where states, agents, contexts and handlers are named."""
    for context in machine.contexts:
        yield Mention("thread", context.name.text, "define", context.name.span)
    for agent in machine.agents:
        yield Mention("agent", agent.name.text, "define", agent.name.span)
        yield from _mention("thread", agent.place)
    known = {state.name.text for state in machine.states}
    for state in machine.states:
        yield Mention("node", state.name.text, "define", state.name.span)
        yield from _mention("agent", state.agent)
        for handler in state.handlers:
            yield from _mention("function", handler)
        for way in state.transitions:
            if way.target.text in known:
                yield from _mention("node", way.target)
    if file is None or file.functions is None:
        return
    for function in file.functions.by_name.values():
        for returned in function.returns:
            if returned.value in known:
                span = file.source.span(returned.start, returned.end)
                yield Mention("node", returned.value, "name", span)


def _mention(kind: Kind, words: Scalar | None) -> Iterator[Mention]:
    if words is not None:
        yield Mention(kind, words.text, "name", words.span)
