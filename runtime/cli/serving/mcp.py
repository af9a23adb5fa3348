"""`flowc mcp`: workflows for assistants, over stdio or streamable HTTP."""

from __future__ import annotations

import hmac
import os
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ...config.extras import require
from ...config.settings import load_config
from ...errors import RunError
from ...store.default_store import prepare_default, store_url
from ...store.names import new_run_name
from .. import flags
from ..listening import LOOPBACK, listen

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Receive, Scope, Send

TOKEN = "FLOWC_MCP_TOKEN"


def mcp(
    http: Annotated[
        str | None,
        typer.Option(
            "--http", metavar="[HOST:]PORT", help="streamable HTTP at /mcp instead of stdio"
        ),
    ] = None,
    store: flags.Store = None,
    root: Annotated[
        str | None,
        typer.Option("--root", metavar="DIR", help="the folder of the workflows (here: .)"),
    ] = None,
    service: Annotated[
        str | None,
        typer.Option(
            "--service", metavar="URL", help="a service whose inbox it shows (FLOWC_TOKEN)"
        ),
    ] = None,
) -> None:
    """Let an assistant carry out workflows step by step, check them, and have flowc run them.

    Over stdio by default. Over HTTP it listens on 127.0.0.1 alone, unless a host is named: then it
    asks every caller for the bearer token in FLOWC_MCP_TOKEN.
    """
    host, port = _address(http) if http is not None else ("", 0)
    token = os.environ.get(TOKEN, "")
    if host and host not in LOOPBACK and not token:
        raise RunError(
            f"whoever reaches {host} could run workflows here",
            help=f"put a token for them into {TOKEN}, or leave out the host",
        )
    folder = Path(root or ".").absolute()
    if not folder.is_dir():
        raise RunError(f"there is no folder `{root}`", help="correct `--root`, or make it")
    require("mcp", "the MCP server")
    import anyio

    from ...mcp.server import mcp_server

    inbox = _inbox_of(service) if service is not None else None
    server = mcp_server(_opening(store, folder), alone=http is None, inbox=inbox)
    if http is None:
        try:
            anyio.run(server.run_stdio_async)
        except BaseExceptionGroup as group:  # the server's task group puts a store's fault into one
            raise _fault_in(group) from None
        return
    app = server.streamable_http_app(host=host)
    listen(_Guard(app, token) if token else app, host, port, "workflows at ", "/mcp")


def _inbox_of(address: str) -> Callable[[int, str], Awaitable[dict[str, Any]]]:
    """Asks a service, with the token in FLOWC_TOKEN, what waits for a person. Raise `RunError`."""
    require("service", "the inbox of a service")
    from ...service import AsyncClient, ServiceFault

    if not address.startswith(("http://", "https://")):
        raise RunError(f"`{address}` is not a URL", help="write http://127.0.0.1:8321")

    async def inbox(limit: int, after: str) -> dict[str, Any]:
        async with AsyncClient(address) as client:
            try:
                page = await client.list_assignments(limit=limit, after=after or None)
            except ServiceFault as fault:
                raise RunError(fault.message, help="; ".join(fault.recovery)) from None
        tasks = [one.model_dump() for one in page.assignments]
        for one in tasks:
            one["done_at"] = f"{address.rstrip('/')}/executions/{one['execution_id']}"
        return {"waits_for_person": tasks, "next_after": page.next_after}

    return inbox


def _fault_in(group: BaseExceptionGroup[BaseException]) -> BaseException:
    """Return the fault for the user that a group holds, or else the group."""
    fault: BaseException | None = group.subgroup(RunError)
    while isinstance(fault, BaseExceptionGroup):
        fault = fault.exceptions[0]
    return fault or group


def _opening(store: str | None, folder: Path) -> Callable[[], AbstractAsyncContextManager[Any]]:
    """Opens the store for as long as the server runs."""
    from ...engine.engine import open_engine
    from ...stepper.stepper import Stepper

    config = load_config(folder)
    url = store_url(store, config)

    @asynccontextmanager
    async def open_stepper() -> AsyncIterator[Stepper]:
        prepare_default(url)
        async with open_engine(url) as engine:
            yield Stepper(engine, config, folder, new_run_name)

    return open_stepper


def _address(text: str) -> tuple[str, int]:
    """Split `PORT`, `HOST:PORT` or `[IPv6]:PORT`. Raise `RunError`."""
    host, _, port = text.rpartition(":")
    if not port.isdigit() or not 0 < int(port) < 65536:
        raise RunError(f"`{text}` is not an address to listen at", help="write PORT or HOST:PORT")
    return host.strip("[]") or LOOPBACK[0], int(port)


class _Guard:
    """Lets a request pass that carries the token."""

    def __init__(self, app: ASGIApp, token: str) -> None:
        self.app = app
        self.expected = f"Bearer {token}".encode()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        token = dict(scope.get("headers") or {}).get(b"authorization", b"")
        if scope["type"] != "http" or hmac.compare_digest(token, self.expected):
            await self.app(scope, receive, send)
            return
        headers = [(b"content-type", b"text/plain"), (b"www-authenticate", b"Bearer")]
        await send({"type": "http.response.start", "status": 401, "headers": headers})
        await send({"type": "http.response.body", "body": b"a token is needed\n"})
