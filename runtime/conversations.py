"""Conversations that nodes share: what stands in a thread, and what adding to it writes (J10–J13).

A thread begins with its seed. Only adding cuts it: while all contents together are longer than it
may be, the oldest messages that are not the system's go, but never below the least number of them;
the system's messages then stand in front. The scripts' own copies of this rule are prelude.js and
worker_python.py; a test holds the three together.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from flowc.compiler.ir import Thread

from .services import Message
from .state import State, append, reset


def channel_of(thread: str) -> str:
    """The key of a thread's messages in the state."""
    return f"$thread.{thread}"


def messages_of(state: State, thread: str) -> list[Message]:
    """A thread's messages."""
    return list(state.get(channel_of(thread)) or ())


def adding(thread: Thread | None, there: Sequence[Message], new: Sequence[Message]) -> Any:
    """The write that adds messages, one after another, to a thread that holds `there`."""
    if thread is None or thread.max_chars is None:
        return append(new)
    messages, cut = list(there), False
    for message in new:
        messages.append(message)
        trimmed = trim(messages, thread.max_chars, thread.keep_min)
        if trimmed is not None:
            messages, cut = trimmed, True
    return reset(messages) if cut else append(new)


def trim(messages: Sequence[Message], max_chars: int, keep_min: int) -> list[Message] | None:
    """The messages without the oldest ones that are too many (J12); None when nothing has to go."""
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
    """Characters of a content that is a text."""
    content = message.get("content")
    return len(content) if isinstance(content, str) else 0
