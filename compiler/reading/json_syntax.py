"""JSON text to a tree that knows where everything stands, with recovery.

Lark's LALR parser is fed token by token; a scalar is its own token. A token that does not fit is
one fault: what is missing is put in or what is too much is dropped, and reading goes on. Further
faults on the same line are not reported, since they mostly follow from the first.
"""

from __future__ import annotations

import re
from dataclasses import field
from typing import Any, cast

from flowc.grammar import load
from flowc.grammar.driving import Driver
from lark import Transformer

from ..source.records import dataclass
from ..source.source import Source
from .json_indents import unclosed_bracket
from .json_tokens import SIGNS, Feed, JsonFault, KeyToken, Mark, TokenReader, excerpt
from .tree import ListAt, MapAt, Scalar, Value, brief

_MATCHING = {"OPEN_OBJECT": "CLOSE_OBJECT", "OPEN_LIST": "CLOSE_LIST"}
_CLOSING = frozenset(_MATCHING.values())
_VALUES = frozenset({"SCALAR", "OPEN_OBJECT", "OPEN_LIST"})
_VALUE_FOLLOWS = re.compile(r"[ \t]*+(?:[\"{\[0-9-]|(?:true|false|null)\b)")


def parse_json(source: Source) -> tuple[Value | None, list[JsonFault]]:
    """Return the tree of a JSON text and its faults; None when there is no value."""
    reading = _Reading(source)
    for token in reading.tokens():
        reading.take(token)
    return reading.finish(), [*reading.faults, *reading.doubles]


class _Build(Transformer[Any, Any]):
    """Build values while parsing."""

    def object(self, parts: list[Any]) -> MapAt:
        reading, pairs = parts[0].reading, parts[1:-1:2]
        node = MapAt(pairs, parts[0].start, parts[-1].end, reading.source)
        if len(pairs) > 1 and len({key.text for key, _ in pairs}) < len(pairs):
            reading.report_doubles(node.drop_doubles())
        return node

    def array(self, parts: list[Any]) -> ListAt:
        return ListAt(parts[1:-1:2], parts[0].start, parts[-1].end, parts[0].reading.source)

    def member(self, parts: list[Any]) -> tuple[Scalar, Value]:
        return parts[0], parts[1]


_BUILD = _Build()


