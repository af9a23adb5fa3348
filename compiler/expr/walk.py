"""Walk: the parts of an expression, the names it reads, the same expression elsewhere."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from typing import assert_never

from ..source.records import dataclass
from ..source.source import Span
from .ast import (
    Binary,
    Call,
    Each,
    Expr,
    Field,
    Index,
    ListOf,
    Literal,
    Name,
    ObjectOf,
    Text,
    Unary,
)

Parts = Sequence[tuple[Expr, frozenset[str]]]
"""The parts of an expression that have parts themselves, each with the names that are elements of
lists there."""


LEAVES = (Name, Literal)
"""What has no parts."""


def children(expr: Expr) -> tuple[Expr, ...]:
    """Return the direct parts of an expression, in written order."""
    match expr:  # the most frequent ones first
        case Literal() | Name():
            return ()
        case Binary():
            return (expr.left, expr.right)
        case Text():
            return expr.parts
        case Call():
            return expr.args
        case Field():
            return (expr.object,)
        case Index():
            return (expr.object, expr.key)
        case Unary():
            return (expr.operand,)
        case ListOf():
            return expr.items
        case ObjectOf():
            return tuple(value for _, value in expr.entries)
        case Each():
            return (expr.items, expr.body)
        case _:
            assert_never(expr)


def walk(expr: Expr) -> Iterator[Expr]:
    """Yield the expression and every part of it, outermost first, in written order."""
    todo = [expr]
    while todo:
        at = todo.pop()
        yield at
        if not isinstance(at, Name | Literal):
            todo += children(at)[::-1]


def part_below(expr: Expr, depth: int) -> Expr | None:
    """Return a part that lies as many levels below the expression; None where there is none."""
    level = [expr]
    for _ in range(depth):
        level = [child for at in level for child in children(at)]
        if not level:
            return None
    return level[0]


def compounds(expr: Expr) -> Parts:
    """Return the expression and the parts of it that have parts themselves, outermost first, in
    written order, each with the names that are elements of lists there, no variables."""
    found: list[tuple[Expr, frozenset[str]]] = []
    todo: list[tuple[Expr, frozenset[str]]] = [(expr, frozenset())]
    while todo:
        at, bound = part = todo.pop()
        if type(at) in LEAVES:
            continue
        found.append(part)
        if type(at) is Binary:
            if type(at.right) not in LEAVES:
                todo.append((at.right, bound))
            if type(at.left) not in LEAVES:
                todo.append((at.left, bound))
        elif type(at) is Field:
            todo.append((at.object, bound))
        else:
            todo += _within(at, bound)[::-1]
    return found


def names_read(expr: Expr) -> tuple[Name, ...]:
    """Return every variable that evaluating may read, once per place, in written order."""
    found: list[Name] = []
    todo: list[tuple[Expr, frozenset[str]]] = [(expr, frozenset())]
    while todo:
        at, bound = todo.pop()
        if not isinstance(at, Name):
            todo += _within(at, bound)[::-1]
        elif at.name not in bound:
            found.append(at)
    return tuple(found)


def _within(expr: Expr, bound: frozenset[str]) -> list[tuple[Expr, frozenset[str]]]:
    if isinstance(expr, Each):
        return [(expr.items, bound), (expr.body, bound | {expr.name})]
    return [(part, bound) for part in children(expr)]


def rebuild(expr: Expr, parts: tuple[Expr, ...], span: Span | None) -> Expr:
    """Return the same expression with `parts` in place of its `children`, standing at `span`."""
    match expr:
        case Literal():
            return Literal(value=expr.value, span=span)
        case Name():
            return Name(name=expr.name, span=span)
        case Field():
            return Field(object=parts[0], name=expr.name, span=span)
        case Index():
            return Index(object=parts[0], key=parts[1], span=span)
        case Call():
            return Call(function=expr.function, args=parts, span=span)
        case Unary():
            return Unary(op=expr.op, operand=parts[0], span=span)
        case Binary():
            return Binary(op=expr.op, left=parts[0], right=parts[1], span=span)
        case Text():
            return Text(parts=parts, span=span)
        case ListOf():
            return ListOf(items=parts, span=span)
        case ObjectOf():
            keys = (key for key, _ in expr.entries)
            return ObjectOf(entries=tuple(zip(keys, parts, strict=True)), span=span)
        case Each():
            items, body = parts
            return Each(function=expr.function, items=items, body=body, name=expr.name, span=span)
        case _:
            assert_never(expr)


def shift_spans(expr: Expr, file: str, offset: int) -> Expr:
    """Return the same expression `offset` characters further on in `file`."""
    at = expr.span
    span = None if at is None else Span(file, at.start + offset, at.end + offset)
    if type(expr) is Name:
        return Name(name=expr.name, span=span)
    if type(expr) is Literal:
        return Literal(value=expr.value, span=span)
    if type(expr) is Binary:
        left = shift_spans(expr.left, file, offset)
        return Binary(op=expr.op, left=left, right=shift_spans(expr.right, file, offset), span=span)
    parts = tuple([shift_spans(part, file, offset) for part in children(expr)])
    return rebuild(expr, parts, span)


def map_spans(expr: Expr, place: Callable[[Span], Span]) -> Expr:
    """Return the same expression with every span replaced by what `place` makes of it."""
    span = None if expr.span is None else place(expr.span)
    if type(expr) is Literal:
        return Literal(value=expr.value, span=span)
    if type(expr) is Name:
        return Name(name=expr.name, span=span)
    return rebuild(expr, tuple([map_spans(part, place) for part in children(expr)]), span)


_NAMES = re.compile(
    r"(?<![\w.])(?!(?i:and|or|not|in|true|false|null|none|undefined|exists|contains|matches|starts"
    r"|ends|with|equals|differs|less|less_equal|greater|greater_equal|eq|ne|lt|le|gt|ge)\b)"
    r"([A-Za-z_]\w*+)(?!\s*\()"
)
"""Names of variables: neither words of the language nor functions nor fields."""


def split_names(text: str) -> list[str]:
    """Return what stands between the names in a text, and the names: every second piece is one.
    Nothing where quotes or letters of other scripts make it hard to tell."""
    if not text.isascii() or '"' in text or "'" in text:
        return []
    return _NAMES.split(text)


@dataclass(frozen=True, slots=True)
class ExpressionShape:
    """An expression that was read, as the form of all those with other names: `make` builds one of
    the pieces of its text, a file, and how far each part of it has moved there: what stands behind
    the first `n` names by `moved[n]` characters."""

    make: Callable[[list[str], str, list[int]], Expr]
    names: tuple[int, ...]
    offset: int
    """Where the expression was read; `names` are the lengths of its names."""

    def expression(self, pieces: list[str], file: str, offset: int) -> Expr:
        """Return the expression that the pieces of a text say, which stands at `offset`."""
        ahead = offset - self.offset
        moved = [ahead]
        for name, length in zip(pieces[1::2], self.names, strict=True):
            ahead += len(name) - length
            moved.append(ahead)
        return self.make(pieces, file, moved)


def shape_of(expr: Expr, pieces: list[str], offset: int) -> ExpressionShape | None:
    """Return the shape of an expression that was read at `offset`; None where its names are not
    those among the pieces of its text."""
    places: dict[tuple[int, int], int] = {}
    for number, piece in enumerate(pieces):
        if number % 2:
            places[offset, offset + len(piece)] = number
        offset += len(piece)
    read = [part.span for part in walk(expr) if isinstance(part, Name)]
    if sorted((at.start, at.end) for at in read if at is not None) != [*places]:
        return None
    lengths = tuple(len(name) for name in pieces[1::2])
    return ExpressionShape(_maker(expr, places), lengths, offset - sum(map(len, pieces)))


def _maker(
    expr: Expr, places: dict[tuple[int, int], int]
) -> Callable[[list[str], str, list[int]], Expr]:
    """Return what makes the same expression of other names. `places` are those of the names, in
    order, with the numbers of their pieces."""
    at = expr.span
    assert at is not None, "what was read has a place"
    start, end = at.start, at.end
    ends = [place[1] for place in places]
    first, last = bisect_right(ends, start), bisect_right(ends, end)
    if isinstance(expr, Name):
        number = places[start, end]
        return lambda pieces, file, moved: Name(
            name=pieces[number], span=Span(file, start + moved[first], end + moved[last])
        )
    if isinstance(expr, Binary):
        op, left, right = expr.op, _maker(expr.left, places), _maker(expr.right, places)
        return lambda pieces, file, moved: Binary(
            op=op,
            left=left(pieces, file, moved),
            right=right(pieces, file, moved),
            span=Span(file, start + moved[first], end + moved[last]),
        )
    parts = [_maker(part, places) for part in children(expr)]
    return lambda pieces, file, moved: rebuild(
        expr,
        tuple([part(pieces, file, moved) for part in parts]),
        Span(file, start + moved[first], end + moved[last]),
    )
