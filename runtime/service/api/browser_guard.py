"""The outermost layer: security headers, requests that another site makes a browser send, and
bodies that are too large."""

from __future__ import annotations

import json
import secrets
from collections import deque
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders

from ..records.errors import FaultCode, ServiceFault

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self';"
    " form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}
MAX_BODY = 4_000_000
"""Bytes of a request."""
_SAFE = ("GET", "HEAD", "OPTIONS")

REQUEST_ID = "X-Request-Id"


class Guard:
    """Adds headers and a number in the log to every response, also to that of a fault of ours, and
    refuses changes that another site sends. `hosts` are the host names that requests may use (None:
    any): a service without tokens lets everyone in, also a site whose name leads to this
    machine."""

    def __init__(self, app: ASGIApp, hosts: tuple[str, ...] | None = None) -> None:
        self.app = app
        self.hosts = hosts

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return

        number = scope.setdefault("state", {})["request_id"] = secrets.token_hex(8)

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                headers[REQUEST_ID] = number
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        headers = Headers(scope=scope)
        host = headers.get("host", "")
        if self.hosts is not None and _name_in(host) not in self.hosts:
            await _refuse(
                send_with_headers, "FORBIDDEN", "the service is not spoken to under this name"
            )
        elif scope["method"] not in _SAFE and _is_foreign(headers, host):
            await _refuse(send_with_headers, "FORBIDDEN", "another site sent this")
        else:
            await self.app(scope, receive, send_with_headers)


def _is_foreign(headers: Headers, host: str) -> bool:
    """Return whether a browser says that another site's page sends this. Programs say nothing."""
    site = headers.get("sec-fetch-site")
    if site is not None:
        return site not in ("same-origin", "none")
    origin = headers.get("origin")
    return origin is not None and origin.partition("://")[2] != host


def _name_in(host: str) -> str | None:
    """Return the name in `name:port`; None when there is none."""
    try:
        return urlsplit(f"//{host}").hostname
    except ValueError:
        return None


class BodyLimit:
    """Refuses a request with a body of more than `most` bytes without reading the rest."""

    def __init__(self, app: ASGIApp, most: int = MAX_BODY) -> None:
        self.app = app
        self.most = most

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        parts: list[bytes] = []
        size, more = 0, True
        while more:
            message = await receive()
            if message["type"] != "http.request":
                return
            parts.append(message.get("body", b""))
            size += len(parts[-1])
            more = message.get("more_body", False)
            if size > self.most:
                reason = f"a request has at most {self.most:,} bytes"
                await _refuse(send, "INVALID_REQUEST", reason, 413)
                return
        # As it came: putting four megabytes together takes milliseconds.
        waiting = deque(parts)

        async def replay() -> Message:
            if not waiting:
                return await receive()
            part = waiting.popleft()
            return {"type": "http.request", "body": part, "more_body": bool(waiting)}

        await self.app(scope, replay, send)


async def _refuse(send: Send, code: FaultCode, message: str, status: int = 403) -> None:
    body = json.dumps(ServiceFault(code, message).as_answer()).encode()
    headers = [(b"content-type", b"application/json")]
    if status == 413:  # the rest of the body is on its way and nobody reads it
        headers.append((b"connection", b"close"))
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
