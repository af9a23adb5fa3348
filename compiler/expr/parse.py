"""Parse the text of an expression, wherever it stands in a file, to its tree with exact spans.

    parse("score > 0.8", "review.md", 120)  ->  Binary(">", Name("score"), Literal(0.8))

A text that does not parse gives a `ParseFault`: nothing is raised for what a user wrote.
"""

from __future__ import annotations

import functools
import math
import re
from collections.abc import Iterable
from dataclasses import replace
from typing import Any, cast

from flowc.grammar import load
from flowc.grammar.driving import Sign, drive
from lark import Transformer
from lark.exceptions import UnexpectedCharacters, UnexpectedEOF, UnexpectedInput, UnexpectedToken

from ..source.records import dataclass
from ..source.source import Span
from .ast import (
    Binary,
    BinaryOp,
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
from .functions import FUNCTIONS, function_help, habit_help, operator_help
from .values import unquote
from .walk import ExpressionShape, names_read, part_below, shape_of, shift_spans, split_names

MAX_CHARACTERS = 10_000
"""A longer expression, quoted texts not counted, is refused: it is data, not a decision."""

_QUOTED = re.compile(r"""\"(?:[^"\\\r\n]|\\[^\r\n])*+\"|'(?:[^'\\\r\n]|\\[^\r\n])*+'""")

_BRACKET = re.compile(r"[()\[\]{}]")
_CLOSING = {"(": ("parenthesis", ")"), "[": ("bracket", "]"), "{": ("brace", "}")}
_COMPARISON = re.compile(r"===?|!==?|<=?|>=?")
_SLIPS = re.compile("<>|=>|=<")
_NO_OPERATORS = {"=": "write `==` to compare", "&": "write `&&`", "|": "write `||`"}
_MEANT = {"<>": "!=", "=>": ">=", "=<": "<="}

MAX_DEPTH = 100
"""Deeper nesting is refused, so that everything that walks a tree may recurse."""

OPERATOR_WORDS: dict[str, BinaryOp] = {
    "equals": "==", "differs": "!=", "eq": "==", "ne": "!=",
    "less": "<", "lt": "<", "less_equal": "<=", "le": "<=",
    "greater": ">", "gt": ">", "greater_equal": ">=", "ge": ">=",
}  # fmt: skip
"""Comparisons as words, in any case."""
_SPELLINGS: dict[str, BinaryOp] = {"===": "==", "!==": "!=", **OPERATOR_WORDS}

_COMPARES = re.compile(
    r"[=!<>]=*|&&|\|\||(?i:and|or|in|contains|matches|starts[ \t]+with|ends[ \t]+with)\b"
)
"""What has two sides."""


@dataclass(frozen=True, slots=True)
class ParseFault:
    """Why a text is not an expression: a sentence, the place, and what to write instead."""

    message: str
    span: Span
    remedy: str = ""
    text: str = ""
    at: int = 0

    @property
    def help(self) -> str:
        """What to write instead. Most texts that do not parse are prose: nobody asks for it."""
        return habit_help(self.text, self.at) or self.remedy


def parse(text: str, file: str, offset: int) -> Expr | ParseFault:
    """Return the expression in `text`, which stands at character `offset` of `file`. Never
    raise."""
    known = _known.get(text)
    if known is not None:
        read, known_file, known_offset = known
        if (known_offset, known_file) == (offset, file):
            return read
        ahead = offset - known_offset
        if isinstance(read, ParseFault):
            return replace(read, span=Span(file, read.span.start + ahead, read.span.end + ahead))
        return shift_spans(read, file, ahead)
    pieces = split_names(text) if len(text) <= MAX_DEPTH else []
    between = tuple(pieces[::2])
    if (shape := _shapes.get(between)) is not None:
        return shape.expression(pieces, file, offset)
    read = _parse(text, file, offset)
    if len(_known) >= _MOST_KNOWN:
        _known.clear()
        _shapes.clear()
    if len(text) <= MAX_CHARACTERS:  # a huge text would stay in memory
        _known[text] = read, file, offset
    if len(between) > 1 and not isinstance(read, ParseFault):
        _shapes[between] = shape_of(read, pieces, offset)
    return read


_MOST_KNOWN = 4096
_known: dict[str, tuple[Expr | ParseFault, str, int]] = {}
"""What was read before, and where: files write the same expressions again and again."""
_shapes: dict[tuple[str, ...], ExpressionShape | None] = {}
"""Expressions that were read before, by what stands between their names."""


def parse_assertion(text: str, file: str, offset: int, names: Iterable[str] = ()) -> Expr | None:
    """Return an assertion over a tool's JSON `result` (or the variables `names`); None for prose.

    Only a text whose every name is known counts as an expression, and it must ask something: a
    lone word is prose. One pair of backticks around the whole is dropped.
    """
    trimmed = text.strip()
    start = offset + len(text) - len(text.lstrip())
    if len(trimmed) > 2 and trimmed[0] == trimmed[-1] == "`" and "`" not in trimmed[1:-1]:
        trimmed, start = trimmed[1:-1], start + 1
    read = parse(trimmed, file, start)
    known = {"result", *names}
    if isinstance(read, ParseFault) or not _asks(read):
        return None
    read_names = {name.name for name in names_read(read)}
    return read if read_names and read_names <= known else None


def _asks(expr: Expr) -> bool:
    if isinstance(expr, Unary):
        return expr.op in ("not", "exists")
    return isinstance(expr, Binary | Call | Each | Field | Index)


class _Refused(Exception):
    """A well-formed expression that is refused."""

    def __init__(self, message: str, span: Span) -> None:
        super().__init__(message)
        self.fault = ParseFault(message, span)


def _parse(text: str, file: str, offset: int) -> Expr | ParseFault:
    if not text.strip():
        span = Span(file, offset, offset + len(text))
        return ParseFault("the expression is empty", span, "write the name of a variable")
    if len(text) > MAX_CHARACTERS and len(_QUOTED.sub("", text)) > MAX_CHARACTERS:
        message = f"the expression has more than {MAX_CHARACTERS} characters"
        return ParseFault(message, Span(file, offset, offset + len(text)))
    try:
        read = cast(Expr | None, drive(load("expr", transformer=_BUILD), text, file, offset))
    except _Refused as refused:
        return refused.fault
    if read is None:
        fault = _fault(text)
        span = Span(file, fault.span.start + offset, fault.span.end + offset)
        return replace(fault, span=span, text=text, at=fault.span.start)
    # Every level takes a character.
    return (_too_deep(read) if len(text) > MAX_DEPTH else None) or read


def _too_deep(expr: Expr) -> ParseFault | None:
    deep = part_below(expr, MAX_DEPTH)
    if deep is None:
        return None
    span = deep.span or Span("", 0, 0)
    help = "split it: assign a part to a variable first"
    return ParseFault(f"the expression is nested more than {MAX_DEPTH} levels deep", span, help)


def _fault(text: str) -> ParseFault:
    """Return why a text does not parse, with a place in the text."""
    try:
        load("expr").parse(text)
    except UnexpectedInput as unexpected:
        error = unexpected
    at = error.pos_in_stream if isinstance(error, UnexpectedCharacters) else None
    if isinstance(error, UnexpectedToken):
        token = error.token
        if token.type == "$END" or isinstance(error, UnexpectedEOF):
            return _ends_early(text)
        return _unexpected_token(text, cast(int, token.start_pos), str(token))
    if at is None or at >= len(text):
        return _ends_early(text)
    return _unexpected_token(text, at, text[at])


def _ends_early(text: str) -> ParseFault:
    end = len(text.rstrip())
    start = re.search(r"(?:\w+|[^\w\s]+)\s*\Z", text)
    last = text[start.start() : end] if start else text
    message = f"the expression ends after `{last}`, where more is needed"
    help = _bracket_help(text) or "write what it is compared with"
    return ParseFault(message, Span("", start.start() if start else 0, end), help)


def _unexpected_token(text: str, start: int, sign: str) -> ParseFault:
    end = start + max(1, len(sign))
    span = Span("", start, end)
    if sign in {'"', "'"}:
        return ParseFault(
            "the text is not closed", Span("", start, len(text)), f"add the closing `{sign}`"
        )
    if help := function_help(text, start, sign):
        return ParseFault(f"`{sign}` is not expected here", span, help)
    if slip := _SLIPS.match(text, start) or _SLIPS.match(text, max(0, start - 1)):
        span = Span("", *slip.span())
        return ParseFault(f"`{slip[0]}` is not an operator", span, f"write `{_MEANT[slip[0]]}`")
    if help := _NO_OPERATORS.get(sign, ""):
        return ParseFault(f"`{sign}` is not an operator", span, help)
    if _COMPARISON.fullmatch(sign) and _COMPARISON.search(text[:start]):
        return ParseFault(
            f"`{sign}` compares a second time", span, "join two comparisons with `and`"
        )
    if re.search(r"[{,]\s*\Z", text[:start]) and re.match(r"\w+\s*:", text[start:]):
        return ParseFault(f"the key `{sign}` is not in quotes", span, f'write `"{sign}":`')
    return ParseFault(f"`{sign}` is not expected here", span, _sign_help(text, start, sign))


def _sign_help(text: str, start: int, sign: str) -> str:
    """Return what to do about a sign or word that stands where none is expected."""
    before = text[:start].strip()
    if sign in "`.":
        return f"take the {'backticks' if sign == '`' else 'point'} away"
    if sign in "“”„‘’":
        return 'write a text in straight quotes, as in `"text"`'
    if sign == "," and _bracket_help(text) == "":
        return "write one expression: a list stands in square brackets"
    if (not before and _COMPARES.match(sign)) or _COMPARES.fullmatch(before):
        return f"write what it is compared with, before `{before or sign}`"
    if re.fullmatch(r"\w+", sign):
        return operator_help(sign if before and text[start + len(sign) :].strip() else "")
    if help := _bracket_help(text):
        return help
    return "take it away: nothing opens it" if sign in ")]}" else ""


def _bracket_help(text: str) -> str:
    """Return how to close the bracket that stands open last; "" where none does."""
    opened: list[str] = []
    for sign in _BRACKET.findall(_QUOTED.sub("", text)):
        if sign in _CLOSING:
            opened.append(sign)
        elif opened and _CLOSING[opened[-1]][1] == sign:
            opened.pop()
    if not opened:
        return ""
    word, closing = _CLOSING[opened[-1]]
    return f"close the {word}: write `{closing}`"


def _span(first: Sign | Expr, last: Sign | Expr) -> Span:
    """Return the span from the first part's start to the last one's end."""
    begin = first if isinstance(first, Sign) else first.span
    end = last if isinstance(last, Sign) else last.span
    assert begin is not None
    assert end is not None, "what was read has a place"
    return Span(begin.file, begin.start, end.end)


_BY_ELEMENT = frozenset(name for name, row in FUNCTIONS.items() if row.element is not None)


def _each(function: str, items: Expr, body: Expr, span: Span) -> Each:
    """Return the call for every element; `order in orders` in the place of the list names them."""
    match items:
        case Binary(op="in", left=Name(name=name), right=of):
            return Each(function=function, items=of, body=body, name=name, span=span)
        case _:
            return Each(function=function, items=items, body=body, span=span)


_Signs = list[Sign]
_Parts = list[Any]


class _Build(Transformer[Any, Any]):
    """Build the tree while the parser reduces, bottom-up, so that depth costs no stack. Every
    method takes the parts of a rule, signs and what was built of the rules within it."""

    def number(self, parts: _Signs) -> Expr:
        (sign,) = parts
        text, span = sign.text, Span(sign.file, sign.start, sign.end)
        whole = text.isdecimal()
        value = (int(text) if len(text) <= 300 else math.inf) if whole else float(text)
        if value == math.inf:
            raise _Refused("the number is too large", span)
        return Literal(value=value, span=span)

    def string(self, parts: _Signs) -> Expr:
        (sign,) = parts
        return Literal(value=unquote(sign.text[1:-1]), span=Span(sign.file, sign.start, sign.end))

    def true(self, parts: _Signs) -> Expr:
        return Literal(value=True, span=_span(parts[0], parts[0]))

    def false(self, parts: _Signs) -> Expr:
        return Literal(value=False, span=_span(parts[0], parts[0]))

    def null(self, parts: _Signs) -> Expr:
        return Literal(value=None, span=_span(parts[0], parts[0]))

    def name(self, parts: _Signs) -> Expr:
        (sign,) = parts
        return Name(name=sign.text, span=Span(sign.file, sign.start, sign.end))

    def group(self, parts: _Parts) -> Expr:
        opened, inner, closed = parts
        return replace(cast(Expr, inner), span=_span(opened, closed))

    def call(self, parts: _Parts) -> Expr:
        function, span, args = parts[0].text, _span(parts[0], parts[-1]), tuple(parts[2:-1])
        match function, args:
            case "concat", _:
                return Text(parts=args, span=span)
            case "variable", (Literal(value=str() as name),):
                return Name(name=name, span=span)
            case "field", (of, Literal(value=str() as name)):
                return Field(object=of, name=name, span=span)
            case name, (items, body) if name in _BY_ELEMENT:
                return _each(name, items, body, span)
            case _:
                return Call(function=function, args=args, span=span)

    def list(self, parts: _Parts) -> Expr:
        return ListOf(items=tuple(parts[1:-1]), span=_span(parts[0], parts[-1]))

    def entry(self, parts: _Parts) -> tuple[str, Expr]:
        key, value = parts
        return unquote(key.text[1:-1]), value

    def object(self, parts: _Parts) -> Expr:
        return ObjectOf(entries=tuple(parts[1:-1]), span=_span(parts[0], parts[-1]))

    def field(self, parts: _Parts) -> Expr:
        of, name = parts
        return Field(object=of, name=name.text, span=_span(of, name))

    def index(self, parts: _Parts) -> Expr:
        of, _, key, closed = parts
        return Index(object=of, key=key, span=_span(of, closed))

    def negative(self, parts: _Parts) -> Expr:
        sign, operand = parts
        if isinstance(operand, Literal) and type(operand.value) in (int, float):
            return Literal(value=-cast(float, operand.value), span=_span(sign, operand))
        return Unary(op="-", operand=operand, span=_span(sign, operand))

    def not_(self, parts: _Parts) -> Expr:
        sign, operand = parts
        return Unary(op="not", operand=operand, span=_span(sign, operand))

    def exists(self, parts: _Parts) -> Expr:
        operand, word = parts
        return Unary(op="exists", operand=operand, span=_span(operand, word))

    def not_exists(self, parts: _Parts) -> Expr:
        operand, _, word = parts
        span = _span(operand, word)
        return Unary(op="not", operand=Unary(op="exists", operand=operand, span=span), span=span)

    def or_(self, parts: _Parts) -> Expr:
        left, right = parts
        return Binary(op="or", left=left, right=right, span=_span(left, right))

    def and_(self, parts: _Parts) -> Expr:
        left, right = parts
        return Binary(op="and", left=left, right=right, span=_span(left, right))

    def binary(self, parts: _Parts) -> Expr:
        left, word, right = parts
        return Binary(op=_operator(word.text), left=left, right=right, span=_span(left, right))

    def not_binary(self, parts: _Parts) -> Expr:
        left, _, word, right = parts
        span = _span(left, right)
        compared = Binary(op=_operator(word.text), left=left, right=right, span=span)
        return Unary(op="not", operand=compared, span=span)


@functools.lru_cache(maxsize=256)
def _operator(written: str) -> BinaryOp:
    """Return the operator that a sign or words stand for."""
    plain = " ".join(written.lower().split())
    return cast(BinaryOp, _SPELLINGS.get(plain, plain))


_BUILD = _Build()
