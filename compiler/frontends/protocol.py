"""What a front end is: a value with a name, a way to recognise its files, and a reader."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ..diagnostics import Sink
from ..ir import Workflow
from ..source import Source, SourceSet


@dataclass(frozen=True, slots=True)
class Parsed:
    """What a front end read: the workflow (names still loose; None when nothing could be made of
    the file) and what the format keeps beside the program."""

    workflow: Workflow | None
    progress: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Frontend:
    """`claims` gives 0 (not mine) to 100 (certainly mine). `parse` appends diagnostics to the sink
    and returns what it could read; it may read further files (includes) through the source set,
    and never raises for what a user wrote."""

    name: str
    title: str
    suffixes: tuple[str, ...]
    claims: Callable[[Source], int]
    parse: Callable[[Source, SourceSet, Sink], Parsed]
    comment: tuple[str, str]
    """How a comment begins and ends in this format: where an allowance can stand."""
