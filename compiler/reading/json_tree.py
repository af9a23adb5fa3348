"""A JSON file as front ends read it: keys and values with their places, and the faults there.

    tree = read_json(source, sink)
    state = tree.fields(item, "state `review`")
    agent = state.text("agent")              JsonText("writer", …), or None and a diagnostic
    state.unknown(("name", "agent"))         FC1002 with the nearest known key

A file that does not parse as JSON is read as far as it goes. What is missing from it may have been
lost in the faults: then nothing is reported as missing or unknown.
"""

from __future__ import annotations

import bisect
import re
from collections.abc import Iterable, Sequence
from dataclasses import field
from typing import Any

from ..diagnostics.diagnostic import Label, Severity, Sink
from ..expr.ast import Expr
from ..expr.parse import ParseFault
from ..expr.parse import parse as parse_expression
from ..expr.walk import map_spans
from ..source.records import dataclass
from ..source.source import Source, Span
from ..source.spelling import Spelling
from .json_syntax import JsonNode, ListAt, Member, ObjectAt, Scalar, parse_json

MAX_DEPTH = 100
"""Values that go into variables are not nested deeper: everything that walks one may recurse."""

_ESCAPE = re.compile(
    r"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|u.{4}|.)", re.S
)


@dataclass(frozen=True, slots=True)
class JsonText:
    """A text of the file: its value without escapes, and where it stands. `span` is what is between
    the quotes; `at(start, end)` is the place of some of its characters."""

    text: str
    span: Span
    _shifts: tuple[tuple[int, int], ...] = field(default=(), compare=False, repr=False)

    def at(self, start: int, end: int | None = None) -> Span:
        """Return the characters `start` to `end` of the text, as a place in the file."""
        last = start if end is None else end
        return Span(self.span.file, self._offset(start), self._offset(last))

    def expression(self, start: int = 0, end: int | None = None) -> Expr | ParseFault:
        """Return the text, or a part of it, as an expression with its place in the file."""
        if not self._shifts:
            return parse_expression(self.text[start:end], self.span.file, self.span.start + start)
        read = parse_expression(self.text[start:end], self.span.file, start)
        if isinstance(read, ParseFault):
            return ParseFault(read.message, self.at(read.span.start, read.span.end), read.help)
        return map_spans(read, lambda span: self.at(span.start, span.end))

    def _offset(self, index: int) -> int:
        at = bisect.bisect_right(self._shifts, index, key=lambda shift: shift[0])
        ahead = self._shifts[at - 1][1] if at else 0
        return min(self.span.start + index + ahead, self.span.end)


