"""The functions of expressions: one row each, for evaluation, checks, editors and documentation."""

from __future__ import annotations

from .function import Function, Parameter, Type
from .function_data import DATA, WORKFLOWS
from .function_lists import LISTS
from .function_texts import TEXTS
from .times import TIMES

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
