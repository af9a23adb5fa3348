"""Conflicts: two nodes that can run at the same time and write one variable (FC3004).

    plan --> draft  --> join        both write `text`: whichever comes last wins
    plan --> sketch --> join

A node that leads to several others starts branches. What only one branch leads to runs beside what
only another leads to; where they meet again they are one.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator

from ..catalog import Catalog
from ..codes import CODES
from ..diagnostics import Diagnostic, Label
from ..graphs import reachable, successors
from ..ir import Edge, OnError, Program, Workflow
from ..source import Span
from .variables import Write, writes
from .wording import called

Writers = dict[str, list[tuple[str, Write]]]
"""Node and place of every write of a variable."""


def parallel_writes(workflow: Workflow, program: Program, catalog: Catalog) -> Iterator[Diagnostic]:
    """FC3004, once for each variable and pair of branches, at the later write."""
    forks = _forks(workflow)
    if not forks:
        return
    nodes = {node.id: node for node in workflow.nodes}
    after = successors(nodes, workflow.edges)
    joined = {field.name for field in workflow.state if field.reducer != "replace"}
    reported: set[tuple[str, str, str]] = set()
    for fork, targets in forks:
        behind = [set(reachable([t], after, avoid=fork.__eq__)) for t in targets]
        own = [_only(branch, [b for b in behind if b is not branch]) for branch in behind]
        for one, other in itertools.combinations(own, 2):
            first, second = _written(workflow, one), _written(workflow, other)
            for name in first.keys() & second.keys() - joined:
                (a, write_a), (b, write_b) = first[name][0], second[name][0]
                if (name, a, b) in reported:
                    continue
                reported |= {(name, a, b), (name, b, a)}
                here = write_b.span or nodes[b].span
                there = write_a.span or nodes[a].span
                if here is None:
                    continue
                fork_name, first_name = called(nodes[fork]), called(nodes[a])
                yield _conflict(name, here, there, called(nodes[b]), first_name, fork_name)


def _forks(workflow: Workflow) -> list[tuple[str, list[str]]]:
    """Nodes that lead to several others at once, with those: edges with the same guard."""
    by_guard: dict[tuple[str, object], list[str]] = {}
    for edge in workflow.edges:
        if not isinstance(edge.guard, OnError):
            by_guard.setdefault(_way(edge), []).append(edge.target)
    found = [(key[0], list(dict.fromkeys(targets))) for key, targets in by_guard.items()]
    return [(source, targets) for source, targets in found if len(targets) > 1]


def _way(edge: Edge) -> tuple[str, object]:
    return edge.source, edge.guard


def _only(branch: set[str], others: list[set[str]]) -> set[str]:
    return branch.difference(*others)


def _written(workflow: Workflow, members: set[str]) -> Writers:
    found: Writers = {}
    for node in workflow.nodes:
        if node.id in members:
            for write in writes(node):
                found.setdefault(write.name, []).append((node.id, write))
    return found


def _conflict(
    name: str, here: Span, there: Span | None, second: str, first: str, fork: str
) -> Diagnostic:
    return Diagnostic(
        "FC3004",
        f"{second} and {first} write `{name}` at the same time",
        here,
        CODES["FC3004"].severity,
        labels=(Label(there, "the other write"),) if there is not None else (),
        notes=(f"{fork} starts both branches",),
        help=f"give each a variable of its own, or declare a reducer for `{name}`: append, merge"
        " or add",
    )
