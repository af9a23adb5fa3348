"""Edits: one block changed at one place, and proved by reading the block again.

An edit is kept only when the block reads as before but for the one field: its other fields, fences
and lines have the bytes they had, and the field has the value that was asked for. A text that could
break the document is therefore refused, whatever it is made of.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace

from .blocks import Block, Piece, PlanField, read_blocks
from .values import (
    FieldLayout,
    Range,
    Value,
    fence_of,
    field_lines,
    in_backticks,
    plain,
    same,
    spellings,
    value_of,
)
from .words import SECTION_FIELDS, STEP_FIELDS

DEFAULT = FieldLayout("*   ", "    ", "\n")
"""The layout of the format's own description."""

_TIME = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2} [0-9]{2}:[0-9]{2}:[0-9]{2}")
_LINE_ENDS = re.compile(r"[ \t]*[\r\n]\s*")


class PlanError(ValueError):
    """A document cannot be changed as asked, or lacks what is asked of it; the message says why."""


def set_field(block: Block, name: str, value: Value, layout: FieldLayout) -> Block:
    """Return `block` with the field `name` set; add a missing one in its place (A24). `layout`
    counts where the block has no field to copy. Raise `PlanError`."""
    value = plain(value)
    field = block.field(name)
    if field is None:
        return _add_field(block, name, value, layout)
    if same(value_of(block.text, field), value):
        return block
    if field.form == "fence" and not fence_of(block.text, field).closed:
        raise PlanError(f"the fence of `{name}` is not closed")
    near = layout_of(block, field.start, layout)
    near = near._replace(newline=newline_near(block.text, field.line) or near.newline)
    for place, text in spellings(block.text, field, value, near):
        changed = _replace(block, place, text)
        if changed is not None and _same_but(block, changed, name, value, added=False):
            return changed
    raise PlanError(_why_not(name, value))


def _add_field(block: Block, name: str, value: Value, layout: FieldLayout) -> Block:
    at = _place_for(block, name)
    near = layout_of(block, at, layout)
    lead, trail = _gaps(block, at, near.newline)
    ways = [field_lines(name, value, near)]
    if isinstance(value, str) and "\n" not in value:
        ways.append(f"{near.bullet}**{name}:** {in_backticks(value)}{near.newline}")
    for text in ways:
        if not block.text.endswith("\n") and at == len(block.text):
            text = near.newline + text.removesuffix(near.newline)
        changed = _replace(block, Range(at, at), lead + text + trail)
        if changed is not None and _same_but(block, changed, name, value, added=True):
            return changed
    raise PlanError(_why_not(name, value))


def _place_for(block: Block, name: str) -> int:
    """Return the offset for a new field: behind the nearest field that comes before `name` in the
    format's order. A field that the format does not know comes last; the first one comes below the
    heading and its prose."""
    known = STEP_FIELDS if block.kind == "step" else SECTION_FIELDS.get(block.key or "plan", ())
    before = known[: known.index(name)] if name in known else None
    before_it = [f for f in block.fields if before is None or f.name in before]
    if before_it:
        return max(before_it, key=lambda f: f.end).end
    if block.fields:
        return block.fields[0].start
    return intro_end(block)


def check_time(time: str) -> None:
    """Raise `PlanError` unless a time is written as `YYYY-MM-DD HH:MM:SS` (A11)."""
    if not _TIME.fullmatch(time):
        raise PlanError(f"`{time}` is not a time: write `YYYY-MM-DD HH:MM:SS`")


def append_line(block: Block, time: str, text: str, layout: FieldLayout) -> Block:
    """Return the log with one more line at its end (A11), line ends in `text` made blanks. Raise
    `PlanError`."""
    check_time(time)
    line = f"`{time}`: {_LINE_ENDS.sub(' ', text.strip())}".rstrip()
    logs = block.logs()
    changed = _behind(block, logs[-1], line) if logs else _first_line(block, line, layout)
    if changed is None:
        raise PlanError("the line cannot be added to the log: it would not be read back as written")
    return changed


def _behind(block: Block, last: Piece, line: str) -> Block | None:
    """Return the block with a line below its last log line. Read only that line: a log grows
    long."""
    before, behind = block.text[: last.end], block.text[last.end :]
    newline = newline_near(block.text, last.end) or "\n"
    lead = "" if before.endswith("\n") else newline
    bullet = block.text[last.start : block.text.index("`", last.start)]
    text = bullet + line + ("" if lead else newline)
    alone = read_blocks(text)
    if len(alone) > 1 or [p.kind for p in alone[0].pieces] != ["LOG"] or alone[0].fields:
        return None
    if before.endswith(
        "\r"
    ):  # together with ours it is one end of a line, not of the last log line
        again = reread(block, before + lead + text + behind)
        return again if again and len(again.logs()) == len(block.logs()) + 1 else None
    start = last.end + len(lead)
    grown = len(lead) + len(text)
    at = block.pieces.index(last)
    pieces = (
        *block.pieces[:at],
        last._replace(end=start),
        Piece("LOG", start, start + len(text)),
        *(Piece(p.kind, p.start + grown, p.end + grown) for p in block.pieces[at + 1 :]),
    )
    fields = tuple(f if f.start < start else _shift(f, grown) for f in block.fields)
    return Block(block.kind, block.key, before + lead + text + behind, fields, pieces)


