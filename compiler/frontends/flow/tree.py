"""YAML text to a tree in which every element knows its place.

The tree is built from the parser's events: nothing recurses, so nesting has a bound of ours, and an
alias shares the element of its anchor, so a bound on the size of the whole stops alias bombs.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import field
from typing import Any, ClassVar

import yaml

from ...diagnostics.diagnostic import Label, Sink
from ...source.records import dataclass
from ...source.source import Source, Span
from .slips import find_slip

MAX_DEPTH = 100
"""Lists and mappings within each other; a JSON Schema needs about 20."""

MAX_ELEMENTS = 2_000_000
"""Elements of a file, those that aliases repeat counted each time."""

_NULL = re.compile(r"(?:~|null|Null|NULL)?\Z")
_WORDS = re.compile(r"\S++")
_FILLED = re.compile(r"\S")
_JOINS = re.compile(r"''|\S")
_HALF_CHARACTERS = re.compile(r"[\ud800-\udfff]")
_ODD_LINE_ENDS = re.compile("[\x85\u2028\u2029]")
"""Line ends to older readers of YAML and characters to newer ones: a file that has them, mostly
pasted from a page, means different things to different people."""


@dataclass(eq=False, slots=True)
class YamlScalar:
    """A text. `plain`: written without quotes, so `null`, `true` and numbers mean themselves."""

    value: str
    span: Span
    style: str
    source: Source = field(repr=False)
    _value_at: list[int] = field(default_factory=list, repr=False)
    _source_at: list[int] = field(default_factory=list, repr=False)

    @property
    def plain(self) -> bool:
        return self.style == ""

    @property
    def is_null(self) -> bool:
        return self.plain and _NULL.match(self.value) is not None

    def part(self, start: int, end: int) -> Span:
        """Return where characters `start` to `end` of the value stand in the file; the whole scalar
        where escapes hide that."""
        if not self._align():
            return self.span
        first, last = self._place(start), self._place(max(start, end - 1))
        return Span(self.span.file, first, last + (end > start))

    def _place(self, at: int) -> int:
        """Line ends and indentation differ between file and value, so count by the characters in
        between, which stand in the same order in both."""
        index = bisect_right(self._value_at, at) - 1
        if index < 0:
            return self._source_at[0] if self._source_at else self.span.start
        return min(self._source_at[index] + at - self._value_at[index], self.span.end)

    def _align(self) -> bool:
        if self._value_at:
            return True
        text = self.source.text
        start, end = self.span.start, self.span.end
        if self.style in ("|", ">"):
            start = text.find("\n", start, end) + 1 or end
        elif self.style:
            start, end = start + 1, end - 1
        if self.value and text.startswith(self.value, start):
            self._source_at, self._value_at = [start], [0]
            return True
        if self.style == "'":
            in_source, in_value = _JOINS.finditer(text, start, end), _FILLED.finditer(self.value)
        else:
            in_source, in_value = _WORDS.finditer(text, start, end), _WORDS.finditer(self.value)
        written, meant = list(in_source), list(in_value)
        if [m[0].replace("''", "'") for m in written] == [m[0] for m in meant]:
            self._source_at = [m.start() for m in written]
            self._value_at = [m.start() for m in meant]
        return bool(self._value_at)


@dataclass(eq=False, slots=True)
class YamlList:
    """A list."""

    items: list[YamlNode]
    span: Span
    is_null: ClassVar[bool] = False


@dataclass(eq=False, slots=True)
class YamlMap:
    """Keys with their values, in the order of the file; every key is a scalar and stands once."""

    pairs: list[tuple[YamlScalar, YamlNode]]
    span: Span
    is_null: ClassVar[bool] = False

    def value(self, key: str) -> YamlNode | None:
        """Return the value of a key; null counts as absent."""
        node = self.get(key)
        return None if node is None or node.is_null else node

    def get(self, key: str) -> YamlNode | None:
        """Return what stands behind a key, or None without the key."""
        for name, value in self.pairs:
            if name.value == key:
                return value
        return None


YamlNode = YamlScalar | YamlList | YamlMap


def read_tree(source: Source, sink: Sink) -> YamlNode | None:
    """Return the document in the file; None when it is empty or not YAML (FC1001). Report and leave
    out further documents, duplicate keys (FC1004) and keys that are not scalars (FC1001)."""
    builder = _Builder(source, sink)
    if odd := _ODD_LINE_ENDS.search(source.text):
        message = f"the character U+{ord(odd[0]):04X} ends a line for some readers of YAML only"
        help = f'write a line end or a blank, or the escape "\\u{ord(odd[0]):04x}" in double quotes'
        builder.fault(message, source.span(*odd.span()), help)
        return None
    if half := _HALF_CHARACTERS.search(source.text):
        message = f"U+{ord(half[0]):04X} is half of a character"
        builder.fault(
            message, source.span(*half.span()), "write the whole character, or leave it out"
        )
        return None
    loader = yaml.CSafeLoader if yaml.__with_libyaml__ else yaml.SafeLoader
    try:
        for event in yaml.parse(source.text, Loader=loader):
            if not builder.take(event):
                break
    except yaml.MarkedYAMLError as error:
        span = _at(source, error.problem_mark or error.context_mark)
        slip = find_slip(source.text, span.start)
        if slip is not None:
            builder.fault(slip.message, source.span(slip.start, slip.end), slip.help)
            return None
        reasons = ", ".join(part for part in (error.context, error.problem) if part)
        help = _help(error.problem or "", source, span)
        builder.fault(f"this is not YAML: {reasons}", span, help)
        return None
    except yaml.reader.ReaderError as error:
        message = f"the character U+{int(error.character):04X} may not stand in YAML"
        help = 'write it as an escape in double quotes, as in `"\\u0007"`'
        builder.fault(message, _at_character(source, error), help)
        return None
    return None if builder.refused else builder.root


_HELPS = (
    ("mapping values are not allowed", "a text with `: ` needs quotes, or a block behind `|`"),
    ("cannot start any token", "a text that begins with this sign needs quotes"),
    ("did not find expected key", "bring the line to the same indentation as those around it"),
    ("did not find expected '-'", "bring the line to the same indentation as those around it"),
    ("did not find expected ','", "close the bracket, or put a comma between"),
    ("did not find expected node content", "write a value here, or put the sign into quotes"),
    ("unexpected end of stream", "close the quotes"),
    ("could not find expected ':'", "write a colon and a blank behind the key"),
    ("found unknown escape", "write two backslashes, or use single quotes"),
)  # fmt: skip


def _help(problem: str, source: Source, span: Span) -> str:
    """Return what to write instead, for the most frequent mistakes."""
    if source.text[span.start : span.end] == "\t":
        return "YAML is indented with blanks, not with tabs"
    return next((help for part, help in _HELPS if part in problem), "")


def _at(source: Source, mark: Any) -> Span:
    if mark is None:
        return source.span(0)
    at = min(mark.index, len(source.text))
    return source.span(at, min(at + 1, len(source.text)))


def _at_character(source: Source, error: yaml.reader.ReaderError) -> Span:
    at = source.text.find(chr(int(error.character)))
    return source.span(max(at, 0), max(at, 0) + 1)


@dataclass(slots=True)
class _Open:
    """A list or mapping whose end has not been read; of a mapping, the key that waits for its
    value. `kept` is False for the value of a refused key."""

    node: YamlList | YamlMap
    anchor: str | None
    before: int
    height: int = 1
    key: YamlScalar | None = None
    kept: bool = True
    known: dict[str, YamlScalar] = field(default_factory=dict)


@dataclass(slots=True)
class _Builder:
    source: Source
    sink: Sink
    root: YamlNode | None = None
    refused: bool = False
    elements: int = 0
    open: list[_Open] = field(default_factory=list)
    anchors: dict[str, tuple[YamlNode, int, int]] = field(default_factory=dict)

    def fault(self, message: str, span: Span, help: str = "") -> None:
        self.sink.report("FC1001", message, span, help=help)

    def refuse(self, message: str, span: Span, help: str = "") -> bool:
        """Report what makes the whole file unreadable, and stop reading."""
        self.fault(message, span, help)
        self.refused = True
        return False

    def take(self, event: object) -> bool:
        """Take the next event; return False to stop reading."""
        match event:
            case yaml.ScalarEvent():
                return self.scalar(event)
            case yaml.SequenceStartEvent() | yaml.MappingStartEvent():
                return self.begin(event)
            case yaml.SequenceEndEvent() | yaml.MappingEndEvent():
                return self.end(event)
            case yaml.AliasEvent():
                return self.alias(event)
            case yaml.DocumentStartEvent() if self.root is not None:
                message = "a second document begins here, and only the first one is read"
                help = "put further workflows below `workflows:`, or into files of their own"
                self.fault(message, self.span(event), help)
                return False
            case _:
                return True

    def scalar(self, event: yaml.ScalarEvent) -> bool:
        style = event.style or ""
        node = YamlScalar(event.value, self.span(event), style, self.source)
        self.refuse_tag(event.tag, node.span)
        return self.finish(node, event.anchor, self.elements, 0)

    def begin(self, event: yaml.SequenceStartEvent | yaml.MappingStartEvent) -> bool:
        span = self.span(event)
        if len(self.open) >= MAX_DEPTH:
            return self.too_deep(span)
        is_list = isinstance(event, yaml.SequenceStartEvent)
        node: YamlList | YamlMap = YamlList([], span) if is_list else YamlMap([], span)
        self.refuse_tag(event.tag, span)
        self.open.append(_Open(node, event.anchor, self.elements))
        return True

    def end(self, event: Any) -> bool:
        closed = self.open.pop()
        start = closed.node.span.start
        end = self.trim_end(start, event.end_mark.index)
        closed.node.span = self.source.span(start, end)
        return self.finish(closed.node, closed.anchor, closed.before, closed.height)

    def alias(self, event: Any) -> bool:
        span = self.span(event)
        anchored = self.anchors.get(event.anchor)
        if anchored is None:
            message = f"`*{event.anchor}` repeats something that stands nowhere before it"
            return self.refuse(message, span, f"mark what it repeats with `&{event.anchor}`")
        node, size, height = anchored
        before = self.elements
        self.elements += size - 1
        if len(self.open) + height > MAX_DEPTH:
            return self.too_deep(span)
        return self.finish(node, None, before, height)

    def too_deep(self, span: Span) -> bool:
        return self.refuse(f"lists and mappings are nested more than {MAX_DEPTH} levels deep", span,
                           "make it flatter: put inner parts below names of their own")  # fmt: skip

    def finish(self, node: YamlNode, anchor: str | None, before: int, height: int) -> bool:
        """Put a whole element, `height` levels high, into what is open, and remember its anchor."""
        self.elements += 1
        if self.elements > MAX_ELEMENTS:
            return self.refuse(
                f"the file has more than {MAX_ELEMENTS} elements, counting what aliases repeat",
                node.span,
                "write less of it, or read it from a file",
            )
        if anchor is not None:
            self.anchors[anchor] = (node, self.elements - before, height)
        if not self.open:
            self.root = node
            return True
        parent = self.open[-1]
        parent.height = max(parent.height, height + 1)
        self.put(parent, node)
        return True

    def put(self, into: _Open, node: YamlNode) -> None:
        if isinstance(into.node, YamlList):
            into.node.items.append(node)
        elif into.key is None:
            into.key, into.kept = self.key(into, node)
        else:
            if into.kept:
                into.node.pairs.append((into.key, node))
            into.key = None

    def key(self, into: _Open, node: YamlNode) -> tuple[YamlScalar, bool]:
        """Return the key, and whether its value counts."""
        if not isinstance(node, YamlScalar):
            self.fault("a list or mapping cannot be a key", node.span, "write a name as the key")
            return YamlScalar("", node.span, "", self.source), False
        if node.plain and node.value == "<<":
            self.fault("`<<` merges nothing here", node.span, "write the keys out")
            return node, False
        first = into.known.setdefault(node.value, node)
        if first is not node:
            message = f"the key `{brief(node.value)}` stands twice"
            labels = (Label(first.span, "first here"),)
            self.sink.report("FC1004", message, node.span, labels=labels, help="merge the two")
        return node, first is node

    def refuse_tag(self, tag: str | None, span: Span) -> None:
        if tag is not None:
            self.fault(f"the tag `{brief(tag)}` means nothing here", span, "leave it out")

    def span(self, event: Any) -> Span:
        start = event.start_mark.index
        return self.source.span(start, self.trim_end(start, event.end_mark.index))

    def trim_end(self, start: int, end: int) -> int:
        """Leave out the blank lines that the parser counts as part of a block."""
        text = self.source.text
        while end > start and text[end - 1] in " \t\r\n":
            end -= 1
        return end


def brief(text: str) -> str:
    """Return a text from the file for a message: its first line, and at most 40 characters."""
    line = text.strip().split("\n", 1)[0]
    return line if len(line) <= 40 and line == text.strip() else f"{line[:40]}…"
