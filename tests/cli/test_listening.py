"""What listens for HTTP is refused in our words when it cannot, before anything is promised."""

from __future__ import annotations

import socket
from collections.abc import Iterator

import pytest

pytest.importorskip("fastapi", reason="the extra `service` is not installed")
pytest.importorskip("mcp", reason="the extra `mcp` is not installed")


@pytest.fixture
def taken() -> Iterator[int]:
    """A port on which somebody else listens."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server.getsockname()[1]


@pytest.mark.parametrize("words", [("serve", "--port"), ("mcp", "--http")])
def test_a_port_that_is_taken_is_refused(words, taken, flowc) -> None:
    done = flowc(*words, str(taken))
    assert done.returncode == 2
    assert (
        f"error: nothing can listen at 127.0.0.1:{taken}: address already in use\n" in done.stderr
    )
    assert "flowc serves" not in done.stderr
    assert "help: choose another port" in done.stderr


@pytest.mark.parametrize(
    ("store", "says"),
    [
        ("mysql://x", "a store cannot be at `mysql://…`"),
        ("postgresql://nobody@127.0.0.1:1/none", "cannot be reached"),
    ],
)
def test_a_store_that_cannot_be_opened_is_refused(store, says, flowc) -> None:
    pytest.importorskip("psycopg", reason="the extra `postgres` is not installed")
    done = flowc("serve", "--store", store)
    assert (done.returncode, done.stdout) == (2, "")
    assert says in done.stderr
    assert done.stderr.startswith("error: ")
    assert "Traceback" not in done.stderr
    assert "flowc serves" not in done.stderr
