"""The service behind a real socket, in a thread; and a way to it that loses answers."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import socket
import threading
import time
from collections.abc import Coroutine, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import uvicorn
from fastapi import FastAPI
from flowc.runtime.cli.request_heads import bounded_protocol
from flowc.runtime.config.settings import Config
from flowc.runtime.service.lifecycle import open_service
from flowc.runtime.service.operations.executions import open_executing

from .apps import app_with

PATIENCE = 120.0
Value = TypeVar("Value")


@dataclass
class Served:
    """Where it listens; the application, whose `state.service` a test may look into; its loop."""

    port: int
    app: FastAPI
    loop: asyncio.AbstractEventLoop

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def in_loop(self, work: Coroutine[Any, Any, Value]) -> Value:
        """What comes of work of the service's own: its locks belong to its loop."""
        return asyncio.run_coroutine_threadsafe(work, self.loop).result(PATIENCE)


@contextlib.contextmanager
def served(
    folder: Path, *, clock: Any = None, trusted: bool = True, **config: Any
) -> Iterator[Served]:
    """The service on a store in a folder."""
    url = f"sqlite:///{folder}/service.db"
    loops: list[asyncio.AbstractEventLoop] = []

    def opening() -> Any:
        loops.append(asyncio.get_running_loop())
        return open_service(open_executing(url, Config(**config), clock), trusted=trusted)

    with app_with(opening) as app:
        server = uvicorn.Server(
            uvicorn.Config(app, port=0, http=bounded_protocol(), log_level="critical")
        )
        thread = threading.Thread(target=server.run, daemon=True)
        thread.start()
        end = time.monotonic() + PATIENCE
        while not server.started:
            assert thread.is_alive()
            assert time.monotonic() < end
            time.sleep(0.01)
        try:
            yield Served(server.servers[0].sockets[0].getsockname()[1], app, loops[0])
        finally:
            server.should_exit = True
            thread.join(PATIENCE)


class Between:
    """Listens on an address of its own; what connects is handed to `_pass`, in a thread."""

    def __init__(self) -> None:
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = int(self.listener.getsockname()[1])
        threading.Thread(target=self._serve, daemon=True).start()

    def close(self) -> None:
        self.listener.close()

    def _serve(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                near, _ = self.listener.accept()
                threading.Thread(target=self._pass, args=(near,), daemon=True).start()

    def _pass(self, near: socket.socket) -> None:
        raise NotImplementedError


class Lossy(Between):
    """Passes each request on and its answer back, but for the first `losses` answers: those are
    taken from the service, and the connection is closed without them."""

    def __init__(self, port: int, losses: int) -> None:
        self.target, self.losses, self.seen = port, losses, 0
        super().__init__()
        self.address = f"http://127.0.0.1:{self.port}"

    def _pass(self, near: socket.socket) -> None:
        with near, socket.create_connection(("127.0.0.1", self.target)) as far:
            while request := _message(near):
                self.seen += 1
                far.sendall(request)
                answer = _message(far)
                if self.seen <= self.losses:
                    return
                near.sendall(answer)


def _message(end: socket.socket) -> bytes:
    """One HTTP message with a stated length; nothing when the connection is closed."""
    data = b""
    while b"\r\n\r\n" not in data:
        part = end.recv(65536)
        if not part:
            return b""
        data += part
    head, _, body = data.partition(b"\r\n\r\n")
    lines = head.lower().split(b"\r\n")
    lengths = [line.partition(b":")[2] for line in lines if line.startswith(b"content-length:")]
    while lengths and len(body) < int(lengths[0]):
        part = end.recv(65536)
        body += part
        data += part
    return data


class InTurn(Between):
    """One address for several services: each connection leads to the next of their `ports`."""

    def __init__(self, *ports: int) -> None:
        self.ports = itertools.cycle(ports)
        self.reached: set[int] = set()
        super().__init__()

    def _pass(self, near: socket.socket) -> None:
        port = next(self.ports)
        self.reached.add(port)
        far = socket.create_connection(("127.0.0.1", port))
        threading.Thread(target=copy, args=(near, far), daemon=True).start()
        copy(far, near)


def copy(one: socket.socket, other: socket.socket) -> None:
    with contextlib.suppress(OSError):
        while data := one.recv(65536):
            other.sendall(data)
    for end in (one, other):
        with contextlib.suppress(OSError):
            end.shutdown(socket.SHUT_RDWR)
