"""What every check asks of a whole program or workflow, found once and not by each of them."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import TypeVar

from ..ir import Program, Workflow

Asked = TypeVar("Asked")
Found = TypeVar("Found")


def once_per_program(find: Callable[[Program], Found]) -> Callable[[Program], Found]:
    """The function, keeping its result for the program that it was last asked about. With
    thousands of workflows each of which asks, a program is walked once and not thousands of times.
    """
    return _once(find)


def once_per_workflow(find: Callable[[Workflow], Found]) -> Callable[[Workflow], Found]:
    """The function, keeping its result for the workflow that it was last asked about: all checks of
    one follow each other."""
    return _once(find)


def _once(find: Callable[[Asked], Found]) -> Callable[[Asked], Found]:
    last: list[tuple[Asked, Found]] = []

    @functools.wraps(find)
    def result_of(asked: Asked) -> Found:
        for known, result in last:
            if known is asked:
                return result
        result = find(asked)
        last[:] = [(asked, result)]  # one slot: threads may find it twice, and never wrong
        return result

    return result_of
