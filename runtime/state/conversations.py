"""Threads that nodes share: their messages, and the write that adds to them (J10–J13).

A thread begins with its seed. Only adding cuts it: while all contents together are longer than it
may be, the oldest messages that are not the system's go, but never below the least number of them;
the system's messages then stand in front (`_trim`). The scripts' own copies of this rule are
prelude.js and worker_python.py; a test holds the three together.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from flowc.compiler.ir import Thread
from flowc.compiler.lowering.graphspec import GraphSpec
from langchain_core.messages import BaseMessage, RemoveMessage, convert_to_messages
from langgraph.graph.message import REMOVE_ALL_MESSAGES

from ..services import Message
from .messages import channel_message, message_of


def channel_of(spec: GraphSpec, thread: str) -> str:
    """Return the key of a thread's messages in the state."""
    return next(c.name for c in spec.channels if c.role == "messages" and c.variable == thread)


def messages_of(spec: GraphSpec, state: Mapping[str, Any], thread: str) -> list[Message]:
    """Return a thread's messages."""
    return [message_of(kept) for kept in state.get(channel_of(spec, thread)) or ()]


def adding(thread: Thread | None, new: Sequence[Message]) -> Any:
    """Return the write that adds messages, one after another, to a thread. Nodes that run at the
    same time both add to what is there."""
    messages = [channel_message(message) for message in new]
    if thread is None or thread.max_chars is None:
        return messages  # which LangGraph's stream of messages shows
    return append_within(messages, thread.max_chars, thread.keep_min)


def change_of(change: Mapping[str, Sequence[Message]]) -> dict[str, Any]:
    """Return the write of a script's change: messages that it adds, or that alone are left."""
    return {mode: [channel_message(message) for message in new] for mode, new in change.items()}


def fold_messages(messages: list[BaseMessage], writes: Sequence[Any]) -> list[BaseMessage]:
    """Reduce a conversation as LangGraph's `add_messages` does: a message takes the place of one
    with its id, a `RemoveMessage` removes it. The writes of `fold` count too, and anything that
    LangChain takes for a message."""
    result = list(messages)
    for write in writes:
        match write:
            case {"reset": list() as fresh}:
                result = _add([], fresh)
            case {"append": list() as more, "max_chars": int() as most, "keep_min": int() as least}:
                result = _grow(result, more, most, least)
            case {"append": list() as more}:
                result = _add(result, more)
            case _:
                new = convert_to_messages(write if isinstance(write, list) else [write])
                result = _add(result, new)
    return result


def _add(messages: list[BaseMessage], new: Sequence[BaseMessage]) -> list[BaseMessage]:
    places = {message.id: place for place, message in enumerate(messages)}
    result: list[BaseMessage | None] = list(messages)
    for message in new:
        place = None if message.id is None else places.get(message.id)
        if isinstance(message, RemoveMessage):
            if message.id == REMOVE_ALL_MESSAGES:
                result, places = [], {}
            elif place is not None:
                result[place] = None
                del places[message.id]
        elif place is not None:
            result[place] = message
        else:
            places[message.id] = len(result)
            result.append(message)
    return [message for message in result if message is not None]


def append(messages: Sequence[Any]) -> dict[str, Any]:
    """Return the write to a delta channel that puts these at its end."""
    return {"append": list(messages)}


def append_within(messages: Sequence[Any], max_chars: int, keep_min: int) -> dict[str, Any]:
    """Return the write to a thread that adds these, and cuts it to its bounds after each."""
    return {"append": list(messages), "max_chars": max_chars, "keep_min": keep_min}


def reset(messages: Sequence[Any]) -> dict[str, Any]:
    """Return the write to a delta channel that leaves nothing but these."""
    return {"reset": list(messages)}


def fold(items: list[Any], writes: Sequence[Any]) -> list[Any]:
    """Reduce a delta channel. Folding two batches one after another gives the same as folding both
    at once, which LangGraph relies on when it rebuilds a state."""
    result = list(items)
    for write in writes:
        match write:
            case {"reset": list() as fresh}:
                result = list(fresh)
            case {"append": list() as more}:
                result.extend(more)
            case list():
                result.extend(write)
            case _:
                result.append(write)
    return result


def _grow(
    there: Sequence[BaseMessage], new: Sequence[BaseMessage], max_chars: int, keep_min: int
) -> list[BaseMessage]:
    """Return the messages with new ones added, one after another, and cut after each."""
    messages = list(there)
    for message in new:
        messages.append(message)
        trimmed = _trim(messages, max_chars, keep_min)
        messages = messages if trimmed is None else trimmed
    return messages


def _trim(
    messages: Sequence[BaseMessage], max_chars: int, keep_min: int
) -> list[BaseMessage] | None:
    """Return the messages without the oldest ones that are too many (J12); None when nothing has to
    go."""
    total = sum(_length(message) for message in messages)
    others = sum(message.type != "system" for message in messages)
    if total <= max_chars or others <= keep_min:
        return None
    systems, rest = [], []
    for message in messages:
        if message.type == "system":
            systems.append(message)
        elif total > max_chars and others > keep_min:
            total -= _length(message)
            others -= 1
        else:
            rest.append(message)
    return [*systems, *rest]


def _length(message: BaseMessage) -> int:
    """Return characters of a content that is a text."""
    return len(message.content) if isinstance(message.content, str) else 0
