"""The expression language's tree: frozen, JSON-shaped, spans excluded from comparison.

Guards, assertions, assignments and templates all use it. A template is `Text`: parts that are
turned into text and joined. A dialect's own operators are written with functions, e.g. the
flowchart's first-line equality is `first_line(RESULT) == first_line('SUCCESS')`.
"""

from __future__ import annotations

from typing import Literal as Lit

from ..source.records import dataclass
from ..source.source import Spanned

BinaryOp = Lit[
    "==", "!=", "<", "<=", ">", ">=", "+", "-", "*", "/", "%",
    "and", "or", "in", "contains", "matches", "starts with", "ends with",
]  # fmt: skip
UnaryOp = Lit["not", "-", "exists"]
Scalar = str | int | float | bool | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Literal(Spanned):
    """A text, number, truth value or null."""

    value: Scalar = None
    kind: Lit["literal"] = "literal"


@dataclass(frozen=True, slots=True, kw_only=True)
class Name(Spanned):
    """A variable of the run."""

    name: str
    kind: Lit["name"] = "name"


@dataclass(frozen=True, slots=True, kw_only=True)
class Field(Spanned):
    """`object.name`; `length` of a list or text is its length when no such key exists."""

    object: Expr
    name: str
    kind: Lit["field"] = "field"


@dataclass(frozen=True, slots=True, kw_only=True)
class Index(Spanned):
    """`object[key]`."""

    object: Expr
    key: Expr
    kind: Lit["index"] = "index"


@dataclass(frozen=True, slots=True, kw_only=True)
class Call(Spanned):
    """`function(arguments)`; the functions are those of `expr.functions.FUNCTIONS`."""

    function: str
    args: tuple[Expr, ...]
    kind: Lit["call"] = "call"


@dataclass(frozen=True, slots=True, kw_only=True)
class Unary(Spanned):
    """`not x`, `-x`, `x exists`."""

    op: UnaryOp
    operand: Expr
    kind: Lit["unary"] = "unary"


@dataclass(frozen=True, slots=True, kw_only=True)
class Binary(Spanned):
    """`left op right`."""

    op: BinaryOp
    left: Expr
    right: Expr
    kind: Lit["binary"] = "binary"


@dataclass(frozen=True, slots=True, kw_only=True)
class Text(Spanned):
    """A template: the parts' text forms, joined. A part that is null shows as the empty text."""

    parts: tuple[Expr, ...]
    kind: Lit["text"] = "text"


@dataclass(frozen=True, slots=True, kw_only=True)
class ListOf(Spanned):
    """`[a, b]`."""

    items: tuple[Expr, ...]
    kind: Lit["list"] = "list"


@dataclass(frozen=True, slots=True, kw_only=True)
class ObjectOf(Spanned):
    """`{"key": a}`; of a key that stands twice the last counts."""

    entries: tuple[tuple[str, Expr], ...]
    kind: Lit["object"] = "object"


@dataclass(frozen=True, slots=True, kw_only=True)
class Each(Spanned):
    """`function(items, body)`: the body is evaluated for every element, which has the name `name`
    in it: `filter(items, item > 3)`, `map(order in orders, order.total)`."""

    function: str
    items: Expr
    body: Expr
    name: str = "item"
    kind: Lit["each"] = "each"


Expr = (
    Literal | Name | Field | Index | Call | Unary | Binary | Text | ListOf | ObjectOf | Each
)  # fmt: skip