def _shift(field: PlanField, by: int) -> PlanField:
    return field._replace(
        start=field.start + by,
        label=field.label + by,
        line=field.line + by,
        body=field.body + by,
        end=field.end + by,
    )


def _first_line(block: Block, line: str, layout: FieldLayout) -> Block | None:
    """Return the block with its first log line, below the heading and the prose there."""
    at = intro_end(block)
    newline = newline_near(block.text, at) or layout.newline
    before, behind = block.text[:at], block.text[at:]
    lead = newline if before.endswith("\n") else newline * 2
    tail = newline if behind or before.endswith("\n") else ""
    if behind.strip() and not behind.lstrip(" \t").startswith(("\n", "\r\n")):
        tail += newline
    changed = reread(block, before + lead + layout.bullet + line + tail + behind)
    if changed is None or len(changed.logs()) != 1:
        return None
    rest = [piece for piece in changed.pieces if piece.kind != "LOG"]
    return changed if _texts(block, block.pieces) == _texts(changed, rest) else None


def intro_end(block: Block) -> int:
    """Return the end of the heading and the prose below it, before a rule or a list."""
    end = 0 if block.kind == "start" else len(block.text.partition("\n")[0]) + 1
    end = min(end, len(block.text))
    for piece in block.pieces:
        if piece.kind not in ("TEXT", "TITLE") or is_rule(block, piece):
            break
        end = piece.end
    return end


def body_end(block: Block) -> int:
    """Return the end of the last line that is neither blank nor a rule."""
    ends = [field.end for field in block.fields]
    ends += [piece.end for piece in block.pieces if not is_rule(block, piece)]
    return max(ends, default=intro_end(block))


def is_rule(block: Block, piece: Piece) -> bool:
    """Return whether a piece is a horizontal rule."""
    text = block.text[piece.start : piece.end].strip()
    return len(text) >= 3 and text in ("-" * len(text), "*" * len(text), "_" * len(text))


def _gaps(block: Block, at: int, newline: str) -> tuple[str, str]:
    """Return blank lines that keep a first field apart from the prose around it."""
    if block.fields:
        return "", ""
    missing_end = "" if block.text[:at].endswith("\n") or not at else newline
    lead = missing_end + newline if at else ""
    behind = block.text[at:]
    trail = newline if behind and not behind.lstrip(" \t").startswith(("\n", "\r\n")) else ""
    return lead, trail


def layout_of(block: Block, at: int, default: FieldLayout) -> FieldLayout:
    """Return how the fields of a block are written near the offset `at`."""
    field = next((f for f in reversed(block.fields) if f.start <= at), None)
    field = field or (block.fields[0] if block.fields else None)
    newline = newline_near(block.text, at) or default.newline
    if field is None:
        return default._replace(newline=newline)
    bullet = block.text[field.start : block.text.index("**", field.start)]
    fences = [f for f in block.fields if f.form == "fence"]
    if fences:
        return FieldLayout(bullet, fence_of(block.text, fences[0]).indent, newline)
    return FieldLayout(bullet, "    " if len(bullet) >= 4 else "", newline)


def newline_near(text: str, at: int) -> str | None:
    """Return the end of the line before `at`, or of the first one behind it."""
    end = text.rfind("\n", 0, at)
    if end < 0:
        end = text.find("\n", at)
    if end < 0:
        return None
    return "\r\n" if text[end - 1 : end] == "\r" else "\n"


def _replace(block: Block, place: Range, text: str) -> Block | None:
    """Return the block with a part of its text replaced; None when that is no longer one block."""
    return reread(block, block.text[: place.start] + text + block.text[place.end :])


def reread(block: Block, text: str) -> Block | None:
    """Read a text as a block of the same kind; None when it is not one such block."""
    blocks = read_blocks(text)
    if block.kind == "start":
        return blocks[0] if len(blocks) == 1 else None
    if len(blocks) != 2 or blocks[0].text or blocks[1].kind != block.kind:
        return None
    return replace(blocks[1], key=block.key)


def _same_but(old: Block, new: Block, name: str, value: Value, *, added: bool) -> bool:
    """Return whether everything but the first field `name` has the bytes it had."""
    field = new.field(name)
    if field is None or old.heading != new.heading:
        return False
    if not same(value_of(new.text, field), value):
        return False
    if field.form == "fence" and not fence_of(new.text, field).closed:
        return False
    before, after = old.field(name), field
    rest = [f for f in old.fields if added or f is not before]
    return (
        _texts(old, rest) == _texts(new, [f for f in new.fields if f is not after])
        and _texts(old, old.pieces) == _texts(new, new.pieces)
        and (added or _position(old, before) == _position(new, after))
    )


def _position(block: Block, field: PlanField | None) -> int:
    return next(n for n, other in enumerate(block.fields) if other is field)


def _texts(block: Block, pieces: Iterable[Piece | PlanField]) -> list[str]:
    """Return what pieces say, without the end of their last line, which may be missing."""
    return [block.text[piece.start : piece.end].rstrip("\r\n") for piece in pieces]


def _why_not(name: str, value: Value) -> str:
    if isinstance(value, tuple):
        return f"`{name}` cannot hold this list: an item is one line that is not empty"
    if "\n" in value:
        return f"`{name}` holds one line, this text has {value.count(chr(10)) + 1}"
    return f"`{name}` cannot hold `{value[:60]}`: it would not be read back as written"
