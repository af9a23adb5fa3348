"""Values of fields: how they are read, where they stand, and how they are spelled in a document.

* **Status:** READY                       plain
* **ID:** `step_1` (kept)                 in backticks; the remark is not part of it (A5)
* **Code:** and a fence below             fenced
* **Constraints:** and bullets below      a list
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from .blocks import PlanField
from .words import FENCED, PROSE, TICKED

Value = str | tuple[str, ...]
"""A field's value: a text with `\\n` between its lines, or a list of texts of one line each."""

_TICKS = re.compile(r"`+")
_OPENING = re.compile(r"(?P<indent>[ \t]*)(?P<mark>`{3,}|~{3,})(?P<tag>[^\n]*)(?:\n|\Z)")
_FENCE_LIKE = re.compile(r"^[ \t]*(`{3,}|~{3,})", re.MULTILINE)
_ITEM = re.compile(r"^[ \t]*(?:[*+-]|[0-9]{1,9}[.)])[ \t]+", re.MULTILINE)
_WRAP = re.compile(r"[ \t\r]*\n\s*")
ONE_LINE = TICKED | {"Status", "Overall Status"}
"""Fields that never have more than one line."""


class Range(NamedTuple):
    """Where a value stands, in offsets of its block's text."""

    start: int
    end: int


class FencePart(NamedTuple):
    """A fence taken apart: its first line's indentation, mark and tag, and where its body lies."""

    indent: str
    mark: str
    tag: str
    start: int
    end: int
    closed: bool


class FieldLayout(NamedTuple):
    """How fields are written nearby: the bullet with its blanks, the indentation of fences, the
    end of a line."""

    bullet: str
    indent: str
    newline: str


def place_of(text: str, field: PlanField) -> Range:
    """Return what a diagnostic about the value underlines; for an empty one, behind the name."""
    if field.form == "inline":
        span = _inline(text, field)
        ticks = _code_span(text, field, span)
        return ticks[1] if ticks else span
    if field.form == "fence":
        fence = fence_of(text, field)
        start, end = fence.start, fence.end
    else:
        start, end = field.body, field.end
    inner = text[start:end].rstrip()
    return Range(start + _blanks(inner), start + len(inner)) if inner else Range(start, start)


def value_of(text: str, field: PlanField) -> Value:
    """Return the value as it is meant: without backticks, indentation and fence (A3, A5, A26)."""
    if field.form == "fence":
        return _fence_value(text, fence_of(text, field))
    span = _inline(text, field)
    if field.form == "items":
        if span.start == span.end:
            return tuple(items_of(text, field))
        return text[span.start : span.end] + "\n" + _dedent(text[field.body : field.end])
    ticks = _code_span(text, field, span)
    if ticks is not None:
        inner = text[ticks[1].start : ticks[1].end]
        padded = len(inner) > 2 and inner[0] == " " == inner[-1] and inner.strip()
        return inner[1:-1] if padded else inner
    return _WRAP.sub(" ", text[span.start : span.end])


def items_of(text: str, field: PlanField) -> Iterator[str]:
    """Yield the bullets below a field, wrapped lines joined by one blank."""
    body = text[field.body : field.end]
    bullets = [match.span() for match in _ITEM.finditer(body)]
    ends = [*(start for start, _ in bullets[1:]), len(body)]
    for (_, start), end in zip(bullets, ends, strict=False):
        yield _WRAP.sub(" ", body[start:end].strip())


def fence_of(text: str, field: PlanField) -> FencePart:
    """Return the fence below a field."""
    return read_fence(text, field.body, field.end)


def read_fence(text: str, start: int, end: int) -> FencePart:
    """Take apart the fence between two offsets; its closing line may be missing."""
    opening = _OPENING.match(text, start, end)
    assert opening is not None, "a fence begins with its mark"
    mark, body = opening["mark"], opening.end()
    last = text.rfind("\n", 0, end - 1) + 1
    closing = text[last:end].strip()
    rest = closing[len(mark) :]
    is_mark = closing.startswith(mark) and rest in ("`" * len(rest), "~" * len(rest))
    closed = last >= body > start and is_mark
    return FencePart(
        opening["indent"], mark, opening["tag"].strip(), body, last if closed else end, closed
    )


def _fence_value(text: str, fence: FencePart) -> str:
    body = text[fence.start : fence.end].replace("\r\n", "\n")
    body = body.removesuffix("\n")
    return _without(body, fence.indent) if fence.indent else body


def _without(body: str, indent: str) -> str:
    """Take the opening line's indentation off each line, or as many blanks as there are."""
    lines = []
    for line in body.split("\n"):
        if line.startswith(indent):
            lines.append(line[len(indent) :])
        else:
            blanks = min(_blanks(line), len(indent))
            lines.append(line[blanks:])
    return "\n".join(lines)


def _dedent(body: str) -> str:
    lines = body.replace("\r\n", "\n").rstrip().split("\n")
    least = min((_blanks(line) for line in lines if line.strip()), default=0)
    return "\n".join(line[least:] for line in lines)


def _blanks(line: str) -> int:
    return len(line) - len(line.lstrip(" \t\r\n"))


def _inline(text: str, field: PlanField) -> Range:
    """Return what stands in the field's own lines behind its name, without blanks at its ends."""
    raw = text[field.label : field.line]
    inner = raw.strip(" \t\r\n")
    if not inner:
        start = field.label + (1 if raw[:1] in (" ", "\t") else 0)
        return Range(start, start)
    start = field.label + raw.index(inner)
    return Range(start, start + len(inner))


