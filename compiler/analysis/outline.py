"""Outline: a workflow as its author wrote it. An element of the file that became several nodes is
one again, and what the format added by itself is left out.

    review.pre → review → review.to → draft        ->        review → draft
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

from .. import ir
from ..source.records import dataclass
from ..source.source import Span
from .graphs import edges_from


@dataclass(frozen=True, slots=True)
class Element:
    """A node, or a group of nodes under its own name; `node` says most about it."""

    id: str
    title: str
    node: ir.Node
    is_group: bool
    span: Span | None


@dataclass(frozen=True, slots=True)
class Way:
    """An edge between two elements, with the label as written."""

    source: str
    target: str
    label: str


def elements(workflow: ir.Workflow, whole: Collection[str]) -> list[Element]:
    """Every element in file order, without the nodes that a format adds: those have no place. The
    groups in `whole` are one element each; of others the file names the nodes themselves."""
    groups = {group.id: group for group in workflow.groups if group.id in whole}
    members: dict[str, list[ir.Node]] = {}
    found: list[Element] = []
    for node in workflow.nodes:
        if node.group in groups:
            members.setdefault(node.group or "", []).append(node)
        elif node.span is not None or not isinstance(node, ir.EndNode):
            found.append(Element(node.id, node.title, node, is_group=False, span=node.span))
    for id, nodes in members.items():
        group = groups[id]
        chief = _chief(nodes)
        found.append(Element(id, group.title, chief, is_group=True, span=group.span or chief.span))
    if groups:
        found = [element for element in found if element.span is not None]
    return sorted(found, key=lambda e: (e.span is None, e.span.start if e.span else 0))


def _chief(nodes: list[ir.Node]) -> ir.Node:
    """The member that says what a group is for: its agent or task, else what comes next to one."""
    for kind in (ir.AgentNode, ir.TaskNode, ir.GateNode, ir.MessageNode, ir.ScriptNode):
        for node in nodes:
            if isinstance(node, kind):
                return node
    return nodes[0]


def ways(workflow: ir.Workflow, whole: Collection[str]) -> list[Way]:
    """The written edges and the implied ways on between elements, each once; not the implied ways
    out of a failure. A way may lead over nodes that a format adds."""
    nodes = {node.id: node for node in workflow.nodes}
    edges = [edge for edge in workflow.edges if not is_failure(edge, nodes)]
    groups = {group.id for group in workflow.groups if group.id in whole}
    if not groups:
        return [Way(edge.source, edge.target, edge.label) for edge in edges]
    group_of = {node.id: node.group for node in workflow.nodes if node.group in groups}
    entries = _entries(workflow, group_of)
    after = edges_from(edges)
    found: dict[Way, None] = {}
    for edge in edges:
        source = group_of.get(edge.source) or edge.source
        if edge.source not in group_of and nodes[edge.source].span is None:
            continue
        for target, label in _led_to(edge, nodes, group_of, after):
            inside = source == group_of.get(target)
            if not inside or entries.get(source) == target:
                found[Way(source, group_of.get(target) or target, label)] = None
    labelled = {(way.source, way.target) for way in found if way.label}
    return [way for way in found if way.label or (way.source, way.target) not in labelled]


def _led_to(
    edge: ir.Edge,
    nodes: Mapping[str, ir.Node],
    group_of: Mapping[str, str | None],
    after: Mapping[str, list[ir.Edge]],
) -> Iterator[tuple[str, str]]:
    """The nodes of elements that an edge leads to, over those that a format adds, with the label on
    the way there."""
    todo, seen = [(edge.target, edge.label)], {edge.target}
    while todo:
        at, label = todo.pop()
        if at in group_of or nodes[at].span is not None or isinstance(nodes[at], ir.EndNode):
            yield at, label
            continue
        for further in reversed(after.get(at, ())):
            if further.target not in seen:
                seen.add(further.target)
                todo.append((further.target, label or further.label))


def _entries(workflow: ir.Workflow, group_of: Mapping[str, str | None]) -> dict[str, str]:
    """The first node of each group: an edge back to it leaves the group and enters it anew."""
    entries: dict[str, str] = {}
    for node in workflow.nodes:
        group = group_of.get(node.id)
        if group is not None:
            entries.setdefault(group, node.id)
    return entries


def is_failure(edge: ir.Edge, nodes: Mapping[str, ir.Node]) -> bool:
    """Whether a format added the edge for a failure: every element has such a way. From a group it
    may be a choice that leads to a failing end, which the file does not name."""
    if not edge.implied or (edge.label and not isinstance(edge.guard, ir.OnError)):
        return False
    if isinstance(edge.guard, ir.OnError):
        return True
    source, target = nodes.get(edge.source), nodes.get(edge.target)
    ends = isinstance(target, ir.EndNode) and target.outcome == "failed" and target.span is None
    return ends and source is not None and source.group is not None
