"""`langgraph dev` dies in the middle of an effect: nothing is lost, nothing is repeated unasked."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from dev_server import SECONDS, dev_server

pytest.importorskip("langgraph_api", reason="the extra `studio` is not installed")
pytestmark = pytest.mark.studio

ORDER = """flow: 1
name: order
params: {item: {type: text, required: true}}
nodes:
  - {name: reserve, tool: book, args: {what: '"reserved " + item'}, into: place}
  - {name: pay, tool: pay, args: {what: item}, into: receipt}
outputs: [receipt]
"""
TOOLS = '''import os, signal
from pathlib import Path

LOG = Path(__file__).with_name("effects.log")

def book(what: str) -> str:
    """Book a place."""
    with LOG.open("a") as log:
        log.write(what + "\\n")
    return what

def pay(what: str) -> str:
    """Pay for it. The first time the power fails before anybody hears of it."""
    book("paid " + what)
    if LOG.read_text().count("paid") == 1:
        os.kill(os.getpid(), signal.SIGKILL)
    return "paid " + what
'''


def flowc(folder: Path, *args: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "flowc", *args]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=150)


def test_a_thread_of_a_server_that_was_killed_is_finished_by_flowc(tmp_path: Path) -> None:
    """The server forgets its row of the thread; the project's store does not."""
    (tmp_path / "order.flow.yaml").write_text(ORDER, encoding="utf-8")
    (tmp_path / "shop.py").write_text(TOOLS, encoding="utf-8")
    settings = 'tools.python = ["shop:book", "shop:pay"]\n'
    (tmp_path / "flowc.toml").write_text(settings, encoding="utf-8")
    assert flowc(tmp_path, "compile", "order.flow.yaml", "-o", "out").returncode == 0
    project, effects = tmp_path / "out", tmp_path / "out/effects.log"

    with dev_server(project, {}) as server:
        thread = server.client.threads.create()["thread_id"]
        server.client.runs.create(thread, "order", input={"item": "tea"})
        assert server.process.wait(SECONDS) == -9
    assert effects.read_text() == "reserved tea\npaid tea\n"

    asked = flowc(project, "resume", thread, "--json")
    assert asked.returncode == 4, asked.stderr
    (question,) = json.loads(asked.stdout)["questions"]
    assert (question["kind"], question["node"]) == ("unknown", "pay")
    assert effects.read_text() == "reserved tea\npaid tea\n", "an effect was repeated unasked"

    done = flowc(project, "resume", thread, "--answer", "repeat", "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["result"] == "paid tea"
    assert effects.read_text() == "reserved tea\npaid tea\npaid tea\n"
