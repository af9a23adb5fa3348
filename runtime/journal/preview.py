"""Abridged values: small enough to be kept beside an effect, and different where two differ.

A long text keeps its beginning, a long list both ends; a digest stands for what is left out.
"""

from __future__ import annotations

import difflib
import hashlib
import json
from collections.abc import Iterable

from ..errors import RunError
from ..secrets import redact
from ..services import Json

_TEXT = 400
_HEAD, _TAIL = 4, 16
"""Items of a long list that stay: of a conversation the end is what differs."""
_KEYS = 60
_DEPTH = 8
_WHOLE = 12_000
"""Characters of JSON, about, that an abridged value takes at most."""
_LINE = 160
_LINES = 24
_DIFFERS = "what was done is kept and not done again; `flowc fork RUN --at NODE` begins elsewhere"


def abridge(value: Json, hidden: Iterable[str] = ()) -> Json:
    """Return the JSON value with long texts, long lists and deep parts cut, and without the
    `hidden` texts. At most about 12 kB of JSON, however large the value is."""
    hidden = tuple(hidden)
    short = _short(value, hidden, 0)
    text = json.dumps(short, ensure_ascii=False)
    return short if len(text) <= _WHOLE else f"{text[:_WHOLE]}{_left_out(value, hidden)}"


def other_input(name: str, inputs: str | None, name_now: str, now: Json) -> RunError:
    """Return the error for a place of a visit that has another effect than the kept one, whose
    abridged input is JSON."""
    if name != name_now:
        return RunError(
            f"`{name}` was done here before the run stopped, now it is `{name_now}`", help=_DIFFERS
        )
    then = json.loads(inputs) if inputs else "(not kept)"
    return RunError(
        f"`{name}` was done with another input before the run stopped",
        help=f"{two_inputs(then, now)}\n{_DIFFERS}",
    )


def two_inputs(then: Json, now: Json) -> str:
    """Return two abridged values that differ, for a person: both when they are short, else their
    difference line by line."""
    before, after = _line(then), _line(now)
    if max(len(before), len(after)) <= _LINE:
        return f"then: {before}\nnow:  {after}"
    lines = difflib.unified_diff(_pretty(then), _pretty(now), "then", "now", n=1, lineterm="")
    shown = [line[:_LINE] for line in lines]
    more = [f"({len(shown) - _LINES} further lines)"] if len(shown) > _LINES else []
    return "\n".join([*shown[:_LINES], *more])


def _short(value: Json, hidden: tuple[str, ...], depth: int) -> Json:
    match value:
        case str():
            clean = redact(value, hidden)
            return clean if len(clean) <= _TEXT else f"{clean[:_TEXT]}{_left_out(clean, ())}"
        case list() | tuple() if len(value) > _HEAD + _TAIL + 1:
            ends = [*value[:_HEAD], *value[-_TAIL:]]
            short = [_short(item, hidden, depth + 1) for item in ends]
            middle = value[_HEAD:-_TAIL]
            return [
                *short[:_HEAD],
                f"{len(middle)} more{_left_out(middle, hidden)}",
                *short[_HEAD:],
            ]
        case list() | tuple() | dict() if depth >= _DEPTH:
            return _left_out(value, hidden)
        case list() | tuple():
            return [_short(item, hidden, depth + 1) for item in value]
        case dict():
            kept = list(value.items())[:_KEYS]
            short_keys = {
                redact(str(k), hidden)[:_TEXT]: _short(v, hidden, depth + 1) for k, v in kept
            }
            rest = dict(list(value.items())[_KEYS:])
            return {**short_keys, "…": _left_out(rest, hidden)} if rest else short_keys
    return value


def _left_out(value: Json, hidden: tuple[str, ...]) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
    digest = hashlib.sha256(redact(text, hidden).encode("utf-8", "surrogatepass")).hexdigest()
    return f"… [{len(text):,} characters, {digest[:12]}]"


def _line(value: Json) -> str:
    return json.dumps(value, ensure_ascii=False)


def _pretty(value: Json) -> list[str]:
    return json.dumps(value, ensure_ascii=False, indent=1).splitlines()