@dataclass(slots=True)
class _Reading(TokenReader):
    """One text while it is read. `open` are the brackets that wait for their ends."""

    doubles: list[JsonFault] = field(default_factory=list)
    open: list[Mark] = field(default_factory=list)
    before: Feed | None = None
    done: bool = False
    misplaced: bool = False
    parser: Driver = field(
        default_factory=lambda: Driver(load("json", lexer="basic", transformer=_BUILD))
    )

    def report_doubles(self, doubles: list[tuple[Scalar, Scalar]]) -> None:
        for first, key in doubles:
            if key.text:
                message = f"the key `{brief(key.text)}` stands twice"
                fault = JsonFault(message, key.start, key.end, "remove one of the two", None, first)
                self.doubles.append(fault)

    def take(self, token: Feed) -> None:
        """Feed a token, with what is missing before it; drop one that fits nowhere."""
        if self.done:
            self.fault(
                "the file goes on after its value", token.start, token.end, "remove what follows"
            )
            self.silent_until = len(self.text)
            return
        if not self._feed(token) and self._repair(token):
            self._feed(token)

    def finish(self) -> Value | None:
        """Close what is open and return the tree."""
        if self.before is None:
            return None
        if self.open:
            self._report_unclosed()
        while self.open:
            if self.before.type == "KEY":
                self._feed(self.nothing(self.before.end))
            elif self.before.type == "COMMA":
                self.parser.pop()
            self._feed(Mark(_MATCHING[self.open[-1].type], len(self.text), len(self.text), self))
        return cast(Value, self.parser.finish())

    def _report_unclosed(self) -> None:
        at, end = self.open[-1], len(self.text.rstrip())
        if self._report_indented(end):
            return
        sign = SIGNS[at.type]
        closing = SIGNS[_MATCHING[at.type]]
        if self.silent_until <= len(self.text):
            self.silent_until = 0
        help = (
            f"write `{closing}` where it ends; the last character is at the end of line "
            f"{self.text.count(chr(10), 0, end) + 1}"
        )
        rest = "".join(SIGNS[_MATCHING[mark.type]] for mark in reversed(self.open))
        fix = self.fix(end, end, rest, f"write `{rest}` at the end", safe=False)
        message = f"`{sign}` is not closed: the file ends too early"
        # Where another fault was found, the end may well belong further up.
        certain = not self.faults and len(rest) <= 20
        at_end = max(at.end, end) if self.text.count("\n", at.start, end) else at.end
        self.fault(message, at_end - 1, at_end, help, fix if certain else None)

    def _report_indented(self, before: int) -> bool:
        """Report a bracket that nothing closes, by the indentation of the lines below it. Return
        whether one stands `before` this place that was not reported yet."""
        found = None if self.misplaced else unclosed_bracket(self.text)
        if found is None or found.end >= before:
            return False
        self.misplaced = True
        if self.silent_until <= len(self.text):
            self.silent_until = 0
        sign, closing = SIGNS[found.kind], SIGNS[_MATCHING[found.kind]]
        opened = self.text.count("\n", 0, found.start) + 1
        message = f"the `{sign}` of line {opened} is not closed before the next line"
        fix = self.fix(found.end, found.end, closing, f"write `{closing}`", safe=False)
        self.fault(message, found.end - 1, found.end, f"write `{closing}` behind this", fix)
        return True

    def _feed(self, token: Feed) -> bool:
        """Take the token when it fits here, and return whether it did."""
        if not self.parser.feed(token):
            return False
        self.before = token
        kind = token.type
        if kind in _MATCHING:
            self.open.append(cast(Mark, token))
        elif kind in _CLOSING:
            self.open.pop()
        self.done = not self.open
        return True

    def _repair(self, token: Feed) -> bool:
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
            fix = self.fix(before.start, before.end, "", "remove the comma")
            message = "a `,` stands before the end"
            self.fault(message, before.start, before.end, "remove it", fix)
            self.parser.pop()
            self.before = self.nothing(before.start)
            return self._again(token)
        if kind == "COMMA":
            at, message = (token.start, token.end), "there is nothing before this `,`"
            self.fault(message, *at, "remove it", self.fix(*at, "", "remove the comma"))
            return False
        if kind.startswith("CLOSE"):
            return self._close(token)
        return self._value_or_key(token, inside, before)

    def _value_or_key(self, token: Feed, inside: str, before: Feed) -> bool:
        """Repair a value where a key belongs, a key where a value belongs, or a missing comma."""
        if inside == "OPEN_LIST" and token.type == "KEY":
            text = excerpt(cast(KeyToken, token).text)
            help = "put `{` and `}` around keys and their values"
            self.fault(f"`{text}` is a key, and a list has none", token.start, token.end, help)
            return False
        if inside == "OPEN_OBJECT" and token.type in _VALUES and before.type != "KEY":
            return self._as_key(token, before)
        if before.type == "KEY":
            self._add_value(before)
        else:
            end = before.end
            fix = self.fix(end, end, ",", "write `,`")
            message = "there is no comma behind this"
            self.fault(message, max(before.start, end - 1), end, "write `,`", fix)
        self._feed(Mark("COMMA", token.start, token.start, self))
        return True

    def _add_value(self, key: Feed) -> None:
        message = f"`{excerpt(cast(KeyToken, key).text)}` has no value"
        self.fault(message, key.start, key.end, "write a value after the colon")
        self._feed(self.nothing(key.end))

    def _as_key(self, token: Feed, before: Feed) -> bool:
        """Take a text without a colon as a key whose value may follow; give other values an empty
        key."""
        help = 'write `"key": value`, with a comma between two of them'
        if before.type not in ("COMMA", "OPEN_OBJECT"):
            self._feed(Mark("COMMA", token.start, token.start, self))
        if isinstance(token, Scalar) and token.style:
            fix = None
            if _VALUE_FOLLOWS.match(self.text, token.end):
                fix = self.fix(token.end, token.end, ":", "write `:`")
            message = f"`{excerpt(token.text)}` has no colon after it"
            self.fault(message, token.start, token.end, help, fix)
            self._feed(self.text_token(KeyToken, token.text, token.start, token.end))
            return False
        what = _describe(token)
        self.fault(f"{what} stands where a key belongs", token.start, token.end, help)
        self._feed(self.text_token(KeyToken, "", token.start, token.start))
        return True

    def _close(self, token: Feed) -> bool:
        """Repair a closing bracket of the other kind: close what stands between, or drop it."""
        inside = self.open[-1]
        sign, wanted = SIGNS[token.type], SIGNS[_MATCHING[inside.type]]
        help = f"write `{wanted}` before it, or in its place"
        outer = len(self.open) > 1 and _MATCHING[self.open[-2].type] == token.type
        fix = self.fix(
            token.start,
            token.start if outer else token.end,
            wanted,
            f"write `{wanted}`",
            safe=False,
        )
        message = f"`{sign}` does not close `{SIGNS[inside.type]}`"
        # Of what spans lines, the end may well belong further up.
        near = "\n" not in self.text[inside.start : token.start].strip()
        if near or not self._report_indented(token.start):
            self.fault(message, token.start, token.end, help, fix if near else None)
        kind = _MATCHING[inside.type]
        self._feed(Mark(kind, token.start, token.start if outer else token.end, self))
        return outer

    def _again(self, token: Feed) -> bool:
        """Return whether a token fits by now; do not report a second fault at one place."""
        if token.type.startswith("CLOSE") and token.type != _MATCHING[self.open[-1].type]:
            return self._close(token)
        return True


def _describe(token: Feed) -> str:
    if isinstance(token, KeyToken):
        return f"`{excerpt(token.text) or ','}`"
    if isinstance(token, Scalar):
        return f"the text `{excerpt(token.text)}`" if token.style else "a value"
    return f"`{SIGNS.get(token.type) or ','}`"
