"""What came of a call of a script: its result or a failure, with nothing in the answer believed.

Whatever a script has in its process it may change, also what writes the answer; in Python it may
write one itself. Names, types and sizes are compared with what the call was given.
"""

from __future__ import annotations

import signal
from dataclasses import dataclass
from typing import Any

from flowc.compiler.ir import Script
from flowc.compiler.lowering.graphspec import Place

from ...config.options import default
from ...errors import Failure
from ...services import Json, ScriptCall, ScriptResult
from ...state.frames import BadFrame, fields_of
from ...values import NotStorable, storable_object, storable_text, storable_value

_ANSWER: dict[str, type | tuple[type, ...]] = {
    "value": object,
    "shares": dict,
    "kept": (dict, type(None)),
    "threads": dict,
    "logs": list,
    "left": int,
}
"""The parts of an answer, with their types."""


@dataclass(frozen=True, slots=True)
class ScriptLimits:
    """The limits of one call: seconds by the clock and of the processor, bytes of memory,
    characters of its result, lines and characters of its log that are kept."""

    seconds: float = default("script_timeout")
    cpu: int = 10
    memory: int = 256 * 1024 * 1024
    result: int = 16 * 1024 * 1024
    log_lines: int = 200
    log_chars: int = 20_000


@dataclass(frozen=True, slots=True)
class Reply:
    """The reply of a worker to a call: where its function stands, and the answer. `ended` says how
    the worker ended instead: "time", "garbled" after what cannot be read, with the reason `why`, or
    "exit" with its exit code (negative: a signal)."""

    place: Any = None
    answer: dict[str, Any] | None = None
    ended: str = ""
    code: int = 0
    why: str = ""


def read_reply(call: ScriptCall, reply: Reply, limits: ScriptLimits) -> ScriptResult:
    """Return the result. Raise `Failure` for everything that is not one."""
    answer = reply.answer
    at = _place(call.script, reply.place)
    if reply.ended == "time":
        raise Failure(
            f"`{call.function}` took longer than {limits.seconds:g} s", "timeout", place=at
        )
    if reply.ended == "exit":
        raise _died(call, reply.code, limits, at)
    if not isinstance(answer, dict):
        why = reply.why or "it is not an object"
        raise Failure(f"the process of `{call.function}` gave no answer: {why}", place=at)
    if "missing" in answer:
        raise Failure(
            f"{call.script.file} has no function `{call.function}`",
            place=_place(call.script, [1, 1]),
        )
    error = answer.get("error")
    if isinstance(error, dict):
        raise _script_failure(call, error, limits, at)
    try:
        return _read(call, fields_of(answer, _ANSWER))
    except (BadFrame, NotStorable) as fault:
        raise Failure(f"what `{call.function}` gave cannot be kept: {fault}", place=at) from None


def _read(call: ScriptCall, answer: dict[str, Any]) -> ScriptResult:
    """Return the answer, with nothing in it believed: a script may have changed what wrote it."""
    kept = answer["kept"]
    threads = {}
    for name, change in answer["threads"].items():
        match change:
            case {"append": list() as messages} | {"reset": list() as messages}:
                known = name in call.threads and len(change) == 1
            case _:
                known = False
        if not known:
            raise NotStorable("a conversation was changed in an unknown way")
        threads[name] = {next(iter(change)): [_message(message) for message in messages]}
    logs = [_line(entry) for entry in answer["logs"]]
    if answer["left"]:
        logs.append(("warn", f"… {answer['left']} more lines are left out"))
    return ScriptResult(
        value=storable_value(answer["value"]),
        shares=_shares(call, storable_object(answer["shares"])),
        kept=None if kept is None else storable_object(kept),
        threads=threads,
        log=tuple(logs),
    )


def _shares(call: ScriptCall, changed: dict[str, Any]) -> dict[str, Any]:
    """Return what may have changed of the variables: of one that is fixed only the inside (J24)."""
    if unknown := sorted(changed.keys() - call.shares.keys()):
        raise NotStorable(f"it shares no variable `{unknown[0]}`")
    return {
        name: value
        for name, value in changed.items()
        if name not in call.fixed
        or (isinstance(value, dict | list) and type(value) is type(call.shares[name]))
    }


def _line(entry: object) -> tuple[str, str]:
    """Return one line of the log: its level and its text."""
    match entry:
        case [str() as level, str() as text]:
            return storable_text(level), storable_text(text)
    raise BadFrame("a line of its log is not a level and a text")


def _message(value: object) -> dict[str, Any]:
    fields_of(value, {"role": str, "content": str})
    assert isinstance(value, dict)
    return storable_object(value)


def _script_failure(
    call: ScriptCall, error: dict[str, Any], limits: ScriptLimits, place: Place | None
) -> Failure:
    """Return what a script raised, in its own words (J30); the engine's own limits in ours."""
    name, message = str(error.get("name", "")), str(error.get("message", ""))
    at = _place(call.script, error.get("at")) or place
    megabytes = limits.memory // (1024 * 1024)
    if name == "InternalError" and message == "interrupted":
        text = f"`{call.function}` used more than {limits.cpu} s of processor time"
        return Failure(text, "timeout", place=at)
    if name == "MemoryError" or message == "out of memory":
        return Failure(f"`{call.function}` needs more than {megabytes} MB of memory", place=at)
    if not name and message in ("", "null"):
        text = f"`{call.function}` raised null, or needs more than {megabytes} MB of memory"
        return Failure(text, place=at)
    return Failure(f"{name}: {message}" if name not in ("", "Error") else message, place=at)


def _died(call: ScriptCall, code: int, limits: ScriptLimits, at: Place | None) -> Failure:
    if code == -signal.SIGXCPU:
        text = f"`{call.function}` used more than {limits.cpu} s of processor time"
        return Failure(text, "timeout", place=at)
    name = signal.Signals(-code).name if -code in set(signal.Signals) else -code
    how = f"signal {name}" if code < 0 else "an exit of its own"
    return Failure(f"the process of `{call.function}` ended with {how}", place=at)


def _place(script: Script, at: Json) -> Place | None:
    """Return [line, column] of the script's text as a place in its file."""
    match at:
        case [int() as line, int() as column]:
            line, column = script.line - 1 + max(line, 1), script.indent + max(column, 1)
        case _:
            return None
    return Place(file=script.file, line=line, column=column, end_line=line, end_column=column + 1)
