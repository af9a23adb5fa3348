"""The values of a file with their places: what JSON and YAML are read into.

A value holds offsets only; its spans are made when somebody asks. What is written without quotes
means what it means to both languages: `null`, `true`, `false`, a number, or else the text itself.
"""

from __future__ import annotations

import math
import re
from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping
from dataclasses import field
from typing import ClassVar

from ..expr.ast import Expr
from ..expr.parse import ParseFault, parse
from ..expr.walk import map_spans, shift_spans
from ..ir import Json
from ..source.records import dataclass
from ..source.source import Source, Span

_NULLS = frozenset(("", "~", "null", "Null", "NULL"))
INTEGER = re.compile(r"[-+]?[0-9]{1,300}\Z")
NUMBER = re.compile(r"[-+]?(?:[0-9]{1,300}(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][-+]?[0-9]{1,3})?\Z")
TRUTH = {"true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False}
_INFINITE = (math.inf, -math.inf)
_NUMERIC = frozenset("0123456789+-.")
_WORDS = re.compile(r"\S++")
_FILLED = re.compile(r"\S")
_JOINS = re.compile(r"''|\S")
_ESCAPE = re.compile(
    r"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|x.{2}|u.{4}|U.{8}|.)", re.S
)


_Places = tuple[list[int], list[int]]
"""Indices in a text, and the offsets in the file that belong to them; both are empty where escapes
and folded lines hide the places."""


@dataclass(eq=False, slots=True)
class Scalar:
    """A text, number, truth value or null. `text` has neither quotes nor escapes; `style` says how
    it is written: `"`, `'`, `|`, `>`, or "" without quotes. `start` to `end` is all of it."""

    text: str
    start: int
    end: int
    style: str
    source: Source = field(repr=False)
    _places: _Places | None = field(default=None, repr=False)
    type: ClassVar[str] = "SCALAR"

    @property
    def plain(self) -> bool:
        return self.style == ""

    @property
    def is_null(self) -> bool:
        return self.style == "" and self.text in _NULLS

    @property
    def value(self) -> str | int | float | bool | None:
        """What the scalar means. A number that is too large for a float is infinite."""
        text = self.text
        if self.style:
            return text
        if text[:1] in _NUMERIC:
            if INTEGER.match(text):
                return int(text)
            return float(text) if NUMBER.match(text) else text
        return TRUTH.get(text, None if text in _NULLS else text)

    @property
    def whole(self) -> Span:
        """The place of the scalar with its quotes."""
        return Span(self.source.path, self.start, self.end)

    @property
    def span(self) -> Span:
        """The place of what stands between the quotes; without them, of all of it."""
        start, end = self._inside()
        return Span(self.source.path, start, end)

    def at(self, start: int, end: int | None = None) -> Span:
        """Return the place of the characters `start` to `end` of the text; that of the whole text
        where escapes and folded lines hide it."""
        return self._placing()(start, start if end is None else end)

    def _placing(self) -> Callable[[int, int], Span]:
        """Return what gives the place of characters of the text."""
        places, path, most = self._align(), self.source.path, self._inside()[1]
        behind = 0 if self.style == '"' else 1
        if not places[0]:
            return lambda start, end: self.span

        def place(start: int, end: int) -> Span:
            first = _place(start, places, most)
            if end <= start:
                return Span(path, first, first)
            return Span(path, first, _place(end - behind, places, most) + behind)

        return place

    def expression(self, start: int = 0, end: int | None = None) -> Expr | ParseFault:
        """Return the text, or a part of it, as an expression with its place in the file."""
        begin, behind = self._inside()
        if self.style == "" and self.source.text.startswith(self.text, begin, behind):
            return parse(self.text[start:end], self.source.path, begin + start)
        in_text, in_file = self._align()
        if len(in_text) == 1 and in_text[0] == 0:
            return parse(self.text[start:end], self.source.path, in_file[0] + start)
        read = parse(self.text[start:end], "", start)
        if isinstance(read, ParseFault):
            return ParseFault(read.message, self.at(read.span.start, read.span.end), read.help)
        return self.place_expression(read)

    def place_expression(self, expr: Expr) -> Expr:
        """Return an expression that was read from the text with its places in the file."""
        in_text, in_file = self._align()
        if len(in_text) == 1 and in_text[0] == 0:
            return shift_spans(expr, self.source.path, in_file[0])
        place = self._placing()
        return map_spans(expr, lambda span: place(span.start, span.end))

    def _inside(self) -> tuple[int, int]:
        start, end, text = self.start, self.end, self.source.text
        if start < end and text[start] in "\"'":
            start += 1
            end -= end > start and text[end - 1] == text[start - 1]
        return start, end

    def _align(self) -> _Places:
        if self._places is None:
            self._places = self._find_places()
        return self._places

    def _find_places(self) -> _Places:
        written = self.source.text
        start, end = self._inside()
        if self.style in ("|", ">"):
            start = written.find("\n", start, end) + 1 or end
        if written.startswith(self.text, start, end):
            return [0], [start]
        if self.style == '"' and "\n" not in written[start:end]:
            return _places_of_escapes(written[start:end], start)
        if self.style == "|" and (places := _places_of_lines(self.text, written, start)):
            return places
        return self._places_of_words(written, start, end)

    def _places_of_words(self, written: str, start: int, end: int) -> _Places:
        """Return the places of words, or of characters in single quotes: they stand in the same
        order in the file and in the text."""
        if self.style == "'":
            in_source, in_value = _JOINS.finditer(written, start, end), _FILLED.finditer(self.text)
        else:
            in_source, in_value = _WORDS.finditer(written, start, end), _WORDS.finditer(self.text)
        pieces, meant = list(in_source), list(in_value)
        if [m[0].replace("''", "'") for m in pieces] != [m[0] for m in meant]:
            return [], []
        return [m.start() for m in meant], [m.start() for m in pieces]


def _place(index: int, places: _Places, most: int) -> int:
    """Line ends, indentation and escapes differ between file and text: count on from the last
    character before, whose place is known, to `most` at the furthest."""
    in_text, in_file = places
    known = bisect_right(in_text, index) - 1
    return in_file[0] if known < 0 else min(in_file[known] + index - in_text[known], most)


def _places_of_lines(text: str, written: str, start: int) -> _Places | None:
    """Return the places of the lines of a block, which are indented in the file; None where they
    are not the same lines."""
    in_text: list[int] = []
    in_file: list[int] = []
    at = 0
    for line in text.rstrip("\n").split("\n"):
        end = written.find("\n", start)
        end = len(written) if end < 0 else end
        begin = end - len(line)
        if begin < start or not written.endswith(line, start, end):
            return None
        in_text.append(at)
        in_file.append(begin)
        at += len(line) + 1
        start = end + 1
    return in_text, in_file


def _places_of_escapes(raw: str, start: int) -> _Places:
    """Return the place behind each escape."""
    in_file, in_text, ahead = [start], [0], 0
    for match in _ESCAPE.finditer(raw):
        ahead += match.end() - match.start() - 1
        in_file.append(start + match.end())
        in_text.append(match.end() - ahead)
    return in_text, in_file


@dataclass(eq=False, slots=True)
class ListAt:
    """A list."""

    items: list[Value]
    start: int
    end: int
    source: Source = field(repr=False)
    is_null: ClassVar[bool] = False

    @property
    def span(self) -> Span:
        return Span(self.source.path, self.start, self.end)


@dataclass(eq=False, slots=True)
class MapAt:
    """Keys with their values, in the order of the file; every key stands once."""

    pairs: list[tuple[Scalar, Value]]
    start: int
    end: int
    source: Source = field(repr=False)
    _by_name: dict[str, Value] | None = field(default=None, repr=False)
    """Made when somebody asks: the pairs are whole then."""
    is_null: ClassVar[bool] = False

    @property
    def span(self) -> Span:
        return Span(self.source.path, self.start, self.end)

    def value(self, key: str) -> Value | None:
        """Return the value of a key; null counts as absent."""
        node = self.get(key)
        return None if node is None or node.is_null else node

    def get(self, key: str) -> Value | None:
        """Return what stands behind a key, or None without the key."""
        return (self._by_name or self.by_name()).get(key)

    def by_name(self) -> Mapping[str, Value]:
        """Return the values by the texts of their keys."""
        if self._by_name is None:
            self._by_name = {name.text: value for name, value in self.pairs}
        return self._by_name

    def drop_doubles(self) -> list[tuple[Scalar, Scalar]]:
        """Keep the first of the keys that are the same; return those that go, each behind it."""
        if len(self.pairs) < 2:
            return []
        self._by_name = {name.text: value for name, value in self.pairs}
        if len(self._by_name) == len(self.pairs):
            return []
        kept: dict[str, tuple[Scalar, Value]] = {}
        pairs = [(kept.setdefault(key.text, (key, value))[0], key) for key, value in self.pairs]
        self.pairs, self._by_name = [*kept.values()], None
        return [(first, key) for first, key in pairs if first is not key]


Value = Scalar | ListAt | MapAt


def json_of(value: Value) -> Json:
    """Return what a value means, without places, null for a number that is too large. It is nested
    only so deep as `depth_of` says."""
    match value:
        case Scalar():
            plain = value.value
            return None if plain in _INFINITE else plain
        case ListAt():
            return [json_of(item) for item in value.items]
        case MapAt():
            return {key.text: json_of(inner) for key, inner in value.pairs}


def infinite_numbers(value: Value) -> Iterator[Scalar]:
    """Yield the numbers in a value that are too large."""
    if isinstance(value, Scalar):
        if value.style == "" and value.value in _INFINITE:
            yield value
        return
    for part in parts_of(value):
        yield from infinite_numbers(part)


def depth_of(value: Value, limit: int) -> int:
    """Return how deep lists and maps are nested, counted to `limit` + 1 at most."""
    level, depth = [value], 0
    while level and depth <= limit:
        level = [part for at in level for part in parts_of(at)]
        depth += 1
    return depth


def parts_of(value: Value) -> list[Value]:
    """Return the values right below one."""
    match value:
        case Scalar():
            return []
        case ListAt():
            return value.items
        case MapAt():
            return [inner for _, inner in value.pairs]


def brief(text: str) -> str:
    """Return a text from a file for a message: its first line, and at most 40 characters."""
    line = text.strip().split("\n", 1)[0]
    return line if len(line) <= 40 and line == text.strip() else f"{line[:40]}…"
