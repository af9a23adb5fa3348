"""JSON text to a tree that knows where everything stands, with recovery.

Lark's LALR parser is fed token by token; a scalar is its own token. A token that does not fit is
one fault: what is missing is put in or what is too much is dropped, and reading goes on. Further
faults on the same line are not reported, since they mostly follow from the first.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from dataclasses import field
from typing import Any, ClassVar, cast

from flowc.grammar import load
from flowc.grammar.driving import Driver
from flowc.grammar.json_lexing import tokens
from lark import Transformer

from ..source.records import dataclass


@dataclass(slots=True, eq=False)
class Scalar:
    """A text, number, truth value or null at `start` to `end`; a text's quotes are part of it."""

    value: str | int | float | bool | None
    start: int
    end: int
    type: ClassVar[str] = "SCALAR"


@dataclass(slots=True, eq=False)
class Member:
    """A key of an object and its value; `start` to `end` is the key with its quotes."""

    key: str
    value: JsonNode
    start: int
    end: int


@dataclass(slots=True, eq=False)
class ObjectAt:
    """An object. A key that stands twice is in `members` twice."""

    members: list[Member]
    start: int
    end: int


@dataclass(slots=True, eq=False)
class ListAt:
    """A list."""

    items: list[JsonNode]
    start: int
    end: int


JsonNode = Scalar | ObjectAt | ListAt


@dataclass(frozen=True, slots=True)
class JsonFault:
    """A place that is not JSON, and what to write there."""

    message: str
    start: int
    end: int
    help: str


@dataclass(slots=True, eq=False)
class _Mark:
    """A token that is not a value: a bracket, a comma, or a key with its text."""

    type: str
    start: int
    end: int
    text: str = ""


_Feed = Scalar | _Mark
_WORDS: dict[str, bool | None] = {"true": True, "false": False, "null": None}
_OTHER_WORDS: dict[str, bool | None] = {
    "True": True, "TRUE": True, "False": False, "FALSE": False,
    "None": None, "NULL": None, "Null": None, "undefined": None,
}  # fmt: skip
_MATCHING = {"OPEN_OBJECT": "CLOSE_OBJECT", "OPEN_LIST": "CLOSE_LIST"}
_CLOSING = frozenset(_MATCHING.values())
_SIGNS = {"OPEN_OBJECT": "{", "CLOSE_OBJECT": "}", "OPEN_LIST": "[", "CLOSE_LIST": "]"}
_PLAIN = frozenset({"COMMA", *_SIGNS})
_VALUES = frozenset({"SCALAR", "OPEN_OBJECT", "OPEN_LIST"})
_BEFORE_CLOSE = re.compile(r"[ \t\r\n]*+:\Z")
_SURROGATE = re.compile("[\ud800-\udfff]")
_DIGITS = 300
"""A longer integer is refused: no reader keeps its value."""


def parse_json(text: str) -> tuple[JsonNode | None, list[JsonFault]]:
    """Return the tree of a JSON text and its faults; None when there is no value."""
    reading = _Reading(text)
    for token in reading.tokens():
        reading.take(token)
    return reading.finish(), reading.faults


class _Build(Transformer[Any, Any]):
    """Build nodes while parsing."""

    def object(self, parts: list[Any]) -> ObjectAt:
        return ObjectAt(parts[1:-1:2], parts[0].start, parts[-1].end)

    def array(self, parts: list[Any]) -> ListAt:
        return ListAt(parts[1:-1:2], parts[0].start, parts[-1].end)

    def member(self, parts: list[Any]) -> Member:
        key, value = parts
        return Member(key.text, value, key.start, key.end)


_BUILD = _Build()


