"""Bounds on what a model server sends, kept before the package of a provider reads it.

That package takes whatever comes: it unpacks a thousandfold, follows to other hosts, keeps a line
without an end. A server may be anybody's, so a client of ours asks for no compression, follows
nowhere, and reads no more than an answer can have.
"""

from __future__ import annotations

import asyncio
import os
import warnings
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, TypeGuard, cast
from urllib.parse import urlsplit

from ..charges import Usage

if TYPE_CHECKING:
    import httpx  # that of the provider's package may have another name, and is alike

_MIB = 1024 * 1024
MOST_OF_EVENT = 4 * _MIB
"""Bytes up to the next empty line: one piece of a stream, a million tokens of text."""
MOST_OF_ANSWER = 256 * _MIB
"""Bytes of all pieces; a piece takes some 300 bytes around a token."""
MOST_OF_FAULT = _MIB
"""Bytes of a refusal that are read."""
MOST_TEXT = 4 * _MIB
"""Characters of an answer's text, and of the arguments of its calls."""
MOST_CALLS = 256
"""Calls of tools in one answer."""
MOST_TOKENS = 2**40
"""Tokens that a server may count for one call; no database holds any number."""
LONGEST_NAME = 200
_EMPTY_LINES = (b"\n\n", b"\r\n\r\n", b"\r\r")


class OutOfBounds(Exception):
    """An answer that is not read; the message says why, as in "the answer …"."""

    def __init__(self, message: str, help: str = "") -> None:
        super().__init__(message)
        self.help = help


def refusal_in(error: BaseException | None) -> OutOfBounds | None:
    """Return what we refused, where it is the cause of an exception of the provider's package."""
    while error is not None and not isinstance(error, OutOfBounds):
        error = error.__cause__ or error.__context__
    return error


@cache
def bounded_client(base_url: str | None, proxy: str | None) -> object:
    """Return the HTTP client for OpenAI's package, one for each server, which keeps the bounds."""
    from openai import DefaultAsyncHttpxClient

    # What is odd in an answer is shown by whoever reads it, not by a warning with a piece of it.
    warnings.filterwarnings("ignore", "Pydantic serializer warnings", UserWarning)
    return DefaultAsyncHttpxClient(
        proxy=proxy,
        headers={"accept-encoding": "identity"},
        event_hooks={"response": [_keep_bounds]},
    )


def client_settings(base_url: str | None) -> dict[str, object]:
    """Return the fields of a client of OpenAI's that give it a bounded HTTP client."""
    proxy = os.environ.get("OPENAI_PROXY") or None
    return {"http_async_client": bounded_client(base_url, proxy), "openai_proxy": ""}


async def _keep_bounds(response: httpx.Response) -> None:
    """Refuse an answer by its head, or have its body read within bounds."""
    if 300 <= response.status_code < 400:
        raise OutOfBounds(
            f"the server sends us on to {_address(response)}, which nobody granted",
            help="if that is the server you mean, name it with --base-url",
        )
    packed = response.headers.get("content-encoding", "identity")
    if packed != "identity":
        raise OutOfBounds(f"the answer is packed ({packed[:40]!r}), which nobody asked for")
    library = type(response).__module__.partition(".")[0]
    stream = cast("httpx.AsyncByteStream", response.stream)
    response.stream = _stream_class(library)(stream, response.status_code >= 400)


def _address(response: httpx.Response) -> str:
    """Return the host that an answer sends us to, for people."""
    try:
        return f"`{urlsplit(response.headers.get('location', '')).netloc[:200] or 'elsewhere'}`"
    except ValueError:
        return "elsewhere"


@cache
def _stream_class(
    library: str,
) -> Callable[[httpx.AsyncByteStream, bool], httpx.AsyncByteStream]:
    """Return the class of a body that ends, or raises `OutOfBounds`, where there is too much of it,
    for the HTTP library that the provider's package uses."""
    base: type = import_module(library).AsyncByteStream

    class BoundedStream(base):  # type: ignore[misc]
        def __init__(self, stream: httpx.AsyncByteStream, is_fault: bool) -> None:
            self.stream = stream
            self.is_fault = is_fault

        def __aiter__(self) -> AsyncIterator[bytes]:
            return _cut(self.stream) if self.is_fault else _check(self.stream)

        async def aclose(self) -> None:
            await self.stream.aclose()

    return BoundedStream


async def _cut(stream: httpx.AsyncByteStream) -> AsyncIterator[bytes]:
    size = 0
    async for piece in stream:
        yield piece[: MOST_OF_FAULT - size]
        size += len(piece)
        if size >= MOST_OF_FAULT:
            return
        await asyncio.sleep(0)


async def _check(stream: httpx.AsyncByteStream) -> AsyncIterator[bytes]:
    """Where more has always come already, reading waits for nothing: then no other task of the loop
    would have its turn, nor would any bound of time."""
    whole = since = 0
    last = b""
    async for piece in stream:
        near = last + piece
        end = max(near.rfind(line) + len(line) if line in near else 0 for line in _EMPTY_LINES)
        since = len(near) - end if end else since + len(piece)
        whole += len(piece)
        if since > MOST_OF_EVENT:
            raise OutOfBounds(f"the answer has a piece of more than {MOST_OF_EVENT:,} bytes")
        if whole > MOST_OF_ANSWER:
            raise OutOfBounds(f"the answer has more than {MOST_OF_ANSWER:,} bytes")
        last = near[-3:]
        yield piece
        await asyncio.sleep(0)


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
