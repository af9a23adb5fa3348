"""Connections to MCP servers: one for each server in a process, shared by all of its runs.

A connection begins when it is first needed, anew after the server has died, and ends with the
process. It lives on an event loop of its own, because it outlives those of the runs.
"""

from __future__ import annotations

import asyncio
import atexit
import contextlib
import json
import logging
import os
import threading
from collections.abc import Coroutine
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

from ..errors import RunError, one_line
from ..event_loops import LastingLoop
from ..net.answers import AnswerBounds
from ..secrets import redact
from ..state.frames import FRAME
from .mcp_servers import ServerSettings

if TYPE_CHECKING:
    import httpx2
    from fastmcp.client.transports import ClientTransport

    from .mcp_process import ProcessTransport

PASSING = (KeyboardInterrupt, SystemExit, GeneratorExit, asyncio.CancelledError)
_NO_SUCH_METHOD = -32601
"""A server that does not know `ping` answers with this, and so it answers."""
_CLOSING_SECONDS = 10.0
_LOUD = ("mcp.client", "mcp.shared", "fastmcp.client")
"""Loggers that write to the terminal: what servers note, as it is, though a terminal would obey it,
and tracebacks of what they send. What is wrong with a server its call says."""


@dataclass(slots=True)
class Connection:
    """The connection to one server. `start_seconds` bounds its beginning."""

    server: str
    settings: ServerSettings
    start_seconds: float
    _session: _Session | None = None
    _lock: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def tools(self) -> list[Any]:
        """Return the server's tools. Raise `RunError` with what it said when it cannot be
        reached."""
        return await _loop().execute(self._tools())

    async def call(self, tool: str, args: dict[str, Any], meta: dict[str, str] | None) -> Any:
        """Return the server's answer. Raise `RunError` as `tools` does, and whatever the session
        raises."""
        return await _loop().execute(self._call(tool, args, meta))

    def end(self, loop: LastingLoop) -> None:
        """End the session and the server's process."""
        session, self._session = self._session, None
        self._lock = asyncio.Lock()
        if session is not None:
            with contextlib.suppress(TimeoutError):
                loop.submit(session.end()).result(_CLOSING_SECONDS)

    async def _tools(self) -> list[Any]:
        return (await self._there()).tools

    async def _call(self, tool: str, args: dict[str, Any], meta: dict[str, str] | None) -> Any:
        session = await self._there()
        return await session.client.call_tool(tool, args, raise_on_error=False, meta=meta)

    async def _there(self) -> _Session:
        """Return the session with a server that answers. Only one is begun at a time."""
        async with self._lock:
            if self._session is not None and not await self._answers(self._session):
                await self._session.end()
                self._session = None
            if self._session is None:
                self._session = await self._begin()
            return self._session

    async def _answers(self, session: _Session) -> bool:
        """Return whether a server still answers. It may have died since, or have been started
        anew at its URL, where nobody knows of the session."""
        from mcp import MCPError

        said = await _outcome(asyncio.wait_for(session.client.ping(), self.start_seconds))
        if isinstance(said, MCPError):
            return said.code == _NO_SUCH_METHOD
        return not isinstance(said, BaseException)

    async def _begin(self) -> _Session:
        session = _Session(self.settings)
        try:
            await asyncio.to_thread(session.prepare)
            async with asyncio.timeout(self.start_seconds):
                await session.begin()
        except PASSING:
            await session.end()
            raise
        except BaseException as error:  # the session's task group raises BaseExceptionGroup
            late = f"no answer within {self.start_seconds:g} s"
            reason = session.describe(late if isinstance(error, TimeoutError) else error)
            await session.end()
            raise RunError(
                f"the MCP server `{self.server}` cannot be reached: {reason}",
                help=f"it is started with: {self.settings.how()}",
            ) from error
        return session

    def reason(self, error: BaseException) -> str:
        """Return the error, and the last thing the server wrote to its standard error."""
        session = self._session
        if session is None:
            return redact(one_line(error) or type(error).__name__, self.settings.hidden)
        return session.describe(error)


async def _outcome(call: Coroutine[Any, Any, object]) -> object:
    """Return what a call returned, or raised: a transport raises errors of its own HTTP client."""
    (said,) = await asyncio.gather(call, return_exceptions=True)
    return said


