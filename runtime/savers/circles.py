"""Checkpoints that lead to themselves, which a walk to the first one would never end at."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import ParamSpec, TypeVar, cast

Given = ParamSpec("Given")
Result = TypeVar("Result")


def without_circles(
    read: Callable[Given, Result], note: Callable[[str], object]
) -> Callable[Given, Result]:
    """Return a function that reads a page of checkpoints, as LangGraph calls it before it walks on:
    with rows, names of channels and the parents by checkpoint, which it completes. It raises
    `ValueError`, and notes the checkpoint first, where a walk would come back to one."""

    def read_page(*args: Given.args, **named: Given.kwargs) -> Result:
        oldest = read(*args, **named)
        rows = cast("Sequence[Mapping[str, str]]", args[0])
        parents = cast("Mapping[str, str | None]", args[2])
        for id in in_circle(parents, (row["checkpoint_id"] for row in rows)):
            note(id)
            raise ValueError("checkpoints lead to themselves, and would be walked for ever")
        return oldest

    return read_page


def in_circle(parents: Mapping[str, str | None], ids: Iterable[str]) -> Iterator[str]:
    """Yield those of the checkpoints from which a walk to the first one comes back to them. The
    name of a parent sorts before that of its child, but for one at least in each circle: only from
    those that do not is a walk tried."""
    for id in ids:
        at, seen = parents.get(id), set[str]()
        if at is None or at < id:
            continue
        while at is not None and at != id and at not in seen:
            seen.add(at)
            at = parents.get(at)
        if at == id:
            yield id
