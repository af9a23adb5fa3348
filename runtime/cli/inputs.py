"""Reads what the caller gives a workflow: `-i NAME=VALUE`, `-i NAME=@file`, `--inputs FILE`.

-i GOAL='ship it'          a text, typed as the workflow declares `GOAL`
-i GOAL=@goal.md           the content of a file of the caller; `@-` is standard input
-i GOAL=file:goal.md       a file beside the workflow, or below a `--root` (M22)
-i GOAL=@@octocat          the text `@octocat`
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Sequence
from typing import Any

from flowc.compiler.source.source import Unreadable, decode, read_text

from ..assembly.inputs import RawInputs
from ..errors import RunError

ReadFile = Callable[[str], str]
"""Reads a path as `file:` does: relative to the workflow, below its folder or a root."""
MOST, _COST = 64 * 2**20, 64
"""What a file of inputs may hold: characters of its texts, and as many as this for each value."""


def read_inputs(pairs: Sequence[str], files: Sequence[str], read_file: ReadFile) -> RawInputs:
    """Read `-i` and `--inputs`; a later one overrides an earlier one, `-i` overrides files. Raise
    `RunError` for a malformed pair or an unreadable file."""
    values: dict[str, Any] = {}
    for file in files:
        for name, value in _read_inputs_file(file).items():
            values[name] = _resolve_file(value, read_file) if isinstance(value, str) else value
    texts: set[str] = set()
    for pair in pairs:
        name, sign, text = pair.partition("=")
        if not sign or not name.strip():
            raise RunError(
                f"`-i {pair}` gives no value",
                help="write -i NAME=VALUE, or -i NAME=@file for the content of a file",
            )
        name = name.strip()
        values[name] = _resolve_text(text, read_file)
        texts.add(name)
    return RawInputs(values, frozenset(texts))


def _resolve_text(text: str, read_file: ReadFile) -> str:
    if text.startswith("@@"):
        return text[1:]
    if text == "@-":
        return _read(lambda: decode("standard input", sys.stdin.buffer.read()), "standard input")
    if text.startswith("@"):
        path = text[1:]
        hint = f"for a text that begins with @, write `@{text}`"
        return _read(lambda: read_text(path), path, hint)
    return _resolve_file(text, read_file)


def _resolve_file(text: str, read_file: ReadFile) -> str:
    return read_file(text.removeprefix("file:").strip()) if text.startswith("file:") else text


def _read(read: Callable[[], str], path: str, help: str = "") -> str:
    try:
        return read()
    except Unreadable as error:
        raise RunError(f"`{path}` {error.reason}", help=help) from None


def _read_inputs_file(path: str) -> dict[str, Any]:
    """Read a JSON or YAML mapping of names to values."""
    import yaml

    text = _read(lambda: read_text(path), path)
    try:
        value = json.loads(text) if path.endswith(".json") else yaml.safe_load(text)
    except json.JSONDecodeError as error:
        where = f"{path}:{error.lineno}:{error.colno}"
        raise RunError(f"{where}: not valid JSON: {error.msg}") from None
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        where = f"{path}:{mark.line + 1}:{mark.column + 1}" if mark else path
        raise RunError(f"{where}: not valid YAML: {error.problem}") from None
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        # Python's own: a date that is none, a number of too many digits, with advice behind it.
        reason = str(error).partition(";")[0]
        raise RunError(f"{path}: its values cannot be read: {reason}") from None
    if value is None:
        return {}
    if not isinstance(value, dict) or not all(isinstance(name, str) for name in value):
        raise RunError(f"`{path}` must hold an object: names and their values")
    if not _is_bounded(value):
        raise RunError(
            f"`{path}` is too large, with what its aliases repeat", help="give files: -i NAME=@FILE"
        )
    try:
        json.dumps(value, allow_nan=False)
    except (TypeError, ValueError):
        raise RunError(
            f"`{path}` holds a value that JSON cannot say", help="quote dates: they are texts"
        ) from None
    return value


def _is_bounded(value: object) -> bool:
    """Tell whether a value is not larger than `MOST`, with each alias counted as all that it
    repeats, which may be itself."""
    left, size = [value], 0
    while left and size <= MOST:
        size += _COST
        match left.pop():
            case dict() as names:
                left += [*names, *names.values()]
            case list() as items:
                left += items
            case str() as text:
                size += len(text)
            case _:
                continue
    return size <= MOST
