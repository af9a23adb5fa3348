"""What uvicorn speaks HTTP with, where httptools is installed: a head, and a wait, have bounds."""

from __future__ import annotations

import asyncio

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

MOST = 64 * 1024
"""Bytes without a head, a body's piece or an end among them. A token has 50."""
PATIENCE = 30.0
"""Seconds from the beginning of a connection or a request to the end of its head, and from one
piece of its body to the next."""


class BoundedProtocol(HttpToolsProtocol):
    """Ends a connection that sends no more than the beginning of something."""

    patience = PATIENCE
    unread = 0
    wait: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._expect_more()

    def connection_lost(self, exc: Exception | None) -> None:
        self._expect_nothing()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        self.unread += len(data)
        super().data_received(data)
        if self.unread > MOST and not self.transport.is_closing():
            self.send_400_response("The head of a request has at most 65536 bytes.")

    def on_message_begin(self) -> None:
        super().on_message_begin()
        self._expect_more()

    def on_headers_complete(self) -> None:
        self.unread = 0
        self._expect_more()
        super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        self.unread = 0
        self._expect_more()
        super().on_body(body)

    def on_message_complete(self) -> None:
        self.unread = 0
        self._expect_nothing()
        super().on_message_complete()

    def _expect_more(self) -> None:
        self._expect_nothing()
        self.wait = self.loop.call_later(self.patience, self._give_up)

    def _expect_nothing(self) -> None:
        if self.wait is not None:
            self.wait.cancel()
            self.wait = None

    def _give_up(self) -> None:
        if self.flow.read_paused:  # it is we who take no more
            self._expect_more()
        elif self.cycle and self.cycle.response_started and not self.cycle.response_complete:
            self.transport.close()
        elif not self.transport.is_closing():
            self.send_400_response(f"The rest of the request did not come in {self.patience:g} s.")
