"""The ways out of nodes in flow YAML: the writer's half. What the reader adds by itself is left
out, so that a sequence of nodes is a sequence of nodes.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from ... import ir
from ...analysis.graphs import edges_from
from ...expr.ast import Call, Expr
from ...expr.parse import parse
from ...flow_yaml.keys import FAILURES, IMPLIED_ENDS
from ...source.records import dataclass
from .yaml_text import Inline, PlainScalar, Value

Failure = tuple[str, tuple[ir.ErrorKind, ...] | None]
"""A target and the kinds that lead there; None for those that go without saying."""


@dataclass(frozen=True, slots=True)
class OutgoingEdges:
    """The edges of a workflow by the node they leave. `listed` are the nodes to write, in order;
    `choosers` those that conditions on the edges of another node stand for."""

    workflow: ir.Workflow
    leaving: dict[str, tuple[ir.Edge, ...]]
    listed: tuple[ir.Node, ...]
    choosers: dict[str, ir.ChooseNode]
    default: Failure | None


def outgoing_edges(workflow: ir.Workflow) -> OutgoingEdges:
    """The edges, ready to write."""
    found = edges_from(workflow.edges)
    leaving = {node.id: tuple(found.get(node.id, ())) for node in workflow.nodes}
    default = _default(workflow, leaving)
    ways = OutgoingEdges(workflow, leaving, _without_ends(workflow), {}, default)
    choosers = _choosers(ways)
    hidden = {node.id for node in choosers.values()}
    listed = tuple(node for node in ways.listed if node.id not in hidden)
    return replace(ways, listed=listed, choosers=choosers)


def write_ways(node: ir.Node, after: ir.Node | None, ways: OutgoingEdges) -> dict[str, Value]:
    """The keys for the ways out of a node; `after` is the one listed behind it."""
    if isinstance(node, ir.EndNode):
        return {}
    on, failures = _split_failures(ways.leaving[node.id])
    found: dict[str, Value] = {}
    chooser = ways.choosers.get(node.id)
    if chooser is not None:
        found["next"] = _conditions(chooser, after, ways)
    elif isinstance(node, ir.ChooseNode):
        found |= _cases(on)
    elif on != (_implied_edge(node.id, after),):
        found["next"] = _one_or_all([_way(edge) for edge in on])
    if failures != _by_default(node, ways.default):
        found["on_error"] = _one_or_all([_failure(edge, node) for edge in failures])
    return found


def write_default(failure: Failure) -> Value:
    """The value of `defaults.on_error`."""
    target, errors = failure
    return target if errors is None else Inline(to=target, errors=list(errors))


def _split_failures(edges: tuple[ir.Edge, ...]) -> tuple[tuple[ir.Edge, ...], tuple[ir.Edge, ...]]:
    """The ways on and, behind the last of them, the ways out of a failure."""
    at = len(edges)
    while at and isinstance(edges[at - 1].guard, ir.OnError):
        at -= 1
    return edges[:at], edges[at:]


def _implied_edge(source: str, after: ir.Node | None) -> ir.Edge:
    if after is None:
        return ir.Edge(source=source, target="end", implied=True)
    return ir.Edge(source=source, target=after.id, implied=isinstance(after, ir.EndNode))


def _way(edge: ir.Edge) -> Value:
    found = Inline(to=edge.target)
    match edge.guard:
        case ir.Case(value=value):
            found["case"] = value
        case ir.Otherwise():
            found["otherwise"] = True
        case ir.OnError(errors=errors):
            found["errors"] = list(errors)
        case None:
            pass
    return _with_label(found, edge)


def _with_label(found: Inline, edge: ir.Edge) -> Value:
    if edge.label:
        found["label"] = edge.label
    if edge.implied:
        found["implied"] = True
    return edge.target if list(found) == ["to"] else found


def _one_or_all(ways: list[Value]) -> Value:
    return ways[0] if len(ways) == 1 else ways


def _cases(on: tuple[ir.Edge, ...]) -> dict[str, Value]:
    cases = [e for e in on if isinstance(e.guard, ir.Case)]
    values = [e.guard.value for e in cases if isinstance(e.guard, ir.Case)]
    others = on[len(cases) :]
    plain = on[: len(cases)] == tuple(cases) and len(set(values)) == len(values)
    if not plain or len(others) > 1 or any(not isinstance(e.guard, ir.Otherwise) for e in others):
        return {"next": [_way(edge) for edge in on]}
    found: dict[str, Value] = {
        "cases": {
            v: _with_label(Inline(to=e.target), e) for v, e in zip(values, cases, strict=True)
        }
    }
    if others:
        found["otherwise"] = _with_label(Inline(to=others[0].target), others[0])
    return found


def _failure(edge: ir.Edge, node: ir.Node) -> Value:
    found = Inline(to=edge.target)
    if isinstance(edge.guard, ir.OnError) and edge.guard.errors != _failures_of(node):
        found["errors"] = list(edge.guard.errors)
    return _with_label(found, edge)


def _failures_of(node: ir.Node) -> tuple[ir.ErrorKind, ...]:
    return (*FAILURES, "gate") if isinstance(node, ir.GateNode) else FAILURES


def _default(workflow: ir.Workflow, leaving: dict[str, tuple[ir.Edge, ...]]) -> Failure | None:
    """What most nodes do that fail, if the format did it for them."""
    count: Counter[Failure] = Counter()
    for node in workflow.nodes:
        _, failures = _split_failures(leaving[node.id])
        if len(failures) == 1 and failures[0].implied and not failures[0].label:
            guard = failures[0].guard
            assert isinstance(guard, ir.OnError), "what leads out of a failure says of which"
            usual = guard.errors == _failures_of(node)
            count[failures[0].target, None if usual else guard.errors] += 1
    found = count.most_common(1)
    return found[0][0] if found and found[0][1] > 1 else None


def _by_default(node: ir.Node, default: Failure | None) -> tuple[ir.Edge, ...]:
    if default is None:
        return ()
    guard = ir.OnError(errors=default[1] or _failures_of(node))
    return (ir.Edge(source=node.id, target=default[0], guard=guard, implied=True),)


def _without_ends(workflow: ir.Workflow) -> tuple[ir.Node, ...]:
    """The nodes without the ends that the reader adds because something leads to them."""
    led_to = {edge.target for edge in workflow.edges} | {workflow.on_success, workflow.on_failed}
    order = list(IMPLIED_ENDS)
    nodes = workflow.nodes
    last = len(order)
    while len(nodes) > 1 and nodes[-1].id in order[:last] and nodes[-1].id in led_to:
        end = nodes[-1]
        if end != ir.EndNode(id=end.id, outcome=IMPLIED_ENDS[end.id]):
            break
        last = order.index(end.id)
        nodes = nodes[:-1]
    return nodes


def _choosers(ways: OutgoingEdges) -> dict[str, ir.ChooseNode]:
    """By the node behind which it stands, every choose node that is nothing but conditions."""
    choosers: dict[str, ir.ChooseNode] = {}
    led_to = Counter(edge.target for edge in ways.workflow.edges)
    w = ways.workflow
    named = {w.entry, w.on_success, w.on_failed, w.on_input.target if w.on_input else None}
    for node, chooser in zip(ways.listed, ways.listed[1:], strict=False):
        if not isinstance(chooser, ir.ChooseNode) or chooser.id != f"{node.id}.next":
            continue
        if isinstance(node, ir.ChooseNode | ir.EndNode) or node.id in choosers:
            continue
        plain = ir.ChooseNode(id=chooser.id, on=chooser.on, group=node.group) == chooser
        only = led_to[chooser.id] == 1 and chooser.id not in named
        if plain and only and _is_conditions(node, chooser, ways):
            choosers[node.id] = chooser
    return choosers


def _is_conditions(node: ir.Node, chooser: ir.ChooseNode, ways: OutgoingEdges) -> bool:
    on, failures = _split_failures(ways.leaving[node.id])
    cases, same_failures = _split_failures(ways.leaving[chooser.id])
    conditions = _conditions_of(chooser)
    return (
        on == (ir.Edge(source=node.id, target=chooser.id, implied=True),)
        and tuple(replace(e, source=chooser.id) for e in failures) == same_failures
        and (not isinstance(node, ir.GateNode) or not failures or ways.default is None)
        and len(conditions) > 0
        and len(cases) == len(conditions) + 1
        and cases[-1].guard == ir.Otherwise()
        and all(
            edge.guard == ir.Case(value=str(number)) and parse(edge.label, "", 0) == condition
            for number, (edge, condition) in enumerate(
                zip(cases[:-1], conditions, strict=True), start=1
            )
        )
    )


def _conditions_of(chooser: ir.ChooseNode) -> tuple[Expr, ...]:
    match chooser.on:
        case Call(function="which", args=args):
            return args
        case _:
            return ()


def _conditions(chooser: ir.ChooseNode, after: ir.Node | None, ways: OutgoingEdges) -> Value:
    *cases, fallback = _split_failures(ways.leaving[chooser.id])[0]
    found: list[Value] = []
    for edge in cases:
        way = Inline(when=PlainScalar(edge.label), to=edge.target)
        _with_label(way, replace(edge, label=""))
        found.append(way)
    if fallback != replace(_implied_edge(chooser.id, after), guard=ir.Otherwise()):
        way = _with_label(Inline(to=fallback.target), fallback)
        found.append(way if isinstance(way, dict) else Inline(to=way))
    return found
