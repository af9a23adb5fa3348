"""What every answer tells a browser, and requests that another site makes a browser send."""

from __future__ import annotations

import json
import secrets
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders

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
_SAFE = ("GET", "HEAD", "OPTIONS")


REQUEST_ID = "X-Request-Id"


class Guard:
    """Stands around everything else, so that the answer to a fault of ours has the headers too,
    and a number that stands in the log. Adds both, and refuses what changes something when another
    site sends it. `hosts` are the names under which the service may be spoken to: whoever reaches a
    service without tokens may do everything, also a site that lets its own name lead to this
    machine. None: any."""

    def __init__(self, app: ASGIApp, hosts: tuple[str, ...] | None = None) -> None:
        self.app = app
        self.hosts = hosts

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return

        number = scope.setdefault("state", {})["request_id"] = secrets.token_hex(8)

        async def told(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                headers[REQUEST_ID] = number
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        headers = Headers(scope=scope)
        host = headers.get("host", "")
        if self.hosts is not None and _name_in(host) not in self.hosts:
            await _refuse(told, "the service is not spoken to under this name")
        elif scope["method"] not in _SAFE and _is_foreign(headers, host):
            await _refuse(told, "another site sent this")
        else:
            await self.app(scope, receive, told)


def _is_foreign(headers: Headers, host: str) -> bool:
    """Whether a browser says that a page of somebody else asks. Programs say nothing."""
    site = headers.get("sec-fetch-site")
    if site is not None:
        return site not in ("same-origin", "none")
    origin = headers.get("origin")
    return origin is not None and origin.partition("://")[2] != host


def _name_in(host: str) -> str | None:
    """The name in `name:port`; None when there is none."""
    try:
        return urlsplit(f"//{host}").hostname
    except ValueError:
        return None


async def _refuse(send: Send, message: str) -> None:
    fault = ServiceFault("FORBIDDEN", message)
    body = json.dumps(fault.as_answer()).encode()
    headers = [(b"content-type", b"application/json")]
    await send({"type": "http.response.start", "status": fault.status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
