"""`wait:` of a node: so long, until a time, or for an event."""

from __future__ import annotations

import re
from datetime import datetime
from typing import Any, Protocol

from ... import ir
from ...expr.ast import Expr, Literal
from ...flow_yaml.durations import guess_duration, read_duration
from ...flow_yaml.shapes import Key, MapShape
from ...reading.tree import MapAt, Scalar, Value, brief
from ...source.source import Span

_EVENT_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_.-]{0,99}")
SHAPES: dict[str, MapShape] = {
    "seconds": MapShape(ir.Delay, (Key("seconds", "expression", "how long", required=True),)),
    "until": MapShape(
        ir.Moment, (Key("until", "template", "the time", field="at", required=True),)
    ),
    "event": MapShape(ir.Event, (
        Key("event", "text", "the name of the event", field="name", required=True),
        Key("timeout", "json", "how long it is waited for, such as `1h`"),
    )),
}  # fmt: skip
"""The mappings that say what is waited for, by the key that each has."""
_FORMS = "write `30s`, `{seconds: EXPRESSION}`, `{until: TIME}` or `{event: NAME, timeout: 1h}`"


class PauseReader(Protocol):
    """The reader of the file: of mappings, and of what is wrong."""

    def fields(
        self, mapping: MapAt, element: MapShape, what: str, *further: str
    ) -> dict[str, Any] | None: ...

    def wrong(self, key: Scalar, wanted: str, node: Value, help: str) -> None: ...

    def report(
        self, code: str, message: str, span: Span, help: str, *, near: str | None = None
    ) -> None: ...


def read_pause(
    key: Key, name: Scalar, node: Value, reader: PauseReader
) -> ir.Delay | ir.Moment | ir.Event | None:
    """Return what a node waits for."""
    if isinstance(node, Scalar) and not node.is_null:
        seconds = _duration(node, reader)
        return None if seconds is None else ir.Delay(seconds=_number(seconds), span=node.span)
    found = [k for k in SHAPES if isinstance(node, MapAt) and node.get(k) is not None]
    if not isinstance(node, MapAt) or not found:
        reader.wrong(name, "a length of time, a time or an event", node, _FORMS)
        return None
    if len(found) > 1:
        message = f"`{found[0]}` and `{found[1]}` are two things to wait for"
        reader.report("FC1005", message, node.span, "make two nodes of it, one after the other")
        return None
    if (into := next((k for k, _ in node.pairs if k.text == "into"), None)) is not None:
        help = f"write `into` beside `{name.text}`, as a key of the node"
        reader.report("FC1002", f"`{name.text}` has no key `into`", into.span, help)
        return None
    fields = reader.fields(node, SHAPES[found[0]], f"`{name.text}`")
    if fields is None:
        return None
    match found[0]:
        case "seconds":
            return _delay(fields["seconds"], node, reader)
        case "until":
            return _moment(fields["at"], node, reader)
        case _:
            return _event(fields["name"], node, reader)


def _duration(node: Scalar, reader: PauseReader) -> float | None:
    seconds = read_duration(node.text)
    if seconds is not None:
        return seconds
    message = f"`{brief(node.text)}` is not a length of time"
    near, help = guess_duration(node.text), _FORMS
    if near is not None:
        help = "a number has its unit: ms, s, m, h, d or w"
    elif "{{" in node.text:
        help = "write `{seconds: EXPRESSION}`, or `{until: TIME}`"
    elif _time_fault(node.text) != _NO_TIME:
        help = f"write `{{until: {brief(node.text)}}}`"
    reader.report("FC1005", message, node.span, help, near=near)
    return None


def _number(seconds: float) -> Expr:
    return Literal(value=int(seconds) if seconds == int(seconds) else seconds)


def _delay(seconds: Expr, node: MapAt, reader: PauseReader) -> ir.Delay | None:
    value = seconds.value if isinstance(seconds, Literal) else 0
    if isinstance(value, bool) or not isinstance(value, int | float) or value < 0:
        written = node.get("seconds")
        assert written is not None, "it was read"
        message = f"`seconds` is not `{brief(str(value))}`"
        reader.report("FC1005", message, written.span, "write a number that is 0 or more")
        return None
    return ir.Delay(seconds=seconds, span=node.span)


_NO_TIME = "a time is such as `2026-03-29T10:00:00+02:00`"


def _time_fault(text: str) -> str | None:
    """Return what a written time lacks; None when nothing."""
    try:
        time = datetime.fromisoformat(text.strip())
    except ValueError:
        return _NO_TIME
    if time.tzinfo is None:
        return f"say in which zone: `{brief(text.strip())}Z`, or with `+02:00` behind it"
    return None


def _moment(at: Expr, node: MapAt, reader: PauseReader) -> ir.Moment | None:
    written = node.get("until")
    assert written is not None, "it was read"
    fault = _time_fault(at.value) if isinstance(at, Literal) and isinstance(at.value, str) else None
    if fault is not None and isinstance(written, Scalar):
        message = f"`until` is not `{brief(written.text)}`"
        reader.report("FC1005", message, written.span, fault)
        return None
    return ir.Moment(at=at, span=node.span)


def _event(name: str, node: MapAt, reader: PauseReader) -> ir.Event | None:
    written, limit = node.get("event"), node.value("timeout")
    assert written is not None, "it was read"
    if not _EVENT_NAME.fullmatch(name):
        help = "write a name of letters, digits, `_`, `.` and `-`; placeholders do not count"
        message = f"`{brief(name)}` is not the name of an event"
        reader.report("FC1005", message, written.span, help)
        return None
    if limit is None:
        return ir.Event(name=name, span=node.span)
    if not isinstance(limit, Scalar):
        reader.report("FC1005", "`timeout` is a length of time", limit.span, "write such as `1h`")
        return None
    seconds = _duration(limit, reader)
    return None if seconds is None else ir.Event(name=name, timeout=seconds, span=node.span)
