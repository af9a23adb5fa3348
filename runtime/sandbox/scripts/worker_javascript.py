"""Calls of functions in JavaScript, each in a context of its own (QuickJS): see worker.py.

A context per call makes the state that crosses as JSON the only one there is, so that a call that
is repeated after a crash sees what the first one saw.
"""

from __future__ import annotations

import importlib.machinery
import importlib.util
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

_STACK = 1024 * 1024
_JOBS = 10_000
_FRAME = re.compile(r"\(?<input>:(\d{1,9}):(\d{1,9})\)?")
_SHOWN = 20_000
Send = Callable[[str], None]


def server(module: str, memory: int) -> Callable[[dict[str, Any], str, Send], None]:
    """Return what answers a call; `module` is the file of the QuickJS extension."""
    loader = importlib.machinery.ExtensionFileLoader("_quickjs", module)
    spec = importlib.util.spec_from_file_location("_quickjs", module, loader=loader)
    assert spec is not None
    quickjs = importlib.util.module_from_spec(spec)
    loader.exec_module(quickjs)
    prelude = Path(__file__).with_name("prelude.js").read_text(encoding="utf-8")

    def serve(job: dict[str, Any], arguments: str, send: Send) -> None:
        context = quickjs.Context()
        context.set_memory_limit(memory)
        context.set_max_stack_size(_STACK)
        context.set_time_limit(job["seconds"])
        run = _Call(context, job, quickjs.JSException)
        try:
            place = run.load(prelude)
            send(place)
            send(run.call(arguments) if place != "null" else '{"missing":true}')
        except _Broken as broken:
            if not run.placed:
                send("null")
            send(json.dumps(broken.answer))

    return serve


class _Broken(Exception):
    """There is nothing to call; `answer` says why."""

    def __init__(self, answer: dict[str, Any]) -> None:
        super().__init__()
        self.answer = answer


class _Call:
    """One context with the prelude and the script in it."""

    def __init__(self, context: Any, job: dict[str, Any], error: type[Exception]) -> None:
        self.context, self.job, self.error = context, job, error
        self.lines = job["source"].count("\n") + 1
        self.placed = False

    def load(self, prelude: str) -> str:
        """Load prelude and script; the function's [line, column], or null, as JSON."""
        make = self.context.eval("\n" * self.lines + prelude)
        # Only texts and functions cross between Python and JavaScript, so the parts are globals
        # until they have been taken.
        self.context.set("flowc_make", make)
        setting = json.dumps(self.job["setting"])
        self.context.eval(f"globalThis.flowc = flowc_make({setting})")
        parts = {}
        for name in ("load", "loaded", "place", "call"):
            parts[name] = self.context.eval(f"flowc.{name}")
        self.context.eval("delete globalThis.flowc; delete globalThis.flowc_make")
        self._call = parts["call"]
        try:
            self.context.module(self.job["source"])
            parts["load"]()
            self._settle(parts["loaded"])
            place = parts["place"](self.job["function"])
        except self.error as error:
            raise _Broken({"error": self._error(str(error))}) from None
        self.placed = True
        return str(place)

    def _settle(self, loaded: Any) -> None:
        """Let the module finish. A module that waits for something never does."""
        for _ in range(_JOBS):
            state = json.loads(loaded())
            if state["error"]:
                raise _Broken({"error": self._place(state["error"])})
            if state["ready"]:
                return
            if not self.context.execute_pending_job():
                break
        message = "the script cannot be loaded: it waits, runs too long or needs too much memory"
        raise _Broken({"error": {"name": "", "message": message, "stack": ""}})

    def call(self, arguments: str) -> str:
        """Return what came of the call, as JSON."""
        try:
            answer = str(self._call(arguments))
        except self.error as error:
            return json.dumps({"error": self._error(str(error))})
        if not answer.startswith('{"error":'):
            return answer
        failure = json.loads(answer)
        return json.dumps({**failure, "error": self._place(failure["error"])})

    def _error(self, text: str) -> dict[str, Any]:
        """Return an error that left JavaScript: its first line, then its stack."""
        first, _, stack = text[:_SHOWN].partition("\n")
        name, colon, message = first.partition(": ")
        parts = (name, message) if colon and name.endswith("Error") else ("", first)
        return self._place({"name": parts[0], "message": parts[1], "stack": stack})

    def _place(self, error: dict[str, Any]) -> dict[str, Any]:
        """Return the error with the innermost place in the script; the prelude stands below its
        lines."""
        places = ((int(m[1]), int(m[2])) for m in _FRAME.finditer(error["stack"][:_SHOWN]))
        at = next(((line, column) for line, column in places if line <= self.lines), None)
        return {"name": error["name"], "message": error["message"][:_SHOWN], "at": at}
