"""Solve: find values of variables that make conditions come out as wanted.

    score > 0.8, score < 0.5        wanted: none holds        score = 0.65

Not a prover: it tries the values at which comparisons with written values change, and evaluates the
conditions with the evaluator of the run. So a witness is always true; that there is none means only
that none of the tried values is one.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Mapping, Sequence

from .ast import Binary, Each, Expr, Field, ListOf, Literal, Name, Unary
from .evaluate import EvaluationError, evaluate
from .functions import Type
from .values import Json, truth_of
from .walk import walk

MAX_TRIES = 4096
"""Combinations to try before giving up."""
OTHER = "anything else"
"""A text that no condition names."""

Path = tuple[str, ...]
Wanted = Callable[[tuple[bool, ...]], bool]


def witness(
    conditions: Sequence[Expr], wanted: Wanted, types: Mapping[str, Type]
) -> dict[str, Json] | None:
    """Return values by path (`verdict.score`) for which `wanted` holds for the truth of the
    conditions, in their order; None without any. A condition that cannot be evaluated counts as
    false."""
    tried = _candidates(conditions, types)
    if tried is None:
        return None
    paths = list(tried)
    for values in itertools.islice(itertools.product(*tried.values()), MAX_TRIES):
        variables = _nest(paths, values)
        if wanted(tuple(_holds(condition, variables) for condition in conditions)):
            return {".".join(path): value for path, value in zip(paths, values, strict=True)}
    return None


def combinations(conditions: Sequence[Expr], types: Mapping[str, Type]) -> int:
    """Return how many combinations of values there are to try."""
    tried = _candidates(conditions, types)
    return 0 if tried is None else math.prod(len(values) for values in tried.values())


def _holds(condition: Expr, variables: Mapping[str, Json]) -> bool:
    try:
        return truth_of(evaluate(condition, variables))
    except EvaluationError:
        return False


def path_of(expr: Expr) -> Path | None:
    """Return `a.b.c` as its names; None for any other expression."""
    names: list[str] = []
    while isinstance(expr, Field):
        names.append(expr.name)
        expr = expr.object
    return (expr.name, *reversed(names)) if isinstance(expr, Name) else None


def paths_in(expr: Expr) -> Iterator[Path]:
    """Yield the longest paths that an expression reads."""
    inner: set[int] = set()
    for part in walk(expr):
        if id(part) in inner:
            continue
        path = path_of(part)
        if path is not None:
            inner.update(id(below) for below in walk(part))
            yield path


def _candidates(
    conditions: Sequence[Expr], types: Mapping[str, Type]
) -> dict[Path, list[Json]] | None:
    """Return the values to try for each path;
    None where one path lies within another, or an expression goes through a list."""
    written: dict[Path, list[Json]] = {}
    if any(isinstance(part, Each) for condition in conditions for part in walk(condition)):
        return None  # whole lists are not tried
    for condition in conditions:
        for path in paths_in(condition):
            written.setdefault(path, [])
        for part in walk(condition):
            if isinstance(part, Binary):
                for path, value in _comparisons(part):
                    written[path].append(value)
            for path in _as_truth(part):
                written[path] += [True, False]
        whole = path_of(condition)
        if whole is not None:
            written[whole] += [True, False]
    if any(a != b and b[: len(a)] == a for a in written for b in written):
        return None
    return {path: _around(values, _type(path, types)) for path, values in written.items()}


def _comparisons(part: Binary) -> Iterator[tuple[Path, Json]]:
    """Yield a path and each written value that it is compared with."""
    for side, other in ((part.left, part.right), (part.right, part.left)):
        values = [other] if isinstance(other, Literal) else []
        if isinstance(other, ListOf):
            values = [item for item in other.items if isinstance(item, Literal)]
        for path in paths_in(side):
            yield from ((path, literal.value) for literal in values if literal.value is not None)


def _as_truth(part: Expr) -> Iterator[Path]:
    """Yield the paths that stand as conditions."""
    operands: tuple[Expr, ...] = ()
    if isinstance(part, Unary) and part.op == "not":
        operands = (part.operand,)
    elif isinstance(part, Binary) and part.op in ("and", "or"):
        operands = (part.left, part.right)
    for operand in operands:
        path = path_of(operand)
        if path is not None:
            yield path


def _type(path: Path, types: Mapping[str, Type]) -> Type:
    return types.get(path[0], "any") if len(path) == 1 else "any"


def _around(values: list[Json], kind: Type) -> list[Json]:
    """Return the written values with those between and beside them that the type allows."""
    numbers = sorted(v for v in values if isinstance(v, int | float) and not isinstance(v, bool))
    if kind == "boolean":
        return [True, False]
    tries: list[Json] = [v for v in values if isinstance(v, bool)] if kind == "any" else []
    if numbers and kind != "text":
        tries += _between(numbers, whole=kind == "integer")
    if kind in ("text", "any"):
        texts = [v for v in values if isinstance(v, str)]
        tries += [*texts, OTHER] if texts or not tries else []
    return list({(type(value), value): value for value in tries}.values()) or [OTHER]


def _between(numbers: list[float], *, whole: bool) -> list[float]:
    tries: list[float] = [numbers[0] - 1]
    for low, high in itertools.pairwise(numbers):
        middle = float((low + high) // 2) if whole else (low + high) / 2
        tries += [low, _plain(middle)]
    return [*tries, numbers[-1], numbers[-1] + 1]


def _plain(number: float) -> float:
    return int(number) if number.is_integer() else round(number, 6)


def _nest(paths: list[Path], values: Sequence[Json]) -> dict[str, Json]:
    variables: dict[str, Json] = {}
    for path, value in zip(paths, values, strict=True):
        at = variables
        for name in path[:-1]:
            at = at.setdefault(name, {})
        at[path[-1]] = value
    return variables
