"""The same workflow in the project that `flowc compile` writes, under `langgraph dev`.

A client begins the run and approves its commands. The server is killed meanwhile and forgets the
thread; `flowc resume` finishes it from the project's own store.
"""

from __future__ import annotations

import threading
import time
import uuid
from collections.abc import Callable
from contextlib import AbstractContextManager, suppress
from typing import Any

from dev_server import SECONDS, DevServer, dev_server
from flowc.runtime.torture.dying import Blow
from flowc.runtime.torture.ledger import VARIABLE
from flowc.runtime.torture.trials import KilledRun

from tests.fixtures.dying import LEDGER, in_folder

from .trials import Plan, carry_on, command_line, start_command
from .world import EFFECTS, WORKFLOW, Place

CHOICES = 'model = "openai:demo"\nworkspace = "."\n'
"""What the other hosts are told by whoever starts the run."""
BEFORE = sum(EFFECTS.values()) - 1
"""How many effects come before the question."""
APART = 0.05
"""Seconds from one effect to the next. Between runs the server waits for much longer."""


def server_trial(place: Place, store: str, plan: Plan) -> KilledRun:
    """A run that a client of the server begins, and the server is killed in the middle of it."""
    run, thread = KilledRun(), str(uuid.uuid4())
    _compile(place)
    with _serving(place) as server:
        client = server.client
        client.threads.create(thread_id=thread)
        person = threading.Thread(target=_talk_until_cut_off, args=(client, thread))
        person.start()
        _wait_for_effects(place, plan.dice.randint(1, BEFORE), server)
        time.sleep(plan.dice.uniform(0, APART))
        server.kill()
        run.died.append("with its server")
        person.join()
        log = server.log.read_text()
    if "BlockingError" in log:
        run.stuck = log[log.index("BlockingError") - 1000 :][:2000]
        return run
    store = f"sqlite:///{place.folder}/.flowc/runs.db"
    start = start_command(place, store, thread)
    return carry_on(run, place, store, plan, start, begun=True)


def undisturbed(place: Place, store: str) -> Callable[[], int]:
    """The run up to its question."""
    _compile(place)

    def body() -> int:
        with _serving(place) as server:
            asked = _talk(server.client, server.client.threads.create()["thread_id"])
        return 4 if asked == ["ask"] and len(place.ledger) == 2 * BEFORE else 1

    return body


def _wait_for_effects(place: Place, count: int, server: DevServer) -> None:
    end = time.monotonic() + SECONDS
    while len(place.ledger) < 2 * count:
        if time.monotonic() > end:
            raise TimeoutError(server.log.read_text())
        time.sleep(0.001)


_AT_REST = ("idle", "interrupted", "error")


def _talk(client: Any, thread: str) -> list[str]:
    """Begin the run and approve its commands, until it asks for something else, or ends. Returns
    the kinds of what it asks then."""
    said: dict[str, Any] = {"input": {}}
    while True:
        client.runs.create(thread, "every", **said)
        while (status := client.threads.get(thread)["status"]) not in _AT_REST:
            time.sleep(0.02)
        if status == "error":
            raise RuntimeError(f"the server could not go on with what it was sent: {said}")
        tasks = client.threads.get_state(thread)["tasks"]
        asked = [each for task in tasks for each in task["interrupts"]]
        approved = {each["id"]: "yes" for each in asked if each["value"]["kind"] == "approve"}
        if not approved:
            return [each["value"]["kind"] for each in asked]
        said = {"command": {"resume": approved}}


def _talk_until_cut_off(client: Any, thread: str) -> None:
    import httpx

    with suppress(httpx.HTTPError):
        _talk(client, thread)


def _compile(place: Place) -> None:
    """Make the project in the folder of the trial, of files that lie somewhere else."""
    source = place.folder / "source"
    source.mkdir()
    for name in (WORKFLOW, "ledger_tools.py", "flowc.toml"):
        (place.folder / name).rename(source / name)
    settings = source / "flowc.toml"
    settings.write_text(CHOICES + settings.read_text())
    body = command_line(["compile", WORKFLOW, "-o", ".."])
    end = in_folder(body, Blow(), source)
    assert end.code == 0, (source / "err").read_text()


def _serving(place: Place) -> AbstractContextManager[DevServer]:
    return dev_server(
        place.folder, {"LANGSMITH_TRACING": "false", VARIABLE: str(place.folder / LEDGER)}
    )
