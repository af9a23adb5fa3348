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
from collections.abc import Callable, Coroutine
from dataclasses import asdict, dataclass, field
from io import TextIOWrapper
from typing import Any

from ..errors import RunError, one_line
from ..event_loops import LastingLoop
from ..files.tempdirs import Room, make_room
from ..secrets import redact
from .mcp_servers import ServerSettings

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

    def end(self, loop: LastingLoop) -> Callable[[], None]:
        """End the session and the server's process; return what removes its files."""
        session, self._session = self._session, None
        self._lock = asyncio.Lock()
        if session is None:
            return lambda: None
        with contextlib.suppress(TimeoutError):
            loop.submit(session.end()).result(_CLOSING_SECONDS)
        return session.remove

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
                await asyncio.to_thread(self._session.remove)
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
            session.remove()
            raise
        except BaseException as error:  # the session's task group raises BaseExceptionGroup
            late = f"no answer within {self.start_seconds:g} s"
            reason = await asyncio.to_thread(
                session.describe, late if isinstance(error, TimeoutError) else error
            )
            await session.end()
            await asyncio.to_thread(session.remove)
            raise RunError(
                f"the MCP server `{self.server}` cannot be reached: {reason}",
                help=f"it is started with: {self.settings.how()}",
            ) from error
        return session

    async def reason(self, error: BaseException) -> str:
        """Return the error, and the last thing the server wrote to its standard error."""
        session = self._session
        if session is None:
            return redact(one_line(error) or type(error).__name__, self.settings.hidden)
        return await asyncio.to_thread(session.describe, error)


async def _outcome(call: Coroutine[Any, Any, object]) -> object:
    """Return what a call returned, or raised: a transport raises errors of its own HTTP client."""
    (said,) = await asyncio.gather(call, return_exceptions=True)
    return said


class _Session:
    """One session with a server, and the folder that holds its standard error."""

    def __init__(self, settings: ServerSettings) -> None:
        self.settings = settings
        self.client: Any = None
        self.tools: list[Any] = []
        self._room: Room | None = None
        self._log: TextIOWrapper | None = None

    def prepare(self) -> None:
        """Make what the session needs of the disk, and load the client."""
        import fastmcp.client.transports  # noqa: F401

        for name in _LOUD:
            logger = logging.getLogger(name)
            logger.propagate = False
            logger.addHandler(logging.NullHandler())
        if not self.settings.url:
            self._room = make_room()
            self._log = (self._room.folder / "stderr").open("a", encoding="utf-8")

    async def begin(self) -> None:
        """Connect, and list the tools."""
        from fastmcp import Client

        # Nobody answers a server's questions in the middle of a call.
        client: Any = Client(self._transport())
        self.client = await client.__aenter__()
        self.tools = await self.client.list_tools()

    async def end(self) -> None:
        """End the session and the server's process."""
        client, self.client = self.client, None
        if client is not None:
            await _outcome(client.__aexit__(None, None, None))  # it may be gone already

    def remove(self) -> None:
        """Remove its files."""
        if self._log is not None:
            self._log.close()
        if self._room is not None:
            self._room.remove()

    def _transport(self) -> Any:
        from fastmcp.client.transports import (
            SSETransport,
            StdioTransport,
            StreamableHttpTransport,
        )

        settings = self.settings
        if settings.url:
            remote = SSETransport if settings.kind == "sse" else StreamableHttpTransport
            return remote(settings.url, headers=dict(settings.headers))
        return StdioTransport(
            settings.command, list(settings.args), env=dict(settings.env), cwd=settings.cwd,
            keep_alive=False, log_file=self._log,
        )  # fmt: skip

    def describe(self, error: BaseException | str) -> str:
        """Return the error, and the last thing the server wrote to its standard error."""
        text = one_line(error) or type(error).__name__
        lines: list[str] = []
        if self._room is not None:
            with contextlib.suppress(OSError):
                log = self._room.folder / "stderr"
                lines = log.read_text("utf-8", "replace").strip().splitlines()
        detail = f"{text} ({lines[-1][:300]})" if lines else text
        return redact(detail, self.settings.hidden)


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
    for remove in [connection.end(loop) for connection in _PROCESS.connections.values()]:
        remove()
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
