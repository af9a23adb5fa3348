"""Bounds on the head of a request, which uvicorn reads and keeps whole before anybody is asked who
sent it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, cast

if TYPE_CHECKING:
    import asyncio

MOST = 64 * 1024
"""Bytes without a head, a body's piece or an end among them. A token has 50."""


def bounded_protocol() -> type[asyncio.Protocol] | Literal["h11"]:
    """Return what uvicorn speaks HTTP with: httptools, which takes a head of any length, below a
    bound; or where it is not installed h11, which has one of its own."""
    try:
        from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol
    except ImportError:
        return "h11"

    class BoundedProtocol(HttpToolsProtocol):
        """Ends a connection that sends no more than the beginning of something."""

        unread = 0

        def data_received(self, data: bytes) -> None:
            self.unread += len(data)
            super().data_received(data)
            if self.unread > MOST and not self.transport.is_closing():
                self.send_400_response("The head of a request has at most 65536 bytes.")

        def on_headers_complete(self) -> None:
            self.unread = 0
            super().on_headers_complete()

        def on_body(self, body: bytes) -> None:
            self.unread = 0
            super().on_body(body)

        def on_message_complete(self) -> None:
            self.unread = 0
            super().on_message_complete()

    return cast("type[asyncio.Protocol]", BoundedProtocol)
