"""The entry of the language server: a server with all its features, over stdio."""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Awaitable, Callable
from typing import Any, NoReturn

from .features import FEATURES, OPTIONS, Handler
from .server import FlowcServer


def serve() -> NoReturn:
    """Serve one client over standard input and output until it leaves; never returns."""
    sys.setswitchinterval(0.001)  # the loop answers while the worker computes
    logging.getLogger("pygls").setLevel(logging.CRITICAL)
    server = FlowcServer()
    for method, handler in FEATURES:
        server.feature(method, OPTIONS.get(method))(_bind(handler, server))
    server.start_io()
    os._exit(0)  # the client is gone: nobody waits for a compilation that is under way


def _bind(handler: Handler, server: FlowcServer) -> Callable[[Any], Awaitable[Any]]:
    async def handle(params: Any) -> Any:
        return await handler(server, params)

    return handle
