"""Shows a run-time failure at its place in the user's own file, and how the run goes on."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from flowc.compiler.lowering.graphspec import GraphSpec, Place
from flowc.compiler.source.snippet import Paint, Underline, excerpt, visible
from flowc.compiler.source.source import Source, SourceSet, Unreadable

from ..screen import Screen


def failure_lines(
    error: Mapping[str, Any], spec: GraphSpec, sources: SourceSet, screen: Screen, remedy: str
) -> list[str]:
    """Return the node's lines with the place underlined, the cause in one sentence, help, and how
    the run goes on (`remedy`; "" when that is shown elsewhere)."""
    node = str(error.get("node", ""))
    message = visible(str(error.get("message", "") or "the run failed").strip())
    first, *more = message.splitlines()
    who = f"{node} failed" if node else "the run failed"
    title = screen.ink("error", "bad") + screen.ink(f": {who}: {first}", "strong")
    rows = [title, *(f"  {line}" for line in more[:20])]
    told = str(error.get("place", ""))
    place = place_of(node, told, spec) or place_in_script(told, spec)
    gutter = len(str(place.end_line)) if place else 1
    if place is not None:
        rows += _excerpt(place, sources, screen, gutter)
    lead = f"{' ' * gutter} = "
    if help := str(error.get("help", "")):
        rows.append(f"{lead}help: {visible(help)}")
    if remedy:
        rows.append(f"{lead}{remedy}")
    return rows


def place_of(node: str, place: str, spec: GraphSpec) -> Place | None:
    """Return the whole place of a node, also of a called workflow, from its beginning
    `file:line:column`."""
    for one in (spec, *(inner for _, inner in spec.subgraphs)):
        for candidate in one.nodes:
            if candidate.id == node and candidate.place and place in ("", str(candidate.place)):
                return candidate.place
    return None


def place_in_script(place: str, spec: GraphSpec) -> Place | None:
    """Return `file:line:column` of a script as the place of one character."""
    file, line, column = [*place.rsplit(":", 2), "", ""][:3]
    scripts = [s for one in (spec, *(inner for _, inner in spec.subgraphs)) for s in one.scripts]
    if not any(script.file == file for script in scripts) or not column.isdecimal():
        return None
    at, end = int(column), int(column) + 1
    return Place(file=file, line=int(line), column=at, end_line=int(line), end_column=end)


def _excerpt(place: Place, sources: SourceSet, screen: Screen, gutter: int) -> Iterator[str]:
    paint = Paint(screen.color)
    yield f"{' ' * gutter}{paint('-->', 'frame')} {place}"
    try:
        source = sources.read(place.file)
    except Unreadable:
        return
    start, end = _offset(source, place.line, place.column), None
    if start is not None:
        end = _offset(source, place.end_line, place.end_column)
    if start is None or end is None:
        return
    yield from excerpt(source, [Underline(start, end, "error")], gutter, paint, screen.width)


def _offset(source: Source, line: int, column: int) -> int | None:
    """Return the offset of a place; None when the changed file has no such place."""
    starts = source.line_starts()
    if not 1 <= line <= len(starts) or column - 1 > len(source.line_text(line)) + 1:
        return None
    return starts[line - 1] + column - 1
