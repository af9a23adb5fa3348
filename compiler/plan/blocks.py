"""Blocks: a living document as a row of pieces, each with its own text.

A block is a section or a step from its heading to the next one; what stands before the first
heading is a block too. Offsets count from the block's first character, so that a change in one
block leaves all others as they are. The texts of all blocks, joined, are the document.
"""

from __future__ import annotations

import dataclasses
import re
from typing import Any, Literal, NamedTuple

from flowc.grammar import load
from flowc.grammar.driving import drive_tokens
from flowc.grammar.plan_lexing import PlanLexer
from lark import Token

from ..source.records import dataclass
from .words import SECTION_WORDS, SectionKey

_NUMBER = re.compile(r"[0-9]+[.)]?[ \t]*")
_STEP = re.compile(
    r"\#+[ \t]+\w+[ \t]+(?P<number>[0-9]+|\{[^}\n]*\})[ \t]*[:.)：–—-]?(?P<title>.*)"
)


class PlanField(NamedTuple):
    """`* **name:** value`. `label` is the offset behind the name's colon and stars, `line` that
    behind the field's own lines, `body` where its fence or its items begin (`form`), `end` that
    behind all of it."""

    name: str
    start: int
    label: int
    line: int
    form: Literal["inline", "fence", "items"]
    body: int
    end: int


class Piece(NamedTuple):
    """Something else that a block holds, from `start` to `end`."""

    kind: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Block:
    """A piece of the document. `key` is the section's, or that of the section around a step.
    `values` caches the values of its fields."""

    kind: Literal["start", "section", "step"]
    key: SectionKey | None
    text: str
    fields: tuple[PlanField, ...]
    pieces: tuple[Piece, ...]
    values: dict[str, str | tuple[str, ...] | None] = dataclasses.field(
        default_factory=dict, init=False, compare=False, repr=False
    )

    @property
    def heading(self) -> str:
        """The heading's line, without its end; "" for what stands before the first one."""
        return "" if self.kind == "start" else self.text.partition("\n")[0].strip()

    @property
    def title(self) -> str:
        """What the heading says: a section's name without its number, a step's title."""
        if self.kind == "step":
            match = _STEP.match(self.heading)
            return match["title"].strip() if match else ""
        return _NUMBER.sub("", self.heading.lstrip("# \t"), count=1).rstrip("# \t")

    @property
    def number(self) -> int | None:
        """A step's number, where it is one."""
        match = _STEP.match(self.heading) if self.kind == "step" else None
        return int(match["number"]) if match and match["number"].isdecimal() else None

    def field(self, name: str) -> PlanField | None:
        """Return the first field of that name."""
        return next((field for field in self.fields if field.name == name), None)

    def logs(self) -> list[Piece]:
        """Return the log lines of a block."""
        return [piece for piece in self.pieces if piece.kind == "LOG"]


class _Group(NamedTuple):
    """A section or a step as it was parsed, before its end is known; `key` is a section's own."""

    kind: Literal["start", "section", "step"]
    start: int
    key: SectionKey | None
    fields: tuple[PlanField, ...]
    pieces: tuple[Piece, ...]


class _Shape:
    """Lark's callbacks while parsing: they turn tokens into offsets."""

    def start(self, children: list[Any]) -> list[Any]:
        return children

    def section(self, children: list[Any]) -> _Group:
        head = children[0]
        return _group("section", head.start_pos, section_key(head), children[1:])

    def step(self, children: list[Any]) -> _Group:
        return _group("step", children[0].start_pos, None, children[1:])

    def field(self, children: list[Token]) -> tuple[Token, ...]:
        return tuple(children)


_SHAPE = _Shape()


def read_blocks(text: str) -> tuple[Block, ...]:
    """Return the blocks of a document; any text is one. The first block may be empty."""
    parser = load("plan", lexer=PlanLexer, transformer=_SHAPE)
    parts: Any = drive_tokens(parser, PlanLexer(None).split(text, 0))
    first = next((n for n, part in enumerate(parts) if isinstance(part, _Group)), len(parts))
    groups = [_group("start", 0, None, parts[:first]), *parts[first:]]
    ends = [*(group.start for group in groups[1:]), len(text)]
    blocks: list[Block] = []
    key: SectionKey | None = None
    for group, end in zip(groups, ends, strict=True):
        key = group.key if group.kind == "section" else key
        own = text[group.start : end]
        blocks.append(Block(group.kind, key, own, group.fields, group.pieces))
    return tuple(blocks)


def section_key(heading: str) -> SectionKey | None:
    """Return the section that a level-2 heading opens, with or without its number (A1)."""
    words = _NUMBER.sub("", heading.lstrip(" #\t"), count=1).strip().rstrip("#: \t")
    return SECTION_WORDS.get(words.lower())


def _group(
    kind: Literal["start", "section", "step"],
    start: int,
    key: SectionKey | None,
    parts: list[Any],
) -> _Group:
    fields: list[PlanField] = []
    pieces: list[Piece] = []
    for part in parts:
        if isinstance(part, Token):
            pieces.append(
                Piece(part.type, (part.start_pos or 0) - start, (part.end_pos or 0) - start)
            )
        else:
            fields.append(_field(part, start))
    return _Group(kind, start, key, tuple(fields), tuple(pieces))


def _field(tokens: tuple[Any, ...], base: int) -> PlanField:
    line = tokens[0]
    start = line.start_pos - base
    colon = line.index(":**")
    name = line[line.index("**") + 2 : colon].strip()
    behind = line.end_pos - base
    if len(tokens) == 1:
        return PlanField(name, start, start + colon + 3, behind, "inline", behind, behind)
    body = tokens[1]
    return PlanField(
        name,
        start,
        start + colon + 3,
        behind,
        "fence" if body.type == "FENCE" else "items",
        body.start_pos - base,
        body.end_pos - base,
    )
