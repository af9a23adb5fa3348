"""Functions of lists and numbers. Some take an expression that is evaluated for every element."""

from __future__ import annotations

from collections.abc import Hashable
from decimal import ROUND_HALF_UP, Context, Decimal, localcontext
from typing import Literal as Lit

from .function import Function, Parameter, of_list, require_items, require_length, require_number
from .function import text as text_parameter
from .function import whole as whole_parameter
from .values import (
    EvaluationError,
    Json,
    Number,
    kind_of,
    order_of,
    preview,
    read_number,
    require_finite,
    text_of,
    truth_of,
)

_MOST_DIGITS = 300


def _filter(items: list[Json], truths: list[Json]) -> list[Json]:
    return [item for item, truth in zip(items, truths, strict=True) if truth_of(truth)]


def _map(items: list[Json], values: list[Json]) -> list[Json]:
    return values


def _count(items: list[Json], truths: list[Json] | None = None) -> int:
    return len(items) if truths is None else sum(truth_of(truth) for truth in truths)


def _sort(items: list[Json], values: list[Json] | None = None) -> list[Json]:
    keys = items if values is None else values
    kind = _kind([key for key in keys if key is not None], "sort")
    if kind == "number":
        keys = [None if key is None else read_number(key) for key in keys]
    known = [n for n, key in enumerate(keys) if key is not None]
    known.sort(key=lambda n: keys[n])
    return [*(items[n] for n in known), *(items[n] for n, key in enumerate(keys) if key is None)]


def _unique(items: list[Json], values: list[Json] | None = None) -> list[Json]:
    seen: set[Hashable] = set()
    kept: list[Json] = []
    for item, value in zip(items, items if values is None else values, strict=True):
        try:
            key = _key(value)
        except RecursionError:
            raise EvaluationError("the values are nested too deeply to compare") from None
        if key not in seen:
            seen.add(key)
            kept.append(item)
    return kept


def _key(value: Json) -> Hashable:
    """Return what is equal for values that are equal as elements of lists are: 1 and 1.0."""
    match value:
        case bool() | str() | None:
            return (type(value).__name__, value)
        case list():
            return ("list", tuple(_key(item) for item in value))
        case dict():
            return ("object", frozenset((name, _key(item)) for name, item in value.items()))
        case _:
            return ("number", value)


def _sum(items: list[Json], values: list[Json] | None = None) -> Number:
    total: Number = 0
    try:
        for value in items if values is None else values:
            total += 0 if value is None else require_number(value, "sum")
    except OverflowError:
        raise EvaluationError("the number is too large") from None
    return require_finite(total)


def _min(items: list[Json], values: list[Json] | None = None) -> Json:
    return _first(items if values is None else values, "min", -1)


def _max(items: list[Json], values: list[Json] | None = None) -> Json:
    return _first(items if values is None else values, "max", 1)


def _first(values: list[Json], function: str, sign: int) -> Json:
    known = [value for value in values if value is not None]
    kind = _kind(known, function)
    keys = [read_number(value) for value in known] if kind == "number" else known
    best: Json = None
    for key in keys:
        if best is None or (key > best if sign > 0 else key < best):
            best = key
    return best


def _kind(values: list[Json], function: str) -> Lit["number", "text"]:
    """Return how values compare: as numbers if all of them read as one, else as texts."""
    if all(read_number(value) is not None for value in values):
        return "number"
    for value in values:
        if not isinstance(value, str):
            what = "a number beside a text" if read_number(value) is not None else kind_of(value)
            raise EvaluationError(f"{function} compares numbers or texts, not {what}")
    return "text"


def _mean(items: list[Json], values: list[Json] | None = None) -> Number | None:
    known = [v for v in (items if values is None else values) if v is not None]
    numbers = [require_number(value, "mean") for value in known]
    return require_finite(sum(numbers) / len(numbers)) if numbers else None


def _round(value: Number, digits: int = 0) -> Number:
    if abs(digits) > _MOST_DIGITS:
        raise EvaluationError(f"round takes -{_MOST_DIGITS} to {_MOST_DIGITS} digits, not {digits}")
    if isinstance(value, int) and digits >= 0:
        return value
    with localcontext(Context(prec=3 * _MOST_DIGITS)):
        exact = Decimal(repr(value)).scaleb(digits)
        rounded = exact.to_integral_value(ROUND_HALF_UP).scaleb(-digits)
    return int(rounded) if digits <= 0 else require_finite(float(rounded))


def _slice(value: Json, start: int, end: int | None = None) -> Json:
    if isinstance(value, list | str):
        return value[start:end]
    if value is None:
        return None
    raise EvaluationError(f"slice needs a text or a list, not {kind_of(value)}")


def _reverse(items: list[Json]) -> list[Json]:
    return items[::-1]


def _join(items: list[Json], separator: Json = ", ") -> str:
    texts, between = [text_of(item) for item in items], text_of(separator)
    require_length(sum(map(len, texts)) + len(between) * len(texts), "join")
    return between.join(texts)


def _append(values: Json, value: Json) -> list[Json]:
    if values is None or isinstance(values, list):
        return require_items([*(values or []), value], "append")
    raise EvaluationError(f"append needs a list, not {kind_of(values)}")


def _is_number(value: Json) -> bool:
    return read_number(value) is not None


def _number(value: Json) -> Number:
    if isinstance(value, bool):
        return int(value)
    number = read_number(value)
    if number is None:
        raise EvaluationError(f"{preview(value)} is not a number")
    return number


