"""The same workflow under `langgraph dev`, whose process is killed; `flowc resume` finishes it."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from .trials import Plan, Trial, carry_on
from .world import WORKFLOW, Place

PATIENCE = 120.0
"""Seconds in which the server has to be up, and the run at its question."""
GRAPH = f"""\
import os
import flowc

allowed = flowc.Permissions(commands="allow", workspace=os.getcwd())
graph = flowc.load("{WORKFLOW}", model="openai:demo", permissions=allowed).graph()
"""
CHECKPOINTER = """\
import flowc

def saver():
    return flowc.open_saver({store!r})
"""
SETTINGS = """\
{"dependencies": ["."], "graphs": {"every": "./graph.py:graph"},
 "checkpointer": {"path": "./checkpointer.py:saver"}}
"""


def server_trial(place: Place, store: str, plan: Plan) -> Trial:
    """A run that a client of the server begins. The server is killed in the middle of it, and
    forgets the thread; the store of the project has not."""
    trial, thread = Trial(), str(uuid.uuid4())
    with serving(place, store) as (process, client):
        client.threads.create(thread_id=thread)
        client.runs.create(thread, "every", input={})
        time.sleep(plan.dice.uniform(0, plan.seconds))
        os.killpg(process.pid, signal.SIGKILL)
        trial.kills += 1
    return carry_on(trial, place, store, plan, thread)


def undisturbed(place: Place, store: str) -> Callable[[], int]:
    """The run up to its question; it prints the seconds that it took in the server."""

    def body() -> int:
        with serving(place, store) as (_, client):
            thread = client.threads.create()["thread_id"]
            began = time.monotonic()
            asked = client.runs.wait(thread, "every", input={})
            print(time.monotonic() - began, flush=True)
        return 4 if "__interrupt__" in asked else 1

    return body


@contextmanager
def serving(place: Place, store: str) -> Iterator[tuple[subprocess.Popen[bytes], Any]]:
    """The server's process and a client of it; the server is killed at the end."""
    from langgraph_sdk import get_sync_client

    for name, text in (
        ("graph.py", GRAPH),
        ("checkpointer.py", CHECKPOINTER.format(store=store)),
        ("langgraph.json", SETTINGS),
    ):
        (place.folder / name).write_text(text)
    port = _free_port()
    argv = [
        sys.executable,
        "-m",
        "langgraph_cli",
        "dev",
        "--no-browser",
        "--no-reload",
        "--allow-blocking",
    ]
    quiet = {"LANGGRAPH_CLI_NO_ANALYTICS": "1", "LANGSMITH_TRACING": "false"}
    with (place.folder / "server.log").open("wb") as log:
        process = subprocess.Popen(
            [*argv, "--port", str(port)],
            cwd=place.folder,
            env={**os.environ, **quiet, "PYTHONPATH": os.pathsep.join(sys.path)},
            stdout=log,
            stderr=log,
            start_new_session=True,
        )
    try:
        client = get_sync_client(url=f"http://127.0.0.1:{port}")
        _wait_for(client, place.folder / "server.log")
        yield process, client
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def _wait_for(client: Any, log: Path) -> None:
    import httpx

    end = time.monotonic() + PATIENCE
    while True:
        try:
            client.assistants.search()
        except httpx.HTTPError:
            if time.monotonic() > end:
                raise TimeoutError(log.read_text()) from None
            time.sleep(0.1)
        else:
            return


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
    return port
