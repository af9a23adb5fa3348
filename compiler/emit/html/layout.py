"""Layout: where the boxes and lines of a picture lie, in pixels from the top left corner.

The layout here is our own, in layers from top to bottom (Sugiyama's method): ranks by the longest
path, few crossings by barycentres, boxes pulled below what leads to them. It takes nothing but the
picture, so a page can always be drawn; `graphviz` reads a finer one from Graphviz.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import field
from graphlib import TopologicalSorter
from itertools import pairwise

from ...analysis.graphs import returns
from ...source.records import dataclass
from .sizes import Sized

Point = tuple[float, float]
MARGIN, GAP, RANK_GAP = 24.0, 34.0, 46.0
SWEEPS = 6
MAX_BENDS = 40_000
"""Above this many crossings of a rank by a line, lines go straight from box to box."""


@dataclass(frozen=True, slots=True)
class Rect:
    """A box: its left upper corner, width and height."""

    x: float
    y: float
    width: float
    height: float

    @property
    def centre(self) -> Point:
        return self.x + self.width / 2, self.y + self.height / 2


@dataclass(frozen=True, slots=True)
class Route:
    """A line: a start and cubic Bézier segments (3 points each); `label` is its text's centre."""

    points: tuple[Point, ...]
    label: Point | None = None


@dataclass(frozen=True, slots=True)
class Layout:
    """`nodes` by id, `routes` in the order of the picture's lines (None: not drawn), `boxes` in the
    order of its boxes (None: left out, because other nodes lie between its members)."""

    width: float
    height: float
    nodes: dict[str, Rect]
    routes: tuple[Route | None, ...]
    boxes: tuple[Rect | None, ...]


@dataclass(slots=True)
class _Grid:
    """Ranks of slots. A slot is a node's id, or `(line number, rank)` where a long line passes."""

    widths: dict[object, float] = field(default_factory=dict)
    rows: list[list[object]] = field(default_factory=list)
    above: dict[object, list[object]] = field(default_factory=dict)
    below: dict[object, list[object]] = field(default_factory=dict)
    bends: dict[int, list[object]] = field(default_factory=dict)
    x: dict[object, float] = field(default_factory=dict)


def lay_out(sized: Sized) -> Layout:
    """The picture in layers. Takes time linear in nodes, lines and the ranks that lines cross."""
    ids = [node.id for node in sized.picture.nodes]
    if not ids:
        return Layout(2 * MARGIN, 2 * MARGIN, {}, (), tuple(None for _ in sized.picture.boxes))
    known = set(ids)
    lines = [
        (n, line.source, line.target)
        for n, line in enumerate(sized.picture.lines)
        if line.source in known and line.target in known
    ]
    back = back_lines(ids, [(n, a, b) for n, a, b in lines if a != b])
    ranks = _ranks(ids, [(b, a) if n in back else (a, b) for n, a, b in lines if a != b])
    grid = _grid(sized, ids, lines, back, ranks)
    _order(grid)
    _place(grid)
    return _draw(sized, grid, lines, back, ranks)


def back_lines(ids: list[str], lines: list[tuple[int, str, str]]) -> set[int]:
    """The lines that lead back, so that without them there is no circle; `lines` are number, source
    and target. A picture begins at the nodes that nothing leads to, else at the first."""
    after: dict[str, list[str]] = {id: [] for id in ids}
    for _, source, target in lines:
        after[source].append(target)
    reached = {target for _, _, target in lines}
    begins = [id for id in ids if id not in reached] or ids[:1]
    back = returns(begins, after)
    return {number for number, source, target in lines if (source, target) in back}


def _ranks(ids: list[str], arcs: list[tuple[str, str]]) -> dict[str, int]:
    """The longest path to each node; `arcs` have no circle."""
    before: dict[str, list[str]] = {id: [] for id in ids}
    for source, target in arcs:
        before[target].append(source)
    ranks: dict[str, int] = {}
    # Sources come before their targets, so that their ranks are final.
    for id in TopologicalSorter(before).static_order():
        ranks[id] = max((ranks[source] + 1 for source in before[id]), default=0)
    return ranks


def _grid(
    sized: Sized,
    ids: list[str],
    lines: list[tuple[int, str, str]],
    back: set[int],
    ranks: dict[str, int],
) -> _Grid:
    grid = _Grid(rows=[[] for _ in range(max(ranks.values()) + 1)])
    for id in ids:
        grid.widths[id] = sized.nodes[id].width
        grid.rows[ranks[id]].append(id)
    crossed = sum(abs(ranks[a] - ranks[b]) for _, a, b in lines)
    for n, source, target in lines:
        if source == target:
            continue
        first, last = (target, source) if n in back else (source, target)
        chain: list[object] = [first]
        if crossed <= MAX_BENDS:
            for rank in range(ranks[first] + 1, ranks[last]):
                slot = (n, rank)
                grid.widths[slot] = max(8.0, sized.labels[n].width)
                grid.rows[rank].append(slot)
                chain.append(slot)
        chain.append(last)
        grid.bends[n] = chain
        for upper, lower in pairwise(chain):
            grid.below.setdefault(upper, []).append(lower)
            grid.above.setdefault(lower, []).append(upper)
    return grid


def _sweeps(grid: _Grid) -> Iterator[tuple[list[object], dict[object, list[object]]]]:
    """Yield every rank, with the neighbours to go by: downwards and upwards in turn."""
    for sweep in range(SWEEPS):
        down = sweep % 2 == 0
        for row in grid.rows if down else grid.rows[::-1]:
            yield row, grid.above if down else grid.below


