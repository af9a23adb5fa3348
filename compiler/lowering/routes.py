"""The ways out of nodes in LangGraph's shape: plain edges, branches, joins.

    A --> B                    one kind of way out: an edge for each target
    CHECK --true--> A          several kinds: one branch with all the cases
    A, B ==> C (waits)         a join: C runs once both have led to it

A branch cannot lead into a join, because only a node's end counts there. So a case that does leads
to a relay, a node that does nothing, and the relay is the join's source.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import assert_never

from .. import ir
from ..analysis.graphs import edges_from
from ..source.records import dataclass
from .graphspec import SUCCESS_CASE, Branch, EdgeSpec, Join

END = "__end__"


@dataclass(frozen=True, slots=True)
class Connections:
    """How the nodes of one workflow are connected. `relays` are nodes of no meaning of their own;
    `forks` says that more than one node can be under way at a time."""

    edges: tuple[EdgeSpec, ...]
    branches: tuple[Branch, ...]
    joins: tuple[Join, ...]
    relays: tuple[str, ...]
    forks: bool


def connections_of(workflow: ir.Workflow) -> Connections:
    """Every edge of the workflow, lowered."""
    outgoing = edges_from(workflow.edges)
    edges: list[EdgeSpec] = []
    branches: list[Branch] = []
    for node in workflow.nodes:
        plain, branch = _ways_out(node, outgoing.get(node.id, []), workflow)
        edges.extend(plain)
        if branch is not None:
            branches.append(branch)
    forks = _forks(edges, branches)
    awaited = sources_of_joins(workflow)
    joining = {(source, target) for target, sources in awaited.items() for source in sources}
    taken = {node.id for node in workflow.nodes}
    relays: dict[tuple[str, str], str] = {}
    for at, branch in enumerate(branches):
        pairs = {(branch.source, target) for target in _targets(branch)}
        for pair in sorted(pairs & joining):
            relays[pair] = _free_name(f"{pair[0]} to {pair[1]}", taken)
        if any(pair in relays for pair in pairs):
            branches[at] = _with_relays(branch, relays)
    return Connections(
        edges=tuple(e for e in edges if (e.source, e.target) not in joining),
        branches=tuple(branches),
        joins=tuple(
            Join(sources=tuple(relays.get((s, target), s) for s in sources), target=target)
            for target, sources in awaited.items()
        ),
        relays=tuple(relays.values()),
        forks=forks,
    )


def sources_of_joins(workflow: ir.Workflow) -> dict[str, tuple[str, ...]]:
    """For each node that waits for several others: those others, in the file's order."""
    waiting = {node.id for node in workflow.nodes if node.join == "all"}
    joins: dict[str, dict[str, None]] = {}
    for edge in workflow.edges:
        if edge.target in waiting:
            joins.setdefault(edge.target, {})[edge.source] = None
    return {target: tuple(sources) for target, sources in joins.items() if len(sources) > 1}


def _ways_out(
    node: ir.Node, outgoing: list[ir.Edge], workflow: ir.Workflow
) -> tuple[list[EdgeSpec], Branch | None]:
    """Plain edges, or a branch with every case."""
    route = f"$route.{node.id}"
    if isinstance(node, ir.EndNode):
        handler = workflow.on_success if node.outcome == "success" else workflow.on_failed
        if handler is None:
            return [EdgeSpec(source=node.id, target=END)], None
        cases = (("handler", handler), ("done", END))
        return [], Branch(source=node.id, channel=route, cases=cases)
    if not outgoing:
        return [EdgeSpec(source=node.id, target=END)], None
    if all(edge.guard is None for edge in outgoing):
        targets = dict.fromkeys(edge.target for edge in outgoing)
        return [EdgeSpec(source=node.id, target=target) for target in targets], None
    listed: dict[tuple[str, str], None] = {}
    otherwise: str | None = None
    for edge in outgoing:
        match edge.guard:
            case None:
                listed[SUCCESS_CASE, edge.target] = None
            case ir.Case(value=value):
                listed[value, edge.target] = None
            case ir.Otherwise():
                otherwise = edge.target
            case ir.OnError(errors=errors):
                listed |= {(f"error:{kind}", edge.target): None for kind in errors}
            case _:
                assert_never(edge.guard)
    if not isinstance(node, ir.ChooseNode) and not any(case == SUCCESS_CASE for case, _ in listed):
        listed = {(SUCCESS_CASE, END): None, **listed}
    return [], Branch(
        source=node.id,
        channel=route,
        cases=tuple(listed),
        otherwise=otherwise,
        labels=tuple(_labels(outgoing).items()),
    )


def _labels(outgoing: list[ir.Edge]) -> dict[str, str]:
    """The file's words for the cases of a choice."""
    labels: dict[str, str] = {}
    for edge in outgoing:
        written = " ".join(edge.label.split())
        if written and isinstance(edge.guard, ir.Case | ir.Otherwise):
            case = edge.guard.value if isinstance(edge.guard, ir.Case) else ""
            labels.setdefault(case, written)
    return labels


def _forks(edges: list[EdgeSpec], branches: list[Branch]) -> bool:
    plain = Counter(edge.source for edge in edges)
    if any(count > 1 for count in plain.values()):
        return True
    return any(len({case for case, _ in b.cases}) < len(b.cases) for b in branches)


def _targets(branch: Branch) -> list[str]:
    otherwise = [branch.otherwise] if branch.otherwise is not None else []
    return [*(target for _, target in branch.cases), *otherwise]


def _with_relays(branch: Branch, relays: dict[tuple[str, str], str]) -> Branch:
    def by_way_of(target: str) -> str:
        return relays.get((branch.source, target), target)

    otherwise = branch.otherwise
    return replace(
        branch,
        cases=tuple((case, by_way_of(target)) for case, target in branch.cases),
        otherwise=None if otherwise is None else by_way_of(otherwise),
    )


def _free_name(name: str, taken: set[str]) -> str:
    while name in taken:
        name += "'"
    taken.add(name)
    return name
