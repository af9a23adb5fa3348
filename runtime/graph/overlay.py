"""Pictures of workflows: what a run draws over one; layouts by Graphviz where it is installed."""

from __future__ import annotations

import subprocess
from collections.abc import Iterable

from flowc.compiler.emit.html.graphviz import layout_request, read_layout
from flowc.compiler.emit.html.layout import Layout, lay_out
from flowc.compiler.emit.html.sizes import Sized
from flowc.compiler.emit.picture.picture import Overlay

from ..config.extras import how_to_install
from ..errors import RunError
from ..events import RunEvent
from ..files.programs import find_program

MAX_FOR_GRAPHVIZ = 1500
"""Nodes and edges above which Graphviz would take minutes; our own layout is linear."""
_DRAWING_SECONDS = 120


def layout_of(sized: Sized) -> Layout:
    """Return Graphviz' layout where it is installed and the picture is not too large for it, else
    our own."""
    if len(sized.picture.nodes) + len(sized.picture.lines) > MAX_FOR_GRAPHVIZ:
        return lay_out(sized)
    try:
        answer = draw_dot(layout_request(sized), "json0")
    except RunError:
        return lay_out(sized)
    return read_layout(answer.decode(errors="replace"), sized) or lay_out(sized)


def overlay_of(events: Iterable[RunEvent]) -> Overlay:
    """Return the overlay of a run: its visits in order, seconds per node, and where it stands.
    Nodes of called workflows are not among them."""
    path: list[str] = []
    begun: set[tuple[str, object]] = set()
    seconds: dict[str, float] = {}
    exits: list[tuple[str, str]] = []
    current: str | None = None
    for event in events:
        if event.path or not event.node:
            continue
        if event.kind == "node_started":
            current = event.node
            # What waited for a person begins again, and is the same visit.
            visit = (event.node, event.data.get("visit"))
            if visit[1] is None or visit not in begun:
                path.append(event.node)
            begun.add(visit)
        elif event.kind == "node_finished":
            seconds[event.node] = seconds.get(event.node, 0.0) + event.data.get("seconds", 0.0)
            exits.append((event.node, str(event.data.get("case", ""))))
            current = None if current == event.node else current
        elif event.kind == "node_failed" and event.data.get("caught"):
            exits.append((event.node, f"error:{event.data.get('kind', 'failure')}"))
            current = None
        elif event.kind == "node_failed":
            current = event.node
    return Overlay(path=tuple(path), seconds=seconds, current=current, exits=tuple(exits))


def draw_dot(dot: str, form: str) -> bytes:
    """Return Graphviz text as a picture: by the program `dot`, else by pygraphviz (the extra
    `draw`). Raise `RunError` when neither is there or the drawing fails."""
    program = find_program("dot")
    if program is None:
        return _draw_inside(dot, form)
    try:
        process = subprocess.run(
            [program, f"-T{form}"],
            input=dot.encode(),
            capture_output=True,
            timeout=_DRAWING_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise RunError(f"Graphviz could not draw: {error}", help=_TEXT_FORMS) from None
    if process.returncode != 0:
        reason = process.stderr.decode(errors="replace").strip()
        reason = reason or f"exit code {process.returncode}"
        raise RunError(f"Graphviz could not draw: {reason}", help=_TEXT_FORMS)
    return process.stdout


_TEXT_FORMS = "the forms mermaid and dot need nothing"


def _draw_inside(dot: str, form: str) -> bytes:
    try:
        from pygraphviz import AGraph
    except ImportError:
        raise RunError(
            f"{form} needs Graphviz, which is not here",
            help=f"apt install graphviz, or {how_to_install('draw')}; {_TEXT_FORMS}",
        ) from None
    try:
        picture = AGraph(string=dot).draw(format=form, prog="dot")
    except ValueError as error:
        raise RunError(f"Graphviz could not draw: {error}", help=_TEXT_FORMS) from None
    assert isinstance(picture, bytes)
    return picture
