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


def once_in_program(
    find: Callable[[Workflow, Program], Found],
) -> Callable[[Workflow, Program], Found]:
    """The function, keeping its results for all workflows of the program that was last asked
    about."""
    results: Callable[[Program], dict[int, tuple[Workflow, Found]]] = _once(lambda program: {})

    @functools.wraps(find)
    def result_of(workflow: Workflow, program: Program) -> Found:
        known = results(program)
        found = known.get(id(workflow))
        if found is None:  # the workflow is held, so that no other gets its identity
            found = known[id(workflow)] = (workflow, find(workflow, program))
        return found[1]

    return result_of


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
