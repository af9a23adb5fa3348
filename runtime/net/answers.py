"""Bounds on what a server sends over HTTP, kept before the package that speaks with it reads it.

Such a package takes whatever comes: it unpacks a thousandfold and keeps a line without an end. A
server may be anybody's, so a client of ours asks for no compression, goes on to no other server,
and reads no more than an answer can have.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, cast
from urllib.parse import urlsplit

if TYPE_CHECKING:
    import httpx  # that of a package may have another name, and is alike

MIB = 1024 * 1024
_MOST_OF_FAULT = MIB
"""Bytes of a refusal that are read."""
_EMPTY_LINES = (b"\n\n", b"\r\n\r\n", b"\r\r")


class OutOfBounds(Exception):
    """An answer that is not read; the message says why, as in "the answer …"."""

    def __init__(self, message: str, help: str = "") -> None:
        super().__init__(message)
        self.help = help


@dataclass(frozen=True, slots=True)
class AnswerBounds:
    """The most bytes of an answer. A piece ends with an empty line, as an event does; an answer
    that is a stream of events may last without an end where `whole` is None, any other has one
    piece then. `elsewhere` says what helps where the server sends us on; without it the package
    goes on by itself, and to no other server. `note` gets each refusal: the package may only say
    that the connection was closed."""

    piece: int
    whole: int | None
    elsewhere: str | None = None
    note: Callable[[OutOfBounds], None] = lambda refused: None

    async def keep(self, response: httpx.Response) -> None:
        """Refuse an answer by its head, or have its body read within the bounds: a hook of an
        HTTP client for each response. Raise `OutOfBounds`."""
        if self.elsewhere is not None and 300 <= response.status_code < 400:
            said = f"the server sends us on to {_address(response)}, which nobody granted"
            raise self._refusal(said, self.elsewhere)
        packed = response.headers.get("content-encoding", "identity")
        if packed != "identity":
            raise self._refusal(f"the answer is packed ({packed[:40]!r}), which nobody asked for")
        library = type(response).__module__.partition(".")[0]
        stream = cast("httpx.AsyncByteStream", response.stream)
        if response.status_code >= 300:
            pieces = _cut(stream)
        else:
            is_stream = "text/event-stream" in response.headers.get("content-type", "")
            whole = self.piece if self.whole is None and not is_stream else self.whole
            pieces = self._check(stream, whole)
        response.stream = _stream_class(library)(stream, pieces)

    async def _check(self, stream: httpx.AsyncByteStream, most: int | None) -> AsyncIterator[bytes]:
        """Where more has always come already, reading waits for nothing: then no other task of the
        loop would have its turn, nor would any bound of time."""
        whole = since = 0
        last = b""
        async for piece in stream:
            near = last + piece
            end = max(near.rfind(line) + len(line) if line in near else 0 for line in _EMPTY_LINES)
            since = len(near) - end if end else since + len(piece)
            whole += len(piece)
            if since > self.piece:
                raise self._refusal(f"the answer has a piece of more than {self.piece:,} bytes")
            if most is not None and whole > most:
                raise self._refusal(f"the answer has more than {most:,} bytes")
            last = near[-3:]
            yield piece
            await asyncio.sleep(0)

    def _refusal(self, message: str, help: str = "") -> OutOfBounds:
        refused = OutOfBounds(message, help)
        self.note(refused)
        return refused


def refusal_in(error: BaseException | None) -> OutOfBounds | None:
    """Return what we refused, where it is the cause of an exception of a package."""
    while error is not None and not isinstance(error, OutOfBounds):
        error = error.__cause__ or error.__context__
    return error


def _address(response: httpx.Response) -> str:
    """Return the host that an answer sends us to, for people."""
    try:
        return f"`{urlsplit(response.headers.get('location', '')).netloc[:200] or 'elsewhere'}`"
    except ValueError:
        return "elsewhere"


@cache
def _stream_class(
    library: str,
) -> Callable[[httpx.AsyncByteStream, AsyncIterator[bytes]], httpx.AsyncByteStream]:
    """Return the class of a body whose pieces are others than those that came, for the HTTP library
    that a package uses."""
    base: type = import_module(library).AsyncByteStream

    class BoundedStream(base):  # type: ignore[misc]
        def __init__(self, stream: httpx.AsyncByteStream, pieces: AsyncIterator[bytes]) -> None:
            self.stream = stream
            self.pieces = pieces

        def __aiter__(self) -> AsyncIterator[bytes]:
            return self.pieces

        async def aclose(self) -> None:
            await self.stream.aclose()

    return BoundedStream


async def _cut(stream: httpx.AsyncByteStream) -> AsyncIterator[bytes]:
    size = 0
    async for piece in stream:
        yield piece[: _MOST_OF_FAULT - size]
        size += len(piece)
        if size >= _MOST_OF_FAULT:
            return
        await asyncio.sleep(0)
