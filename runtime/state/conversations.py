"""Threads that nodes share: their messages, and the write that adds to them (J10–J13).

A thread begins with its seed. Only adding cuts it: while all contents together are longer than it
may be, the oldest messages that are not the system's go, but never below the least number of them;
the system's messages then stand in front. The scripts' own copies of this rule are prelude.js and
worker_python.py; a test holds the three together.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from flowc.compiler.ir import Thread

from ..services import Message
from .channels import State, append, append_within


def channel_of(thread: str) -> str:
    """Return the key of a thread's messages in the state."""
    return f"$thread.{thread}"


def messages_of(state: State, thread: str) -> list[Message]:
    """Return a thread's messages."""
    return list(state.get(channel_of(thread)) or ())


def adding(thread: Thread | None, new: Sequence[Message]) -> dict[str, Any]:
    """Return the write that adds messages, one after another, to a thread. Nodes that run at the
    same time both add to what is there."""
    if thread is None or thread.max_chars is None:
        return append(new)
    return append_within(new, thread.max_chars, thread.keep_min)
