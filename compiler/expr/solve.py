"""Solve: find values of variables that make conditions come out as wanted.

    score > 0.8, score < 0.5        wanted: none holds        score = 0.65

Not a prover: it tries the values at which comparisons with written values change, and evaluates the
conditions with the evaluator of the run. So a witness is always true; that there is none means only
that none of the tried values is one.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence

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


class TriedCondition:
    """A condition, and by path the values that it is compared with."""

    __slots__ = ("expr", "is_tried", "written")

    def __init__(self, expr: Expr) -> None:
        self.expr = expr
        self.written: dict[Path, list[Json]] = {path: [] for path in paths_in(expr)}
        self.is_tried = True
        for part in walk(expr):
            if isinstance(part, Each):
                self.is_tried = False  # whole lists are not tried
            elif isinstance(part, Binary):
                for path, value in _comparisons(part):
                    self.written[path].append(value)
            for path in _as_truth(part):
                self.written[path] += [True, False]
        whole = path_of(expr)
        if whole is not None:
            self.written[whole] += [True, False]


class Combinations:
    """What conditions come to for each combination of the values that tell them apart. Each is
    evaluated once for the same values of the paths that it reads. Nothing is tried where one path
    lies within another, or an expression goes through a list."""

    def __init__(self, conditions: Sequence[TriedCondition], types: Mapping[str, Type]) -> None:
        written: dict[Path, list[Json]] = {}
        for condition in conditions:
            for path, values in condition.written.items():
                written[path] = [*written.get(path, ()), *values]
        within = any(a != b and b[: len(a)] == a for a in written for b in written)
        self._is_tried = not within and all(condition.is_tried for condition in conditions)
        if not self._is_tried:
            return
        self._tried = {path: _around(found, _type(path, types)) for path, found in written.items()}
        places = {path: place for place, path in enumerate(written)}
        self._own = [(c, [places[path] for path in c.written]) for c in conditions]
        self._truths: list[dict[tuple[int, ...], bool]] = [{} for _ in conditions]

    @property
    def count(self) -> int:
        """How many combinations of values there are to try."""
        return math.prod(map(len, self._tried.values())) if self._is_tried else 0

    def witness(self, *wanted: bool) -> dict[str, Json] | None:
        """Return values by path (`verdict.score`) for which the truth of each condition is as
        `wanted`; None without any. A condition that cannot be evaluated counts as false."""
        if not self._is_tried:
            return None
        numbers = [range(len(values)) for values in self._tried.values()]
        for chosen in itertools.islice(itertools.product(*numbers), MAX_TRIES):
            if all(self._truth(place, chosen) == truth for place, truth in enumerate(wanted)):
                values = zip(self._tried.items(), chosen, strict=True)
                return {".".join(path): found[number] for (path, found), number in values}
        return None

    def _truth(self, place: int, chosen: tuple[int, ...]) -> bool:
        (condition, own), known = self._own[place], self._truths[place]
        numbers = tuple(chosen[of] for of in own)
        if numbers not in known:
            pairs = zip(condition.written, numbers, strict=True)
            values = [self._tried[path][number] for path, number in pairs]
            known[numbers] = _holds(condition.expr, _nest(condition.written, values))
        return known[numbers]


def combinations(conditions: Iterable[Expr], types: Mapping[str, Type]) -> Combinations:
    """Return the combinations to try for conditions."""
    return Combinations([TriedCondition(condition) for condition in conditions], types)


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


def _comparisons(part: Binary) -> Iterator[tuple[Path, Json]]:
    """Yield a path and each written value that it is compared with."""
    for side, other in ((part.left, part.right), (part.right, part.left)):
        values = [other] if isinstance(other, Literal) else []
        if isinstance(other, ListOf):
            values = [item for item in other.items if isinstance(item, Literal)]
        if compared := [literal.value for literal in values if literal.value is not None]:
            for path in paths_in(side):
                yield from ((path, value) for value in compared)


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


def _nest(paths: Iterable[Path], values: Sequence[Json]) -> dict[str, Json]:
    variables: dict[str, Json] = {}
    for path, value in zip(paths, values, strict=True):
        at = variables
        for name in path[:-1]:
            at = at.setdefault(name, {})
        at[path[-1]] = value
    return variables
