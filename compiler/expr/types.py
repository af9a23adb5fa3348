"""Types: what is known of an expression before a run: the kind of its value, certain faults, and
parts with the same value in every run, which `fold` replaces: `length("abc") > 2`."""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from difflib import get_close_matches
from typing import assert_never, cast

from ..source.records import dataclass
from ..source.source import Span
from ..source.spelling import Spelling
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
from .evaluate import evaluate
from .function import NAMES, Parameter
from .function_texts import pattern_fault
from .functions import FUNCTIONS, INSTEAD, Function, Type
from .values import EvaluationError, Json, read_number, text_of, truth_of
from .walk import children, rebuild

_NO_NUMBER: dict[Type, str] = {"boolean": "a truth value", "list": "a list", "object": "an object"}


@dataclass(frozen=True, slots=True)
class ExprFault:
    """Why an expression cannot be evaluated: a sentence, the part it is about, what to write."""

    message: str
    span: Span | None
    help: str = ""


_SCALARS: dict[type, Type] = {
    bool: "boolean",
    int: "integer",
    float: "number",
    str: "text",
    type(None): "any",
}


def infer(expr: Expr, types: Mapping[str, Type]) -> Type:
    """Return the type of the value; "any" where only the run can tell, so for a variable that is
    not in `types` or may be null."""
    if isinstance(expr, Name):  # the most frequent ones first: a `match` is slower
        return types.get(expr.name, "any")
    if isinstance(expr, Literal):
        return _SCALARS[type(expr.value)]
    if isinstance(expr, Binary):
        if expr.op == "+":
            return _sum_type(infer(expr.left, types), infer(expr.right, types))
        return "number" if expr.op in ("-", "*", "/", "%") else "boolean"
    match expr:
        case Field() | Index():
            return "any"
        case Call() | Each():
            function = FUNCTIONS.get(expr.function)
            return function.result if function else "any"
        case Unary():
            return "number" if expr.op == "-" else "boolean"
        case Text():
            return "text"
        case ListOf():
            return "list"
        case ObjectOf():
            return "object"
        case _:
            assert_never(expr)


def _sum_type(left: Type, right: Type) -> Type:
    if "text" in (left, right):
        return "text"
    return "any" if "any" in (left, right) else "number"


FALLIBLE = ("call", "each", "matches", "/", "%")
"""Kinds of parts in which `faults` looks."""
PARTICULAR = (
    *("call", "each", "unary", "-", "*", "/", "%", "<", "<=", ">", ">=", "==", "!="),
    *("and", "or"),
)
"""Kinds of parts in which `operand_faults` looks."""


def kind_of(part: Expr) -> str:
    """Return the kind of a part: the operator of one with two sides."""
    return part.op if type(part) is Binary else part.kind


def faults(part: Expr) -> Iterator[ExprFault]:
    """Yield every certain fault in a part of an expression, but not in the parts of that, whatever
    its variables hold: unknown functions, wrong numbers of arguments, invalid regular expressions,
    names of time zones and the like, calls that fail with what is written, a division by zero."""
    match part:
        case Call():
            yield from _call_faults(part)
        case Each():
            yield from _written_faults(FUNCTIONS[part.function], (part.items,))
        case Binary(op="matches"):
            yield from _pattern_faults(part.right)
        case Binary(op="/" | "%", right=Literal() as divisor) if read_number(divisor.value) == 0:
            yield ExprFault("division by zero", divisor.span)


def operand_faults(
    part: Expr, bound: frozenset[str], types: Mapping[str, Type]
) -> Sequence[ExprFault]:
    """Return the operands of a part that its operator never takes, and the arguments that its
    function never takes. Of the names that are `bound` nothing is known."""
    unknown: dict[str, Type] = dict.fromkeys(bound, "any")
    known = ChainMap(unknown, cast("dict[str, Type]", types)) if bound else types
    match part:
        case Binary(op="<" | "<=" | ">" | ">="):
            return _compared_faults(part, known)
        case Binary(op="and" | "or"):
            return _constant_sides(part)
        case Binary():
            return [*_operand_faults(part, known)]
        case Unary(op="-"):
            return [*_number_faults("-", part.operand, known)]
        case Call(args=args) if not args or not all(isinstance(arg, Literal) for arg in args):
            return _argument_faults(part.function, args, known)  # others are tried as a whole
        case Each():
            return _argument_faults(part.function, (part.items,), known)
        case _:
            return ()


