"""`flowc dev`: Studio's server on a file that is being edited."""

from __future__ import annotations

import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from dev_server import SECONDS, DevServer, dev_server

pytest.importorskip("langgraph_api", reason="the extra `studio` is not installed")
pytestmark = pytest.mark.studio

ONE = """flow: 1
name: one
params: {who: {type: text, required: true}}
state: {greeting: {type: text}}
nodes:
  - {name: greet, assign: {greeting: '"Hello " + who'}}
outputs: [greeting]
"""


def test_a_file_is_served_and_served_anew_when_it_changes(tmp_path: Path) -> None:
    file = tmp_path / "one.flow.yaml"
    file.write_text(ONE, encoding="utf-8")
    command = [sys.executable, "-m", "flowc", "dev", file.name]
    with dev_server(tmp_path, {}, command) as server:
        assert "greet" in drawn(server)
        thread = server.client.threads.create()["thread_id"]
        done = server.client.runs.wait(thread, "one", input={"who": "Ada"})
        assert done["greeting"] == "Hello Ada"

        file.write_text(ONE.replace("assign", "asign"), encoding="utf-8")
        until(lambda: "the server goes on with what it had" in server.log.read_text())
        assert "greet" in drawn(server)

        file.write_text(ONE.replace("name: greet", "name: welcome"), encoding="utf-8")
        until(lambda: "welcome" in drawn(server))
        server.process.send_signal(signal.SIGINT)
        assert server.process.wait(SECONDS) == 0
    assert "BlockingError" not in server.log.read_text()
    assert (tmp_path / ".flowc/runs.db").is_file()
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        ".flowc", ".langgraph_api", "one.flow.yaml", "server.log",
    ]  # fmt: skip


def drawn(server: DevServer) -> set[str]:
    """Return the nodes that the server draws; none while it starts."""
    import httpx

    try:
        (assistant,) = server.client.assistants.search()
        picture = server.client.assistants.get_graph(assistant["assistant_id"])
    except httpx.TransportError:
        return set()
    return {node["id"] for node in picture["nodes"]}


def until(true: Callable[[], bool]) -> None:
    """Wait for something that another process does."""
    deadline = time.monotonic() + SECONDS
    while not true():
        assert time.monotonic() < deadline
        time.sleep(0.2)
