"""YAML text from plain values, laid out for people: short mappings on one line, long texts as
blocks, quotes only where some YAML reader would take a text for something else.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

WIDTH = 100
_LONGEST_KEY = 200
"""Characters; a parser looks ahead no further than 1,024 for the colon."""

_STEP = "  "
_UNQUOTABLE = re.compile(
    "[^\t\n\x20-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]"
)
_ESCAPED = re.compile(rf'[\\"\n\t]|{_UNQUOTABLE.pattern}')
_SHORT = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\t": "\\t", "\r": "\\r"}
_LEXICAL = re.compile(
    r"""[^\s\-?:,\[\]{}#&*!|>'"%@`.=<~](?:[^\s:#]|[ ](?=[^\s#])|:(?=\S)|(?<=\S)\#)*+\Z"""
)
_FLOW_MARKS = re.compile(r"[,\[\]{}]|:(?=[,\[\]{}])")
_SOMETHING_ELSE = re.compile(
    r"(?:y|n|yes|no|on|off|true|false|null|undefined)\Z|[-+.0-9]", re.IGNORECASE
)
"""What some reader takes for another value: truth, null, what begins like a number or date."""


class PlainScalar(str):
    """An expression: written without quotes wherever it can be, whatever it looks like."""


class Inline(dict[str, Any]):
    """A mapping that stands on one line when it fits."""


class Spaced(list[Any]):
    """A list with blank lines between its items."""


class Sections(dict[str, Any]):
    """A mapping with a blank line before each entry of several lines."""


Value = Any
"""None, a truth value, number or text, or dicts and lists of these."""


def yaml_text(value: dict[str, Value]) -> str:
    """The document; `yaml` reads it as the same value."""
    return "\n".join(_block(value, "")) + "\n"


def _block(value: Value, indent: str) -> Iterator[str]:
    """The lines of a mapping or list that is not empty."""
    if isinstance(value, list):
        for number, item in enumerate(value):
            if number and isinstance(value, Spaced):
                yield ""
            yield from _hung(indent + "-", item, indent)
        return
    before: list[str] = []
    for name, item in value.items():
        lines = list(_hung(_key(name, indent), item, indent))
        if isinstance(value, Sections) and before and (len(lines) > 1 or len(before) > 1):
            yield ""
        yield from lines
        before = lines


def _hung(head: str, value: Value, indent: str) -> Iterator[str]:
    """A value behind `head`, which is a key with its colon or the dash of a list."""
    in_list = head.endswith("-")
    inline = _inline(value)
    if inline is not None and len(head) + 1 + len(inline) <= WIDTH:
        yield f"{head} {inline}"
    elif isinstance(value, dict | list):
        lines = _block(value, indent + _STEP)
        if in_list:
            first = next(lines)
            yield f"{head} {first.lstrip(' ')}"
        else:
            yield head
        yield from lines
    elif isinstance(value, str) and "\n" in value and _is_literal(value):
        yield f"{head} |{_indicator(value)}"
        for line in value.removesuffix("\n").split("\n"):
            yield f"{indent}{_STEP}{line}" if line else ""
    else:
        yield f"{head} {_scalar(value)}"


def _key(name: str, indent: str) -> str:
    text = _text(name, in_flow=False)
    return f"{indent}? {text}\n{indent}:" if len(text) > _LONGEST_KEY else f"{indent}{text}:"


def _inline(value: Value) -> str | None:
    """A value on one line; None when it has to stand on several."""
    match value:
        case {} if not value:
            return "{}"
        case [] if not value:
            return "[]"
        case Inline() if all(len(name) <= _LONGEST_KEY for name in value):
            parts = _all(_inside(item) for item in value.values())
            if parts is None:
                return None
            keys = (_text(name, in_flow=True) for name in value)
            return "{" + ", ".join(f"{k}: {v}" for k, v in zip(keys, parts, strict=True)) + "}"
        case list() if not isinstance(value, Spaced):
            if any(isinstance(item, dict | list) for item in value):
                return None
            parts = _all(_inside(item) for item in value)
            return None if parts is None else f"[{', '.join(parts)}]"
        case dict() | list():
            return None
        case str() if "\n" in value and _is_literal(value):
            return None
        case _:
            return _scalar(value)


def _inside(value: Value) -> str | None:
    if isinstance(value, str):
        return None if "\n" in value else _text(value, in_flow=True)
    return _inline(value)


def _all(parts: Iterable[str | None]) -> list[str] | None:
    listed = list(parts)
    found = [part for part in listed if part is not None]
    return found if len(found) == len(listed) else None


def _scalar(value: Value) -> str:
    match value:
        case None:
            return "null"
        case bool():
            return "true" if value else "false"
        case int():
            return str(value)
        case float():
            written = repr(value)
            # A YAML 1.1 reader takes `1e+16` for a text.
            return written if "." in written else written.replace("e", ".0e")
        case _:
            return _text(value, in_flow=False)


def _text(text: str, *, in_flow: bool) -> str:
    plain = _LEXICAL.match(text) is not None and _UNQUOTABLE.search(text) is None
    if in_flow and _FLOW_MARKS.search(text):
        plain = False
    if isinstance(text, PlainScalar):
        simple = re.fullmatch(r"-?[0-9.]+|true|false|null", text)
        plain = plain or simple is not None
    elif _SOMETHING_ELSE.match(text):
        plain = False
    if plain:
        return str(text)
    if ('"' in text or "\\" in text) and "\n" not in text and not _UNQUOTABLE.search(text):
        return "'" + text.replace("'", "''") + "'"
    return f'"{_ESCAPED.sub(_escape, text)}"'


def _escape(match: re.Match[str]) -> str:
    code = ord(match[0])
    return _SHORT.get(match[0]) or (f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}")


def _is_literal(text: str) -> bool:
    """Whether a block can hold the text; one that ends with several line ends would take up the
    blank lines behind it."""
    return (
        _UNQUOTABLE.search(text) is None and text.strip(" \t\n") != "" and not text.endswith("\n\n")
    )


def _indicator(text: str) -> str:
    depth = str(len(_STEP)) if text.lstrip("\n")[0] in " \t" else ""
    return depth + ("" if text.endswith("\n") else "-")