def _call_faults(call: Call) -> Iterator[ExprFault]:
    function = FUNCTIONS.get(call.function)
    if function is None:
        yield ExprFault(
            f"there is no function `{call.function}`", call.span, _advice(call.function)
        )
        return
    count = len(call.args)
    if count < function.least or (function.most is not None and count > function.most):
        yield ExprFault(
            f"`{function.name}` takes {function.arity}, not {count}",
            call.span,
            f"`{function.signature}`: {function.summary}",
        )
        return
    found = [*_written_faults(function, call.args)]
    yield from found or _constant_faults(function, call)


def _advice(name: str) -> str:
    """Return what to write for a function that does not exist: what another language calls so, or
    the nearest name."""
    if (instead := INSTEAD.get(name.lower().replace("_", ""))) is not None:
        return instead
    meant = next((row for row in FUNCTIONS.values() if name in row.also), None)
    near = meant.name if meant else _SPELLING.nearest(name)
    close = [near] if near else get_close_matches(name.lower(), FUNCTIONS, n=1)
    return f"did you mean `{close[0]}`?" if close else f"the functions are {', '.join(FUNCTIONS)}"


_SPELLING = Spelling(FUNCTIONS)


def _written_faults(function: Function, args: tuple[Expr, ...]) -> Iterator[ExprFault]:
    """Yield what is wrong with texts in the file that have to be of a form."""
    for number, arg in enumerate(args):
        parameter = function.parameter(number)
        if parameter.fault is None or not isinstance(arg, Literal) or arg.value is None:
            continue
        if parameter.fault is pattern_fault:
            yield from _pattern_faults(arg)
        elif fault := parameter.fault(text_of(arg.value)):
            yield ExprFault(fault, arg.span)


def _constant_faults(function: Function, call: Call) -> Iterator[ExprFault]:
    """Yield the failure of a call that has the same arguments in every run."""
    if function.apply is None or not call.args:
        return
    if all(isinstance(arg, Literal) for arg in call.args):
        try:
            evaluate(call, {})
        except EvaluationError as error:
            yield ExprFault(str(error), call.span)


_NEVER: dict[str, tuple[tuple[Type, ...], str]] = {
    "length": (("number", "integer", "boolean"), "a text, a list or an object"),
    "number": (("list", "object"), "a number or its text"),
}
"""What fails a function that takes anything else."""


def _argument_faults(
    name: str, args: tuple[Expr, ...], types: Mapping[str, Type]
) -> list[ExprFault]:
    found: list[ExprFault] = []
    function = FUNCTIONS.get(name)
    if function is None:
        return found
    for number, arg in enumerate(args):
        parameter, given = function.parameter(number), infer(arg, types)
        takes = _takes(parameter, given)
        if isinstance(arg, Literal):
            takes = _takes_value(parameter, arg.value)
        never, needed = _NEVER.get(name, ((), NAMES[parameter.type]))
        if not takes or (number == 0 and given in never):
            message = f"{name} needs {needed}, not {NAMES[given]}"
            help = f"`{function.signature}`: {function.summary}"
            found.append(ExprFault(message, arg.span, help))
    return found


def _takes_value(parameter: Parameter, value: Json) -> bool:
    """Return whether a function takes a value that stands in the file."""
    match parameter.type:
        case "list" | "object":
            return value is None
        case "number" | "integer" as needed:
            number = read_number(value)
            whole = number is not None and (needed == "number" or number == int(number))
            return value is None or whole or isinstance(value, bool)
        case _:
            return True


def _takes(parameter: Parameter, given: Type) -> bool:
    match parameter.type:
        case "list" | "object" as needed:
            return given in (needed, "any")
        case "text":
            return given not in ("list", "object")
        case "number" | "integer":
            return given not in ("list", "object", "boolean")
        case _:
            return True


def _compared_faults(expr: Binary, types: Mapping[str, Type]) -> list[ExprFault]:
    found = []
    for side in (expr.left, expr.right):
        if kind := _NO_NUMBER.get(infer(side, types)):
            message = f"`{expr.op}` compares numbers or texts, not {kind}"
            found.append(ExprFault(message, side.span))
    return found


def _constant_sides(expr: Binary) -> list[ExprFault]:
    """Return the written texts that count as true beside a comparison: `a == "x" or "y"`."""
    found = []
    for side, other in ((expr.right, expr.left), (expr.left, expr.right)):
        written = side.value if isinstance(side, Literal) else None
        if isinstance(written, str) and truth_of(written) and isinstance(other, Binary):
            message = f"the text `{written}` alone is always true"
            compared = other.right if isinstance(other.right, Binary) else other
            op = compared.op if isinstance(compared, Binary) else "=="
            help = f'compare it too, as in `… {expr.op} … {op} "{written}"`'
            found.append(ExprFault(message, side.span, help))
    return found


