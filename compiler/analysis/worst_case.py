"""The most that one run can do, as far as the file says it: steps, calls of a model, what they use.

A node runs as often as the edges into it are taken, at most as often as its limit of visits says.
Where a loop has no such limit, a list is computed, or a bound is, there is no number; then `why`
says what is missing. Lines that a person says unasked and runs that are resumed after a limit that
stops them begin anew and are not counted.

No file says how long questions and answers are: tokens and cost have a number where limits give
one: that of the workflow, or of every node of it that asks a model.
"""

from __future__ import annotations

import math
from collections.abc import Generator

from .. import ir
from ..expr.ast import Expr, ListOf, Literal
from ..source.records import dataclass

TURNS = 50
"""Calls of a model within one visit of a node that may need several, unless it is configured."""


@dataclass(frozen=True, slots=True)
class WorstCase:
    """`steps` are nodes entered, in called workflows too; `cost` is in dollars. None: no number,
    see `why`, of tokens and cost `unbounded`, the node that no limit of them holds for."""

    steps: int | None
    model_calls: int | None
    why: str = ""
    tokens: int | None = None
    cost: float | None = None
    unbounded: str = ""


def worst_case(program: ir.Program) -> WorstCase:
    """That of the program's main workflow."""
    counting = _Counting(dict(program.workflows))
    steps, calls = counting.run_of(program.entry)
    why = counting.why if math.inf in (steps, calls) else ""
    spent = {name: _Spending(counting, name) for name in ("tokens", "cost")}
    tokens, cost = (spending.run_of(program.entry) for spending in spent.values())
    unbounded = "" if math.inf > min(tokens, cost) else spent["tokens"].unbounded
    dollars = None if cost == math.inf else round(cost, 6)
    return WorstCase(_whole(steps), _whole(calls), why, _whole(tokens), dollars, unbounded)


def _whole(amount: float) -> int | None:
    return None if amount == math.inf else int(amount)


class _Counting:
    """`inf` stands for what has no number; 0 times it is 0."""

    def __init__(self, workflows: dict[str, ir.Workflow]) -> None:
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

    def _count(self, workflow: ir.Workflow) -> tuple[float, float]:
        visits = _Visits(workflow)
        steps = calls = 0.0
        for node in workflow.nodes:
            entered, run = visits.entries(node.id), visits.run(node.id)
            inner_steps, inner_calls = self.of_visit(node, workflow)
            steps += entered + _times(run, inner_steps)
            calls += _times(run, inner_calls)
        if visits.endless and not self.why:
            self.why = f"nothing limits how often `{visits.endless}` runs"
        most = _least(workflow.limits, "steps")
        per_step = max((self.of_visit(n, workflow)[1] for n in workflow.nodes), default=0.0)
        return min(steps, most), min(calls, _times(most, per_step))

    def of_visit(self, node: ir.Node, workflow: ir.Workflow) -> tuple[float, float]:
        """(steps beside its own, model calls) of one visit, all attempts of it together."""
        attempts = node.retry.attempts if node.retry is not None else 1
        match node:
            case ir.AgentNode():
                return 0, attempts * (TURNS if _may_need_several(node, workflow) else 1)
            case ir.TaskNode():
                people = {agent.id for agent in workflow.agents if agent.person}
                asked = node.form != "synchronization" and node.agent not in people
                return 0, attempts * TURNS * asked
            case ir.CallNode() | ir.ForeachNode():
                steps, calls = self.run_of(node.workflow)
                times = _begun(node)
                if times == math.inf and not self.why:
                    self.why = f"how many elements `{node.id}` goes through is computed"
                return _times(times, steps), _times(times, calls)
            case _:
                return 0, 0


class _Spending:
    """The most of one thing, tokens or dollars, that one run of a workflow can use up."""

    def __init__(self, counting: _Counting, name: str) -> None:
        self.counting = counting
        self.name = name
        self.known: dict[str, float] = {}
        self.unbounded = ""

    def run_of(self, path: str) -> float:
        """That of one run of a workflow."""
        workflow = self.counting.workflows.get(path)
        if workflow is None or not self.counting.run_of(path)[1]:
            return 0 if workflow is not None else math.inf
        if path not in self.known:
            self.known[path] = _least_amount(workflow.limits, self.name)  # what calls itself
            visits, before = _Visits(workflow), self.unbounded
            nodes = sum(self._of_node(node, workflow, visits) for node in workflow.nodes)
            self.known[path] = min(self.known[path], nodes)
            if self.known[path] != math.inf:
                self.unbounded = before
        return self.known[path]

    def _of_node(self, node: ir.Node, workflow: ir.Workflow, visits: _Visits) -> float:
        """What all its visits use up together, which is what its limit counts."""
        calls = _times(visits.run(node.id), self.counting.of_visit(node, workflow)[1])
        if not calls:
            return 0
        amount = math.inf
        if isinstance(node, ir.CallNode | ir.ForeachNode):
            runs = visits.run(node.id) * _begun(node)
            amount = _times(runs, self.run_of(node.workflow))
        amount = min(amount, _least_amount(node.limits, self.name))
        if amount == math.inf and not self.unbounded:
            self.unbounded = node.id
        return amount