@dataclass(frozen=True, slots=True)
class Tree:
    """A file's JSON value. `complete` says that the file is JSON without a fault."""

    source: Source
    sink: Sink
    root: JsonNode
    complete: bool

    def span(self, at: JsonNode | Member) -> Span:
        """Return where a value stands, or the key of a member."""
        return Span(self.source.path, at.start, at.end)

    def text(self, node: JsonNode, what: str) -> JsonText | None:
        """Return a text that is not empty; anything else is FC1005."""
        if isinstance(node, Scalar) and isinstance(node.value, str) and node.value.strip():
            return self.words(node)
        self.wrong_type(node, what, "a text")
        return None

    def words(self, node: Scalar) -> JsonText:
        """Return a text's value and place."""
        span = Span(self.source.path, node.start + 1, max(node.start + 1, node.end - 1))
        return JsonText(str(node.value), span, _shifts(self.source.text[span.start : span.end]))

    def fields(self, node: JsonNode, what: str) -> Fields | None:
        """Return the keys of an object. Anything else is FC1005, a key that stands twice FC1004.
        `what` names the object in messages: "the workflow", "state `review`"."""
        if not isinstance(node, ObjectAt):
            self.wrong_type(node, what, "an object")
            return None
        members: dict[str, Member] = {}
        for member in node.members:
            first = members.setdefault(member.key, member)
            if first is not member and member.key:
                self.report_double(member, first, what)
        return Fields(self, node, what, members)

    def items(self, node: JsonNode, what: str) -> Sequence[JsonNode]:
        """Return the items of a list; anything else is FC1005 and has none."""
        if isinstance(node, ListAt):
            return node.items
        self.wrong_type(node, what, "a list")
        return ()

    def value(self, node: JsonNode, what: str) -> Any:
        """Return a plain JSON value. One that is nested too deeply is FC1005 and null."""
        if depth_of(node, MAX_DEPTH) <= MAX_DEPTH:
            return self._value(node, what)
        self.sink.report(
            "FC1005",
            f"{what} is nested deeper than {MAX_DEPTH} levels",
            Span(self.source.path, node.start, node.start + 1),
            help="keep data of that shape in a file of its own",
        )
        return None

    def _value(self, node: JsonNode, what: str) -> Any:
        match node:
            case Scalar():
                return node.value
            case ListAt():
                return [self._value(item, what) for item in node.items]
            case ObjectAt():
                fields = self.fields(node, what)
                assert fields is not None
                return {key: self._value(m.value, what) for key, m in fields.members.items()}

    def wrong_type(self, node: JsonNode, what: str, wanted: str) -> None:
        """Report FC1005: `what` is not `wanted`, which has its article."""
        # A place of many lines would be shown whole; its beginning says enough.
        end = node.end if isinstance(node, Scalar) else node.start + 1
        example = _EXAMPLES.get(wanted, "")
        if wanted == "a text" and isinstance(node, Scalar) and node.value is not None:
            example = f', as in `"{self.source.text[node.start : node.end]}"`'
        message = f"{what} is {describe(node)}, not {wanted}"
        help = f"write {wanted}{example}"
        self.sink.report("FC1005", message, Span(self.source.path, node.start, end), help=help)

    def report_double(self, second: Member, first: Member, what: str) -> None:
        """Report FC1004 with both places."""
        message = f"{what} has the key `{second.key}` twice"
        help = "remove one of the two"
        labels = (Label(self.span(first), "the first one"),)
        self.sink.report("FC1004", message, self.span(second), labels=labels, help=help)


@dataclass(frozen=True, slots=True)
class Fields:
    """An object while it is read; of a key that stands twice the first one counts."""

    tree: Tree
    node: ObjectAt
    what: str
    members: dict[str, Member]

    @property
    def span(self) -> Span:
        """The object's opening bracket: a short place for what the object lacks."""
        return Span(self.tree.source.path, self.node.start, self.node.start + 1)

    def get(self, key: str, *, required: bool = False) -> JsonNode | None:
        """Return a value; null counts as absent. An absent one that is `required` is FC1003."""
        member = self.members.get(key)
        if member is None or _is_null(member.value):
            if required:
                self.missing(key, member)
            return None
        return member.value

    def missing(self, key: str, member: Member | None = None) -> None:
        """Report FC1003 for `key`, at the member without a value when there is one."""
        if self.tree.complete:
            near = Spelling(self.members).nearest(key) if member is None else None
            self.tree.sink.report(
                "FC1003",
                f"{self.what} has no `{key}`",
                self.tree.span(member) if member else self.span,
                help=f"did you write `{near}` for `{key}`?" if near else f'add `"{key}": …`',
            )

    def text(self, key: str, *, required: bool = False, empty: bool = False) -> JsonText | None:
        """Return a text. An empty one (nothing but blanks) counts as missing unless `empty`."""
        node = self.get(key, required=required)
        if node is None:
            return None
        if not isinstance(node, Scalar) or not isinstance(node.value, str):
            self.wrong_type(key, node, "a text")
            return None
        if not empty and not node.value.strip():
            if required:
                self.missing(key, self.members[key])
            return None
        return self.tree.words(node)

    def word(self, key: str, allowed: Sequence[str], *, required: bool = False) -> JsonText | None:
        """Return a text that is one of `allowed`; another is FC1005 with the nearest one."""
        words = self.text(key, required=required)
        if words is None or words.text in allowed:
            return words
        if not self.tree.complete:
            return None  # the text may be what is left of one that was cut off
        listed = ", ".join(f"`{word}`" for word in allowed)
        message = f"`{key}` of {self.what} is `{words.text}`, which is not one of {listed}"
        help = Spelling(allowed).advice(words.text, f"write one of {listed}")
        self.tree.sink.report("FC1005", message, words.span, help=help)
        return None

    def number(self, key: str, *, required: bool = False) -> int | float | None:
        """Return a number; a truth value is not one."""
        node = self.get(key, required=required)
        if node is None:
            return None
        value = node.value if isinstance(node, Scalar) else None
        if isinstance(value, int | float) and not isinstance(value, bool):
            return value
        self.wrong_type(key, node, "a number")
        return None

    def boolean(self, key: str) -> bool | None:
        """Return true or false."""
        node = self.get(key)
        if isinstance(node, Scalar) and isinstance(node.value, bool):
            return node.value
        if node is not None:
            self.wrong_type(key, node, "true or false")
        return None

    def items(self, key: str, *, required: bool = False) -> Sequence[JsonNode]:
        """Return the items of a list; none when it is absent or something else."""
        node = self.get(key, required=required)
        return () if node is None else self.tree.items(node, f"`{key}` of {self.what}")

    def fields(self, key: str, what: str = "", *, required: bool = False) -> Fields | None:
        """Return an object inside; `what` names it in messages."""
        node = self.get(key, required=required)
        if node is None:
            return None
        return self.tree.fields(node, what or f"`{key}` of {self.what}")

    def wrong_type(self, key: str, node: JsonNode, wanted: str) -> None:
        """Report FC1005: the value of `key` is not `wanted`."""
        self.tree.wrong_type(node, f"`{key}` of {self.what}", wanted)

    def span_of(self, key: str) -> Span:
        """Return where the value of `key` stands; without the key, where the object begins."""
        member = self.members.get(key)
        return self.tree.span(member.value) if member else self.span

    def unknown(self, known: Iterable[str], *, severity: Severity | None = None) -> None:
        """Report FC1002 for every key that is not in `known`."""
        names = frozenset(known)
        strange = [m for key, m in self.members.items() if key not in names and key]
        if not strange or not self.tree.complete:
            return
        spelling = Spelling(names - self.members.keys())
        for member in strange:
            self.tree.sink.report(
                "FC1002",
                f"{self.what} has a key `{member.key}`, which has no meaning there",
                self.tree.span(member),
                severity=severity,
                help=spelling.advice(member.key, "remove it"),
            )


