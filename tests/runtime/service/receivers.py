"""Addresses that webhooks are sent to."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass
class Receiver:
    """An address that writes down what it is told, and answers with the next of `answers`, the last
    one again and again."""

    answers: list[int] = field(default_factory=lambda: [204])
    heard: list[tuple[dict[str, str], bytes]] = field(default_factory=list)
    elsewhere: str = ""
    port: int = 0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/hook"

    @property
    def host(self) -> str:
        return f"127.0.0.1:{self.port}"

    def events(self, kind: str = "") -> list[dict[str, Any]]:
        told = [json.loads(body) for _, body in self.heard]
        return [one for one in told if kind in ("", one["kind"])]


@contextmanager
def receiver(*answers: int) -> Iterator[Receiver]:
    made = Receiver(list(answers) or [204])

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"]))
            made.heard.append(({k.lower(): v for k, v in self.headers.items()}, body))
            status = made.answers.pop(0) if len(made.answers) > 1 else made.answers[0]
            self.send_response(status)
            if made.elsewhere:
                self.send_header("location", made.elsewhere)
            self.send_header("content-length", "0")
            self.end_headers()

        def log_message(self, *_: object) -> None:
            """Nothing on the terminal."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    made.port = server.server_address[1]
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield made
    finally:
        server.shutdown()
        thread.join(10)
        server.server_close()