class _Session:
    """One session with a server."""

    def __init__(self, settings: ServerSettings) -> None:
        self.settings = settings
        self.client: Any = None
        self.tools: list[Any] = []
        self._transport: ClientTransport | None = None
        self._process: ProcessTransport | None = None
        self._refusal = ""

    def prepare(self) -> None:
        """Load the client."""
        import fastmcp.client.transports  # noqa: F401

        for name in _LOUD:
            logger = logging.getLogger(name)
            logger.propagate = False
            logger.addHandler(logging.NullHandler())
        self._transport = self._make_transport()

    async def begin(self) -> None:
        """Connect, and list the tools."""
        from fastmcp import Client

        # Nobody answers a server's questions in the middle of a call.
        client: Any = Client(self._transport)
        self.client = await client.__aenter__()
        self.tools = await self.client.list_tools()

    async def end(self) -> None:
        """End the session and the server's process."""
        client, self.client = self.client, None
        if client is not None:
            await _outcome(client.__aexit__(None, None, None))  # it may be gone already

    def _make_transport(self) -> ClientTransport:
        from fastmcp.client.transports import SSETransport, StreamableHttpTransport

        settings = self.settings
        if not settings.url:
            from .mcp_process import ProcessTransport

            self._process = ProcessTransport(settings, self._keep_refusal)
            return self._process
        remote = SSETransport if settings.kind == "sse" else StreamableHttpTransport
        headers = {**settings.headers, "accept-encoding": "identity"}
        return remote(settings.url, headers=headers, httpx_client_factory=self._client)

    def _client(
        self,
        headers: dict[str, str] | None = None,
        timeout: httpx2.Timeout | None = None,
        auth: httpx2.Auth | None = None,
        follow_redirects: bool = False,
    ) -> httpx2.AsyncClient:
        """Return the HTTP client for a server at a URL, which keeps the bounds of an answer. It
        follows a server to its own paths alone, as the package does by itself."""
        from mcp.shared._httpx_utils import create_mcp_http_client

        client = create_mcp_http_client(headers, timeout, auth)
        bounds = AnswerBounds(piece=FRAME.size, whole=None, note=self._keep_refusal)
        client.event_hooks["response"].append(bounds.keep)
        return client

    def _keep_refusal(self, refused: object) -> None:
        self._refusal = str(refused)

    def describe(self, error: BaseException | str) -> str:
        """Return the error, and the last thing the server wrote to its standard error."""
        refusal, self._refusal = self._refusal, ""
        text = refusal or one_line(error) or type(error).__name__
        words = self._process.last_words if self._process else ""
        return redact(f"{text} ({words[:300]})" if words else text, self.settings.hidden)


class _Process:
    """The connections of this process, and the loop that they live on."""

    def __init__(self) -> None:
        self.is_watched = False
        self.forget()

    def forget(self) -> None:
        """Have none: they are another process's, or have ended."""
        self.lock = threading.Lock()
        self.connections: dict[str, Connection] = {}
        self.loop: LastingLoop | None = None


_PROCESS = _Process()


def connection_to(server: str, settings: ServerSettings, start_seconds: float) -> Connection:
    """Return this process's connection to a server, which may not have begun yet."""
    place = settings.cwd or ("" if settings.url else os.getcwd())
    key = json.dumps([server, asdict(settings), place, start_seconds], sort_keys=True)
    with _PROCESS.lock:
        if key not in _PROCESS.connections:
            _PROCESS.connections[key] = Connection(server, settings, start_seconds)
        return _PROCESS.connections[key]


def end_connections() -> None:
    """End every connection of this process; another use begins them anew."""
    loop = _PROCESS.loop
    if loop is None:
        return
    for connection in _PROCESS.connections.values():
        connection.end(loop)
    _PROCESS.forget()
    loop.close()


def _loop() -> LastingLoop:
    with _PROCESS.lock:
        if _PROCESS.loop is None:
            _PROCESS.loop = LastingLoop("flowc-mcp")
            if not _PROCESS.is_watched:
                _PROCESS.is_watched = True
                atexit.register(end_connections)
                os.register_at_fork(after_in_child=_PROCESS.forget)
        return _PROCESS.loop
