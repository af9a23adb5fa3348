"""Fixes: apply them to a file's text. Nothing is written here; the caller does that.

Two fixes that touch do not both apply: the later one waits for the next round, when the text has
been checked again.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from .diagnostic import Diagnostic, Fix


def chosen_fixes(
    diagnostics: Iterable[Diagnostic], path: str, *, unsafe: bool = False
) -> tuple[Fix, ...]:
    """Return a file's safe fixes in order of place, none overlapping another or repeated; with
    `unsafe` also those that may change what the file means: first those of its syntax and its keys,
    because what is found behind a slip there may come from it."""
    here = [d for d in diagnostics if d.fix and d.fix.span.file == path]
    first = any(d.code.startswith("FC1") for d in here)
    offered = {
        d.fix
        for d in here
        if d.fix and (d.fix.safe or (unsafe and (d.code.startswith("FC1") or not first)))
    }
    chosen: list[Fix] = []
    for fix in sorted(offered, key=lambda f: (f.span.start, f.span.end, not f.safe, f.text)):
        if not chosen or _apart(chosen[-1], fix):
            chosen.append(fix)
    return tuple(chosen)


def apply_fixes(text: str, fixes: Sequence[Fix]) -> str:
    """Return the text with the span of each fix replaced. `fixes` come from `chosen_fixes`. Line
    ends that a fix brings are written as the file writes its own."""
    newline = line_end(text)
    parts, at = [], 0
    for fix in fixes:
        inserted = fix.text.replace("\r\n", "\n").replace("\n", newline)
        parts += [text[at : fix.span.start], inserted]
        at = fix.span.end
    return "".join([*parts, text[at:]])


def line_end(text: str) -> str:
    r"""Return the line end that most lines of the text have: "\n" or "\r\n"."""
    windows = text.count("\r\n")
    return "\r\n" if windows > text.count("\n") - windows else "\n"


def _apart(before: Fix, after: Fix) -> bool:
    """Return whether two fixes can be applied together; two insertions at one place cannot."""
    return before.span.end < after.span.start or (
        before.span.end == after.span.start and before.span.start < before.span.end
    )
