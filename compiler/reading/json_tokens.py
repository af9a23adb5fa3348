"""JSON text to tokens that the parser takes, and the faults inside of tokens.

What JSON does not have (a word without quotes, a comment, a text in single quotes) is reported,
with what repairs it, and becomes the token that was probably meant.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from dataclasses import field
from typing import ClassVar, TypeVar

from flowc.grammar.json_lexing import tokens

from ..diagnostics.diagnostic import Fix
from ..source.records import dataclass
from ..source.source import Source
from .tree import NUMBER, Scalar


@dataclass(frozen=True, slots=True)
class JsonFault:
    """A place that is not JSON, and what to write there; `first` is the key that stands twice."""

    message: str
    start: int
    end: int
    help: str
    fix: Fix | None = None
    first: Scalar | None = None


class KeyToken(Scalar):
    """The token of a key with its colon; `start` to `end` is the key with its quotes."""

    __slots__ = ()
    type: ClassVar[str] = "KEY"


@dataclass(slots=True, eq=False)
class Mark:
    """A token that is neither a value nor a key: a bracket or a comma."""

    type: str
    start: int
    end: int
    reading: TokenReader = field(repr=False)


Feed = Scalar | Mark
_S = TypeVar("_S", bound=Scalar)
_OTHER_WORDS = {
    "True": "true", "TRUE": "true", "False": "false", "FALSE": "false",
    "None": "null", "NULL": "null", "Null": "null", "undefined": "null",
}  # fmt: skip
SIGNS = {"OPEN_OBJECT": "{", "CLOSE_OBJECT": "}", "OPEN_LIST": "[", "CLOSE_LIST": "]"}
_PLAIN = frozenset({"COMMA", *SIGNS})
_BEFORE_CLOSE = re.compile(r"[ \t\r\n]*+:\Z")
_OTHER_NUMBER = re.compile(r"\+?(-?)\+?(\d{0,20})((?:\.\d{0,20})?)")
_SURROGATE = re.compile("[\ud800-\udfff]")
_DIGITS = 300
"""A longer integer is refused: no reader keeps its value."""


@dataclass(slots=True)
class TokenReader:
    """One text while it is read. Until `silent_until` further faults are not reported."""

    source: Source
    faults: list[JsonFault] = field(default_factory=list)
    silent_until: int = 0

    @property
    def text(self) -> str:
        return self.source.text

    def fault(self, message: str, start: int, end: int, help: str, fix: Fix | None = None) -> None:
        if start >= self.silent_until:
            self.faults.append(JsonFault(message, start, end, help, fix))
            line_end = self.text.find("\n", start)
            self.silent_until = line_end if line_end >= 0 else len(self.text)

    def fix(self, start: int, end: int, text: str, title: str, *, safe: bool = True) -> Fix:
        return Fix(title, self.source.span(start, end), text, safe)

    def tokens(self) -> Iterator[Feed]:
        """Yield what is fed to the parser; report faults inside tokens on the way."""
        text, source, plain = self.text, self.source, _PLAIN
        for kind, start, end in tokens(text):
            if kind in plain:
                yield Mark(kind, start, end, self)
            elif kind == "TEXT":
                yield Scalar(self._decode(start, end), start, end, '"', source)
            elif kind == "KEY":
                yield self._key(start, end)
            elif kind == "NUMBER":
                yield Scalar(self._number(start, end), start, end, "", source)
            elif kind == "WORD":
                yield Scalar(text[start:end], start, end, "", source)
            elif kind != "END":
                yield from self._odd(kind, start, end)

    def _key(self, start: int, end: int) -> KeyToken:
        close = end - 1
        while self.text[close] != '"':
            close -= 1
        return self.text_token(KeyToken, self._decode(start, close + 1), start, close + 1)

    def text_token(self, kind: type[_S], text: str, start: int, end: int) -> _S:
        return kind(text, start, end, '"', self.source)

    def nothing(self, at: int) -> Scalar:
        return Scalar("null", at, at, "", self.source)

    def _decode(self, start: int, end: int) -> str:
        raw = self.text[start + 1 : end - 1]
        if "\\" not in raw:
            return raw
        try:
            value: str = json.loads(self.text[start:end])
        except json.JSONDecodeError as error:
            at = start + min(error.pos, end - start - 2)
            help = r"an escape is one of \" \\ \/ \b \f \n \r \t \uXXXX; write `\\` for a backslash"
            fix = self.fix(at, at, "\\", r"write `\\`", safe=False)
            self.fault(
                f"`{self.text[at : at + 2]}` is not an escape in JSON", at, at + 2, help, fix
            )
            return raw
        if _SURROGATE.search(value):
            help = "write both halves, as in `\\ud83d\\ude00`, or the character itself"
            self.fault("an escape is only half of a character", start, end, help)
            return _SURROGATE.sub("\ufffd", value)
        return value

    def _number(self, start: int, end: int) -> str:
        raw = self.text[start:end]
        if end - start > _DIGITS or not math.isfinite(float(raw)):
            self.fault("the number is too large", start, end, "write it as a text, in quotes")
            return "0"
        return raw if NUMBER.match(raw) else repr(float(raw))

    def _odd(self, kind: str, start: int, end: int) -> Iterator[Feed]:
        """Report what JSON does not have, and yield what was probably meant."""
        raw = self.text[start:end]
        shown = f"`{excerpt(raw)}`"
        fix: Fix | None
        match kind:
            case "COMMENT":
                fix = self.fix(start, end, "", "remove the comment", safe=False)
                self.fault("JSON has no comments", start, end, "remove it", fix)
            case "PARENTHESIS":
                meant = "[" if raw == "(" else "]"
                fix = self.fix(start, end, meant, f"write `{meant}`")
                self.fault(f"{shown} is not a bracket of JSON", start, end, f"write `{meant}`", fix)
                yield Mark("OPEN_LIST" if raw == "(" else "CLOSE_LIST", start, end, self)
            case "COLON":
                self.fault("`:` has no key before it", start, end, 'write `"key": value`')
            case "LOOSE_KEY":
                key = _BEFORE_CLOSE.sub("", raw)
                end = start + len(key)
                bare = key.strip("\"'")
                help = f'write `"{excerpt(bare)}"`'
                fix = self._quoting_fix(start, end, bare)
                self.fault(f"the key `{excerpt(key)}` {_why(key)}", start, end, help, fix)
                yield self.text_token(KeyToken, bare, start, end)
            case "LOOSE_TEXT":
                help = "write it between double quotes, a tab as `\\t`"
                fix = self._quoting_fix(start, end, raw[1:-1])
                self.fault(f"the text {shown} {_why(raw)}", start, end, help, fix)
                yield self.text_token(Scalar, raw[1:-1], start, end)
            case "UNENDED":
                self._report_unended(raw, start)
                yield self.text_token(Scalar, raw[1:].rstrip(), start, end)
            case _ if raw in _OTHER_WORDS:
                meant = _OTHER_WORDS[raw]
                fix = self.fix(start, end, meant, f"write `{meant}`")
                self.fault(f"{shown} is not a word of JSON", start, end, f"write `{meant}`", fix)
                yield Scalar(meant, start, end, "", self.source)
            case _ if not raw.strip():
                message = f"a blank of another kind stands here: U+{ord(raw[0]):04X}"
                fix = self.fix(start, end, " ", "write a plain blank")
                self.fault(message, start, end, "write a plain blank", fix)
            case _:
                help = "write a text in double quotes, a number, true, false or null"
                fix = self._number_fix(start, end)
                help = fix.title if fix else help
                fix = fix or self._quoting_fix(start, end, raw, safe=False)
                self.fault(f"{shown} is not a value", start, end, help, fix)
                yield self.text_token(Scalar, raw, start, end)

    def _quoting_fix(self, start: int, end: int, bare: str, *, safe: bool = True) -> Fix | None:
        """Return the fix that puts a text into double quotes; None where it holds escapes, which
        may mean something else outside of JSON."""
        if "\\" in bare or '"' in bare:
            return None
        text = json.dumps(bare, ensure_ascii=False)
        return self.fix(start, end, text, f"write `{excerpt(text)}`", safe=safe)

    def _number_fix(self, start: int, end: int) -> Fix | None:
        """Return the fix of a number in a form that JSON does not have, such as `.5` or `+3`."""
        number = _OTHER_NUMBER.fullmatch(self.text, start, end)
        if number is None or not (number[2] or number[3].strip(".")):
            return None
        digits = f"{number[1]}{number[2].lstrip('0') or '0'}{number[3].rstrip('.')}"
        return self.fix(start, end, digits, f"write `{digits}`", safe=False)

    def _report_unended(self, raw: str, start: int) -> None:
        help = 'close it with `"` on the same line; a line break inside is `\\n`'
        end = start + len(raw.rstrip(", \t\r"))
        fix = self.fix(end, end, '"', 'write `"`', safe=False) if raw[0] == '"' else None
        self.fault("the text is not closed", start, start + 1, help, fix)
        # Where the quotes of the rest belong is anybody's guess.
        self.silent_until = len(self.text) + 1


def _why(raw: str) -> str:
    if raw[0] == '"':
        return "holds a control character"
    return "stands in single quotes" if raw[0] == "'" else "has no quotes"


def excerpt(text: str) -> str:
    """Return a text from the file for a message: on one line, and at most 40 characters."""
    line = " ".join(text.split())
    return line if len(line) <= 40 else line[:39] + "…"
