"""The layout of flow YAML files (`flowc fmt`). Only white space changes, so no comment is lost and
no text changes its meaning.

Two blanks for each level, lists below their key included; one blank behind a colon and a dash, two
before a comment at the end of a line; one blank line between nodes and between sections of several
lines, never two. What stands inside brackets and blocks moves as a whole.
"""

from __future__ import annotations

import re
from dataclasses import field
from typing import Any

import yaml

from ..source.records import dataclass

_STEP = 2
_HEADER = re.compile(r"[|>][-+0-9]*")
_ODD_ENDS = re.compile("[\r\x85\u2028\u2029]")
_SECTIONS = re.compile(r"(?:workflows(?:/[^/]*)?)?\Z")
_NODES = re.compile(r"(?:workflows/[^/]*/)?nodes\Z")


@dataclass(slots=True)
class _Frame:
    """A block list or mapping. Its entries move from the column `old` to `new`; `path` holds the
    keys that lead to it, `starts` the lines where its entries begin."""

    is_list: bool
    old: int
    new: int
    path: str
    loose: bool = False
    """A list whose dashes stand below their key: the parser does not say where it ends."""
    key: str = ""
    starts: list[int] = field(default_factory=list)


@dataclass(slots=True)
class _Line:
    """A line. `indent` is the column where it has to begin (None: no change); a `kept` line belongs
    to a text and may be moved but not trimmed; a `ragged` one ends inside a text."""

    text: str
    indent: int | None = None
    kept: bool = False
    ragged: bool = False
    edits: list[tuple[int, int, str]] = field(default_factory=list)

    @property
    def is_blank(self) -> bool:
        return not self.kept and not self.text.strip()

    @property
    def is_comment(self) -> bool:
        return not self.kept and self.text.lstrip().startswith("#")

    def render(self) -> str:
        text = self.text
        for start, end, new in sorted(self.edits, reverse=True):
            text = text[:start] + new + text[end:]
        if self.indent is not None:
            text = " " * self.indent + text.lstrip()
        return text if self.kept or self.ragged else text.rstrip()


def lay_out(text: str) -> str:
    """Return the same file in canonical layout. The text must be YAML without faults; one with line
    ends that only YAML counts as such stays as it is."""
    ending = "\r\n" if text.count("\r\n") * 2 > text.count("\n") else "\n"
    plain = text.replace("\r\n", "\n")
    if not plain.strip() or _ODD_ENDS.search(plain):
        return text
    new = _Layout(plain).run()
    if not plain.endswith("\n") and _meaning(new) != _meaning(plain):
        # The file ends inside a block, and a line end would become part of its text.
        new = new.removesuffix("\n")
    assert _meaning(new) == _meaning(plain), "white space alone was changed"
    return new.replace("\n", ending)


def _meaning(text: str) -> tuple[list[Any], list[str]]:
    events = [
        (type(e), getattr(e, "value", None), getattr(e, "anchor", None), getattr(e, "tag", None))
        for e in yaml.parse(text, Loader=yaml.CSafeLoader)
    ]
    comments = [line.strip() for line in text.split("\n") if line.lstrip().startswith("#")]
    return events, comments


