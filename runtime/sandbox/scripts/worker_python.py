"""Calls of functions in Python, in a process of their own: see worker.py.

The same functions, `self` as `this`. The process is new for each call, so that the state that
crosses as JSON is the only one there is.
"""

from __future__ import annotations

import io
import json
import random
import sys
import traceback
import types
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from typing import Any

MAX_DEPTH = 200
Send = Callable[[str], None]
Json = Any


def server(module: str, memory: int) -> Callable[[dict[str, Any], str, Send], None]:
    """Return what answers a call."""

    def serve(job: dict[str, Any], arguments: str, send: Send) -> None:
        output = io.StringIO()
        with redirect_stdout(output), redirect_stderr(output):
            answer = _answer({**job, "call": json.loads(arguments)}, send)
        setting = job["setting"]
        lines = output.getvalue()[: setting["logChars"]].splitlines()
        shown_lines = lines[: setting["logLines"]]
        logs = [["info", line] for line in shown_lines]
        text = json.dumps({**answer, "logs": logs, "left": len(lines) - len(shown_lines)})
        if len(text) > setting["resultChars"]:
            message = f"it gave more than {setting['resultChars']} characters"
            text = json.dumps({"error": {"name": "", "message": message, "at": None}})
        send(text)

    return serve


class WorkflowContext:
    """A conversation, with the methods that it has in JavaScript (J11 to J13, J27)."""

    def __init__(self, given: dict[str, Any]) -> None:
        self._messages: list[dict[str, Any]] = list(given["messages"])
        self._max_chars, self._keep_min = given["max_chars"], given["keep_min"]
        self._before, self._fresh = len(self._messages), False

    def addMessage(self, role: Any, content: Any = None) -> None:
        """Add a message: of a role and a content, or of one message with both."""
        message = dict(role) if isinstance(role, dict) else {"role": role, "content": content}
        for key in ("role", "content"):
            if not isinstance(message.get(key), str) or not message[key]:
                raise TypeError("a message needs a role and a content that is not empty")
        self._messages.append(message)
        total = sum(_length(one) for one in self._messages)
        others = sum(one["role"] != "system" for one in self._messages)
        if self._max_chars is None or total <= self._max_chars or others <= self._keep_min:
            return
        systems, rest = [], []
        for one in self._messages:
            if one["role"] == "system":
                systems.append(one)
            elif total > self._max_chars and others > self._keep_min:
                total -= _length(one)
                others -= 1
            else:
                rest.append(one)
        self._messages, self._fresh = [*systems, *rest], True

    def getMessages(self) -> list[dict[str, Any]]:
        """Return copies of all messages."""
        return [dict(message) for message in self._messages]

    def getMessagesByRole(self, role: str) -> list[dict[str, Any]]:
        """Return copies of the messages of one role."""
        return [dict(message) for message in self._messages if message["role"] == role]

    def getLastMessage(self) -> dict[str, Any] | None:
        """Return a copy of the last message."""
        return dict(self._messages[-1]) if self._messages else None

    def hasMessages(self) -> bool:
        """Tell whether there is a message."""
        return bool(self._messages)

    def clearMessages(self) -> None:
        """Drop all messages."""
        self._messages, self._fresh = [], True

    def _changes(self) -> dict[str, Any] | None:
        if self._fresh:
            return {"reset": self._messages}
        added = self._messages[self._before :]
        return {"append": added} if added else None


class This:
    """The `self` of a function."""


def _length(message: dict[str, Any]) -> int:
    content = message.get("content")
    return len(content) if isinstance(content, str) else 0


def _answer(job: dict[str, Any], send: Send) -> dict[str, Any]:
    random.seed(",".join(map(str, job["setting"]["seed"])))
    module = types.ModuleType("script")
    sys.modules["script"] = module
    placed = False
    try:
        exec(compile(job["source"], job["file"], "exec"), module.__dict__)
        function = vars(module).get(job["function"])
        if not isinstance(function, types.FunctionType):
            send("null")
            placed = True
            return {"missing": True}
        send(json.dumps([function.__code__.co_firstlineno, 1]))
        placed = True
        return _call(function, vars(module), job["call"])
    except BaseException as error:  # whatever a script does, its caller is told
        if not placed:
            send("null")
        return {"error": _failure(error, job["file"])}


def _call(function: Any, names: dict[str, Any], call: dict[str, Any]) -> dict[str, Any]:
    this = This()
    siblings = {
        k: types.MethodType(f, this) for k, f in names.items() if isinstance(f, types.FunctionType)
    }
    contexts = {name: WorkflowContext(values) for name, values in call["threads"].items()}
    values = {**call["kept"], **call["shares"]}
    before = {key: json.dumps(value) for key, value in values.items()}
    vars(this).update({**siblings, **values, "workflow_contexts": contexts})
    value = function(this, *call["args"])
    state = {**vars(this), **{name: call["shares"][name] for name in call["fixed"]}}
    shares = {}
    for name in call["shares"]:
        now = _clean(state.get(name), f"self.{name}", 0)
        if json.dumps(now) != before[name]:
            shares[name] = now
    own = {k: v for k, v in vars(this).items() if k not in siblings and k not in call["shares"]}
    own.pop("workflow_contexts", None)
    kept = {key: _clean(v, f"self.{key}", 0) for key, v in own.items()}
    changed = {name: context._changes() for name, context in contexts.items()}
    return {
        "value": _clean(value, "what it returned", 0) if call["wants"] else None,
        "shares": shares,
        "kept": None if json.dumps(kept) == json.dumps(call["kept"]) else kept,
        "threads": {n: _clean(c, n, 0) for n, c in changed.items() if c is not None},
    }


def _clean(value: Any, path: str, depth: int) -> Json:
    """Return the value, if it is one of JSON. Raise TypeError that names where it is not."""
    if value is None or isinstance(value, str | bool | int):
        return value
    if isinstance(value, float):
        if value - value != 0:
            raise TypeError(f"{path} is {value}, which is not a JSON value")
        return value
    if depth > MAX_DEPTH:
        raise TypeError(f"{path} holds itself, or is nested more than {MAX_DEPTH} levels deep")
    if isinstance(value, list | tuple):
        return [_clean(item, f"{path}[{n}]", depth + 1) for n, item in enumerate(value)]
    if isinstance(value, dict) and all(isinstance(key, str) for key in value):
        return {key: _clean(item, f"{path}.{key}", depth + 1) for key, item in value.items()}
    raise TypeError(f"{path} holds a {type(value).__name__}, which is not a JSON value")


def _failure(error: BaseException, file: str) -> dict[str, Any]:
    at = None
    for frame in traceback.extract_tb(error.__traceback__):
        if frame.filename == file and frame.lineno:
            at = (frame.lineno, (frame.colno or 0) + 1)
    if isinstance(error, SyntaxError) and error.filename == file and error.lineno:
        at = (error.lineno, error.offset or 1)
        return {"name": "SyntaxError", "message": error.msg, "at": at}
    name = type(error).__name__
    return {"name": "" if type(error) is Exception else name, "message": str(error), "at": at}
