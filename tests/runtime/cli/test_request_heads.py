"""A connection that sends no more than the beginning of a request ends in time."""

from __future__ import annotations

import contextlib
import socket
import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest

pytest.importorskip("httptools", reason="needs the extra `service`")
import uvicorn
from flowc.runtime.cli.http_protocol import BoundedProtocol

PATIENCE = 0.8
ANSWER = b"The rest of the request did not come in 0.8 s."
GET = b"GET / HTTP/1.1\r\nHost: x\r\n"


class Impatient(BoundedProtocol):
    patience = PATIENCE


async def app(scope: Any, receive: Any, send: Any) -> None:
    """Reads the body after a while, and says how long it is."""
    import asyncio

    if scope["type"] != "http":
        return
    if scope["path"] == "/late":
        await asyncio.sleep(3 * PATIENCE)
    size, more = 0, scope["path"] != "/early"
    while more:
        event = await receive()
        size, more = size + len(event.get("body", b"")), event.get("more_body", False)
    await send({"type": "http.response.start", "status": 200})
    await send({"type": "http.response.body", "body": str(size).encode()})


@pytest.fixture(scope="module")
def port() -> Iterator[int]:
    config = uvicorn.Config(app, port=0, http=Impatient, log_level="critical", lifespan="off")
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.01)
    yield server.servers[0].sockets[0].getsockname()[1]
    server.should_exit = True
    thread.join()


def answer_to(port: int, *pieces: bytes, pause: float = 0.0) -> bytes:
    """All that comes until the connection is closed."""
    said = b""
    with socket.create_connection(("127.0.0.1", port), timeout=10) as caller:
        for piece in pieces:
            caller.sendall(piece)
            time.sleep(pause)
        with contextlib.suppress(ConnectionResetError):
            while piece := caller.recv(65536):
                said += piece
    return said


@pytest.mark.parametrize(
    "begin",
    [
        b"",
        b"GET",
        GET,
        b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\nabc",
        b"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n",
        GET + b"\r\n" + GET,
    ],
)
def test_the_beginning_of_a_request_is_not_waited_for_without_an_end(
    port: int, begin: bytes
) -> None:
    assert ANSWER in answer_to(port, begin)


def test_a_head_that_comes_letter_by_letter_is_not_either(port: int) -> None:
    letters = [bytes([letter]) for letter in GET]
    began = time.monotonic()
    with contextlib.suppress(OSError):
        answer_to(port, *letters * 20, pause=PATIENCE / 8)
    assert time.monotonic() - began < 4 * PATIENCE


def test_what_comes_slowly_is_waited_for(port: int) -> None:
    head = b"POST / HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 9\r\n\r\n"
    said = answer_to(port, head, *[b"a"] * 9, pause=PATIENCE / 4)
    assert b"\r\n9\r\n" in said


def test_an_application_that_reads_late_is_no_fault_of_the_caller(port: int) -> None:
    head = b"POST /late HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 900000\r\n\r\n"
    assert b"\r\n900000\r\n" in answer_to(port, head, b"z" * 900_000)


def test_an_answer_that_came_early_stays_whole(port: int) -> None:
    said = answer_to(port, b"POST /early HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\nabc")
    assert said.count(b"HTTP/1.1 200") == 1
    assert said.split(b"\r\n\r\n")[1].startswith(b"1\r\n0")
