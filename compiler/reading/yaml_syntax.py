"""YAML text to a tree in which every element knows its place, with recovery.

The tree is built from the events of libyaml: nothing recurses, so nesting has a bound of ours, and
an alias shares the element of its anchor, so a bound on the size of the whole stops alias bombs.
Where libyaml gives up, `yaml_slips` finds the slip behind it and what repairs it; the repaired text
is read again, for the next fault, and at last for the tree, whose places are those of the file.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Set
from dataclasses import field
from sys import intern
from typing import Any

import yaml

from ..diagnostics.diagnostic import Fix, Label, Sink
from ..source.records import dataclass
from ..source.source import Source, Span
from .tree import ListAt, MapAt, Scalar, Value, brief
from .yaml_slips import Repair, find_slip

MAX_DEPTH = 100
"""Lists and mappings within each other; a JSON Schema needs about 20."""

MAX_ELEMENTS = 2_000_000
"""Elements of a file, those that aliases repeat counted each time."""

_ROUNDS = 20
"""At most so many faults of syntax are told of a file."""

_READ_AGAIN = 4_000_000
"""Characters that are read in all to find further faults."""

_BLANKS = frozenset(" \t\r\n")
_HALF_CHARACTERS = re.compile(r"[\ud800-\udfff]")
_ODD_LINE_ENDS = re.compile("[\x85\u2028\u2029]")
"""Line ends to older readers of YAML and characters to newer ones: a file that has them, mostly
pasted from a page, means different things to different people."""


def read_yaml(source: Source, sink: Sink, keys: Set[str] = frozenset()) -> Value | None:
    """Return the document in the file; None when it is empty, or not YAML (FC1001) in a way that
    leaves its meaning open. Report and leave out further documents, duplicate keys (FC1004) and
    keys that are not scalars (FC1001). `keys` are those of the language: where one lacks its
    colon, nothing else can be meant."""
    if not _check_characters(source, sink):
        return None
    builder = _Builder(source, sink)
    if _drive(builder, source.text) is None:
        return None if builder.refused else builder.root
    text = _Repairs(source, sink, keys).run()
    if text is None:
        return None
    builder = _Builder(source, sink, repairs=text)
    fault = _drive(builder, text.text)
    return None if builder.refused or fault is not None else builder.root


def _check_characters(source: Source, sink: Sink) -> bool:
    """Report characters that not every reader of YAML takes for the same; return whether none is
    there."""
    if source.text.isascii():
        return True
    if odd := _ODD_LINE_ENDS.search(source.text):
        message = f"the character U+{ord(odd[0]):04X} ends a line for some readers of YAML only"
        help = f'write a line end or a blank, or the escape "\\u{ord(odd[0]):04x}" in double quotes'
        sink.report("FC1001", message, source.span(*odd.span()), help=help)
        return False
    if half := _HALF_CHARACTERS.search(source.text):
        message = f"U+{ord(half[0]):04X} is half of a character"
        help = "write the whole character, or leave it out"
        sink.report("FC1001", message, source.span(*half.span()), help=help)
        return False
    return True


def _drive(builder: _Builder, text: str) -> yaml.YAMLError | None:
    """Build the tree of a text; return what stopped the parser, if anything did."""
    try:
        builder.read(_parser(text).get_event)
    except (yaml.MarkedYAMLError, yaml.reader.ReaderError) as error:
        return error
    return None


def _parser(text: str) -> Any:
    """Return what reads the events of a text one by one."""
    return (yaml.CSafeLoader if yaml.__with_libyaml__ else yaml.SafeLoader)(text)


class _Repairs:
    """A text that is not YAML, while it is made into some. `text` is as it is repaired so far."""

    def __init__(self, source: Source, sink: Sink, keys: Set[str]) -> None:
        self.keys = keys
        self.source = source
        self.sink = sink
        self.text = source.text
        self._new: list[int] = [0]
        self._old: list[int] = [0]
        """Offsets in the repaired text from which on the file is a constant distance away, and the
        offsets in the file that belong to them."""

    def run(self) -> _Repairs | None:
        """Report the faults one after the other. Return None when one has no repair that keeps what
        the rest of the file means."""
        rounds = min(_ROUNDS, 1 + _READ_AGAIN // (len(self.text) + 1))
        for _ in range(rounds):
            fault = self._fault()
            if fault is None:
                return self
            if isinstance(fault, yaml.reader.ReaderError):
                message = f"the character U+{int(fault.character):04X} may not stand in YAML"
                help = 'write it as an escape in double quotes, as in `"\\u0007"`'
                at = max(self.text.find(chr(int(fault.character))), 0)
                self._report(message, at, at + 1, help)
                return None
            mark = fault.problem_mark or fault.context_mark
            at = min(mark.index, len(self.text)) if mark else 0
            begun = fault.context_mark.index if fault.context_mark else None
            slip = find_slip(self.text, self.keys, at, fault.problem or "", begun)
            if slip is None:
                reasons = ", ".join(part for part in (fault.context, fault.problem) if part)
                help = _help(fault.problem or "", self.text[at : at + 1])
                self._report(f"this is not YAML: {reasons}", at, min(at + 1, len(self.text)), help)
                return None
            self._report(slip.message, slip.start, slip.end, slip.help, slip.repair)
            if slip.repair is None or slip.repair.start < self._new[-1]:
                return None
            self._apply(slip.repair)
        return None

    def _fault(self) -> Any:
        try:
            parser = _parser(self.text)
            while not isinstance(parser.get_event(), yaml.StreamEndEvent):
                pass
        except (yaml.MarkedYAMLError, yaml.reader.ReaderError) as error:
            return error
        return None

    def _report(
        self, message: str, start: int, end: int, help: str, repair: Repair | None = None
    ) -> None:
        fix = None
        if repair is not None:
            place = self.source.span(self.place(repair.start), self.place(repair.end))
            fix = Fix(help, place, repair.text, repair.safe)
        span = self.source.span(self.place(start), self.place(end))
        self.sink.report("FC1001", message, span, help=help, fix=fix)

    def place(self, index: int) -> int:
        """Return the offset in the file of one in the repaired text."""
        at = bisect_right(self._new, index) - 1
        old = self._old[at] + index - self._new[at]
        return min(old, self._old[at + 1]) if at + 1 < len(self._old) else old

    def _apply(self, repair: Repair) -> None:
        self._old.append(self.place(repair.end))
        self._new.append(repair.start + len(repair.text))
        self.text = self.text[: repair.start] + repair.text + self.text[repair.end :]


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


def _help(problem: str, sign: str) -> str:
    """Return what to write instead, for the most frequent mistakes."""
    if sign == "\t":
        return "YAML is indented with blanks, not with tabs"
    return next((help for part, help in _HELPS if part in problem), "")


@dataclass(slots=True)
class _Open:
    """A list or mapping whose end has not been read. Of a mapping, the key that waits for its
    value. `kept` is False for the value of a refused key."""

    node: Any
    anchor: str | None
    before: int
    height: int = 1
    key: Scalar | None = None
    kept: bool = True


@dataclass(slots=True)
class _Builder:
    """The tree while it is built; `text` is that of the file."""

    source: Source
    sink: Sink
    repairs: _Repairs | None = None
    text: str = field(init=False)
    root: Value | None = None
    refused: bool = False
    elements: int = 0
    open: list[_Open] = field(default_factory=list)
    anchors: dict[str, tuple[Value, int, int]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.text = self.source.text

    def fault(self, message: str, span: Span, help: str = "") -> None:
        self.sink.report("FC1001", message, span, help=help)

    def refuse(self, message: str, span: Span, help: str = "") -> bool:
        """Report what makes the whole file unreadable, and stop reading."""
        self.fault(message, span, help)
        self.refused = True
        return False

    def read(self, next_event: Callable[[], Any]) -> None:
        """Build the tree of events until the last of them, or one that stops the reading. Most are
        plain scalars in a mapping: they are put there without a call."""
        takes, begun, text, source = self.takes(), self.open, self.text, self.source
        as_written, scalar = self.repairs is None, yaml.ScalarEvent
        while True:
            event = next_event()
            kind: type = type(event)
            if kind is not scalar:
                if takes[kind](event):
                    continue
                return
            start, end = event.start_mark.index, event.end_mark.index
            if not as_written or text[end - 1] in _BLANKS:
                start, end = self.place(event)
            node = Scalar(event.value, start, end, event.style or "", source)
            if event.tag is not None:
                self.refuse_tag(event.tag, node.whole)
            if event.anchor is not None or not begun or self.elements >= MAX_ELEMENTS:
                if self.finish(node, event.anchor, self.elements, 0):
                    continue
                return
            self.elements += 1
            into = begun[-1]
            if into.key is None:
                self.put(node, into)
            elif into.kept:
                into.node.pairs.append((into.key, node))
                into.key = None
            else:
                into.key = None

    def takes(self) -> dict[type, Callable[[Any], bool]]:
        """Return what takes each other kind of event; it returns False to stop reading."""
        return {
            yaml.SequenceStartEvent: self.begin,
            yaml.MappingStartEvent: self.begin,
            yaml.SequenceEndEvent: self.end,
            yaml.MappingEndEvent: self.end,
            yaml.AliasEvent: self.alias,
            yaml.DocumentStartEvent: self.document,
            yaml.DocumentEndEvent: lambda event: True,
            yaml.StreamStartEvent: lambda event: True,
            yaml.StreamEndEvent: lambda event: False,
        }

    def document(self, event: yaml.DocumentStartEvent) -> bool:
        if self.root is None:
            return True
        message = "a second document begins here, and only the first one is read"
        help = "put further workflows below `workflows:`, or into files of their own"
        self.fault(message, self.source.span(*self.place(event)), help)
        return False

    def begin(self, event: yaml.SequenceStartEvent | yaml.MappingStartEvent) -> bool:
        start, end = self.place(event)
        if len(self.open) >= MAX_DEPTH:
            return self.too_deep(self.source.span(start, end))
        kind = ListAt if type(event) is yaml.SequenceStartEvent else MapAt
        node = kind([], start, end, self.source)
        if event.tag is not None:
            self.refuse_tag(event.tag, node.span)
        self.open.append(_Open(node, event.anchor, self.elements))
        return True

    def end(self, event: Any) -> bool:
        closed = self.open.pop()
        end = event.end_mark.index
        if self.repairs is not None:
            end = self.repairs.place(end)
        node = closed.node
        node.end = self.trim_end(node.start, end)
        if type(node) is MapAt:
            for first, key in node.drop_doubles():
                message = f"the key `{brief(key.text)}` stands twice"
                labels = (Label(first.span, "first here"),)
                self.sink.report("FC1004", message, key.span, labels=labels, help="merge the two")
        return self.finish(node, closed.anchor, closed.before, closed.height)

    def alias(self, event: Any) -> bool:
        span = self.source.span(*self.place(event))
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

    def too_large(self, span: Span) -> bool:
        message = f"the file has more than {MAX_ELEMENTS} elements, counting what aliases repeat"
        return self.refuse(message, span, "write less of it, or read it from a file")

    def finish(self, node: Value, anchor: str | None, before: int, height: int) -> bool:
        """Put a whole element, `height` levels high, into what is open, and remember its anchor."""
        self.elements += 1
        if self.elements > MAX_ELEMENTS:
            return self.too_large(node.span)
        if anchor is not None:
            self.anchors[anchor] = (node, self.elements - before, height)
        if not self.open:
            self.root = node
            return True
        into = self.open[-1]
        if height >= into.height:
            into.height = height + 1
        self.put(node, into)
        return True

    def put(self, node: Value, into: _Open) -> None:
        """Put an element into what is open: as an item, a key, or the value of a key."""
        if into.key is not None:
            if into.kept:
                into.node.pairs.append((into.key, node))
            into.key = None
        elif type(into.node) is ListAt:
            into.node.items.append(node)
        elif type(node) is Scalar and node.text != "<<":
            node.text = intern(node.text)  # most keys stand there again and again
            into.key, into.kept = node, True
        else:
            into.key, into.kept = self.odd_key(node)

    def odd_key(self, node: Value) -> tuple[Scalar, bool]:
        """Return the key that a list, a mapping or `<<` gives, and whether its value counts."""
        if not isinstance(node, Scalar):
            self.fault("a list or mapping cannot be a key", node.span, "write a name as the key")
            return Scalar("", node.start, node.end, "", self.source), False
        if node.plain:
            self.fault("`<<` merges nothing here", node.span, "write the keys out")
        return node, not node.plain

    def refuse_tag(self, tag: str, span: Span) -> None:
        self.fault(f"the tag `{brief(tag)}` means nothing here", span, "leave it out")

    def place(self, event: Any) -> tuple[int, int]:
        """Return where an event begins and ends in the file."""
        start, end = event.start_mark.index, event.end_mark.index
        if self.repairs is not None:
            start, end = self.repairs.place(start), self.repairs.place(end)
        if end > start and self.text[end - 1] in _BLANKS:
            end = self.trim_end(start, end)
        return start, end

    def trim_end(self, start: int, end: int) -> int:
        """Leave out the blank lines that the parser counts as part of a block."""
        text = self.text
        while end > start and text[end - 1] in _BLANKS:
            end -= 1
        return end