_ITEMS = of_list("items")
_VALUE = Parameter("value", optional=True, element=True)

LISTS: tuple[Function, ...] = (
    Function(
        "filter", (_ITEMS, Parameter("condition", element=True)), "list",
        "The elements for which a condition holds.", _filter,
        (
            ("filter([1, 5, 9], item > COUNT)", "[5, 9]"),
            ('filter(order in ORDERS, order.id != "b")[-1].total', "25"),
        ),
        also=("where", "select", "find", "grep"),
    ),
    Function(
        "map", (_ITEMS, Parameter("value", element=True)), "list",
        "The value of an expression for each element.", _map,
        (("map(ORDERS, item.id)", '["a", "b", "c"]'), ("map([1, 2], item * COUNT)", "[3, 6]")),
        also=("collect", "pluck", "for_each", "foreach"),
    ),
    Function(
        "count", (_ITEMS, Parameter("condition", optional=True, element=True)), "integer",
        "How many elements there are, or for how many a condition holds.", _count,
        (('count(NAMES, item starts with "a")', "1"),), also=("count_if",),
    ),
    Function(
        "sort", (_ITEMS, _VALUE), "list",
        "The elements in order, by themselves or by a value of each: numbers if all read as one,"
        " else texts. Equal ones keep their order, null comes last.", _sort,
        (
            ('sort(["b", "a"])', '["a", "b"]'),
            ('sort([10, "9"])', '["9", 10]'),
            ("map(sort(ORDERS, item.total), item.id)", '["a", "c", "b"]'),
            ('sort([1, "a"])', "*fails:* sort compares numbers or texts"),
        ),
        also=("sorted", "order_by", "sort_by"),
    ),
    Function(
        "unique", (_ITEMS, _VALUE), "list",
        "The elements without those that are, or whose value is, equal to an earlier one's.",
        _unique, (("unique([1, 1.0, true, [2], [2]])", "[1, true, [2]]"),), "whole",
        also=("distinct", "uniq", "dedupe", "set"),
    ),
    Function(
        "sum", (_ITEMS, _VALUE), "number",
        "The sum of numbers, null left out; 0 without any.", _sum,
        (("sum(ORDERS, item.total)", "65"), ("sum([])", "0"),
         ('sum(["x"])', "*fails:* sum needs numbers, not `x`")),
        also=("total", "add"),
    ),
    Function(
        "min", (_ITEMS, _VALUE), "any",
        "The least number, or text where not all are numbers; null when there is none.", _min,
        (("min([3, null, 2])", "2"), ("min([])", "null")), also=("least", "minimum"),
    ),
    Function(
        "max", (_ITEMS, _VALUE), "any", "The greatest one, in the same way.", _max,
        (("max(ORDERS, item.total)", "30"), ('max(["a", "b"])', '"b"')),
        also=("greatest", "maximum"),
    ),
    Function(
        "mean", (_ITEMS, _VALUE), "number",
        "The mean of a list's numbers, null left out; null when there is none.", _mean,
        (("mean([1, 2])", "1.5"),), also=("average", "avg"),
    ),
    Function(
        "slice",
        (Parameter("value"), whole_parameter("start"), whole_parameter("end", optional=True)),
        "any",
        "A part of a text or a list, up to before `end`; negative places count from the end.",
        _slice,
        (
            ("slice(RESULT, 0, 4)", '"SUCC"'), ("slice(NAMES, -1)", '["grace"]'),
            ("slice(NAMES, 5)", "[]"),
        ),
        also=("substring", "substr", "mid", "take", "left", "right"),
    ),
    Function(
        "reverse", (_ITEMS,), "list", "The elements from the last to the first.", _reverse,
        (("reverse(NAMES)", '["grace", "ada"]'),), also=("reversed",),
    ),
    Function(
        "join", (_ITEMS, text_parameter("separator", optional=True)), "text",
        "The elements' texts with a separator (`, `) between.", _join,
        (("join(NAMES)", '"ada, grace"'), ('join(NAMES, "/")', '"ada/grace"')), "whole",
        also=("implode", "concat_list"),
    ),
    Function(
        "append", (Parameter("items"), Parameter("value")), "list",
        "The list with a value at its end; null counts as an empty list.", _append,
        (("append(NAMES, 3)", '["ada", "grace", 3]'),), also=("push", "add_item"),
    ),
    Function(
        "round",
        (Parameter("number", "number"), whole_parameter("digits", optional=True)),
        "number",
        "The number with that many digits behind the point (0), halves away from zero.", _round,
        (("round(2.5)", "3"), ("round(-1.005, 2)", "-1.01"), ("round(1234, -2)", "1200")),
        "constant", also=("floor", "ceil", "int"),
    ),
    Function(
        "number", (Parameter("value"),), "number",
        "The number a text stands for; true is 1, false 0; fails for anything else.", _number,
        (('number("x")', "*fails:* `x` is not a number"),), "constant",
        also=("to_number", "float", "parse_number"),
    ),
    Function(
        "is_number", (Parameter("value"),), "boolean",
        "Whether a value is a number or reads as one.", _is_number,
        (("is_number(GRADE)", "true"),), "constant",
    ),
    Function(
        "order", (Parameter("left"), Parameter("right")), "integer",
        "-1, 0 or 1: compares as numbers when both are numbers, otherwise as text.", order_of,
        (("order(GRADE, 10)", "-1"),), also=("compare", "cmp"),
    ),
)  # fmt: skip
