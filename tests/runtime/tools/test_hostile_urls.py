"""Whatever an MCP server at a URL answers, a call ends in a value or a failure of its node."""

from __future__ import annotations

import asyncio
import contextlib
import gzip
import json
import resource
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
from flowc.runtime.errors import Failure, RunError
from flowc.runtime.tools.mcp import McpServer
from flowc.runtime.tools.mcp_connections import end_connections
from flowc.runtime.tools.mcp_servers import ServerSettings
from flowc.runtime.tools.registry import ToolBox

pytest.importorskip("fastmcp", reason="needs the extra `mcp`")
SECONDS = 15.0
MOST_KIB = 300 * 1024
TOOL = {"name": "look", "inputSchema": {"type": "object", "properties": {"text": {}}}}
WELL = {"content": [{"type": "text", "text": "well"}]}
WAYS = {
    "well": "well",
    "a packed answer": "is packed ('gzip'), which nobody asked for",
    "an answer without an end": "piece of more than 16,777,216 bytes",
    "an event without an end": "byte limit",
    "a refusal without an end": "failed in `look`",
    "another server": "failed in `look`",
    "a deep answer": "failed in `look`",
    "a wide event": "byte limit",
}
"""How a server answers a call, and what is said of it."""


class Lying(BaseHTTPRequestHandler):
    """A server of MCP over HTTP that answers a call as `way` says."""

    protocol_version = "HTTP/1.1"
    way = ""
    asked_elsewhere: list[str]

    def do_GET(self) -> None:
        self.send_response(405)
        self.send_header("content-length", "0")
        self.end_headers()

    do_DELETE = do_GET

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["content-length"]))
        asked = json.loads(body)
        method = asked.get("method")
        if self.path == "/elsewhere":
            self.asked_elsewhere.append(body.decode())
        if method == "tools/call" and self.way != "well":
            with contextlib.suppress(OSError):
                self.lie(asked["id"])
            self.close_connection = True
            return
        if "id" not in asked:
            self.answer(b"", status=202)
            return
        results: dict[str, Any] = {
            "initialize": {
                "protocolVersion": "2025-06-18",
                "capabilities": {"tools": {}},
                "serverInfo": {"name": "lying", "version": "1"},
            },
            "tools/list": {"tools": [TOOL]},
            "tools/call": WELL,
        }
        if method in results or method == "ping":
            frame = {"jsonrpc": "2.0", "id": asked["id"], "result": results.get(method, {})}
        else:
            frame = {"jsonrpc": "2.0", "id": asked["id"], "error": {"code": -32601, "message": ""}}
        self.answer(json.dumps(frame).encode())

    def answer(self, body: bytes, status: int = 200, **more: str) -> None:
        self.begin(status, content_length=str(len(body)), **more)
        self.wfile.write(body)

    def begin(self, status: int = 200, **more: str) -> None:
        self.send_response(status)
        for name, value in {"content_type": "application/json", **more}.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()

    def lie(self, id: object) -> None:
        begin = f'{{"jsonrpc":"2.0","id":{json.dumps(id)},"result":'
        if self.way == "a packed answer":
            bomb = gzip.compress(begin.encode() + b" " * 50_000_000 + json.dumps(WELL).encode())
            self.answer(bomb, content_encoding="gzip")
        elif self.way == "an answer without an end":
            self.begin(connection="close")
            self.pour(b" " * 100_000)
        elif self.way == "an event without an end":
            self.begin(connection="close", content_type="text/event-stream")
            self.wfile.write(b"data: ")
            self.pour(b" " * 100_000)
        elif self.way == "a refusal without an end":
            self.begin(500, connection="close")
            self.pour(b"z" * 100_000)
        elif self.way == "another server":
            port = self.server.server_port  # type: ignore[attr-defined]
            self.answer(b"", 307, location=f"http://localhost:{port}/elsewhere")
        elif self.way == "a deep answer":
            self.answer(begin.encode() + b'{"a":' * 20_000 + b"1" + b"}" * 20_001)
        elif self.way == "a wide event":
            body = begin + '{"a":[' + "{}," * 4_000_000 + "1]}}"
            self.answer(f"data: {body}\n\n".encode(), content_type="text/event-stream")

    def pour(self, piece: bytes) -> None:
        while True:
            self.wfile.write(piece)

    def log_message(self, *_: object) -> None:
        pass


@contextlib.contextmanager
def lying(way: str) -> Iterator[tuple[str, list[str]]]:
    """The URL of a server, and what it was asked at another name of this machine."""
    asked: list[str] = []
    kind = type("Lying", (Lying,), {"way": way, "asked_elsewhere": asked})
    server = ThreadingHTTPServer(("127.0.0.1", 0), kind)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/mcp", asked
    finally:
        end_connections()
        server.shutdown()
        server.server_close()


def call(url: str) -> object:
    """The value of a call, or the text of its failure."""
    source = McpServer("far", ServerSettings(url=url), SECONDS)
    box = ToolBox((source,), seconds=SECONDS)

    async def use() -> object:
        try:
            await box.open_all()
            return await box.call("look", {"text": "secret"})
        except (Failure, RunError) as refused:
            return refused.message
        finally:
            await box.close()

    return asyncio.run(use())


@pytest.mark.parametrize("way", WAYS)
def test_a_server_at_a_url_that_lies_ends_nothing_but_its_call(way: str) -> None:
    begin, before = time.monotonic(), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with lying(way) as (url, elsewhere):
        said = str(call(url))
    print(f"{way}: {time.monotonic() - begin:.1f} s, {said[:200]!r}")  # for `pytest -rP`
    assert WAYS[way] in said
    assert elsewhere == []
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < MOST_KIB
