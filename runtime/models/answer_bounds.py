"""Bounds on what a model server sends: the HTTP client that keeps those of its bytes, and those of
the text, the calls and the counts in an answer."""

from __future__ import annotations

import asyncio
import os
import warnings
from collections.abc import Mapping, Sequence
from functools import cache
from typing import TypeGuard

from ..charges import Usage
from ..net.answers import MIB, AnswerBounds, OutOfBounds

_BOUNDS = AnswerBounds(
    piece=4 * MIB,  # a million tokens of text
    whole=256 * MIB,  # a piece takes some 300 bytes around a token
    elsewhere="if that is the server you mean, name it with --base-url",
)
MOST_TEXT = 4 * MIB
"""Characters of an answer's text, and of the arguments of its calls."""
MOST_CALLS = 256
"""Calls of tools in one answer."""
MOST_TOKENS = 2**40
"""Tokens that a server may count for one call; no database holds any number."""
LONGEST_NAME = 200


@cache
def bounded_client(base_url: str | None, proxy: str | None) -> object:
    """Return the HTTP client for OpenAI's package, one for each server, which keeps the bounds."""
    from openai import DefaultAsyncHttpxClient

    # What is odd in an answer is shown by whoever reads it, not by a warning with a piece of it.
    warnings.filterwarnings("ignore", "Pydantic serializer warnings", UserWarning)
    return DefaultAsyncHttpxClient(
        proxy=proxy,
        headers={"accept-encoding": "identity"},
        event_hooks={"response": [_BOUNDS.keep]},
    )


def client_settings(base_url: str | None) -> dict[str, object]:
    """Return the fields of a client of OpenAI's that give it a bounded HTTP client."""
    proxy = os.environ.get("OPENAI_PROXY") or None
    return {"http_async_client": bounded_client(base_url, proxy), "openai_proxy": ""}


class LoopTurn:
    """The turn of other tasks, between the pieces of a stream that never has to be waited for."""

    def __init__(self) -> None:
        self.task = asyncio.current_task()
        self.before = self.task.cancelling() if self.task else 0

    async def give(self) -> None:
        """Let the others have it. Raise `CancelledError` where somebody has called this task off:
        in Python 3.11 `asyncio.wait_for`, by which LangChain waits for a piece, forgets that when
        the piece is there already."""
        await asyncio.sleep(0)
        if self.task and self.task.cancelling() > self.before:
            raise asyncio.CancelledError


class AnswerGauge:
    """How much text an answer has so far, and how many calls. `take` raises `OutOfBounds`."""

    def __init__(self) -> None:
        self.length = 0
        self.calls: set[object] = set()

    def take(self, text: str, calls: Sequence[Mapping[str, object]]) -> None:
        """Count the text of a piece and the calls in it."""
        self.length += len(text) + sum(len(str(call.get("args") or "")) for call in calls)
        self.calls |= {str(call.get("index")) for call in calls}
        if self.length > MOST_TEXT:
            raise OutOfBounds(f"the answer has more than {MOST_TEXT:,} characters")
        require_few(len(self.calls))


def require_few(calls: int) -> None:
    """Raise `OutOfBounds` for an answer with too many calls of tools."""
    if calls > MOST_CALLS:
        raise OutOfBounds(f"the answer calls more than {MOST_CALLS} tools at once")


def usage_of(used: object) -> Usage:
    """Return the tokens that a server counts; none where one is not a count: a number below zero
    would be a gift to the budget, and no database holds any number."""
    if not isinstance(used, dict):
        return Usage()
    details = used.get("input_token_details") or {}
    given, made = used.get("input_tokens"), used.get("output_tokens")
    cached = details.get("cache_read") or 0
    if not (_is_count(given) and _is_count(made) and _is_count(cached)):
        return Usage()
    return Usage(given, made, cached)


def _is_count(value: object) -> TypeGuard[int]:
    return type(value) is int and 0 <= value <= MOST_TOKENS