def _mean(slot: object, near: Mapping[object, list[object]], at: Mapping[object, float]) -> float:
    """The mean place of a slot's neighbours; its own where it has none."""
    others = near.get(slot)
    return sum(at[other] for other in others) / len(others) if others else at[slot]


def _order(grid: _Grid) -> None:
    """Sort every rank by the mean place of its neighbours."""
    place = {slot: float(n) for row in grid.rows for n, slot in enumerate(row)}
    for row, near in _sweeps(grid):
        means = {slot: _mean(slot, near, place) for slot in row}
        row.sort(key=means.__getitem__)
        place.update((slot, float(n)) for n, slot in enumerate(row))


def _place(grid: _Grid) -> None:
    """Horizontal centres: as near to the neighbours' mean as the neighbours in the rank allow."""
    for row in grid.rows:
        at = 0.0
        for slot in row:
            grid.x[slot] = at + grid.widths[slot] / 2
            at += grid.widths[slot] + GAP
    for row, near in _sweeps(grid):
        wanted = [_mean(slot, near, grid.x) for slot in row]
        lefts, rights = (_push_apart(row, wanted, grid, way) for way in (1, -1))
        for slot, left, right in zip(row, lefts, rights, strict=True):
            grid.x[slot] = (left + right) / 2


def _push_apart(row: list[object], wanted: list[float], grid: _Grid, way: int) -> list[float]:
    """The wanted places with overlaps resolved by pushing to the right (1) or to the left (-1)."""
    placed: list[float] = []
    border: float | None = None
    for slot, want in list(zip(row, wanted, strict=True))[::way]:
        half = grid.widths[slot] / 2
        centre = want if border is None else max(want * way, border + half) * way
        placed.append(centre)
        border = centre * way + half + GAP
    return placed[::way]


def _draw(
    sized: Sized,
    grid: _Grid,
    lines: list[tuple[int, str, str]],
    back: set[int],
    ranks: dict[str, int],
) -> Layout:
    left = min(grid.x[slot] - grid.widths[slot] / 2 for slot in grid.x) - MARGIN
    tops: list[float] = []
    at = MARGIN
    heights: list[float] = []
    for row in grid.rows:
        tops.append(at)
        heights.append(max((sized.nodes[s].height for s in row if isinstance(s, str)), default=0))
        at += heights[-1] + RANK_GAP
    nodes = {
        id: Rect(
            grid.x[id] - size.width / 2 - left,
            tops[ranks[id]] + (heights[ranks[id]] - size.height) / 2,
            size.width,
            size.height,
        )
        for id, size in sized.nodes.items()
    }
    routes: list[Route | None] = [None] * len(sized.picture.lines)
    for n, source, target in lines:
        if source == target:
            routes[n] = _loop(nodes[source])
            continue
        bends = [
            (grid.x[slot] - left, tops[slot[1]] + heights[slot[1]] / 2)
            for slot in grid.bends[n][1:-1]
            if isinstance(slot, tuple)
        ]
        routes[n] = _route(nodes[source], nodes[target], bends, n in back)
    edges = [p[0] for r in routes if r for p in r.points]
    width = max([*(r.x + r.width for r in nodes.values()), *edges]) + MARGIN
    boxes = tuple(_box(box.members, nodes) for box in sized.picture.boxes)
    return Layout(width, at - RANK_GAP + MARGIN, nodes, tuple(routes), boxes)


def _route(source: Rect, target: Rect, bends: list[Point], is_back: bool) -> Route:
    """Down from the source's lower edge; a line back leaves and arrives at the right side."""
    if is_back:
        start = (source.x + source.width, source.centre[1])
        end = (target.x + target.width, target.centre[1])
        if not bends:
            out = max(start[0], end[0]) + 44
            points: tuple[Point, ...] = (start, (out, start[1]), (out, end[1]), end)
            return Route(points, (out - 8, (start[1] + end[1]) / 2))
        bends = bends[::-1]
    else:
        start = (source.centre[0], source.y + source.height)
        end = (target.centre[0], target.y)
    stops = [start, *bends, end]
    points = (start,)
    for number, (a, b) in enumerate(pairwise(stops)):
        middle = (a[1] + b[1]) / 2
        first = (a[0] + 36, a[1]) if is_back and number == 0 else (a[0], middle)
        second = (b[0] + 36, b[1]) if is_back and number == len(stops) - 2 else (b[0], middle)
        points += (first, second, b)
    half = len(stops) // 2
    a, b = stops[half - 1], stops[half]
    return Route(points, ((a[0] + b[0]) / 2, (a[1] + b[1]) / 2))


def _loop(node: Rect) -> Route:
    x, y = node.x + node.width, node.centre[1]
    return Route(((x, y - 8), (x + 40, y - 22), (x + 40, y + 22), (x, y + 8)), (x + 36, y))


def _box(members: tuple[str, ...], nodes: dict[str, Rect]) -> Rect | None:
    inside = [nodes[id] for id in members if id in nodes]
    if not inside:
        return None
    x, y = min(r.x for r in inside) - 12, min(r.y for r in inside) - 26
    right = max(r.x + r.width for r in inside) + 12
    bottom = max(r.y + r.height for r in inside) + 12
    own = set(members)
    crossed = any(
        id not in own and r.x < right and r.x + r.width > x and r.y < bottom and r.y + r.height > y
        for id, r in nodes.items()
    )
    return None if crossed else Rect(x, y, right - x, bottom - y)
