"""Graphviz as a layouter: the text that asks it for places alone, and the reading of its answer.

The boxes have fixed sizes and no text: what the page draws in them is not Graphviz's business.
"""

from __future__ import annotations

import json
from typing import Any

from .layout import Layout, Point, Rect, Route, back_lines
from .sizes import Sized

_DOT = 72.0
"""Points to the inch; a point of Graphviz is a pixel of the page."""


def layout_request(sized: Sized) -> str:
    """The graph for `dot -Tjson0`; nodes are `n0`, `n1`, … in the picture's order."""
    names = {node.id: f"n{number}" for number, node in enumerate(sized.picture.nodes)}
    back = _back(sized)
    lines = [
        "digraph {",
        "graph [rankdir=TB newrank=true pad=0 nodesep=0.4 ranksep=0.45 splines=spline fontsize=12]",
        'node [shape=box fixedsize=true label=""]',
        "edge [arrowsize=0.7 fontsize=10]",
    ]
    for id, name in names.items():
        size = sized.nodes[id]
        lines.append(f"{name} [width={size.width / _DOT:.4f} height={size.height / _DOT:.4f}]")
    for number, box in enumerate(sized.picture.boxes):
        members = " ".join(names[id] + ";" for id in box.members if id in names)
        lines.append(f'subgraph cluster_{number} {{ label=" " margin=12 {members} }}')
    for number, line in enumerate(sized.picture.lines):
        if line.source not in names or line.target not in names:
            continue
        size, label = sized.labels[number], ""
        if size.width:
            label = (
                f' label=<<table border="0" cellborder="0" cellpadding="0" fixedsize="true" '
                f'width="{size.width:.0f}" height="{size.height:.0f}"><tr><td></td></tr></table>>'
            )
        ends = names[line.source], names[line.target]
        if number in back:
            lines.append(f"{ends[1]} -> {ends[0]} [id={number} dir=back{label}]")
        else:
            lines.append(f"{ends[0]} -> {ends[1]} [id={number}{label}]")
    return "\n".join([*lines, "}"]) + "\n"


def _back(sized: Sized) -> set[int]:
    """The lines that lead back when one follows the file: they are given turned round, so that
    circles are cut where a reader would."""
    ids = [node.id for node in sized.picture.nodes]
    known = set(ids)
    lines = [(n, line.source, line.target) for n, line in enumerate(sized.picture.lines)]
    return back_lines(ids, [(n, a, b) for n, a, b in lines if a != b and {a, b} <= known])


def read_layout(answer: str, sized: Sized) -> Layout | None:
    """The layout in what `dot -Tjson0` answered; None when it is not understood."""
    try:
        return _read(json.loads(answer), sized)
    except (ValueError, KeyError, TypeError, IndexError, AttributeError):
        return None


def _read(data: Any, sized: Sized) -> Layout:
    left, bottom, right, top = (float(x) for x in data["bb"].split(","))

    def at(x: float, y: float) -> Point:
        return x - left + _PAD, top - y + _PAD

    ids = [node.id for node in sized.picture.nodes]
    nodes: dict[str, Rect] = {}
    boxes: list[Rect | None] = [None] * len(sized.picture.boxes)
    for entry in data.get("objects", ()):
        name = entry["name"]
        if name.startswith("cluster_"):
            x0, y0, x1, y1 = (float(x) for x in entry["bb"].split(","))
            boxes[int(name[8:])] = Rect(*at(x0, y1), x1 - x0, y1 - y0)
        elif "pos" in entry:
            id = ids[int(name[1:])]
            x, y = at(*(float(v) for v in entry["pos"].split(",")))
            size = sized.nodes[id]
            nodes[id] = Rect(x - size.width / 2, y - size.height / 2, size.width, size.height)
    if nodes.keys() != set(ids):
        raise ValueError("a node has no place")
    routes: list[Route | None] = [None] * len(sized.picture.lines)
    for entry in data.get("edges", ()):
        label = at(*(float(v) for v in entry["lp"].split(","))) if "lp" in entry else None
        routes[int(entry["id"])] = Route(tuple(at(*p) for p in _spline(entry["pos"])), label)
    return Layout(
        right - left + 2 * _PAD, top - bottom + 2 * _PAD, nodes, tuple(routes), tuple(boxes)
    )


_PAD = 24.0


def _spline(text: str) -> list[Point]:
    """The control points, and the arrow's tip as a last straight segment. An arrow at the start is
    that of a line which was given turned round."""
    points: list[Point] = []
    tip: Point | None = None
    turned = False
    for word in text.split(";")[0].split():
        kind, _, rest = word.partition(",")
        if kind in ("e", "s"):
            x, _, y = rest.partition(",")
            tip = float(x), float(y)
            turned = kind == "s"
        else:
            points.append((float(kind), float(rest)))
    if turned:
        points.reverse()
    if tip is not None:
        points += [points[-1], tip, tip]
    return points