@dataclass(slots=True)
class _Reading:
    """One text while it is read. `open` are the brackets that wait for their ends."""

    text: str
    faults: list[JsonFault] = field(default_factory=list)
    open: list[_Mark] = field(default_factory=list)
    before: _Feed | None = None
    done: bool = False
    silent_until: int = 0
    parser: Driver = field(
        default_factory=lambda: Driver(load("json", lexer="basic", transformer=_BUILD))
    )

    def tokens(self) -> Iterator[_Feed]:
        """Yield what is fed to the parser; report faults inside tokens on the way."""
        text, plain = self.text, _PLAIN
        for kind, start, end in tokens(text):
            if kind in plain:
                yield _Mark(kind, start, end)
            elif kind == "TEXT":
                yield Scalar(self._decode(start, end), start, end)
            elif kind == "KEY":
                yield self._key(start, end)
            elif kind == "NUMBER":
                yield Scalar(self._number(start, end), start, end)
            elif kind == "WORD":
                yield Scalar(_WORDS[text[start:end]], start, end)
            elif kind != "END":
                yield from self._odd(kind, start, end)

    def fault(self, message: str, start: int, end: int, help: str) -> None:
        if start >= self.silent_until:
            self.faults.append(JsonFault(message, start, end, help))
            line_end = self.text.find("\n", start)
            self.silent_until = line_end if line_end >= 0 else len(self.text)

    def take(self, token: _Feed) -> None:
        """Feed a token, with what is missing before it; drop one that fits nowhere."""
        if self.done:
            self.fault(
                "the file goes on after its value", token.start, token.end, "remove what follows"
            )
            self.silent_until = len(self.text)
            return
        if not self._feed(token) and self._repair(token):
            self._feed(token)

    def finish(self) -> JsonNode | None:
        """Close what is open and return the tree."""
        if self.before is None:
            return None
        if self.open:
            self._report_unclosed()
        while self.open:
            if self.before.type == "KEY":
                self._feed(Scalar(None, self.before.end, self.before.end))
            elif self.before.type == "COMMA":
                self.parser.pop()
            self._feed(_Mark(_MATCHING[self.open[-1].type], len(self.text), len(self.text)))
        return cast(JsonNode, self.parser.finish())

    def _report_unclosed(self) -> None:
        at, end = self.open[-1], len(self.text.rstrip())
        sign = _SIGNS[at.type]
        closing = _SIGNS[_MATCHING[at.type]]
        if self.silent_until <= len(self.text):
            self.silent_until = 0
        self.fault(
            f"`{sign}` is not closed: the file ends too early",
            at.start,
            at.end,
            f"write `{closing}` where it ends; the last character is at the end of line "
            f"{self.text.count(chr(10), 0, end) + 1}",
        )

    def _feed(self, token: _Feed) -> bool:
        """Take the token when it fits here, and return whether it did."""
        if not self.parser.feed(token):
            return False
        self.before = token
        kind = token.type
        if kind in _MATCHING:
            self.open.append(cast(_Mark, token))
        elif kind in _CLOSING:
            self.open.pop()
        self.done = not self.open
        return True

    def _repair(self, token: _Feed) -> bool:
        """Report why a token does not fit and make room for it; False: drop it."""
        before, kind = self.before, token.type
        if before is None:
            message = f"{_describe(token)} stands where a value belongs"
            self.fault(message, token.start, token.end, "begin the file with `{`")
            return False
        inside = self.open[-1].type
        if before.type == "KEY" and not (kind in _VALUES or kind == "KEY"):
            self._add_value(before)
            return self._again(token)
        if before.type == "COMMA" and kind.startswith("CLOSE"):
            self.fault("a comma before the end", before.start, before.end, "remove it")
            self.parser.pop()
            self.before = Scalar(None, before.start, before.start)
            return self._again(token)
        if kind == "COMMA":
            self.fault("there is nothing before this comma", token.start, token.end, "remove it")
            return False
        if kind.startswith("CLOSE"):
            return self._close(token)
        return self._value_or_key(token, inside, before)

    def _value_or_key(self, token: _Feed, inside: str, before: _Feed) -> bool:
        """Repair a value where a key belongs, a key where a value belongs, or a missing comma."""
        if inside == "OPEN_LIST" and token.type == "KEY":
            text = _short(cast(_Mark, token).text)
            help = "put `{` and `}` around keys and their values"
            self.fault(f"`{text}` is a key, and a list has none", token.start, token.end, help)
            return False
        if inside == "OPEN_OBJECT" and token.type in _VALUES and before.type != "KEY":
            return self._as_key(token, before)
        if before.type == "KEY":
            self._add_value(before)
        else:
            end = before.end
            self.fault(
                "there is no comma behind this", max(before.start, end - 1), end, "write `,`"
            )
        self._feed(_Mark("COMMA", token.start, token.start))
        return True

    def _add_value(self, key: _Feed) -> None:
        message = f"`{_short(cast(_Mark, key).text)}` has no value"
        self.fault(message, key.start, key.end, "write a value after the colon")
        self._feed(Scalar(None, key.end, key.end))

    def _as_key(self, token: _Feed, before: _Feed) -> bool:
        """Take a text without a colon as a key whose value may follow; give other values an empty
        key."""
        help = 'write `"key": value`, with a comma between two of them'
        if before.type not in ("COMMA", "OPEN_OBJECT"):
            self._feed(_Mark("COMMA", token.start, token.start))
        if isinstance(token, Scalar) and isinstance(token.value, str):
            text = token.value
            self.fault(f"`{_short(text)}` has no colon after it", token.start, token.end, help)
            self._feed(_Mark("KEY", token.start, token.end, text))
            return False
        what = _describe(token)
        self.fault(f"{what} stands where a key belongs", token.start, token.end, help)
        self._feed(_Mark("KEY", token.start, token.start))
        return True

    def _close(self, token: _Feed) -> bool:
        """Repair a closing bracket of the other kind: close what stands between, or drop it."""
        inside = self.open[-1]
        sign, wanted = _SIGNS[token.type], _SIGNS[_MATCHING[inside.type]]
        help = f"write `{wanted}` before it, or in its place"
        self.fault(f"`{sign}` does not close `{_SIGNS[inside.type]}`", token.start, token.end, help)
        outer = len(self.open) > 1 and _MATCHING[self.open[-2].type] == token.type
        kind = _MATCHING[inside.type]
        self._feed(_Mark(kind, token.start, token.start if outer else token.end))
        return outer

    def _again(self, token: _Feed) -> bool:
        """Return whether a token fits by now; do not report a second fault at one place."""
        if token.type.startswith("CLOSE") and token.type != _MATCHING[self.open[-1].type]:
            return self._close(token)
        return True

    def _key(self, start: int, end: int) -> _Mark:
        close = end - 1
        while self.text[close] != '"':
            close -= 1
        return _Mark("KEY", start, close + 1, self._decode(start, close + 1))

    def _decode(self, start: int, end: int) -> str:
        raw = self.text[start + 1 : end - 1]
        if "\\" not in raw:
            return raw
        try:
            value: str = json.loads(self.text[start:end])
        except json.JSONDecodeError as error:
            at = start + min(error.pos, end - start - 2)
            help = r"an escape is one of \" \\ \/ \b \f \n \r \t \uXXXX; write `\\` for a backslash"
            self.fault(f"`{self.text[at : at + 2]}` is not an escape in JSON", at, at + 2, help)
            return raw
        if _SURROGATE.search(value):
            help = "write both halves, as in `\\ud83d\\ude00`, or the character itself"
            self.fault("an escape is only half of a character", start, end, help)
            return _SURROGATE.sub("\ufffd", value)
        return value

    def _number(self, start: int, end: int) -> int | float:
        raw = self.text[start:end]
        whole = raw.lstrip("-").isdigit()
        value = math.inf if end - start > _DIGITS else int(raw) if whole else float(raw)
        if not math.isfinite(value):
            self.fault("the number is too large", start, end, "write it as a text, in quotes")
            return 0
        return value

    def _odd(self, kind: str, start: int, end: int) -> Iterator[_Feed]:
        """Report what JSON does not have, and yield what was probably meant."""
        raw = self.text[start:end]
        shown = f"`{_short(raw)}`"
        match kind:
            case "COMMENT":
                self.fault("JSON has no comments", start, end, "remove it")
            case "COLON":
                self.fault("`:` has no key before it", start, end, 'write `"key": value`')
            case "LOOSE_KEY":
                key = _BEFORE_CLOSE.sub("", raw)
                end = start + len(key)
                bare = key.strip("\"'")
                help = f'write `"{_short(bare)}"`'
                self.fault(f"the key `{_short(key)}` {_why(key)}", start, end, help)
                yield _Mark("KEY", start, end, bare)
            case "LOOSE_TEXT":
                help = "write it between double quotes, a tab as `\\t`"
                self.fault(f"the text {shown} {_why(raw)}", start, end, help)
                yield Scalar(raw[1:-1], start, end)
            case "UNENDED":
                help = 'close it with `"` on the same line; a line break inside is `\\n`'
                self.fault("the text is not closed", start, start + 1, help)
                # Where the quotes of the rest belong is anybody's guess.
                self.silent_until = len(self.text) + 1
                yield Scalar(raw[1:].rstrip(), start, end)
            case _ if raw in _OTHER_WORDS:
                value = _OTHER_WORDS[raw]
                meant = {True: "true", False: "false", None: "null"}[value]
                self.fault(f"{shown} is not a word of JSON", start, end, f"write `{meant}`")
                yield Scalar(value, start, end)
            case _:
                help = "write a text in double quotes, a number, true, false or null"
                self.fault(f"{shown} is not a value", start, end, help)
                yield Scalar(raw, start, end)


def _why(raw: str) -> str:
    if raw[0] == '"':
        return "holds a control character"
    return "stands in single quotes" if raw[0] == "'" else "has no quotes"


def _describe(token: _Feed) -> str:
    if isinstance(token, Scalar):
        return f"the text `{_short(token.value)}`" if isinstance(token.value, str) else "a value"
    return f"`{_SIGNS.get(token.type) or _short(token.text) or ','}`"


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= 40 else line[:39] + "…"
