"""What a picture of a workflow shows, whatever language it is drawn in.

Implied failures are left out, every activity has one, unless a run took them. Of the ends that the
format adds by itself only those are shown that a shown edge leads to.
"""

from __future__ import annotations

import textwrap
from collections import Counter
from collections.abc import Mapping
from dataclasses import field
from typing import Literal, assert_never

from ... import ir
from ...analysis.outline import is_failure
from ...source.records import dataclass

Look = Literal[
    "start", "assign", "checkpoint", "agent", "message", "tool", "exec", "choose", "ask", "call",
    "python", "wait", "http", "script", "task", "gate", "assert", "foreach",
    "success", "failed",
]  # fmt: skip
WIDTH = 30
LINES = 4
SHORTEST = 0.05
"""Seconds below which a time says nothing and is left out."""


@dataclass(frozen=True, slots=True)
class Overlay:
    """A run to draw over the picture: the nodes in the order of their visits, the seconds spent in
    each node altogether, the node at which the run stands or failed, and the cases by which nodes
    were left ("success" or "", a choice, `error:<kind>`)."""

    path: tuple[str, ...]
    seconds: Mapping[str, float] = field(default_factory=dict)
    current: str | None = None
    exits: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Shown:
    """A node: the lines of its caption, its id where that says more, and what a run did there.
    `visits` is None without an overlay."""

    id: str
    look: Look
    lines: tuple[str, ...]
    note: str
    visits: int | None = None
    seconds: float | None = None
    is_current: bool = False

    @property
    def tally(self) -> str:
        """Visits and time in few characters, as in `2× · 0.4 s`."""
        if not self.visits:
            return ""
        parts = [f"{self.visits}×"] if self.visits > 1 else []
        if self.seconds is not None and self.seconds >= SHORTEST:
            parts.append(f"{self.seconds:.1f} s")
        return " · ".join(parts)


@dataclass(frozen=True, slots=True)
class PictureEdge:
    """An edge. `taken` is how often a run went along it, None without an overlay."""

    source: str
    target: str
    label: str
    is_error: bool
    is_implied: bool
    taken: int | None = None

    def text(self, longest: int | None = None) -> str:
        """What stands at the edge: its label, and how often a run took it when more than once."""
        label = " ".join(self.label.split())
        if longest is not None and len(label) > longest:
            label = label[: longest - 1] + "…"
        return f"{label} {self.taken}×".strip() if self.taken and self.taken > 1 else label


@dataclass(frozen=True, slots=True)
class Box:
    """Nodes that belong together."""

    title: str
    members: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Picture:
    """Everything to draw, in the workflow's own order."""

    title: str
    nodes: tuple[Shown, ...]
    lines: tuple[PictureEdge, ...]
    boxes: tuple[Box, ...]


def picture_of(workflow: ir.Workflow, overlay: Overlay | None = None) -> Picture:
    """The picture of a workflow, with a run drawn over it when one is given."""
    taken = _edge_counts(workflow, overlay) if overlay else Counter[tuple[str, str]]()
    visits = Counter(overlay.path) if overlay else Counter[str]()
    by_id = {node.id: node for node in workflow.nodes}
    edges = [
        edge
        for edge in _distinct(workflow.edges)
        if edge.source in by_id
        and edge.target in by_id  # else a fault of the file
        and (not is_failure(edge, by_id) or taken[edge.source, edge.target] > 0)
    ]
    touched = {id for edge in edges for id in (edge.source, edge.target)} | set(visits)
    nodes = [
        node
        for node in workflow.nodes
        if not isinstance(node, ir.EndNode) or node.span is not None or node.id in touched
    ]
    return Picture(
        title=workflow.title or workflow.name,
        nodes=tuple(_show(node, workflow, overlay, visits) for node in nodes),
        lines=tuple(_line(edge, by_id, taken if overlay else None) for edge in edges),
        boxes=tuple(_boxes(workflow)),
    )


def _edge_counts(workflow: ir.Workflow, overlay: Overlay) -> Counter[tuple[str, str]]:
    """How often a run went from one node to another. Branches run side by side, so what began after
    a node need not have come from it."""
    left: dict[str, Counter[str]] = {}
    for node, case in overlay.exits:
        left.setdefault(node, Counter())[case] += 1
    listed: dict[str, set[str]] = {}
    for edge in workflow.edges:
        if isinstance(edge.guard, ir.Case):
            listed.setdefault(edge.source, set()).add(edge.guard.value)
    taken: Counter[tuple[str, str]] = Counter()
    for edge in workflow.edges:
        cases = left.get(edge.source, Counter())
        found = {case for case in cases if _goes_by(edge, case, listed.get(edge.source, set()))}
        taken[edge.source, edge.target] += sum(cases[case] for case in found)
    return taken


