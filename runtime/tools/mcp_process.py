"""An MCP server that is a process of ours, and speaks lines of JSON over its pipes.

The package's own transport keeps a line without an end for as long as it grows, and leaves what a
server writes to its standard error to a file. Here both are bounded.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import shutil
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator, Callable
from signal import SIGKILL, SIGTERM
from typing import TypeAlias

import anyio
from anyio import BrokenResourceError, ClosedResourceError
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from fastmcp.client.transports.base import ClientTransport, SessionKwargs, TransportOptions
from mcp import ClientSession
from mcp.client.stdio import get_default_environment
from mcp.shared.message import SessionMessage
from mcp_types import jsonrpc_message_adapter
from typing_extensions import Unpack

from ..state.frames import FRAME, BadFrame, require_bounds
from .mcp_servers import ServerSettings

Arriving: TypeAlias = MemoryObjectSendStream[SessionMessage | Exception]
Leaving: TypeAlias = MemoryObjectReceiveStream[SessionMessage]
_PATIENCE = 2.0
"""Seconds for a server to end when its input has, and again when it is asked to by a signal."""
_LOOK = 0.01
_PIECE = 64 * 1024
"""Bytes that are read at once, and that are kept of what a server writes to its standard error."""


class ProcessTransport(ClientTransport):
    """One session with a server that is started for it, and ends with it."""

    def __init__(self, settings: ServerSettings, note: Callable[[str], None]) -> None:
        """`note` is told why we end a session, where we do."""
        self._settings = settings
        self._note = note
        self._errors = b""

    @property
    def last_words(self) -> str:
        """The last line that the server wrote to its standard error."""
        lines = self._errors.decode("utf-8", "replace").strip().splitlines()
        return lines[-1] if lines else ""

    @contextlib.asynccontextmanager
    async def connect_session(
        self,
        *,
        transport_options: TransportOptions | None = None,
        **session: Unpack[SessionKwargs],
    ) -> AsyncIterator[ClientSession]:
        """Yield a session with the server. Raise `OSError` where it cannot be started."""
        arriving, arrived = anyio.create_memory_object_stream[SessionMessage | Exception](0)
        leaving, left = anyio.create_memory_object_stream[SessionMessage](0)
        make = transport_options.session_class if transport_options else ClientSession
        process = await self._start()
        try:
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(self._listen, process, arriving)
                tasks.start_soon(self._keep_errors, process)
                tasks.start_soon(_speak, process, left, arriving)
                try:
                    async with make(arrived, leaving, **session) as made:
                        yield made
                finally:
                    with anyio.CancelScope(shield=True):
                        await _stop(process)
                    tasks.cancel_scope.cancel()
        finally:
            for stream in (arriving, arrived, leaving, left):
                stream.close()

    async def _start(self) -> Process:
        settings = self._settings
        env = get_default_environment() | dict(settings.env)
        path = await asyncio.to_thread(shutil.which, settings.command, path=env.get("PATH"))
        return await asyncio.create_subprocess_exec(
            path or settings.command, *settings.args,
            env=env, cwd=settings.cwd, start_new_session=True, limit=FRAME.size,
            stdin=PIPE, stdout=PIPE, stderr=PIPE,
        )  # fmt: skip

    async def _listen(self, process: Process, arriving: Arriving) -> None:
        """Tell the session each message, until there are none, or one is not to be read."""
        assert process.stdout is not None
        try:
            async with arriving:
                while line := await process.stdout.readline():
                    await arriving.send(_message(line))
        except (BrokenResourceError, ClosedResourceError):
            pass  # the session has ended
        except ValueError as refused:  # of `readline` it is for the length
            said = refused if isinstance(refused, BadFrame) else f"longer than {FRAME.size:,} bytes"
            self._note(f"a message of the server is not read: {said}")
            _signal(process, SIGKILL)
        async for _ in _pieces(process.stdout):
            pass  # a full pipe would keep the server from ending

    async def _keep_errors(self, process: Process) -> None:
        assert process.stderr is not None
        async for piece in _pieces(process.stderr):
            self._errors = (self._errors + piece)[-_PIECE:]


async def _pieces(pipe: asyncio.StreamReader) -> AsyncIterator[bytes]:
    """Yield what comes, and give others their turn where it never has to be waited for."""
    while piece := await pipe.read(_PIECE):
        yield piece
        await asyncio.sleep(0)


async def _speak(process: Process, leaving: Leaving, arriving: Arriving) -> None:
    """Write each message of the session to the server."""
    assert process.stdin is not None
    try:
        async with leaving:
            async for each in leaving:
                frame = each.message.model_dump(by_alias=True, exclude_unset=True)
                # In ASCII, which takes half a character too.
                process.stdin.write(json.dumps(frame).encode() + b"\n")
                await process.stdin.drain()
    except (OSError, BrokenResourceError, ClosedResourceError):
        await arriving.aclose()  # or the session would wait for an answer for ever


def _message(line: bytes) -> SessionMessage | Exception:
    """Return the message of a line, or why it is none. Raise `BadFrame` for one not to be read."""
    if not line.lstrip().startswith(b"{"):
        return ValueError("it is not an object")
    require_bounds(line, FRAME)
    try:
        return SessionMessage(jsonrpc_message_adapter.validate_json(line, by_name=False))
    except ValueError as error:
        return error  # the session passes over it


async def _stop(process: Process) -> None:
    """End a server: by the end of its input, by SIGTERM, by SIGKILL, each when the one before did
    not do it, as the protocol says (lifecycle, shutdown)."""
    assert process.stdin is not None
    process.stdin.close()
    for number in (SIGTERM, SIGKILL, None):
        if await _has_ended(process) or number is None:
            return
        _signal(process, number)


async def _has_ended(process: Process) -> bool:
    """Return whether a server ends in time; `wait` would wait for its children's pipes too."""
    for _ in range(int(_PATIENCE / _LOOK)):
        if process.returncode is not None:
            return True
        await asyncio.sleep(_LOOK)
    return False


def _signal(process: Process, number: int) -> None:
    """Send a signal to a server and its children, or end it where no groups of processes exist."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, number) if hasattr(os, "killpg") else process.terminate()
