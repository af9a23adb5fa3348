"""What is known of a script without running it: its functions, and what each of them returns."""

from __future__ import annotations

from ....source.records import dataclass
from ....source.source import Source


@dataclass(frozen=True, slots=True)
class Returned:
    """A `return` of a text (or of nothing: None) at `start` to `end` of the script."""

    value: str | None
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class ScriptFunction:
    """A function that can be called by name. `returns` are the texts it is seen to return; with
    `is_exact` it returns nothing else."""

    name: str
    start: int
    returns: tuple[Returned, ...] = ()
    is_exact: bool = False


@dataclass(frozen=True, slots=True)
class ScriptFunctions:
    """The functions of a script by name; without `is_complete` there may be more."""

    by_name: dict[str, ScriptFunction]
    is_complete: bool


@dataclass(frozen=True, slots=True)
class ScriptFile:
    """A script beside a machine. `functions` is None when it does not parse."""

    source: Source
    language: str
    functions: ScriptFunctions | None