def _is_within(edge: ir.Edge, nodes: Mapping[str, ir.Node]) -> bool:
    """Whether an edge stays inside one element of the file: it is as much that element as its
    nodes are."""
    source, target = nodes.get(edge.source), nodes.get(edge.target)
    if source is None or target is None or source.group is None:
        return False
    return source.group == target.group


def _goes_by(edge: ir.Edge, case: str, listed: set[str]) -> bool:
    """Whether this edge is taken when its source is left by a case."""
    match edge.guard:
        case None:
            return not case.startswith("error:")
        case ir.Case(value=value):
            return case == value
        case ir.Otherwise():
            return case not in listed and not case.startswith("error:")
        case ir.OnError(errors=errors):
            return case.removeprefix("error:") in errors and case.startswith("error:")
        case _:
            assert_never(edge.guard)


def _distinct(edges: tuple[ir.Edge, ...]) -> list[ir.Edge]:
    """Edges that would be drawn alike are drawn once."""
    seen: dict[tuple[str, str, str, bool, bool], ir.Edge] = {}
    for edge in edges:
        is_error = isinstance(edge.guard, ir.OnError)
        seen.setdefault((edge.source, edge.target, edge.label, is_error, edge.implied), edge)
    cases = {
        (e.source, e.target) for e in seen.values() if isinstance(e.guard, ir.Case) and e.label
    }
    return [e for e in seen.values() if not _is_said(e, cases)]


def _is_said(edge: ir.Edge, cases: set[tuple[str, str]]) -> bool:
    """Whether an added case without a label leads where one with a label does."""
    if not edge.implied or edge.label or not isinstance(edge.guard, ir.Case):
        return False
    return (edge.source, edge.target) in cases


def _line(
    edge: ir.Edge, nodes: Mapping[str, ir.Node], taken: Counter[tuple[str, str]] | None
) -> PictureEdge:
    return PictureEdge(
        source=edge.source,
        target=edge.target,
        label=_label(edge, nodes.get(edge.source)),
        is_error=isinstance(edge.guard, ir.OnError),
        is_implied=edge.implied and not _is_within(edge, nodes),
        taken=None if taken is None else taken[edge.source, edge.target],
    )


def _label(edge: ir.Edge, source: ir.Node | None) -> str:
    """The label as written. Of a choice inside a group the case, where the label says nothing or
    what stands in the node already."""
    if source is None or source.group is None or edge.label not in ("", source.title, "true"):
        return edge.label
    match edge.guard:
        case ir.Case(value=value):
            return value
        case ir.Otherwise():
            return "otherwise"
        case _:
            return edge.label


def _show(
    node: ir.Node, workflow: ir.Workflow, overlay: Overlay | None, visits: Counter[str]
) -> Shown:
    title = " ".join(node.title.split())
    wrapped = textwrap.wrap(title or node.id, WIDTH, break_long_words=True)
    if len(wrapped) > LINES:
        wrapped = [*wrapped[: LINES - 1], wrapped[LINES - 1][: WIDTH - 1] + "…"]
    return Shown(
        id=node.id,
        look=look_of(node, workflow),
        lines=tuple(wrapped),
        note=node.id if title and title != node.id else "",
        visits=visits[node.id] if overlay else None,
        seconds=overlay.seconds.get(node.id) if overlay else None,
        is_current=overlay is not None and overlay.current == node.id,
    )


def look_of(node: ir.Node, workflow: ir.Workflow) -> Look:
    """How a node looks: by its kind alone, but for where chains begin and named checkpoints."""
    match node:
        case ir.AssignNode():
            if node.id in (workflow.entry, workflow.on_success, workflow.on_failed):
                return "start"
            is_point = not node.assignments and workflow.entry != ""
            return "checkpoint" if is_point else "assign"
        case ir.EndNode():
            return node.outcome
        case _:
            return node.kind


def _boxes(workflow: ir.Workflow) -> list[Box]:
    groups: dict[str, list[str]] = {}
    for node in workflow.nodes:
        if node.group is not None:
            groups.setdefault(node.group, []).append(node.id)
    return [Box(name, tuple(members)) for name, members in groups.items() if len(members) > 1]
