"""A contract as nodes and edges (C7, C15, C16, C23).

sequential        draft ─> edit ─> gate ─> end          one at a time, in dependency order
parallel, hybrid  start ─> draft ─┬─> gate ─> end       every step behind those it depends on
                  start ─> list ──┘
a review          check ─> check.verdict ─(too low)─> check.again ─> what it reviews
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field, replace

from ... import ir
from ...expr.ast import Binary, Call, Expr, ListOf, Literal, Name
from ...source.records import dataclass
from .order import Needs, Redo, in_order, reviewed_steps, with_reviews_awaited
from .steps import LEAST_SCORE, Contract, ContractStep
from .texts import (
    RESTARTS,
    RESULT,
    ResultNames,
    failures_text,
    gate_node,
    mean_of_scores,
    result_text,
    task_node,
)

END, FAILED, START = "end", "failed", "start"
Exit = tuple[str, ir.Guard | None]
"""The source and guard of an edge to whatever comes next."""


@dataclass(slots=True)
class Graph:
    """Nodes and edges under construction; `taken` are the ids in use, `grouped` the steps that
    became several nodes, `again` the nodes in which reviews restart what they review."""

    nodes: list[ir.Node] = field(default_factory=list)
    edges: list[ir.Edge] = field(default_factory=list)
    taken: set[str] = field(default_factory=set)
    grouped: list[str] = field(default_factory=list)
    entry: str = ""
    failed: str = ""
    again: dict[str, str] = field(default_factory=dict)

    def new_id(self, wanted: str) -> str:
        while wanted in self.taken:
            wanted += "_"
        self.taken.add(wanted)
        return wanted

    def connect(self, exit: Exit, target: str, *, implied: bool = False, label: str = "") -> None:
        source, guard = exit
        label = label or ("else" if guard == ir.Case(value="false") else "")
        self.edges.append(
            ir.Edge(source=source, target=target, guard=guard, implied=implied, label=label)
        )


@dataclass(frozen=True, slots=True)
class Design:
    """What the graph is made from: the steps by id in the order in which they are done, whom each
    `waits` for, what reviews restart, the variables' names. `redone_by` are the reviews that have a
    step done again, `judges` those that have it begun again; `restarted` are the steps that
    anything begins anew, a failure of their own included."""

    contract: Contract
    steps: Mapping[str, ContractStep]
    waits: Needs
    redos: Mapping[str, Redo]
    declared: Needs
    names: ResultNames
    redone_by: Mapping[str, Sequence[str]]
    judges: Mapping[str, Sequence[str]]
    restarted: frozenset[str]

    def last(self) -> list[str]:
        """Return the steps that nothing waits for, in the file's order."""
        awaited = {id for needs in self.waits.values() for id in needs}
        return [step.id for step in self.contract.steps if step.id not in awaited]


def design_of(contract: Contract, needs: Needs, names: ResultNames) -> Design:
    """Return the design of a contract whose dependencies are sound."""
    by_id = {step.id: step for step in contract.steps}
    forms = {step.id: step.form for step in contract.steps}
    order = in_order(by_id, needs)
    waits, redos = with_reviews_awaited(order, forms, needs)
    if contract.form == "sequential":
        order = in_order(order, waits)
        waits = {id: order[at - 1 : at] if at else () for at, id in enumerate(order)}
        redos = {id: _earliest(redo, order) for id, redo in redos.items()}
    redone_by: dict[str, list[str]] = {}
    for review, redo in redos.items():
        for id in redo.region:
            redone_by.setdefault(id, []).append(review)
    heads = {head for redo in redos.values() for head in redo.heads}
    return Design(
        contract=contract,
        steps={id: by_id[id] for id in order},
        waits=waits,
        redos=redos,
        declared=needs,
        names=names,
        redone_by=redone_by,
        judges=_judges(contract, forms, needs),
        restarted=frozenset(order if contract.retries else heads),
    )


def _judges(
    contract: Contract, forms: Mapping[str, str], needs: Needs
) -> Mapping[str, Sequence[str]]:
    """Return for each step the reviews that have it begun again."""
    judges: dict[str, list[str]] = {}
    for step in contract.steps:
        for target in reviewed_steps(step.id, forms, needs) if step.form == "review" else ():
            judges.setdefault(target, []).append(step.id)
    return judges


def _earliest(redo: Redo, order: tuple[str, ...]) -> Redo:
    """Return the restart at the first head only: one after another, it leads to the rest."""
    head = min(redo.heads, key={id: at for at, id in enumerate(order)}.__getitem__)
    return Redo((head,), frozenset())


def build_graph(design: Design) -> Graph:
    """Return all nodes in the order in which they are done, and the edges between them."""
    contract = design.contract
    graph = Graph(taken={*design.steps, *(gate.id for gate in contract.gates)})
    graph.failed = graph.new_id(FAILED) if contract.retries else ""
    first = [id for id in design.steps if not design.waits[id]]
    if len(first) > 1:
        graph.entry = graph.new_id(START)
        graph.nodes.append(ir.AssignNode(id=graph.entry, title=START))
    else:
        graph.entry = first[0]
    exits: dict[str, Exit] = {}
    doors: dict[str, str] = {}
    for step in design.steps.values():
        exits[step.id] = _add_step(graph, design, step, doors)
    for id in design.steps:
        _add_ways_in(graph, design, id, doors, exits)
    for id in first if len(first) > 1 else ():
        graph.connect((graph.entry, None), doors[id])
    for review, redo in design.redos.items():
        for head in redo.heads:
            graph.connect((graph.again[review], None), head, label="too low")
    _add_end(graph, design, exits)
    return graph


