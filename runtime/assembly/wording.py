"""Errors for people who write Python: options are arguments, commands are methods.

What can go wrong is said once, in `RunError`, with the flags of the command line in its help. Here
a flag of the table of options becomes the argument of the same name, and a command about a run the
method of `Flow` that does the same.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import get_args

from flowc.compiler.diagnostics.diagnostic import Diagnostic

from ..config.options import OPTIONS, TYPES
from ..errors import Failure, RunError

_ARGUMENTS = {row.flag: name for name, row in OPTIONS.items() if row.flag} | {
    "--from": "format",
    "--root": "permissions.roots",
    "--workspace": "permissions.workspace",
    "--network": "permissions.network",
    "--sandbox": "permissions.sandbox",
    "--allow-exec": "permissions.commands",
    "--trust": "permissions.trust",
    "--store": "journal",
    "--run-id": "run",
    "--say": "line",
    "--answer": "answers",
    "--migrate": "migrate",
    "--on-unknown": "on_unknown",
    "--inputs": "inputs",
}
"""The argument of `load`, or of a method of `Flow`, that says what a flag says."""
_COMMANDS = {
    "resume": "flow.resume(…)",
    "fork": "flow.fork(…)",
    "history": "flow.history(…)",
    "runs": "flow.runs()",
    "show": "flow.runs()",
    "pause": "flow.pause(…)",
    "run": "flow.run(…)",
}
_WORDS = {"people", "offline"}.union(
    word for kind in TYPES.values() for part in get_args(kind) for word in get_args(part)
)
"""The values of options that are words."""
_VALUE = rf"({'|'.join(map(str, _WORDS))})\b|[A-Z](?:[A-Z|.a-z:/]*[A-Za-z])?|provider:name"
_FLAG = re.compile(rf"`?(--[a-z][a-z-]*)(?:[ =](?:{_VALUE}))?`?")
_GAPS = re.compile(r" {3,}")
"""Between the columns of a list, which the flags were aligned in."""
_INPUTS = re.compile(r"`?((?:-i \w+=[^\s`,]+ ?)+)`?(?:, -i NAME=@file, or --inputs FILE\.json)?")
_COMMAND = re.compile(rf"`?flowc ({'|'.join(_COMMANDS)})\b[^`,;:)\n]*`?")


def in_python(text: str) -> str:
    """Return a help text with arguments and methods in place of flags and commands."""
    text = _COMMAND.sub(lambda match: f"`{_COMMANDS[match[1]]}`", text)
    text = _INPUTS.sub(_inputs, text)
    return _GAPS.sub("  ", _FLAG.sub(_argument, text))


def diagnostic_in_python(diagnostic: Diagnostic) -> Diagnostic:
    """Return a diagnostic whose help speaks of arguments."""
    return replace(diagnostic, help=in_python(diagnostic.help))


def _inputs(match: re.Match[str]) -> str:
    names = (pair.partition("=")[0] for pair in match[1].split() if pair != "-i")
    values = ", ".join(f'"{name}": …' for name in names)
    return f"`inputs={{{values}}}`"


def _argument(match: re.Match[str]) -> str:
    name, word = _ARGUMENTS.get(match[1]), match[2]
    if name is None:
        return match[0]
    if name == "base_url":
        return "`base_url` in flowc.toml"
    return f'`{name}="{word}"`' if word else f"`{name}=…`"


@contextmanager
def python_errors() -> Iterator[None]:
    """Let a `RunError` leave the block in Python's words, with its remedy, and a `Failure` with its
    place too: a traceback shows nothing else of them."""
    try:
        yield
    except Failure as failure:
        failure.help = in_python(failure.help)
        place = f"{failure.place}: " if failure.place else ""
        failure.args = (place + _with_help(failure.message, failure.help),)
        raise
    except RunError as error:
        error.message, error.help = in_python(error.message), in_python(error.help)
        error.args = (_with_help(error.message, error.help),)
        raise


def _with_help(message: str, help: str) -> str:
    return f"{message} ({help})" if help else message
