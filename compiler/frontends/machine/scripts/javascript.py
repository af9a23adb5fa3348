"""JavaScript handlers: whether the file parses.

Nothing is run: QuickJS is given the script inside a function, followed by a line that cannot
parse, so that what it says about that line means that the script itself is sound.
"""

from __future__ import annotations

import re

from .functions import ScriptFault

_EXPORT_DEFAULT = re.compile(r"^([ \t]*)export([ \t]+)default\b", re.M)
_EXPORT = re.compile(r"^([ \t]*)export(?=[ \t]+(?:async|function|const|let|var|class)\b)", re.M)
_PREFIX = "async function script(){'use strict';"
_PLACE = re.compile(r"<input>:(\d+):(\d+)")
_SECONDS, _MEMORY = 5, 512 * 2**20


def javascript_fault(text: str) -> ScriptFault | None:
    """Return why a script does not parse, or None. Nothing of it is run."""
    body = _EXPORT_DEFAULT.sub(lambda m: f"{m[1]}return{m[2]}       ", text)
    body = _EXPORT.sub(lambda m: f"{m[1]}      ", body)
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
