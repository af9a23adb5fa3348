"""Drift: a run asks for something else than when it was recorded, as a difference of lines."""

from __future__ import annotations

import difflib
import json
from collections.abc import Mapping
from itertools import zip_longest
from typing import Any, cast

from ..errors import RunError
from ..services import Json
from .format import Exchange, digest_of

DRIFT = 1
"""The exit code of a run that differs from its recording: a finding."""
_WHAT = {
    "model": "what the model is asked",
    "tool": "the arguments of the tool",
    "command": "the command",
    "script": "what the script is called with",
    "file": "the file",
}
Offers = Mapping[str, Json]
"""Tools as models see them, by the names that exchanges use."""


def drift(message: str) -> RunError:
    """Return the error for an exchange that the recording does not hold."""
    return RunError(message, help="record the run anew with --record", exit_code=DRIFT)


def refuse_drift(
    exchange: Exchange, inputs: dict[str, Json], path: str, then: Offers, now: Offers
) -> None:
    """Raise `RunError` with the first difference between the recorded and the present inputs.
    `path` is the cassette's; `then` and `now` are the tools as they were and are."""
    if exchange.body.get("digest") == digest_of(inputs):
        return
    old = exchange.body.get("given", {})
    if digest_of(old) == digest_of(inputs):
        raise RunError(
            f"{path}:{exchange.line}: the digest does not belong to what is written below it",
            help="take the edit back, or take out the line of the digest",
        )
    what, before, after = _first_difference(exchange, old, inputs, then, now)
    raise RunError(
        f"{name_of(exchange)}: {what} is not what was recorded",
        help="restore it, or record the run anew with --record",
        exit_code=DRIFT,
        diff=tuple(
            difflib.unified_diff(
                before.splitlines(),
                after.splitlines(),
                f"recorded ({path}:{exchange.line})",
                "now",
                lineterm="",
            )
        ),
    )


def name_of(exchange: Exchange) -> str:
    """Return the exchange's name for people: `PROMPT_PLAN` (visit 2, exchange 3)."""
    parts = [f"visit {exchange.visit}"] if exchange.visit > 1 else []
    parts += [f"attempt {exchange.attempt}"] if exchange.attempt > 1 else []
    parts += [f"exchange {exchange.number}"] if exchange.number != 1 else []
    return f"`{exchange.place}`" + (f" ({', '.join(parts)})" if parts else "")


def _entries(inputs: dict[str, Json], name: str) -> list[Any]:
    """Return the messages, or the names of the tools, of a model's inputs."""
    return cast("list[Any]", inputs.get(name) or [])


def _first_difference(
    exchange: Exchange, old: dict[str, Json], new: dict[str, Json], then: Offers, now: Offers
) -> tuple[str, str, str]:
    """Return what differs, as it was, and as it is: of a conversation the first such message."""
    if exchange.kind == "model":
        pairs = zip_longest(_entries(old, "messages"), _entries(new, "messages"))
        for number, (was, is_) in enumerate(pairs, start=1):
            if was != is_:
                role = (is_ or was or {}).get("role", "?")
                return f"message {number} ({role})", _message(was), _message(is_)
        if old.get("tools") != new.get("tools"):
            return _tool_difference(_entries(old, "tools"), _entries(new, "tools"), then, now)
    what = _WHAT.get(exchange.kind, "what is asked")
    for name in dict.fromkeys((*old, *new)):
        if old.get(name) != new.get(name):
            label = what if name in ("messages", "args", "command", "text") else f"`{name}`"
            return label, _text(old.get(name)), _text(new.get(name))
    return what, _text(old), _text(new)


def _tool_difference(
    old: list[Json], new: list[Json], then: Offers, now: Offers
) -> tuple[str, str, str]:
    """Compare the tools by name, and the descriptions of the first with another one."""
    before, after = ({str(one).partition(" ")[0]: str(one) for one in s} for s in (old, new))
    for name in before:
        if name in after and before[name] != after[name]:
            was, is_ = then.get(before[name]), now.get(after[name])
            return f"what is told of the tool `{name}`", _text(was), _text(is_)
    return "the list of tools", "\n".join(before), "\n".join(after)


def _message(message: Any) -> str:
    """Return a message as text: its role, its content, its other fields."""
    if message is None:
        return ""
    if not isinstance(message, dict):
        return _text(message)
    rest = {key: value for key, value in message.items() if key not in ("role", "content")}
    content = _text(message.get("content", ""))
    return "\n".join([f"[{message.get('role', '?')}]", content, *([_text(rest)] if rest else [])])


def _text(value: Json) -> str:
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    return json.dumps(value, ensure_ascii=False, indent=1, sort_keys=True)
