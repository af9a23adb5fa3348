"""Scripts of a workflow: whether they parse.

Nothing is run. Python has a parser of its own; QuickJS is given the script inside a function,
followed by a line that cannot parse, so that what it says about that line means that the script
itself is sound.
"""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Sequence
from typing import cast

from ..source.records import dataclass

_EXPORT_DEFAULT = re.compile(r"^([ \t]*)export([ \t]+)default\b", re.M)
_EXPORT = re.compile(r"^([ \t]*)export(?=[ \t]+(?:async|function|const|let|var|class)\b)", re.M)
_LIST = re.compile(r"^[ \t]*export[ \t]*\{[^{}]*\}[ \t]*;?", re.M)
_LINE_END = re.compile(r"\r\n?|\n")
"""What ends a line for Python; `splitlines` knows further characters, which do not."""
_PREFIX = "async function script(){'use strict';"
_PLACE = re.compile(r"<input>:(\d+):(\d+)")
_SECONDS, _MEMORY = 5, 512 * 2**20


@dataclass(frozen=True, slots=True)
class ScriptFault:
    """Why a script does not parse, and where: characters of its text."""

    message: str
    start: int
    end: int


def line_starts(text: str) -> Sequence[int]:
    """Return where the lines of a script in Python begin, in characters."""
    return [0, *(match.end() for match in _LINE_END.finditer(text))]


def python_tree(text: str) -> ast.Module | ScriptFault:
    """Return the syntax tree of a script in Python, or why it does not parse."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # they would be printed, and are the script's own
            return ast.parse(text)
    except SyntaxError as error:
        starts = line_starts(text)
        line = min(error.lineno or 1, len(starts))
        at = min(starts[line - 1] + max((error.offset or 1) - 1, 0), len(text))
        return ScriptFault(error.msg.replace("'", "`"), at, min(at + 1, len(text)))
    except (RecursionError, MemoryError, ValueError):
        return ScriptFault("the script is nested too deeply, or holds a null character", 0, 0)


def script_fault(language: str, text: str) -> ScriptFault | None:
    """Return why a script in `javascript` or `python` does not parse, or None."""
    if language == "python":
        tree = python_tree(text)
        return tree if isinstance(tree, ScriptFault) else None
    return javascript_fault(text)


_HARD_TO_READ = re.compile(r"\$\(|`|<<|\$['\"]|\{\{['\"]")
"""What quotes of its own may stand in."""
_UNENDED = re.compile(r"(?<!\\)(?P<sign>\|{1,2}|&&|(?<![-=<])>{1,2})\s*\Z")
_IN_QUOTES = re.compile(r"['\"\\#]|\bcase\b|<<|\$\{")
_HOLE = re.compile(r"\{\{[^{}]*\}\}")
"""A placeholder: its quotes are not the shell's."""
_IN_DOUBLE = re.compile(r"(?:[^\"\\]|\\.)*+", re.S)
_TO_QUOTE = re.compile(r"(?:[^'\"\\#]|\\.|(?<=[^\s;&|(])\#)*+", re.S)


def command_fault(command: str) -> ScriptFault | None:
    """Return a quote or a bracket of a shell command that nothing closes, or the sign at its end
    that waits for more; None where all is well, or too hard to tell."""
    command = _HOLE.sub(lambda hole: "x" * len(hole[0]), command)
    at = _open_quote(command)
    if at is not None:
        return ScriptFault(f"the quote `{command[at]}` is not closed: write one more", at, at + 1)
    unended = _UNENDED.search(command)
    if unended is not None and "<<" not in command and "#" not in command:
        message = f"`{unended['sign']}` waits for what follows it, and nothing does"
        return ScriptFault(message, *unended.span("sign"))
    if _IN_QUOTES.search(command):
        return None
    opened = [m.start() for m in re.finditer(r"\(", command)]
    if len(opened) > command.count(")"):
        at = opened[-1]
        return ScriptFault("the bracket `(` is not closed: write `)`", at, at + 1)
    if command.count("`") % 2:
        at = command.index("`")
        return ScriptFault("the backtick is not closed: write one more", at, at + 1)
    return None


def _open_quote(command: str) -> int | None:
    """Return where a quote begins that nothing closes, in characters; None where
    all are closed, or where a quote could stand inside of another."""
    if _HARD_TO_READ.search(command):
        return None
    at = 0
    while True:
        at = cast("re.Match[str]", _TO_QUOTE.match(command, at)).end()
        sign = command[at : at + 1]
        if sign not in ("'", '"', "#"):
            return None
        if sign == "#":
            end = command.find("\n", at)
        elif sign == "'":
            end = command.find("'", at + 1)
        else:
            end = cast("re.Match[str]", _IN_DOUBLE.match(command, at + 1)).end()
            end = -1 if end >= len(command) else end
        if end < 0:
            return None if sign == "#" else at
        at = end + 1


def javascript_fault(text: str) -> ScriptFault | None:
    """Return why a script does not parse, or None. Nothing of it is run."""
    body = _EXPORT_DEFAULT.sub(lambda m: f"{m[1]}return{m[2]}       ", text)
    body = _EXPORT.sub(lambda m: f"{m[1]}      ", body)
    body = _LIST.sub(lambda m: re.sub(r"[^\n]", " ", m[0]), body)
    return syntax_fault(body, text)


def syntax_fault(body: str, text: str) -> ScriptFault | None:
    """Return the fault in the statements `body`; places are those in `text`, of the same length."""
    if (at := text.find("\0")) >= 0:
        return ScriptFault("the character U+0000 may not stand in it", at, at + 1)
    import quickjs  # type: ignore[import-untyped]

    # Balanced, the last line is a `return` outside of every function, which no script may hold.
    # Unbalanced, QuickJS stops elsewhere. Either way the whole does not parse and nothing is run.
    context = quickjs.Context()
    context.set_time_limit(_SECONDS)
    context.set_memory_limit(_MEMORY)
    lines = body.count("\n") + 1
    try:
        context.eval(f"{_PREFIX}{body}\n}}\nreturn;")
    except (quickjs.JSException, UnicodeError) as error:
        message, _, trace = str(error).partition("\n")
        place = _PLACE.search(trace)
        if place is None:
            deep = "call stack" in message
            return ScriptFault("it is nested too deeply" if deep else _words(message), 0, 0)
        line, column = int(place[1]), int(place[2])
        if line == lines + 2 and "return not in a function" in message:
            return None
        return _fault(message, line, column, text)
    raise AssertionError("a `return` outside of every function was accepted")


def _fault(message: str, line: int, column: int, text: str) -> ScriptFault:
    starts = [0, *(m.end() for m in re.finditer("\n", text))]
    if line > len(starts):
        at = len(text.rstrip())
        missing = line > len(starts) + 1
        message = "it ends before a bracket is closed" if missing else "a `}` closes nothing"
        return ScriptFault(message, max(at - 1, 0), at)
    column -= len(_PREFIX) if line == 1 else 0
    # QuickJS counts the bytes of a line, a place in a file is counted in characters.
    written = text[starts[line - 1] :].partition("\n")[0].encode(errors="replace")
    before = written[: max(column, 1) - 1].decode(errors="ignore")
    at = min(starts[line - 1] + len(before), len(text))
    if re.match(r"[ \t]*import\b", text[starts[line - 1] :]):
        return ScriptFault("a script cannot import: it has no modules", starts[line - 1], at)
    return ScriptFault(_words(message), at, min(at + 1, len(text)))


def _words(message: str) -> str:
    return message.removeprefix("SyntaxError: ").replace("'", "`").replace(" ``", "").strip()
