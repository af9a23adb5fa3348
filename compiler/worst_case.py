"""The most that one run can do, as far as the file says it: steps, and calls of a model.

A node runs as often as the edges into it are taken, at most as often as its limit of visits says.
Where a loop has no such limit, a list is computed, or a bound is, there is no number; then `why`
says what is missing. Lines that a person says unasked and runs that are resumed after a limit that
stops them begin anew and are not counted.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import reduce

from .expr.ast import Expr, ListOf, Literal
from .ir import (
    AgentNode,
    CallNode,
    Edge,
    ForeachNode,
    Limit,
    Node,
    OnError,
    Program,
    TaskNode,
    Workflow,
)

TURNS = 50
"""Calls of a model within one visit of a node that may need several, unless it is configured."""


@dataclass(frozen=True, slots=True)
class WorstCase:
    """`steps` are nodes entered, in called workflows too; None: no number, see `why`."""

    steps: int | None
    model_calls: int | None
    why: str = ""


def worst_case(program: Program) -> WorstCase:
    """That of the program's main workflow."""
    counting = _Counting(dict(program.workflows))
    steps, calls = counting.run_of(program.entry)
    why = counting.why if math.inf in (steps, calls) else ""
    return WorstCase(_whole(steps), _whole(calls), why)


def _whole(amount: float) -> int | None:
    return None if amount == math.inf else int(amount)


class _Counting:
    """`inf` stands for what has no number; 0 times it is 0."""

    def __init__(self, workflows: dict[str, Workflow]) -> None:
        self.workflows = workflows
        self.why = ""
        self.known: dict[str, tuple[float, float]] = {}

    def run_of(self, path: str) -> tuple[float, float]:
        """(steps, model calls) of one run of a workflow."""
        if path not in self.workflows:
            return math.inf, math.inf
        if path not in self.known:
            self.known[path] = (math.inf, math.inf)  # what calls itself
            self.known[path] = self._count(self.workflows[path])
        return self.known[path]

    def _count(self, workflow: Workflow) -> tuple[float, float]:
        visits = _Visits(workflow)
        steps = calls = 0.0
        for node in workflow.nodes:
            entered, run = visits.entered(node.id), visits.run(node.id)
            inner_steps, inner_calls = self._of_visit(node, workflow)
            steps += entered + _times(run, inner_steps)
            calls += _times(run, inner_calls)
        if visits.endless and not self.why:
            self.why = f"nothing limits how often `{visits.endless}` runs"
        most = _least(workflow.limits, "steps")
        per_step = max((self._of_visit(n, workflow)[1] for n in workflow.nodes), default=0.0)
        return min(steps, most), min(calls, _times(most, per_step))

    def _of_visit(self, node: Node, workflow: Workflow) -> tuple[float, float]:
        """(steps beside its own, model calls) of one visit, all attempts of it together."""
        attempts = node.retry.attempts if node.retry is not None else 1
        match node:
            case AgentNode():
                return 0, attempts * (TURNS if _may_need_several(node, workflow) else 1)
            case TaskNode():
                people = {agent.id for agent in workflow.agents if agent.person}
                asked = node.form != "synchronization" and node.agent not in people
                return 0, attempts * TURNS * asked
            case CallNode() | ForeachNode():
                steps, calls = self.run_of(node.workflow)
                times = attempts * (_length(node.items) if isinstance(node, ForeachNode) else 1)
                if times == math.inf and not self.why:
                    self.why = f"how many elements `{node.id}` goes through is computed"
                return _times(times, steps), _times(times, calls)
            case _:
                return 0, 0


class _Visits:
    """How often each node of a workflow is entered, and how often it then runs."""

    def __init__(self, workflow: Workflow) -> None:
        self.nodes = {node.id: node for node in workflow.nodes}
        self.into: dict[str, list[Edge]] = {id: [] for id in self.nodes}
        for edge in workflow.edges:
            self.into[edge.target].append(edge)
        begins = (workflow.entry, workflow.on_success, workflow.on_failed)
        self.begins = [id for id in begins if id is not None]
        self.shared = _least(workflow.limits, "visits")
        self.found: dict[str, float] = {}
        self.under_way: set[str] = set()
        self.endless = ""

    def entered(self, id: str) -> float:
        """As often as the ways into it are taken."""
        if id in self.found:
            return self.found[id]
        if id in self.under_way:
            return math.inf
        self.under_way.add(id)
        amount = float(self.begins.count(id))
        for edge in self.into[id]:
            amount += self._taken(edge)
        self.under_way.remove(id)
        self.found[id] = amount
        if self.run(id) == math.inf:
            self.endless = self.endless or id
        return amount

    def run(self, id: str) -> float:
        """A node whose limit is reached is entered once more, and fails."""
        return min(self._limit(id), self.entered(id))

    def _taken(self, edge: Edge) -> float:
        guard = edge.guard
        limit = self._limit(edge.source)
        if isinstance(guard, OnError) and "limit" in guard.errors:
            return self.entered(edge.source)
        # A limit counts whatever leads to the node, also where that is a loop.
        return limit if edge.source in self.under_way else min(limit, self.entered(edge.source))

    def _limit(self, id: str) -> float:
        node = self.nodes[id]
        if node.kind == "end":
            return math.inf
        own = [limit for limit in node.limits if limit.name == "visits"]
        return _least(tuple(own), "visits") if own else self.shared


def _may_need_several(node: AgentNode, workflow: Workflow) -> bool:
    tools = any(agent.tools for agent in workflow.agents if agent.id == node.agent)
    return bool(node.tools or tools or node.report or node.schema is not None)


def _least(limits: tuple[Limit, ...], name: str) -> float:
    return reduce(min, _bounds(limits, name), math.inf)


def _bounds(limits: tuple[Limit, ...], name: str) -> Iterator[float]:
    """The bounds that are plain numbers; every node may run once, whatever is written."""
    for limit in limits:
        value = limit.value.value if isinstance(limit.value, Literal) else None
        if limit.name == name and isinstance(value, int | float) and not isinstance(value, bool):
            yield max(math.floor(value) if math.isfinite(value) else value, 1)


def _length(items: Expr) -> float:
    if isinstance(items, ListOf):
        return len(items.items)
    if isinstance(items, Literal) and isinstance(items.value, list | tuple):
        return len(items.value)
    return math.inf


def _times(count: float, each: float) -> float:
    return 0 if not count or not each else count * each