def _add_step(graph: Graph, design: Design, step: ContractStep, doors: dict[str, str]) -> Exit:
    """Add the step's nodes and return its exit. Its door is the node that waits for others: a step
    that is begun anew has another one before it, else it would wait for them again."""
    waits = design.waits[step.id]
    door = doors[step.id] = step.id
    many = len(waits) > 1
    own: list[ir.Node] = []
    judges = design.judges.get(step.id, ())
    task: ir.TaskNode = task_node(
        design.contract, step, design.declared[step.id], judges, design.names
    )
    if many and step.id in design.restarted:
        door = doors[step.id] = graph.new_id(f"{step.id}.ready")
        own.append(ir.AssignNode(id=door, join="all", group=step.id))
        graph.connect((door, None), step.id)
    elif many:
        task = replace(task, join="all")
    own.append(task)
    exit: Exit = (step.id, None)
    if step.id in design.redos:
        verdict = graph.new_id(f"{step.id}.verdict")
        condition = _too_low(design, step.id)
        own.append(ir.ChooseNode(id=verdict, on=condition, title="too low", group=step.id))
        graph.connect(exit, verdict)
        exit = (verdict, ir.Case(value="false"))
        again = graph.again[step.id] = graph.new_id(f"{step.id}.again")
        graph.connect((verdict, ir.Case(value="true")), again)
        own.append(_restart(again))
    if design.contract.retries:
        own += _retry(graph, design, step.id)
    if len(own) > 1:
        graph.grouped.append(step.id)
        own = [replace(node, group=step.id) for node in own]
    graph.nodes += own
    return exit


def _restart(id: str) -> ir.Node:
    """Return a node that counts a further attempt; the variable adds up what is written (C16)."""
    one = ir.Assignment(target=RESTARTS, value=Literal(value=1))
    return ir.AssignNode(id=id, assignments=(one,), title="restart")


def _retry(graph: Graph, design: Design, step: str) -> Iterator[ir.Node]:
    """Yield the nodes that begin a failed step again while attempts are left (C16)."""
    retry, anew = graph.new_id(f"{step}.retry"), graph.new_id(f"{step}.anew")
    yield ir.ChooseNode(id=retry, on=_attempts_left(design), title="attempts left")
    yield _restart(anew)
    caught = ir.OnError(errors=("failure", "timeout"))
    graph.connect((step, caught), retry, label="failed")
    graph.connect((retry, ir.Case(value="true")), anew)
    graph.connect((anew, None), step)
    graph.connect((retry, ir.Case(value="false")), graph.failed, implied=True)


def _attempts_left(design: Design) -> Expr:
    most = Literal(value=design.contract.attempts - 1)
    return Binary(op="<", left=Name(name=RESTARTS), right=most)


def _too_low(design: Design, review: str) -> Expr:
    """Return the condition that a review's score is too low for the nearest gate, attempts left."""
    gates = (g.required for g in design.contract.gates if g.form == "quality_check")
    least = next((score for score in gates if score is not None), LEAST_SCORE)
    scores = tuple(design.names.score(review, need) for need in design.declared[review])
    lowest = Call(function="min", args=(ListOf(items=scores),))
    low = Binary(op="<", left=lowest, right=Literal(value=least))
    return Binary(op="and", left=low, right=_attempts_left(design))


def _add_ways_in(
    graph: Graph, design: Design, id: str, doors: Mapping[str, str], exits: Mapping[str, Exit]
) -> None:
    """Add edges from all that the step waits for. A review does not repeat what lies outside of its
    region: such an edge leads through a node that the review passes again, so that the step which
    waits for all does not wait for it for ever."""
    waits = design.waits[id]
    within = [(r, design.redos[r]) for r in design.redone_by.get(id, ())]
    for need in waits:
        outer = [r for r, redo in within if need not in redo.region and id not in redo.heads]
        if not outer or len(waits) < 2:
            graph.connect(exits[need], doors[id])
            continue
        kept = graph.new_id(f"{id} after {need}")
        graph.nodes.append(ir.AssignNode(id=kept, title=f"{need} is done"))
        graph.connect(exits[need], kept)
        graph.connect((kept, None), doors[id])
        for review in outer:
            graph.connect((graph.again[review], None), kept, label="too low")


def _add_end(graph: Graph, design: Design, exits: Mapping[str, Exit]) -> None:
    """Add the gates behind the last steps, in file order, then the end (C23)."""
    contract, last = design.contract, design.last()
    score = mean_of_scores(contract, design.declared, design.names)
    chain: list[ir.Node] = [
        gate_node(gate, contract, last, score, design.names) for gate in contract.gates
    ]
    end = graph.new_id(END)
    ends = [design.steps[id] for id in last]
    value = result_text(ends, contract, design.declared, design.names)
    result = ir.Assignment(target=RESULT, value=value)
    chain.append(ir.EndNode(id=end, title=END, outcome="success", assignments=(result,)))
    if len(last) > 1:
        chain[0] = replace(chain[0], join="all")
    graph.nodes += chain
    for id in last:
        graph.connect(exits[id], chain[0].id, implied=chain[0].id == end)
    for before, after in itertools.pairwise(chain):
        graph.connect((before.id, None), after.id, implied=after.id == end)
    if contract.retries:
        failures = ir.Assignment(target=RESULT, value=failures_text())
        graph.nodes.append(
            ir.EndNode(id=graph.failed, title=FAILED, outcome="failed", assignments=(failures,))
        )