class _Visits:
    """How often each node of a workflow is entered, and how often it then runs."""

    def __init__(self, workflow: ir.Workflow) -> None:
        self.nodes = {node.id: node for node in workflow.nodes}
        self.into: dict[str, list[ir.Edge]] = {id: [] for id in self.nodes}
        for edge in workflow.edges:
            self.into[edge.target].append(edge)
        begins = (workflow.entry, workflow.on_success, workflow.on_failed)
        self.begins = [id for id in begins if id is not None]
        self.shared = _least(workflow.limits, "visits")
        self.found: dict[str, float] = {}
        self.under_way: set[str] = set()
        self.endless = ""

    def entries(self, id: str) -> float:
        """As often as the ways into it are taken. A chain may be longer than Python's stack."""
        if id in self.found:
            return self.found[id]
        open_nodes = [self._entering(id)]
        amount: float | None = None
        while open_nodes:
            try:
                source = open_nodes[-1].send(amount)
            except StopIteration as done:
                open_nodes.pop()
                amount = done.value
            else:
                if source in self.found or source in self.under_way:
                    amount = self.found.get(source, math.inf)
                else:
                    open_nodes.append(self._entering(source))
                    amount = None
        return self.found[id]

    def _entering(self, id: str) -> Generator[str, float | None, float]:
        """Find the same; yield each node whose entries are needed for that, and get them."""
        self.under_way.add(id)
        amount = float(self.begins.count(id))
        for edge in self.into[id]:
            limit, source = self._limit(edge.source), edge.source
            if isinstance(edge.guard, ir.OnError) and "limit" in edge.guard.errors:
                amount += (yield source) or 0
            elif source in self.under_way:
                # A limit counts whatever leads to the node, also where that is a loop.
                amount += limit
            else:
                amount += min(limit, (yield source) or 0)
        self.under_way.remove(id)
        self.found[id] = amount
        if self.run(id) == math.inf:
            self.endless = self.endless or id
        return amount

    def run(self, id: str) -> float:
        """A node whose limit is reached is entered once more, and fails."""
        return min(self._limit(id), self.entries(id))

    def _limit(self, id: str) -> float:
        node = self.nodes[id]
        if node.kind == "end":
            return math.inf
        own = [limit for limit in node.limits if limit.name == "visits"]
        return _least(tuple(own), "visits") if own else self.shared


def _may_need_several(node: ir.AgentNode, workflow: ir.Workflow) -> bool:
    tools = any(agent.tools for agent in workflow.agents if agent.id == node.agent)
    return bool(node.tools or tools or node.report or node.schema is not None)


def _least(limits: tuple[ir.Limit, ...], name: str) -> float:
    """The least bound of a count; every node may run once, whatever is written."""
    amount = _least_amount(limits, name)
    return max(math.floor(amount) if math.isfinite(amount) else amount, 1)


def _least_amount(limits: tuple[ir.Limit, ...], name: str) -> float:
    """The least bound of a quantity that is a plain number."""
    found = [m.value.value for m in limits if m.name == name and isinstance(m.value, Literal)]
    numbers = [n for n in found if isinstance(n, int | float) and not isinstance(n, bool)]
    return max(min(numbers, default=math.inf), 0)


def _begun(node: ir.CallNode | ir.ForeachNode) -> float:
    """How many runs of its workflow one visit of a node begins, attempts included."""
    attempts = node.retry.attempts if node.retry is not None else 1
    return attempts * (_length(node.items) if isinstance(node, ir.ForeachNode) else 1)


def _length(items: Expr) -> float:
    if isinstance(items, ListOf):
        return len(items.items)
    if isinstance(items, Literal) and isinstance(items.value, list | tuple):
        return len(items.value)
    return math.inf


def _times(count: float, each: float) -> float:
    return 0 if not count or not each else count * each
