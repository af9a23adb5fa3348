"""Show: an expression as text that parses to the same expression.

    Binary(">", Name("score"), Literal(0.8))   ->   score > 0.8
    Text((Literal("Dear "), Name("who")))      ->   concat("Dear ", who)

`parse(show(e)) == e` for every expression the language can say. Two shapes it cannot: a minus sign
over a number (that is the negative number), and a number that is infinite.
"""

from __future__ import annotations

import re
from typing import assert_never

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

_OR, _AND, _NOT, _COMPARISON, _SUM, _PRODUCT, _NEGATED, _POSTFIX = range(8)
_STRENGTH = {"or": _OR, "and": _AND, "+": _SUM, "-": _SUM, "*": _PRODUCT, "/": _PRODUCT}
_IDENT = re.compile(r"[^\W\d]\w*")
_ESCAPED = re.compile(r'[\\"\x00-\x1f\x7f-\x9f\u2028\u2029\ufeff]')
_SHORT = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\t": "\\t", "\r": "\\r"}
_RESERVED = re.compile(
    r"(?:or|and|not|in|contains|matches|exists|equals|differs|less|less_equal|greater|greater_equal"
    r"|true|false|null|none|undefined|eq|ne|lt|le|gt|ge|starts|ends)\Z",
    re.IGNORECASE,
)


def show(expr: Expr) -> str:
    """Return the expression's text, with no more parentheses than it needs."""
    return _show(expr)[0]


def is_plain_name(name: str) -> bool:
    """Return whether a variable's name can stand in an expression as it is."""
    return _IDENT.fullmatch(name) is not None and _RESERVED.match(name) is None


def quote(text: str) -> str:
    """Return a text as a literal of the expression language."""
    return f'"{_ESCAPED.sub(_escape, text)}"'


def _escape(match: re.Match[str]) -> str:
    return _SHORT.get(match[0]) or f"\\u{ord(match[0]):04x}"


def _show(expr: Expr) -> tuple[str, int]:
    """Return the text and its binding strength."""
    match expr:
        case Literal():
            return _literal(expr)
        case Name(name=name):
            return (name if is_plain_name(name) else f"variable({quote(name)})"), _POSTFIX
        case Field(name=name):
            if not is_plain_name(name):
                return f"field({show(expr.object)}, {quote(name)})", _POSTFIX
            return f"{_inside(expr.object, _POSTFIX)}.{name}", _POSTFIX
        case Index():
            return f"{_inside(expr.object, _POSTFIX)}[{show(expr.key)}]", _POSTFIX
        case Call():
            return f"{expr.function}({_list(expr.args)})", _POSTFIX
        case Text():
            return f"concat({_list(expr.parts)})", _POSTFIX
        case ListOf():
            return f"[{_list(expr.items)}]", _POSTFIX
        case ObjectOf():
            entries = ", ".join(f"{quote(key)}: {show(value)}" for key, value in expr.entries)
            return f"{{{entries}}}", _POSTFIX
        case Each():
            return f"{expr.function}({_elements(expr)}, {show(expr.body)})", _POSTFIX
        case Unary():
            return _unary(expr)
        case Binary():
            return _binary(expr)
        case _:
            assert_never(expr)


def _elements(expr: Each) -> str:
    """Return the list, with the name of its elements where it is needed."""
    bound = isinstance(expr.items, Binary) and expr.items.op == "in"
    if expr.name == "item" and not bound:
        return show(expr.items)
    return f"{show(Name(name=expr.name))} in {_inside(expr.items, _SUM)}"


def _literal(expr: Literal) -> tuple[str, int]:
    match expr.value:
        case str() as text:
            return quote(text), _POSTFIX
        case bool() as flag:
            return ("true" if flag else "false"), _POSTFIX
        case None:
            return "null", _POSTFIX
        case number:
            return repr(number), (_NEGATED if repr(number)[0] == "-" else _POSTFIX)


def _unary(expr: Unary) -> tuple[str, int]:
    match expr.op:
        case "not":
            return f"not {_inside(expr.operand, _NOT)}", _NOT
        case "exists":
            return f"{_inside(expr.operand, _SUM)} exists", _COMPARISON
        case "-":
            return f"-{_inside(expr.operand, _NEGATED)}", _NEGATED
        case _:
            assert_never(expr.op)


def _binary(expr: Binary) -> tuple[str, int]:
    here = _PRODUCT if expr.op == "%" else _STRENGTH.get(expr.op, _COMPARISON)
    left, right = (_SUM, _SUM) if here == _COMPARISON else (here, here + 1)
    return f"{_inside(expr.left, left)} {expr.op} {_inside(expr.right, right)}", here


def _inside(expr: Expr, least: int) -> str:
    """Return the text, in parentheses when it binds more weakly than `least`."""
    text, strength = _show(expr)
    return text if strength >= least else f"({text})"


def _list(parts: tuple[Expr, ...]) -> str:
    return ", ".join(map(show, parts))
