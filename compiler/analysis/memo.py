"""What every check of a program asks of the whole of it, found once and not by each workflow."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from ..ir import Program

Found = TypeVar("Found")


def once_per_program(find: Callable[[Program], Found]) -> Callable[[Program], Found]:
    """The function, keeping its result for the program that it was last asked about. With
    thousands of workflows each of which asks, a program is walked once and not thousands of times.
    """
    last: list[tuple[Program, Found]] = []

    def result_of(program: Program) -> Found:
        for known, result in last:
            if known is program:
                return result
        result = find(program)
        last[:] = [(program, result)]  # one slot: threads may find it twice, and never wrong
        return result

    return result_of
