"""The world that effects happen in: a folder per trial with its ledger, and a model over HTTP."""

from __future__ import annotations

import os
import shutil
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from flowc.runtime.services import MODEL_CALL
from flowc.runtime.torture.hosts import RunEnding
from flowc.runtime.torture.ledger import EffectLedger, LedgerLine
from flowc.runtime.torture.people import Person, script_answer
from flowc.runtime.torture.trials import Undisturbed

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "fixtures")]
sys.path.append(str(HERE))  # behind them: a module of a fixture's name must not stand before it

import edits as edits  # noqa: E402
from dying import LEDGER  # noqa: E402
from openai_server import Drop, OpenAIServer, Recorded, Reply, Say  # noqa: E402

WORKFLOW = "every.flow.yaml"
NOTE = """\
#!/bin/sh
sleep 0.004
echo '{"what": "effect", "label": "'$1'", "key": "'$FLOWC_IDEMPOTENCY_KEY'"}' >> ledger
sleep 0.004
"""
ANSWER = "blue"
TWIN_CALLS = [("note", {"label": "twin"}), ("note", {"label": "twin"})]

COMMANDS = ("shell-1", "shell-2", "right")
FAILED = "flaky-failed"
ONCE = {
    "twin": 2, "once": 1, "inner": 1, "left": 1, "each-red": 1, "each-green": 1, "each-blue": 1,
    FAILED: 1, "flaky": 1, f"answer-{ANSWER}": 1, **dict.fromkeys(COMMANDS, 1),
}  # fmt: skip
"""Effects that are declared to happen once, and how often the workflow asks for each."""
REPEATABLE = {"idempotent": 1}
"""Effects that may be asked for again, always under the same key."""
MODEL = {"model-twins-1": 1, "model-twins-2": 1, "model-middle": 1, "model-inner": 1}
"""Model calls: one that was answered is never paid again, unless a person says so."""
EFFECTS = ONCE | REPEATABLE | MODEL
SHAPES = {
    "agent": ("twins", "twin", "model-twins-1", "model-twins-2"),
    "in a row": ("once", "again", "idempotent", "shell", "shell-1", "shell-2"),
    "nested": ("inner/say", "inner/keep", "inner", "model-inner"),
    "parallel": ("left", "middle", "right", "model-middle"),
    "foreach": ("each/mark", "each-red", "each-green", "each-blue"),
    "retry": ("flaky", FAILED),
    "question": ("last", f"answer-{ANSWER}"),
}
"""Shapes of the workflow, by the nodes and the effects of each."""
END = RunEnding("success", f"noted answer-{ANSWER}")


def line_of(label: str, key: str) -> list[LedgerLine]:
    """A call with its effect: these hosts note effects alone, one for each call."""
    name = MODEL_CALL if label in MODEL else f"tool {label}"
    effect = "idempotent" if label in REPEATABLE else "once"
    return [LedgerLine("call", label, key, label, name, effect), LedgerLine("effect", label, key)]


def undisturbed() -> Undisturbed:
    """What a run has to come to."""
    pairs = [(label, f"{label} {n}") for label, times in EFFECTS.items() for n in range(times)]
    lines = [line for label, key in pairs for line in line_of(label, key)]
    return Undisturbed(END, lines, [], [])


def person() -> Person:
    """Somebody who looks at the ledger, and knows what each tool returns."""
    known = {
        label: LedgerLine("result", label, "", value="" if label in COMMANDS else f"noted {label}")
        for label in ONCE
        if label != FAILED
    }
    return Person(script_answer({"ask": ANSWER}), known, frozenset(EFFECTS))


@dataclass(frozen=True)
class Place:
    """A trial's folder, and the address of the model that notes its calls there."""

    folder: Path
    base_url: str

    @property
    def ledger(self) -> list[LedgerLine]:
        """Calls and effects, in the order in which they happened."""
        effects = EffectLedger(self.folder / LEDGER).lines()
        return [line for each in effects for line in line_of(each.label, each.key)]

    def text(self, name: str) -> str:
        return (self.folder / name).read_text()


def place(room: Path, port: int, number: int) -> Place:
    """A new folder with everything that a trial needs."""
    folder = room / f"t{number:04}"
    folder.mkdir()
    shutil.copy(HERE / WORKFLOW, folder)
    shutil.copy(HERE / "ledger_tools.py", folder)
    base_url = f"http://127.0.0.1:{port}/{folder.name}/v1"
    settings = (HERE / "flowc.toml").read_text()
    (folder / "flowc.toml").write_text(f'base_url = "{base_url}"\n{settings}')
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
    ledger = EffectLedger(room / request.path.split("/")[1] / LEDGER)
    ledger.add(LedgerLine("effect", label, key))
    time.sleep(0.004)
    return reply
