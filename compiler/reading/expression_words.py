"""The functions of expressions, as an editor completes them wherever a format has an expression."""

from __future__ import annotations

from ..expr.functions import BY_GROUP
from .editing import Suggestion


def expression_words() -> tuple[Suggestion, ...]:
    """Return every function of expressions by its signature, with what it gives; its name and an
    opening bracket are written. (A variable may have the name of a function.)"""
    return tuple(
        Suggestion(row.signature, row.summary, f"{row.name}(")
        for _, rows in BY_GROUP
        for row in rows
    )
