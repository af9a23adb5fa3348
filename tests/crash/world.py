"""The world that effects happen in: a folder per trial with its ledger, and a model over HTTP."""

from __future__ import annotations

import os
import shutil
import signal
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "fixtures")]

from openai_server import Drop, OpenAIServer, Recorded, Reply, Say  # noqa: E402

WORKFLOW = "every.flow.yaml"
CONFIG = """\
[tools]
python = ["ledger_tools:note", "ledger_tools:put", "ledger_tools:look", "ledger_tools:flaky"]
effects = { put = "idempotent", look = "pure" }
"""
NOTE = """\
#!/bin/sh
sleep 0.004
echo "$1 ${FLOWC_IDEMPOTENCY_KEY:--}" >> ledger
sleep 0.004
"""
ANSWER = "blue"
TWIN_CALLS = [("note", {"label": "twin"}), ("note", {"label": "twin"})]

ONCE = {
    "twin": 2, "once": 1, "shell-1": 1, "shell-2": 1, "inner": 1, "left": 1, "right": 1,
    "each-red": 1, "each-green": 1, "each-blue": 1, "flaky-failed": 1, "flaky": 1,
    f"answer-{ANSWER}": 1,
}  # fmt: skip
"""Effects that are declared to happen once, and how often the workflow asks for each."""
REPEATABLE = {"idempotent": 1, "pure": 1}
"""Effects that may be repeated, always under the same key."""
MODEL = {"model-twins-1": 1, "model-twins-2": 1, "model-middle": 1, "model-inner": 1}
"""Model calls: one that was answered is never paid again, unless a person says so."""


@dataclass(frozen=True)
class Place:
    """A trial's folder, and the address of the model that notes its calls there."""

    folder: Path
    base_url: str

    @property
    def ledger(self) -> list[tuple[str, str]]:
        """(label, key) in the order in which they happened."""
        file = self.folder / "ledger"
        lines = file.read_text().splitlines() if file.exists() else []
        return [(label, key) for label, _, key in (line.partition(" ") for line in lines)]

    def keys(self) -> dict[str, set[str]]:
        """The keys that each label came under."""
        found: dict[str, set[str]] = {}
        for label, key in self.ledger:
            found.setdefault(label, set()).add(key)
        return found

    def counts(self) -> Counter[str]:
        return Counter(label for label, _ in self.ledger)


def place(room: Path, port: int, number: int) -> Place:
    """A new folder with everything that a trial needs."""
    folder = room / f"t{number:04}"
    folder.mkdir()
    shutil.copy(HERE / WORKFLOW, folder)
    shutil.copy(HERE / "ledger_tools.py", folder)
    base_url = f"http://127.0.0.1:{port}/{folder.name}/v1"
    (folder / "flowc.toml").write_text(f'base_url = "{base_url}"\n{CONFIG}')
    (folder / "note").write_text(NOTE)
    (folder / "note").chmod(0o755)
    return Place(folder, base_url)


@contextmanager
def model_server(room: Path) -> Iterator[int]:
    """A model that answers as the workflow needs it and writes each request into the ledger of the
    trial that its address names; in a process of its own, so that this one has no threads and may
    be forked. Gives the port."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        server = OpenAIServer()
        server.answer = lambda request: _answer(room, request)
        with server:
            os.write(write, server.url.split(":")[2].partition("/")[0].encode())
            os.close(write)
            signal.pause()
        os._exit(0)
    os.close(write)
    try:
        with os.fdopen(read) as pipe:
            yield int(pipe.read())
    finally:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)


def _answer(room: Path, request: Recorded) -> Reply:
    if request.body is None:
        return Drop()  # whoever asked died in the middle of it
    messages = request.body["messages"]
    asked = " ".join(str(m["content"]) for m in messages if m["role"] == "user")
    noted = sum(m["role"] == "tool" for m in messages)
    label, reply = "model-inner", Say("inner")
    if "twice" in asked:
        label = "model-twins-2" if noted else "model-twins-1"
        reply = Say("noted") if noted else Say(calls=list(TWIN_CALLS))
    elif "middle" in asked:
        label, reply = "model-middle", Say("middle")
    key = request.headers.get("idempotency-key", "-")
    time.sleep(0.004)
    with (room / request.path.split("/")[1] / "ledger").open("a") as ledger:
        ledger.write(f"{label} {key}\n")
    time.sleep(0.004)
    return reply
