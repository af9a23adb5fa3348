"""The arguments of flowc's functions, refused in words where they are of another kind."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import Any

from ..errors import RunError, one_line


def by_name(argument: str, value: object, of: str) -> dict[str, Any]:
    """Return what an argument gives by name: {} for None. `of` says what it gives. Raise `RunError`
    for anything but a mapping from names."""
    if value is None:
        return {}
    if isinstance(value, Mapping) and all(isinstance(name, str) for name in value):
        return dict(value)
    raise _other(argument, f"a mapping from {of}", value)


def each_of(argument: str, value: object, of: str) -> tuple[Any, ...]:
    """Return what an argument gives several of: () for None. Raise `RunError` for one alone."""
    if value is None:
        return ()
    if isinstance(value, str | bytes | Mapping) or not isinstance(value, Iterable):
        raise _other(argument, f"a list of {of}", value, help=f"{argument}=[…], also for one")
    return tuple(value)


def texts_of(argument: str, value: object, of: str) -> tuple[str, ...]:
    """Return what an argument gives several of, which are texts. Raise `RunError`."""
    given = each_of(argument, value, of)
    if all(isinstance(each, str) for each in given):
        return given
    raise _other(argument, f"a list of {of}", value)


def one_of(argument: str, value: Any, kind: type, name: str) -> Any:
    """Return an argument of a kind, which has a name, or None. Raise `RunError`."""
    if value is None or isinstance(value, kind):
        return value
    raise _other(argument, name, value)


def text_of(argument: str, value: object, name: str) -> str | None:
    """Return a text or None. Raise `RunError`; `name` says what the text is."""
    text: str | None = one_of(argument, value, str, name)
    return text


def switch_of(argument: str, value: object) -> bool:
    """Return a truth value: `"no"` would grant what it means to refuse. Raise `RunError`."""
    if isinstance(value, bool):
        return value
    raise _other(argument, "True or False", value)


def path_of(argument: str, value: object, name: str) -> str:
    """Return a path as a text. `name` says what lies there. Raise `RunError`."""
    if isinstance(value, str | os.PathLike):
        return os.fsdecode(value)
    raise _other(argument, name, value)


def store_of(argument: str, value: object) -> str | None:
    """Return the URL or the path of a store, or None. Raise `RunError`, also for an empty text: it
    would mean the project's store."""
    if value == "":
        raise RunError(f"`{argument}` is empty", help="leave it out for the project's store")
    return None if value is None else path_of(argument, value, "the URL of a store")


def _other(argument: str, wanted: str, value: object, help: str = "") -> RunError:
    return RunError(f"`{argument}` is {wanted}, not {one_line(repr(value), 60)}", help=help)