def _code_span(text: str, field: PlanField, span: Range) -> tuple[Range, Range] | None:
    """Return the code span that a value begins with, with and without its backticks."""
    if field.name in PROSE or not text.startswith("`", span.start, span.end):
        return None
    opening = _TICKS.match(text, span.start, span.end)
    assert opening is not None
    for closing in _TICKS.finditer(text, opening.end(), span.end):
        if len(closing[0]) == len(opening[0]):
            return (
                Range(span.start, closing.end()),
                Range(opening.end(), closing.start()),
            )
    return None


def spellings(
    text: str, field: PlanField, value: Value, layout: FieldLayout
) -> Iterator[tuple[Range, str]]:
    """Yield ways to write `value` into a field: what to replace, and by what, the nearest to the
    present text first. The first one that reads back as the value is taken."""
    newline = layout.newline
    if isinstance(value, str) and field.form == "fence":
        yield _fence_edit(text, fence_of(text, field), value, newline)
        return
    whole = Range(field.label, field.line if field.form == "inline" else field.end)
    lines = text[whole.start : whole.end]
    ended = "\r\n" if lines.endswith("\r\n") else "\n" if lines.endswith("\n") else ""
    if isinstance(value, tuple):
        bullets = "".join(f"{newline}    {layout.bullet.lstrip()}{item}" for item in value)
        yield whole, bullets + ended
        return
    if "\n" not in value:
        yield from _inline_edits(text, field, value, whole, ended)
    has_remark = field.form == "inline" and _remark(text, field)
    if field.name not in ONE_LINE and not has_remark:
        tag = FENCED.get(field.name, "text")
        yield whole, newline + in_fence(value, tag, layout).removesuffix(newline) + ended


def _inline_edits(
    text: str, field: PlanField, value: str, whole: Range, ended: str
) -> Iterator[tuple[Range, str]]:
    span = _inline(text, field)
    ticks = _code_span(text, field, span)
    if field.form == "items":
        yield whole, (f" {value}" if value else "") + ended
        return
    if ticks is not None:
        inner = text[ticks[1].start : ticks[1].end]
        if "`" not in value and inner.strip() == inner and value.strip() == value != "":
            yield ticks[1], value
        else:
            yield ticks[0], in_backticks(value)
        return
    blank = "" if span.start > field.label or not value else " "
    ways = [value, in_backticks(value)]
    for way in reversed(ways) if field.name in TICKED and value else ways:
        yield span, blank + way


def _remark(text: str, field: PlanField) -> bool:
    span = _inline(text, field)
    ticks = _code_span(text, field, span)
    return ticks is not None and ticks[0].end < span.end


def in_backticks(value: str) -> str:
    """Return `value` between as many backticks as it takes."""
    runs = {len(run) for run in _TICKS.findall(value)}
    marks = "`" * next(n for n in range(1, len(runs) + 2) if n not in runs)
    pad = " " if value.startswith(("`", " ")) or value.endswith(("`", " ")) else ""
    return f"{marks}{pad}{value}{pad}{marks}"


def _fence_edit(text: str, fence: FencePart, value: str, newline: str) -> tuple[Range, str]:
    """Replace only the body where the mark is long enough, else the marks too."""
    body = _indent(value, fence.indent, newline)
    if _longest(value, fence.mark[0]) < len(fence.mark):
        return Range(fence.start, fence.end), body
    mark = fence.mark[0] * (_longest(value, fence.mark[0]) + 1)
    opening = text.rindex(fence.mark, 0, fence.start)
    while text.startswith(fence.mark[0], opening - 1) and opening:
        opening -= 1
    behind = text[opening + len(fence.mark) : fence.start]
    closing = text.index(fence.mark, fence.end)
    lead = text[fence.end : closing]
    end = closing
    while end < len(text) and text[end] in "`~":
        end += 1
    return Range(opening, end), mark + behind + body + lead + mark


def in_fence(value: str, tag: str, layout: FieldLayout) -> str:
    """Return `value` in a fence, as lines."""
    mark = "`" * max(3, _longest(value, "`") + 1)
    ends = layout.indent + mark
    body = _indent(value, layout.indent, layout.newline)
    return f"{ends}{tag}{layout.newline}{body}{ends}{layout.newline}"


def _indent(value: str, indent: str, newline: str) -> str:
    if not value:
        return ""
    return "".join((indent + line if line else "") + newline for line in value.split("\n"))


def _longest(value: str, mark: str) -> int:
    """Return the longest run of `mark` that begins a line of `value`, from three on; else 2."""
    runs = [len(run) for run in _FENCE_LIKE.findall(value) if run[0] == mark]
    return max(runs, default=2)


def field_lines(name: str, value: Value, layout: FieldLayout) -> str:
    """Return a new field with its value, as lines."""
    head = f"{layout.bullet}**{name}:**"
    newline = layout.newline
    if isinstance(value, tuple):
        return head + newline + "".join(f"    {layout.bullet.lstrip()}{v}{newline}" for v in value)
    in_lines = "\n" in value or (value.strip() != value and name in PROSE)
    if name in FENCED or (in_lines and name not in ONE_LINE):
        return head + newline + in_fence(value, FENCED.get(name, "text"), layout)
    if name in TICKED and value:
        return f"{head} {in_backticks(value)}{newline}"
    return (f"{head} {value}" if value else head) + newline


def plain(value: Value) -> Value:
    """Return `value` with `\\n` for every line end."""
    if isinstance(value, str):
        return value.replace("\r\n", "\n").replace("\r", "\n")
    return tuple(value)


def same(one: Value, other: Value) -> bool:
    """Return whether two values mean the same: an empty list is written as an empty text."""
    return one == other or (not one and not other)


def is_template(value: Value | None) -> bool:
    """Return whether a value is a brace template that nobody has filled in (A27)."""
    return isinstance(value, str) and value.startswith("{") and value.endswith("}")