def read_json(source: Source, sink: Sink) -> Tree | None:
    """Return the value in a file, or None. Every fault in its syntax is FC1001."""
    root, faults = parse_json(source.text)
    for fault in faults:
        span = source.span(fault.start, max(fault.end, fault.start))
        sink.report("FC1001", fault.message, span, help=fault.help)
    if root is None:
        if not faults:
            message = f"`{source.path}` holds no JSON value"
            sink.report("FC1008", message, source.span(0), help="begin it with `{`")
        return None
    return Tree(source, sink, root, not faults)


def depth_of(node: JsonNode, limit: int) -> int:
    """Return how deep the lists and objects are nested, counted to `limit` + 1 at most."""
    level, depth = [node], 0
    while level and depth <= limit:
        level = [part for at in level for part in _parts(at)]
        depth += 1
    return depth


def _parts(node: JsonNode) -> Sequence[JsonNode]:
    match node:
        case Scalar():
            return ()
        case ListAt():
            return node.items
        case ObjectAt():
            return [member.value for member in node.members]


def describe(node: JsonNode) -> str:
    """Return what messages call a value, with its article."""
    match node:
        case ObjectAt():
            return "an object"
        case ListAt():
            return "a list"
        case Scalar(value=bool()):
            return f"`{str(node.value).lower()}`"
        case Scalar(value=None):
            return "null"
        case Scalar(value=str()):
            return "a text"
        case Scalar():
            return f"the number `{node.value}`"


_EXAMPLES = {"a text": ', as in `"words"`', "a list": ", as in `[ … ]`", "an object": ", `{ … }`"}


def _is_null(node: JsonNode) -> bool:
    return isinstance(node, Scalar) and node.value is None


def _shifts(raw: str) -> tuple[tuple[int, int], ...]:
    """Return for each escape the index in the text behind it, and how far the file is ahead
    there."""
    if "\\" not in raw:
        return ()
    shifts: list[tuple[int, int]] = []
    ahead = 0
    for match in _ESCAPE.finditer(raw):
        ahead += match.end() - match.start() - 1
        shifts.append((match.end() - ahead, ahead))
    return tuple(shifts)
