"""The outermost layer: security headers, requests that another site makes a browser send, and
bodies that are too large."""

from __future__ import annotations

import contextlib
import json
import secrets
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect

from ...observe.logs import log_about
from ..records.errors import ServiceFault

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
MAX_BODY = 1_000_000
"""Bytes of a request: a copy of so many holds the event loop for a millisecond at most."""
LITTLE = 64_000
"""Bytes of a body that may arrive after the answer, for nobody, on a connection that stays."""
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
            await _refuse(send_with_headers, "the service is not spoken to under this name")
        elif scope["method"] not in _SAFE and _is_foreign(headers, host):
            await _refuse(send_with_headers, "another site sent this")
        else:
            with log_about(request=number):
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
    """Refuses a body of more than `most` bytes when somebody begins to read it, or has read that
    many. What is left of a body when the answer begins nobody will read: the connection ends with
    the answer unless that is little."""

    def __init__(self, app: ASGIApp, most: int = MAX_BODY) -> None:
        self.app = app
        self.most = most

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        length = _length_in(Headers(scope=scope))
        size, whole = 0, length == 0

        async def receive_some() -> Message:
            nonlocal size, whole
            if length is not None and length > self.most:
                raise HTTPException(413, f"a request has at most {self.most:,} bytes")
            message = await receive()
            size += len(message.get("body", b""))
            whole = not message.get("more_body", False)
            if size > self.most:
                raise HTTPException(413, f"a request has at most {self.most:,} bytes")
            return message

        async def send_on(message: Message) -> None:
            is_long = not whole and (length is None or length - size > LITTLE)
            if is_long and message["type"] == "http.response.start":
                MutableHeaders(scope=message)["connection"] = "close"
            await send(message)

        with contextlib.suppress(ClientDisconnect):  # nobody is there for an answer
            await self.app(scope, receive_some, send_on)


def _length_in(headers: Headers) -> int | None:
    """Return the bytes of the body; None when the sender does not say."""
    if "transfer-encoding" in headers:
        return None
    told = headers.get("content-length", "0")
    return int(told) if told.isdecimal() else None


async def _refuse(send: Send, message: str) -> None:
    body = json.dumps(ServiceFault("FORBIDDEN", message).as_answer()).encode()
    headers = [(b"content-type", b"application/json")]
    await send({"type": "http.response.start", "status": 403, "headers": headers})
    await send({"type": "http.response.body", "body": body})
