"""Work: what evaluating an expression may take, counted and not timed, so that every run agrees.

A character that is looked at or made is a unit, an element of a list or object several. A few
seconds' worth may be spent.
"""

from __future__ import annotations

from .ast import Expr
from .functions.function import Cost
from .values import EvaluationError, Json
from .walk import walk

MAX_WORK = 128 * 1024 * 1024
"""Units that one expression may spend."""
PER_PART = 16
"""Units for an element of a list or object, and for evaluating one part of an expression for it."""
PER_SIGN = 8
"""Units for each character of a pattern: it is compiled before it is used."""


class Work:
    """What is left for one evaluation."""

    __slots__ = ("left",)

    def __init__(self) -> None:
        self.left = MAX_WORK

    def spend(self, units: int) -> None:
        """Count units. Raise `EvaluationError` when more were spent than may be."""
        self.left -= units
        if self.left < 0:
            raise EvaluationError(
                "the expression takes too long: it looks at more than"
                f" {MAX_WORK:,} characters, an element counting as {PER_PART}"
            )

    def look_at(self, value: Json, cost: Cost = "length") -> None:
        """Count a value that is looked at."""
        if isinstance(value, str):
            self.spend(len(value))
        elif isinstance(value, list | dict):
            self.spend(PER_PART * len(value) if cost == "length" else self._extent(value))

    def repeat(self, times: int, body: Expr) -> None:
        """Count an expression that is evaluated so many times."""
        self.spend(times * PER_PART * sum(1 for _ in walk(body)))

    def _extent(self, value: Json) -> int:
        """Return how much lies in a value at any depth; no more than what is left, and one more."""
        found, todo = 0, [value]
        while todo and found <= self.left:
            match todo.pop():
                case str() as text:
                    found += len(text)
                case list() as items:
                    found += PER_PART * len(items)
                    todo += items
                case dict() as entries:
                    found += PER_PART * len(entries) + sum(map(len, entries))
                    todo += entries.values()
                case _:
                    pass
        return found
