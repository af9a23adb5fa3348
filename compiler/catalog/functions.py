"""Functions that nodes of kind `python` call: what they take, known without an import.

A function is called by the names of its parameters. What the node gives it are its `args`; what it
asks for of the run besides has one of the names in `FROM_RUN`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field

from .. import ir
from ..expr.function import NAMES
from ..source.records import dataclass
from ..source.spelling import Spelling

FROM_RUN = ("inputs", "state", "config", "runtime", "idempotency_key")
"""All arguments as one object, the variables, LangGraph's configuration and runtime, and the key
that is the same whenever the same call is made again."""
_NAME = re.compile(r"[^\W\d]\w*(\.[^\W\d]\w*)*(:[^\W\d]\w*(\.[^\W\d]\w*)*)?")


@dataclass(frozen=True, slots=True)
class FunctionEntry:
    """A function by the name that nodes call it: the parameters that it takes, those that it needs,
    and whether it takes any other (`**more`). `kinds` are what its annotations admit, by parameter,
    and `gives` what they promise of its result; whatever is not said there may be anything."""

    name: str
    takes: tuple[str, ...]
    needs: tuple[str, ...] = ()
    takes_more: bool = False
    kinds: Mapping[str, tuple[ir.TypeName, ...]] = field(default_factory=dict)
    gives: tuple[ir.TypeName, ...] = ()


def is_function_name(name: str) -> bool:
    """Return whether a name is one that a program can bind, or a `module:function`."""
    return _NAME.fullmatch(name) is not None


def misfits(entry: FunctionEntry, args: Sequence[str]) -> Iterator[tuple[str, str, str]]:
    """Yield (argument or "", what is wrong, remedy) where a function does not take the arguments of
    a node, or needs others."""
    own = [name for name in entry.takes if name not in FROM_RUN]
    listed = ", ".join(f"`{name}`" for name in own) or "nothing"
    if not entry.takes_more and "inputs" not in entry.takes:
        spelling = Spelling(own)
        for name in args:
            if name not in own:
                remedy = spelling.advice(name, f"it takes {listed}")
                yield name, f"`{entry.name}` takes no `{name}`", remedy
    for name in entry.needs:
        if name not in args and name not in FROM_RUN:
            remedy = f"give it below `args:`, or give the parameter `{name}` a default"
            yield "", f"`{entry.name}` needs `{name}`, which the node does not give", remedy


def wrong_kinds(
    entry: FunctionEntry, args: Mapping[str, ir.TypeName]
) -> Iterator[tuple[str, str, str]]:
    """Yield (argument, what is wrong, remedy) where an argument, of a type that is known before the
    run, is of none that the function's annotations admit."""
    for name, given in args.items():
        taken = entry.kinds.get(name, ())
        if name in entry.takes and not _admits(taken, given):
            message = f"`{entry.name}` takes {_either(taken)} as `{name}`, this is {NAMES[given]}"
            yield name, message, "give another value, or change the annotation"


def wrong_result(entry: FunctionEntry, into: str, needed: ir.TypeName) -> str:
    """Return what is wrong where a function's annotations promise a result that the variable `into`
    does not hold, "" otherwise."""
    if not entry.gives or any(_admits((needed,), given) for given in entry.gives):
        return ""
    return f"`{entry.name}` gives {_either(entry.gives)}, but `{into}` holds {NAMES[needed]}"


def _admits(taken: Sequence[ir.TypeName], given: ir.TypeName) -> bool:
    # Whether a number is a whole one shows in the run.
    numbers = ("number", "integer")
    return (
        not taken
        or "any" in (given, *taken)
        or given in taken
        or (given in numbers and not set(numbers).isdisjoint(taken))
    )


def _either(kinds: Sequence[ir.TypeName]) -> str:
    return " or ".join(NAMES[kind] for kind in kinds)


def misfit_values(
    name: str, schema: Mapping[str, ir.Json], values: Mapping[str, ir.Json]
) -> Iterator[tuple[str, str]]:
    """Yield (what is wrong, remedy) where the arguments of a call do not fit a tool's schema: names
    that it does not take, those that it needs, values of another type."""
    from jsonschema import Draft202012Validator

    taken = schema["properties"]
    spelling, listed = Spelling(taken), ", ".join(f"`{key}`" for key in taken)
    meant = {}
    for key in (key for key in values if key not in taken):
        parts = [other for other in taken if key in other.split("_")]
        meant[key] = spelling.nearest(key) or (parts[0] if len(parts) == 1 else None)
        remedy = f"did you mean `{meant[key]}`?" if meant[key] else f"it takes {listed}"
        yield f"`{name}` takes no `{key}`", remedy
    for key in schema["required"]:
        if key not in values and key not in meant.values():
            yield f"`{name}` needs `{key}`", f"write `{key}=…`"
    for key in (key for key in values if key in taken):
        fault = next(Draft202012Validator(taken[key]).iter_errors(values[key]), None)
        if fault is not None:
            yield f"`{key}` of `{name}` does not fit: {fault.message}", taken[key]["description"]
