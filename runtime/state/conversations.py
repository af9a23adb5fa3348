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

from ..services import Message


def channel_of(thread: str) -> str:
    """Return the key of a thread's messages in the state."""
    return f"$thread.{thread}"


def messages_of(state: Mapping[str, Any], thread: str) -> list[Message]:
    """Return a thread's messages."""
    return list(state.get(channel_of(thread)) or ())


def adding(thread: Thread | None, new: Sequence[Message]) -> dict[str, Any]:
    """Return the write that adds messages, one after another, to a thread. Nodes that run at the
    same time both add to what is there."""
    if thread is None or thread.max_chars is None:
        return append(new)
    return append_within(new, thread.max_chars, thread.keep_min)


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
            case {"append": list() as more, "max_chars": int() as most, "keep_min": int() as least}:
                result = _grow(result, more, most, least)
            case {"append": list() as more}:
                result.extend(more)
            case list():
                result.extend(write)
            case _:
                result.append(write)
    return result


def _grow(
    there: Sequence[Message], new: Sequence[Message], max_chars: int, keep_min: int
) -> list[Message]:
    """Return the messages with new ones added, one after another, and cut after each."""
    messages = list(there)
    for message in new:
        messages.append(message)
        trimmed = _trim(messages, max_chars, keep_min)
        messages = messages if trimmed is None else trimmed
    return messages


def _trim(messages: Sequence[Message], max_chars: int, keep_min: int) -> list[Message] | None:
    """Return the messages without the oldest ones that are too many (J12); None when nothing has to
    go."""
    total = sum(_length(message) for message in messages)
    others = sum(message["role"] != "system" for message in messages)
    if total <= max_chars or others <= keep_min:
        return None
    systems, rest = [], []
    for message in messages:
        if message["role"] == "system":
            systems.append(message)
        elif total > max_chars and others > keep_min:
            total -= _length(message)
            others -= 1
        else:
            rest.append(message)
    return [*systems, *rest]


def _length(message: Message) -> int:
    """Return characters of a content that is a text."""
    content = message.get("content")
    return len(content) if isinstance(content, str) else 0
