"""What an editor completes in state machines, and where names stand, in the script too."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ...reading.editing import Editing, Kind, Mention, Slot, Suggestion
from ...reading.json_tree import JsonText
from .document import CALLS, SIDES, Machine
from .scripts.functions import ScriptFile

_KEY = re.compile(r"(?:^|[{,])[ \t]*\"(?P<word>\w*)\Z")
_TOP = (
    Suggestion("workflow_name", "what the machine is called"),
    Suggestion("description", "what it is for"),
    Suggestion("input", "what a run is given"),
    Suggestion("output", "what a run gives"),
    Suggestion("variables", "what `common_data` begins with"),
    Suggestion("contexts", "the conversations"),
    Suggestion("agents", "who answers, in which conversation"),
    Suggestion("states", "what happens; a run begins in `start`"),
)
_PARAMETER = (
    Suggestion("name", "its name"),
    Suggestion("type", "what kind of value it is"),
    Suggestion("description", "what it is for"),
)
_CONTEXT = (
    Suggestion("name", "its name"),
    Suggestion("starting_messages", "what it begins with"),
    Suggestion("max_length", "characters, above which the oldest messages go"),
)
_AGENT = (
    Suggestion("agent_role", "its name, and its entry among the roles"),
    Suggestion("context", "the conversation it takes part in"),
    Suggestion("role", "from which side it sees the conversation"),
)
_STATE = (
    Suggestion("name", "its name"),
    Suggestion("agent", "who answers"),
    Suggestion("pre_handler", "the function that runs before the agent"),
    Suggestion("post_handler", "the function that runs after it"),
    Suggestion("transition_handler", "the function that returns the next state's name"),
    Suggestion("input", "what the agent is told"),
    Suggestion("action", "the older dialect: a script, a function or an agent"),
    Suggestion("transition", "the older dialect: conditions and targets"),
)
_ACTION = (
    Suggestion("script", "JavaScript that is run"),
    Suggestion("function", "what is done with the conversation"),
    Suggestion("agent_role", "who answers"),
    Suggestion("message", "the text that is added"),
)
_TRANSITION = (
    Suggestion("target", "the next state"),
    Suggestion("condition", "JavaScript that decides"),
    Suggestion("before", "JavaScript that runs on the way"),
)
_MESSAGE = (Suggestion("role", "who speaks"), Suggestion("content", "the message"))


def _value(keys: str) -> re.Pattern[str]:
    return re.compile(rf"\"(?:{keys})\"\s*:\s*\"(?P<word>[^\"]*)\Z")


def _keys(path: str, words: tuple[Suggestion, ...]) -> Slot:
    return Slot(_KEY, words=words, path=re.compile(path))


def machine_editing() -> Editing:
    """Complete keys, and names of states, agents, contexts and handlers."""
    return Editing(
        slots=(
            Slot(_value("target"), ("node",)),
            Slot(_value("agent"), ("agent",)),
            Slot(_value("agent_role"), ("agent",), path=re.compile(r"states\.\*\.action.*")),
            Slot(_value("context"), ("thread",)),
            Slot(_value("(?:pre|post|transition)_handler"), ("function",)),
            Slot(_value("function"), words=tuple(Suggestion(name) for name in CALLS)),
            Slot(
                _value("role"),
                words=tuple(Suggestion(side) for side in SIDES),
                path=re.compile(r"agents\.\*"),
            ),
            _keys("", _TOP),
            _keys("input|output", _PARAMETER),
            _keys(r"contexts\.\*", _CONTEXT),
            _keys(r"contexts\.\*\.starting_messages\.\*", _MESSAGE),
            _keys(r"agents\.\*", _AGENT),
            _keys(r"states\.\*", _STATE),
            _keys(r"states\.\*\.action", _ACTION),
            _keys(r"states\.\*\.transition\.\*", _TRANSITION),
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


def _mention(kind: Kind, words: JsonText | None) -> Iterator[Mention]:
    if words is not None:
        yield Mention(kind, words.text, "name", words.span)