class _Layout:
    def __init__(self, text: str) -> None:
        self.lines = [_Line(line) for line in text.removesuffix("\n").split("\n")]
        self.tokens = list(yaml.scan(text, Loader=yaml.CSafeLoader))
        self.frames: list[_Frame] = []
        self.all: list[_Frame] = []
        self.owners: dict[int, list[_Frame]] = {}
        """For each line on which an entry begins the collections it stands in."""
        self.ends: dict[int, int] = {}
        """The column where the last token of a line ends."""
        self.open_ended: set[int] = set()
        """Lines behind a block that takes up blank ones."""

    def run(self) -> str:
        self._read_tokens()
        self._move_comments()
        blanks = self._blank_lines()
        rows: list[str] = []
        for number, line in enumerate(self.lines):
            if line.is_blank and (not rows or not rows[-1]):
                continue
            if number in blanks and rows and rows[-1]:
                rows.append("")
            rows.append(line.render())
        while not self.lines[-1].kept and not rows[-1]:
            rows.pop()
        return "\n".join(rows) + "\n"

    def _read_tokens(self) -> None:
        depth = 0
        opened: yaml.Token | None = None
        for at, token in enumerate(self.tokens):
            match token:
                case yaml.FlowSequenceStartToken() | yaml.FlowMappingStartToken():
                    opened = token if opened is None else opened
                    depth += 1
                case yaml.FlowSequenceEndToken() | yaml.FlowMappingEndToken():
                    depth -= 1
                    if depth == 0 and opened is not None:
                        self._move_rest(opened, token.end_mark.line)
                        opened = None
                case _ if depth == 0:
                    self._block_token(at, token)
            self._note_end(token)

    def _block_token(self, at: int, token: yaml.Token) -> None:
        line, column = token.start_mark.line, token.start_mark.column
        match token:
            case yaml.BlockMappingStartToken():
                self._open(False, column)
            case yaml.BlockSequenceStartToken():
                self._open(True, column)
            case yaml.BlockEndToken():
                self._close_loose()
                self.frames.pop()
            case yaml.BlockEntryToken():
                if not self.frames[-1].is_list:
                    self._open(True, column)
                    self.frames[-1].loose = True
                self._entry(line, column)
                self._one_blank(token, self.tokens[at + 1])
            case yaml.KeyToken():
                self._close_loose()
                self._entry(line, column)
                self.frames[-1].key = getattr(self.tokens[at + 1], "value", "")
            case yaml.ValueToken():
                if not self.lines[line].text[:column].strip():
                    self.lines[line].indent = self.frames[-1].new
                self._one_blank(token, self.tokens[at + 1])
            case yaml.ScalarToken():
                self._scalar(token)

    def _open(self, is_list: bool, column: int) -> None:
        above = self.frames[-1] if self.frames else None
        new = above.new + _STEP if above else 0
        path = "/".join(part for part in (above.path, above.key) if part) if above else ""
        frame = _Frame(is_list, column, new, path)
        self.frames.append(frame)
        self.all.append(frame)

    def _close_loose(self) -> None:
        if self.frames[-1].loose:
            self.frames.pop()

    def _entry(self, line: int, column: int) -> None:
        frame = self.frames[-1]
        frame.starts.append(line)
        if not self.lines[line].text[:column].strip():
            self.lines[line].indent = frame.new
            self.owners[line] = list(self.frames)

    def _one_blank(self, token: yaml.Token, after: yaml.Token) -> None:
        """Leave one blank between a dash or colon and what follows it on the line."""
        line, start = token.end_mark.line, token.end_mark.column
        end = after.start_mark.column
        follows = after.start_mark.line == line and end > start
        if follows and not self.lines[line].text[start:end].strip():
            self.lines[line].edits.append((start, end, " "))

    def _scalar(self, token: yaml.ScalarToken) -> None:
        first, last = token.start_mark.line, token.end_mark.line
        frame = self.frames[-1] if self.frames else None
        inside = frame.new + _STEP if frame else 0
        if token.style in ("|", ">"):
            self._block(token, frame, inside)
            return
        self.lines[first].ragged = last > first
        for number, line in enumerate(self.lines[first + 1 : last + 1], start=first + 1):
            line.kept, line.ragged = number < last, True
            blanks = len(line.text) - len(line.text.lstrip(" \t"))
            if line.text.strip():
                line.edits.append((0, blanks, " " * inside))

    def _block(self, token: yaml.ScalarToken, frame: _Frame | None, inside: int) -> None:
        """Move the lines of a block one level deeper than what holds them."""
        first, last = token.start_mark.line, token.end_mark.line
        header = _HEADER.match(self.lines[first].text, token.start_mark.column)
        assert header is not None, "a block begins with its sign"
        self.ends[first] = header.end()
        body = self.lines[first + 1 : last if token.end_mark.column == 0 else last + 1]
        deep = [len(b.text) - len(b.text.lstrip(" ")) for b in body if b.text.strip(" ")]
        least = min(deep, default=0)
        shift = inside - least
        if digit := next((int(sign) for sign in header[0] if sign.isdigit()), 0):
            least = (frame.old if frame else 0) + digit
            shift = frame.new - frame.old if frame else 0
        if "+" in header[0]:
            self.open_ended.add(first + 1 + len(body))
        while body and "+" not in header[0] and len(body[-1].text) <= least:
            if body[-1].text.strip(" "):
                break
            body.pop()
        for line in body:
            line.kept = True
            blanks = len(line.text) - len(line.text.lstrip(" "))
            if deep and (line.text.strip(" ") or blanks > least):
                line.edits.append((0, blanks, " " * max(0, blanks + shift)))

    def _move_rest(self, opened: yaml.Token, last: int) -> None:
        """Move the further lines inside brackets by as much as the first one."""
        frame = self.frames[-1] if self.frames else None
        shift = frame.new - frame.old if frame else 0
        for line in self.lines[opened.start_mark.line + 1 : last + 1]:
            blanks = len(line.text) - len(line.text.lstrip())
            if line.text.strip():
                line.indent = max(blanks + shift, frame.new + 1 if frame else 0)

    def _note_end(self, token: yaml.Token) -> None:
        mark = token.end_mark
        block = isinstance(token, yaml.ScalarToken) and token.style in ("|", ">")
        if not block and mark.line < len(self.lines) and mark.index > token.start_mark.index:
            self.ends[mark.line] = max(self.ends.get(mark.line, 0), mark.column)

    def _move_comments(self) -> None:
        """Put two blanks before a comment behind something. A comment on a line of its own goes to
        the entry whose column it had, else to the next entry."""
        before: list[_Frame] = []
        follows = self._followers()
        for number, line in enumerate(self.lines):
            before = self.owners.get(number, before)
            if line.is_comment and line.indent is None:
                line.indent = _column(line, before, follows[number])
            elif not line.is_blank and not line.kept and (end := self.ends.get(number)):
                rest = line.text[end:]
                if rest.lstrip().startswith("#"):
                    line.edits.append((end, end + len(rest) - len(rest.lstrip()), "  "))

    def _followers(self) -> list[list[_Frame]]:
        """Return for each line the collections of the first entry from there on."""
        followers: list[list[_Frame]] = []
        after: list[_Frame] = []
        for number in reversed(range(len(self.lines))):
            after = self.owners.get(number, after)
            followers.append(after)
        return followers[::-1]

    def _blank_lines(self) -> set[int]:
        """Return the lines that need a blank line before them."""
        blanks: set[int] = set()
        for frame in self.all:
            spaced = frame.is_list and _NODES.match(frame.path)
            sections = not frame.is_list and _SECTIONS.match(frame.path)
            starts = [*frame.starts, len(self.lines)]
            for start, after, further in zip(starts, starts[1:], starts[2:], strict=False):
                if spaced or (sections and self._is_long(start, after, further)):
                    blanks.add(self._above_comments(after, start))
        return blanks - self.open_ended

    def _is_long(self, start: int, after: int, end: int) -> bool:
        """Return whether one of two entries has several lines, comments and blank ones not counted.
        What stands behind the last entry of an inner mapping does no harm: it is long anyway."""
        return any(
            sum(not (line.is_blank or line.is_comment) for line in self.lines[first:last]) > 1
            for first, last in ((start, after), (after, end))
        )

    def _above_comments(self, line: int, least: int) -> int:
        while line - 1 > least and self.lines[line - 1].is_comment:
            line -= 1
        return line


def _column(line: _Line, before: list[_Frame], after: list[_Frame]) -> int:
    """Return the column of a comment between two entries."""
    column = len(line.text) - len(line.text.lstrip())
    for frames in (after[-1:], before, after):
        for frame in frames:
            if frame.old == column:
                return frame.new
    return after[-1].new if after else 0
