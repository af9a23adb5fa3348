"""The picture of a page as SVG: shapes, captions and lines, without a colour of its own.

Colours are classes that the page's style sheet fills in, so that light and dark are one drawing.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from html import escape
from typing import Literal

from ..picture.picture import PictureEdge, Shown
from .layout import Layout, Point, Rect, Route
from .sizes import LABEL_HEIGHT, LINE_HEIGHT, LONGEST_LABEL, SMALL_HEIGHT, Sized, is_mono

_CONTROL = dict.fromkeys([*range(32), 127, *range(0xD800, 0xE000), 0xFFFE, 0xFFFF], " ")
_TIP, _HALF = 9.0, 3.6
Mark = Literal["done", "busy", "waiting", "failed", "paused"]
"""Where a node of a run stands. It is drawn as a sign of its own shape, and spoken."""
_SIGNS: dict[Mark, str] = {
    "done": "M-3.4 .2l2.4 2.5l4.4 -5",
    "busy": "M-2.2 -3.4l5.4 3.4l-5.4 3.4z",
    "waiting": "M-2.4 -1.7a2.4 2.4 0 1 1 3.6 2c-.8 .5 -1.2 .9 -1.2 1.7M0 3.9v.1",
    "failed": "M-2.8 -2.8l5.6 5.6M2.8 -2.8l-5.6 5.6",
    "paused": "M-1.8 -3v6M1.8 -3v6",
}
_BADGE = 8.5


def draw(sized: Sized, layout: Layout, marks: Mapping[str, Mark] | None = None) -> str:
    """The `<svg>` element; nodes carry `data-node` (their number), lines `data-ends`, the numbers
    of the nodes that they join. `marks` say of nodes, by id, where they stand."""
    picture = sized.picture
    numbers = {node.id: number for number, node in enumerate(picture.nodes)}
    parts = [
        f'<svg id="picture" xmlns="http://www.w3.org/2000/svg" role="group" '
        f'aria-label="{_attribute(picture.title)}" '
        f'viewBox="0 0 {layout.width:.0f} {layout.height:.0f}" '
        f'data-width="{layout.width:.0f}" data-height="{layout.height:.0f}">'
    ]
    for box, rect in zip(picture.boxes, layout.boxes, strict=True):
        if rect is not None:
            parts.append(_box(box.title, rect))
    for number, line in enumerate(picture.lines):
        route = layout.routes[number]
        if route is not None:
            ends = f"{numbers[line.source]} {numbers[line.target]}"
            parts.append(_line(ends, line, route, sized.labels[number].width))
    for number, node in enumerate(picture.nodes):
        mark = (marks or {}).get(node.id)
        parts.append(_node(number, node, layout.nodes[node.id], mark))
    return "\n".join([*parts, "</svg>"])


def _box(title: str, rect: Rect) -> str:
    return (
        f'<g class="box"><rect x="{rect.x:.1f}" y="{rect.y:.1f}" width="{rect.width:.1f}" '
        f'height="{rect.height:.1f}" rx="10"/>'
        f'<text x="{rect.x + 12:.1f}" y="{rect.y + 17:.1f}">{_text(title)}</text></g>'
    )


def _line(ends: str, line: PictureEdge, route: Route, width: float) -> str:
    classes = ["line"]
    classes += ["error"] if line.is_error else []
    classes += ["implied"] if line.is_implied or line.taken == 0 else []
    classes += ["taken"] if line.taken else []
    path, tip = _path(route.points)
    label = line.text(LONGEST_LABEL)
    parts = [
        f'<g class="{" ".join(classes)}" data-line data-ends="{ends}">',
        f'<path class="way" d="{path}"/><path class="tip" d="{tip}"/>',
    ]
    if label and route.label is not None:
        x, y = route.label
        parts.append(
            f'<rect class="plate" x="{x - width / 2:.1f}" y="{y - LABEL_HEIGHT / 2:.1f}" '
            f'width="{width:.1f}" height="{LABEL_HEIGHT}" rx="4"/>'
            f'<text x="{x:.1f}" y="{y + 3.8:.1f}">{_text(label)}</text>'
        )
    return "".join([*parts, "</g>"])


def _path(points: tuple[Point, ...]) -> tuple[str, str]:
    """The curve up to the arrow head, and the head, which points where the curve ends."""
    end = points[-1]
    before = next((p for p in reversed(points) if math.dist(p, end) > 1), points[0])
    length = math.dist(before, end) or 1.0
    dx, dy = (end[0] - before[0]) / length, (end[1] - before[1]) / length
    neck = (end[0] - dx * _TIP, end[1] - dy * _TIP)
    curve = [*points[:-1], neck]
    words = [f"M{curve[0][0]:.1f} {curve[0][1]:.1f}"]
    for at in range(1, len(curve), 3):
        words.append("C" + " ".join(f"{x:.1f} {y:.1f}" for x, y in curve[at : at + 3]))
    left = (neck[0] - dy * _HALF, neck[1] + dx * _HALF)
    right = (neck[0] + dy * _HALF, neck[1] - dx * _HALF)
    corners = " ".join(f"{x:.1f} {y:.1f}" for x, y in (end, left, right))
    return " ".join(words), f"M{corners}Z"


def _node(number: int, node: Shown, rect: Rect, mark: Mark | None) -> str:
    classes = ["node", node.look]
    classes += ["faded"] if node.visits == 0 else []
    classes += ["here"] if node.is_current else []
    classes += [f"is-{mark}"] if mark else []
    spoken = [" ".join(node.lines), _SPOKEN.get(node.look, node.look), mark or "", node.tally]
    parts = [
        f'<g class="{" ".join(classes)}" data-node="{number}" tabindex="0" role="button" '
        f'aria-label="{_attribute(", ".join(s for s in spoken if s))}">',
        f"<title>{_text(node.note or ' '.join(node.lines))}</title>",
        f'<path class="shape" d="{_shape(node, rect)}"/>',
        *(f'<path class="trim" d="{d}"/>' for d in _trims(node, rect)),
        _caption(node, rect),
        _badge(mark, rect) if mark else "",
    ]
    return "".join([*parts, "</g>"])


def _badge(mark: Mark, r: Rect) -> str:
    """A sign on the upper right corner."""
    x, y = r.x + r.width - 4, r.y + 4
    return (
        f'<g class="badge {mark}" transform="translate({x:.1f} {y:.1f})">'
        f'<circle r="{_BADGE}"/><path d="{_SIGNS[mark]}"/></g>'
    )


_SPOKEN = {"choose": "decision", "exec": "commands", "ask": "question", "http": "request",
           "failed": "ends failed",
           "success": "ends in success", "foreach": "for each"}  # fmt: skip


def _caption(node: Shown, rect: Rect) -> str:
    small = [("note", node.note), ("tally", node.tally)]
    small = [(name, text) for name, text in small if text]
    x = rect.centre[0]
    height = len(node.lines) * LINE_HEIGHT + len(small) * SMALL_HEIGHT
    y = rect.centre[1] - height / 2
    rows = []
    face = "caption mono" if is_mono(node) else "caption"
    for line in node.lines:
        rows.append(f'<text class="{face}" x="{x:.1f}" y="{y + 13.5:.1f}">{_text(line)}</text>')
        y += LINE_HEIGHT
    for name, text in small:
        rows.append(f'<text class="{name}" x="{x:.1f}" y="{y + 10.5:.1f}">{_text(text)}</text>')
        y += SMALL_HEIGHT
    return "".join(rows)


def _shape(node: Shown, r: Rect) -> str:
    """The outline of a look as a path."""
    x, y, right, bottom = r.x, r.y, r.x + r.width, r.y + r.height
    middle = r.y + r.height / 2
    match node.look:
        case "start" | "success" | "failed" | "checkpoint":
            return _round_rect(r, min(r.height / 2, 20))
        case "agent" | "task":
            return _round_rect(r, 10)
        case "choose" | "assert":
            return _polygon(
                (x, middle), (x + 18, y), (right - 18, y), (right, middle), (right - 18, bottom),
                (x + 18, bottom),
            )  # fmt: skip
        case "ask":
            return _polygon((x + 14, y), (right, y), (right - 14, bottom), (x, bottom))
        case "gate":
            return _polygon(
                (x + 10, y), (right - 10, y), (right, y + 10), (right, bottom - 10),
                (right - 10, bottom), (x + 10, bottom), (x, bottom - 10), (x, y + 10),
            )  # fmt: skip
        case "message":
            return _polygon((x, y), (right - 11, y), (right, y + 11), (right, bottom), (x, bottom))
        case _:
            return _round_rect(r, 4)


def _trims(node: Shown, r: Rect) -> list[str]:
    """Strokes inside the outline that tell a look from others of the same shape."""
    x, y, right, bottom = r.x, r.y, r.x + r.width, r.y + r.height
    match node.look:
        case "tool" | "python" | "http" | "script":
            return [f"M{x + 7:.1f} {y:.1f}V{bottom:.1f}M{right - 7:.1f} {y:.1f}V{bottom:.1f}"]
        case "call" | "foreach":
            return [_round_rect(Rect(x + 4, y + 4, r.width - 8, r.height - 8), 3)]
        case "message":
            return [f"M{right - 11:.1f} {y:.1f}V{y + 11:.1f}H{right:.1f}"]
        case "exec":
            return [f"M{x + 6:.1f} {y + 7:.1f}l4 4l-4 4"]
        case _:
            return []


def _round_rect(r: Rect, k: float) -> str:
    w, h = r.width - 2 * k, r.height - 2 * k
    return (
        f"M{r.x + k:.1f} {r.y:.1f}h{w:.1f}a{k:.1f} {k:.1f} 0 0 1 {k:.1f} {k:.1f}v{h:.1f}"
        f"a{k:.1f} {k:.1f} 0 0 1 -{k:.1f} {k:.1f}h-{w:.1f}a{k:.1f} {k:.1f} 0 0 1 -{k:.1f} -{k:.1f}"
        f"v-{h:.1f}a{k:.1f} {k:.1f} 0 0 1 {k:.1f} -{k:.1f}Z"
    )


def _polygon(*corners: Point) -> str:
    return "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in corners) + "Z"


def _text(text: str) -> str:
    """Text between tags; what HTML cannot hold as blanks."""
    return escape(text.translate(_CONTROL), quote=False)


def _attribute(text: str) -> str:
    return escape(" ".join(text.translate(_CONTROL).split()))
