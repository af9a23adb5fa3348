"""Listening for HTTP: a server takes its address, or refuses it, before it shows it."""

from __future__ import annotations

import contextlib
import os
import select
import signal
import socket
from collections.abc import Iterator
from types import FrameType
from typing import TYPE_CHECKING

from ..errors import RunError
from ..observe.logs import LogForm, write_logs
from .app import INTERRUPTED, say
from .request_heads import bounded_protocol

if TYPE_CHECKING:
    import uvicorn
    from starlette.types import ASGIApp

LOOPBACK = ("127.0.0.1", "localhost", "::1")
"""Hosts that nobody reaches from another machine."""

_SIGNALS = (signal.SIGINT, signal.SIGTERM)
_ENDS = b"flowc ends after what is under way; once more gives up at once\n"
_AGAIN = b"flowc gives up; what was under way goes on with the next start\n"


def listen(
    app: ASGIApp, host: str, port: int, what: str, path: str = "", logs: LogForm = "text"
) -> None:
    """Serve an ASGI application until Ctrl-C or SIGTERM, which let it end what it has begun: then
    this returns. A second one ends the process at once, with 130. Raise `RunError` when nothing can
    be listened to there, or when the application does not start."""
    import uvicorn

    class Ending(uvicorn.Server):
        """uvicorn dies of the signal that it has ended for, and waits after a second SIGTERM."""

        @contextlib.contextmanager
        def capture_signals(self) -> Iterator[None]:
            before = {number: signal.signal(number, self.handle_exit) for number in _SIGNALS}
            try:
                yield
            finally:
                for number, handler in before.items():
                    signal.signal(number, handler)

        def handle_exit(self, sig: int, frame: FrameType | None) -> None:
            end_on_signal(self)

    with _bind(host, port) as taken:
        say(f"flowc serves {what}http://{_bracket(host)}:{port}{path} (Ctrl-C ends it)")
        config = uvicorn.Config(
            app, http=bounded_protocol(), log_level="warning", timeout_graceful_shutdown=10
        )
        write_logs(logs)  # after uvicorn has set up its own
        server = Ending(config)
        server.run(sockets=[taken])
    if not server.started:
        raise RunError("the service did not start: its log says why", exit_code=1)


def end_on_signal(server: uvicorn.Server) -> None:
    """End what serves after a first signal, the process after a second one, which may come while
    the first is being told."""
    again, server.should_exit = server.should_exit, True
    _tell(_AGAIN if again else _ENDS)
    if again:
        os._exit(INTERRUPTED)


def _tell(words: bytes) -> None:
    """Write past print, whose buffer may be in use where a signal came, and not to a reader that
    has stopped reading: the end of the process must not wait."""
    with contextlib.suppress(OSError):
        if os.name == "nt" or select.select([], [2], [], 0)[1]:
            os.write(2, words)


def _bind(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family, backlog=2048)
    except OSError as error:
        known = error.errno is not None and error.errno > 0  # those of names are not
        why = (os.strerror(error.errno or 0) if known else str(error.strerror or error)).lower()
        raise RunError(
            f"nothing can listen at {_bracket(host)}:{port}: {why}",
            help="choose another port or host, or end what listens there",
        ) from None


def _bracket(host: str) -> str:
    """Return a host as it stands in an address."""
    return f"[{host}]" if ":" in host else host
