"""LangGraph's look back over a thread in PostgreSQL, with pages of another size."""

from __future__ import annotations

from types import FunctionType
from typing import TypeVar, cast

Method = TypeVar("Method")
_SIZE = "_DELTA_PAGE_SIZE"
"""LangGraph's constant, 1,024 checkpoints: it is one for all savers of the process."""


def with_pages(method: Method, rows: int) -> Method:
    """Return the method with pages of so many checkpoints, for one saver alone. Raise `LookupError`
    where LangGraph has another name for their size."""
    plain = cast("FunctionType", method)
    if _SIZE not in plain.__code__.co_names:
        raise LookupError(f"{plain.__qualname__} does not use {_SIZE}")
    names = {**plain.__globals__, _SIZE: rows}
    own = FunctionType(plain.__code__, names, plain.__name__, None, plain.__closure__)
    own.__kwdefaults__ = plain.__kwdefaults__
    return cast("Method", own)
