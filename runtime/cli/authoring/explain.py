"""`flowc explain`: why a diagnostic exists, with a bad and a good example."""

from __future__ import annotations

from difflib import get_close_matches
from typing import Annotated

import typer
from flowc.compiler.checks import CODES
from flowc.compiler.diagnostics.diagnostic import Code
from flowc.compiler.diagnostics.examples import Example

from ...errors import RunError


def explain(
    code: Annotated[
        str | None, typer.Argument(metavar="CODE", help="FC2001 or unknown-step; nothing lists all")
    ] = None,
) -> None:
    """Explain a diagnostic's code: what it finds, why that matters, a bad and a good file."""
    if code is None:
        print("\n".join(_listing()))
        return
    row = CODES.get(code.upper()) or next(
        (c for c in CODES.values() if c.name == code.lower()), None
    )
    if row is None:
        names = [*CODES, *(c.name for c in CODES.values())]
        close = get_close_matches(code.upper(), CODES, n=1) or get_close_matches(code, names, n=1)
        help = f"did you mean `{close[0]}`?" if close else "flowc explain lists the codes"
        raise RunError(f"there is no code `{code}`", help=help)
    print("\n".join(_page(row)))


def _listing() -> list[str]:
    width = max(len(row.name) for row in CODES.values())
    return [f"{c.id}  {c.name:<{width}}  {c.severity:<7}  {c.title}" for c in CODES.values()]


def _page(row: Code) -> list[str]:
    rows = [f"{row.id} {row.name} ({row.severity})", "", row.title, row.why]
    for title, example in zip(("Bad", "Good"), row.examples(), strict=True):
        rows += ["", f"{title}:", *_example(example)]
    return rows


def _example(example: Example) -> list[str]:
    rows = []
    for name, text in ((example.file, example.text), *example.files):
        saved = "" if example.encoding == "utf-8" else f" (saved as {example.encoding})"
        saved += f" (converted to {example.to})" if example.to else ""
        saved += f" (with --team {example.team})" if example.team and name == example.file else ""
        saved += " (with --strict)" if example.strict else ""
        saved += " (edited while its run was paused)" if example.written else ""
        rows += ["", f"  {name}{saved}", *(f"    {line}".rstrip() for line in text.splitlines())]
    return rows