def _operand_faults(expr: Binary, types: Mapping[str, Type]) -> Iterator[ExprFault]:
    match expr.op:
        case "-" | "*" | "/" | "%":
            yield from _number_faults(expr.op, expr.left, types)
            yield from _number_faults(expr.op, expr.right, types)
        case "==" | "!=":
            yield from _never_equal(expr.left, expr.right, types)
            yield from _never_equal(expr.right, expr.left, types)


def _never_equal(side: Expr, other: Expr, types: Mapping[str, Type]) -> Iterator[ExprFault]:
    """Yield the written text that no number is equal to. An empty one may stand for no value."""
    written = side.value if isinstance(side, Literal) else None
    if not isinstance(written, str) or not written.strip() or read_number(written) is not None:
        return
    if not isinstance(other, Literal) and infer(other, types) in ("number", "integer"):
        yield ExprFault(f"a number is never the text `{written}`", side.span, "write a number")


def _pattern_faults(pattern: Expr) -> Iterator[ExprFault]:
    if not isinstance(pattern, Literal):
        return
    fault = pattern_fault(text_of(pattern.value))
    if fault is not None:
        yield ExprFault(
            f"the regular expression is invalid: {fault}",
            pattern.span,
            "put a backslash before a character that is meant as itself, as in `\\(`",
        )


def _number_faults(op: str, operand: Expr, types: Mapping[str, Type]) -> Iterator[ExprFault]:
    if isinstance(operand, Literal) and isinstance(operand.value, str):
        if read_number(operand.value) is None:
            yield ExprFault(f"`{op}` needs numbers, not the text `{operand.value}`", operand.span)
        return
    kind = _NO_NUMBER.get(infer(operand, types))
    if kind:
        yield ExprFault(f"`{op}` needs numbers, not {kind}", operand.span)


def constant(expr: Expr) -> Literal | None:
    """Return the value that an expression has in every run, or None."""
    folded = fold(expr) if _may_fold(expr) else None
    return folded if isinstance(folded, Literal) else None


def _may_fold(expr: Expr) -> bool:
    """Return False where the value cannot be the same in every run: nearly everywhere."""
    match expr:
        case Name():
            return False
        case Binary(op="and" | "or"):
            return _may_fold(expr.left)
        case _:
            return all(map(_may_fold, children(expr)))


def fold(expr: Expr) -> Expr:
    """Return the same expression with constant parts computed, spans kept."""
    before = children(expr)
    parts = tuple([fold(part) for part in before])
    same = all(new is old for new, old in zip(parts, before, strict=True))
    return _reduce(expr if same else rebuild(expr, parts, expr.span))


def _reduce(expr: Expr) -> Expr:
    match expr:
        case Literal() | Name():
            return expr
        case Text():
            return _fold_text(expr)
        case Binary(op="and" | "or", left=Literal() as left):
            return _decide(expr, truth_of(left.value))
        case Call() if _from_outside(expr):
            return expr
        case _ if not all(isinstance(part, Literal) for part in children(expr)):
            return expr
    try:
        value = evaluate(expr, {})
    except EvaluationError:
        return expr
    if value is None or isinstance(value, str | int | float | bool):
        return Literal(value=value, span=expr.span)
    return expr


def _from_outside(expr: Call) -> bool:
    function = FUNCTIONS.get(expr.function)
    return function is None or function.apply is None


def _decide(expr: Binary, left: bool) -> Expr:
    if left == (expr.op == "or"):
        return Literal(value=left, span=expr.span)
    if isinstance(expr.right, Literal):
        return Literal(value=truth_of(expr.right.value), span=expr.span)
    return Call(function="boolean", args=(expr.right,), span=expr.span)


def _fold_text(expr: Text) -> Expr:
    parts: list[Expr] = []
    for part in expr.parts:
        if not isinstance(part, Literal):
            parts.append(part)
            continue
        written, span = text_of(part.value), part.span
        if parts and isinstance(before := parts[-1], Literal):
            written, span = text_of(before.value) + written, _around(before.span, span)
            parts.pop()
        if written:
            parts.append(Literal(value=written, span=span))
    if not parts:
        return Literal(value="", span=expr.span)
    if len(parts) == 1 and isinstance(parts[0], Literal):
        return Literal(value=parts[0].value, span=expr.span)
    return replace(expr, parts=tuple(parts))


def _around(first: Span | None, last: Span | None) -> Span | None:
    if first is None or last is None or first.file != last.file:
        return first
    return Span(first.file, min(first.start, last.start), max(first.end, last.end))
