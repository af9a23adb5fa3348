"""The functions of expressions: one row each, for evaluation, checks, editors and documentation."""

from __future__ import annotations

from .data import DATA
from .function import Function, Parameter, Type
from .lists import LISTS
from .texts import TEXTS
from .times import TIMES
from .workflows import WORKFLOWS

__all__ = ["BY_GROUP", "FUNCTIONS", "Function", "Parameter", "Type"]

BY_GROUP: tuple[tuple[str, tuple[Function, ...]], ...] = (
    ("Texts", TEXTS),
    ("Lists and numbers", LISTS),
    ("Values and data", DATA),
    ("Times", TIMES),
    ("Workflows", WORKFLOWS),
)
"""The functions under the headings of the documentation."""

FUNCTIONS: dict[str, Function] = {row.name: row for _, rows in BY_GROUP for row in rows}
