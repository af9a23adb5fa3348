"""Listening for HTTP: the address is taken, or refused, before it is told to anybody."""

from __future__ import annotations

import contextlib
import os
import socket
from typing import Any

from ..errors import RunError
from .app import say

LOOPBACK = ("127.0.0.1", "localhost", "::1")
"""Hosts that nobody reaches from another machine."""


def listen(app: Any, host: str, port: int, what: str, path: str = "") -> None:
    """Serve an ASGI application until Ctrl-C. Raises `RunError` when nothing can be listened to
    there, or when the application does not start."""
    import uvicorn

    with _taken(host, port) as taken:
        say(f"flowc serves {what}http://{_shown(host)}:{port}{path} (Ctrl-C ends it)")
        config = uvicorn.Config(app, log_level="warning", timeout_graceful_shutdown=10)
        server = uvicorn.Server(config)
        with contextlib.suppress(KeyboardInterrupt):
            server.run(sockets=[taken])
    if not server.started:
        raise RunError("the service did not start: its log says why", exit_code=1)


def _taken(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family, backlog=2048)
    except OSError as error:
        known = error.errno is not None and error.errno > 0  # those of names are not
        why = (os.strerror(error.errno or 0) if known else str(error.strerror or error)).lower()
        raise RunError(
            f"nothing can listen at {_shown(host)}:{port}: {why}",
            help="choose another port or host, or end what listens there",
        ) from None


def _shown(host: str) -> str:
    """As it stands in an address."""
    return f"[{host}]" if ":" in host else host
