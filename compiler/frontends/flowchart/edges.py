"""Links become edges: what a label says, the ends a chart need not show, failures and limits.

CHECK -->|TRUE| A       case "true"
PROMPT -->|ERROR| B     taken when PROMPT fails
PROMPT                  without a successor: an implied edge to SUCCESS (M46)
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from dataclasses import field, replace

from ... import ir
from ...analysis.graphs import loops, reachable, successors
from ...diagnostics.diagnostic import Label
from ...expr.ast import Expr, Literal, Name
from ...expr.walk import walk
from ...source.records import dataclass
from .activities import end_node, kind_of
from .links import FAILURES, ONWARD, OTHERWISE, drawn_edges
from .mermaid.chart import Chart, ChartEdge
from .placeholders import ChartScope

HANDLERS_END = "END"


@dataclass(slots=True)
class WaysOut:
    """The two ways out of an activity."""

    onward: ChartEdge | None = None
    other: ChartEdge | None = None


@dataclass(slots=True)
class Wiring:
    """Nodes and edges, complete: every activity leads on, fails somewhere and ends."""

    nodes: dict[str, ir.Node]
    edges: list[ir.Edge] = field(default_factory=list)
    handler_flag: str | None = None
    """The variable that says that the failure handler runs; None when nothing needs it."""


def wire(
    chart: Chart,
    nodes: dict[str, ir.Node],
    scope: ChartScope,
    flag: str,
    detailed: Collection[str],
    start: str,
) -> Wiring:
    """Return every edge of the workflow, written and implied (M15, M16, M35, M44–M50). Of nodes
    that are `detailed`, links say more, and no failure is led anywhere."""
    wiring = Wiring(nodes)
    links = [e for e in chart.edges if not e.is_comment and _joins_activities(e, nodes, scope)]
    plain = [link for link in links if link.source.text not in detailed]
    ways, spare = _read_ways(plain, nodes.keys() - detailed, nodes, scope)
    for source, way in ways.items():
        for link, is_other in ((way.onward, False), (way.other, True)):
            if link is not None:
                guard = _guard(nodes[source], is_other)
                wiring.edges.append(_edge(source, link, guard, scope))
    for link in spare:
        wiring.edges.append(_edge(link.source.text, link, ir.Otherwise(), scope))
    wiring.edges += drawn_edges((e for e in links if e.source.text in detailed), nodes, scope)
    _imply(wiring, ways, flag, start)
    return wiring


def _edge(source: str, link: ChartEdge, guard: ir.Guard | None, scope: ChartScope) -> ir.Edge:
    return ir.Edge(
        source=source,
        target=link.target.text,
        guard=guard,
        label=link.label.text if link.label is not None else "",
        span=scope.document.whole.span(link.start, link.end),
    )


def _guard(node: ir.Node, is_other: bool) -> ir.Guard | None:
    if isinstance(node, ir.ChooseNode):
        return ir.Case(value="false" if is_other else "true")
    return ir.OnError(errors=FAILURES) if is_other else None


def _read_ways(
    links: Iterable[ChartEdge], ids: Collection[str], nodes: dict[str, ir.Node], scope: ChartScope
) -> tuple[dict[str, WaysOut], list[ChartEdge]]:
    """Return the ways out of each activity, and the surplus links: they are reported and stay in
    the workflow, which is then shown as drawn. A link with a meaningless label takes a free way."""
    ways = {
        id: WaysOut()
        for id, node in nodes.items()
        if id in ids and not isinstance(node, ir.EndNode)
    }
    spare: list[ChartEdge] = []
    unknown: list[ChartEdge] = []
    for link in links:
        way = ways[link.source.text]
        word = link.label.text.strip().upper() if link.label is not None else ""
        if word in OTHERWISE:
            way.other, known = way.other or link, way.other
        elif not word or word in ONWARD:
            way.onward, known = way.onward or link, way.onward
        else:
            unknown.append(link)
            continue
        if known is not None:
            spare.append(link)
            _report_second(known, link, scope)
    for link in unknown:
        _report_label(link, nodes[link.source.text], scope)
        way = ways[link.source.text]
        if way.onward is None:
            way.onward = link
        elif way.other is None:
            way.other = link
        else:
            spare.append(link)
    return ways, spare


def _joins_activities(link: ChartEdge, nodes: dict[str, ir.Node], scope: ChartScope) -> bool:
    for end in (link.source, link.target):
        if end.text not in nodes:
            scope.sink.report(
                "FC2001",
                f"`{end.brief}` is the parameter list, not an activity: no edge leads there"
                if end is link.target
                else f"`{end.brief}` is the parameter list, not an activity: no edge begins there",
                scope.span(end),
                help="remove the link, or draw it dashed without a head: `-.-`",
            )
            return False
    if isinstance(nodes[link.source.text], ir.EndNode):
        scope.sink.report(
            "FC1001",
            f"`{link.source.brief}` ends the workflow: no edge can leave it",
            scope.document.whole.span(link.start, link.end),
            help="what should run after the end begins at `ON_SUCCESS` or `ON_FAILED`",
        )
        return False
    return True


def _report_second(known: ChartEdge, link: ChartEdge, scope: ChartScope) -> None:
    """Report two edges for one way: nothing is lost silently (M16)."""
    unlabelled = not (link.label and link.label.text) and not (known.label and known.label.text)
    which = "unlabelled edge" if unlabelled else "edge for the same case"
    scope.sink.report(
        "FC1004",
        f"a second {which} leaves `{link.source.brief}`",
        scope.document.whole.span(link.start, link.target.end),
        labels=(
            Label(
                scope.document.whole.span(known.start, known.target.end),
                f"the first one leads to `{known.target.brief}`",
            ),
        ),
        help="keep one of them, or decide between them with a CHECK",
    )


def _report_label(link: ChartEdge, node: ir.Node, scope: ChartScope) -> None:
    assert link.label is not None
    if isinstance(node, ir.ChooseNode):
        example = "`TRUE` or `FALSE`"
    else:
        example = "none, or `ERROR` for the way taken when it fails"
    scope.sink.report(
        "FC1005",
        f"`{link.label.brief}` is not a label that an edge can have",
        scope.span(link.label),
        notes=(f"one of {', '.join((*ONWARD, *OTHERWISE))}, or none",),
        help=f"write {example}",
    )


def _imply(wiring: Wiring, ways: dict[str, WaysOut], flag: str, start: str) -> None:
    """Add the edges that the format implies, and the ends they lead to."""
    after = successors(wiring.nodes, wiring.edges)
    handlers = [id for id in ("ON_SUCCESS", "ON_FAILED") if id in ways]
    starts = [id for id in wiring.nodes if kind_of(id) == "START" or id == start]
    failing = reachable(["ON_FAILED"] if "ON_FAILED" in ways else [], after)
    others = reachable([*starts, *(h for h in handlers if h != "ON_FAILED")], after)
    again = reachable(handlers, after).keys() & reachable(starts, after).keys()
    repeated = again.union(*loops(after))
    onward = {edge.source for edge in wiring.edges if edge.guard in (None, ir.Case(value="true"))}
    for id, node in [*wiring.nodes.items()]:
        way = ways.get(id)
        leads_on = id in onward or (way is None and isinstance(node, ir.ChooseNode | ir.EndNode))
        if not leads_on:
            target = "SUCCESS"
            if id in failing:
                target = HANDLERS_END if id in others else "FAILED"
            _imply_edge(wiring, id, target, _guard(node, is_other=False))
        if way is not None and way.other is None and isinstance(node, ir.ChooseNode):
            _imply_edge(wiring, id, "FAILED", _guard(node, is_other=True))
        if way is not None:
            _imply_failures(wiring, node, way, limited=id in repeated)
    if any(edge.target == HANDLERS_END for edge in wiring.edges):
        _end_of_handlers(wiring, flag)
    for id in ("SUCCESS", "FAILED"):
        if id not in wiring.nodes and any(edge.target == id for edge in wiring.edges):
            wiring.nodes[id] = end_node(id, failed=id == "FAILED")


def _imply_edge(wiring: Wiring, source: str, target: str, guard: ir.Guard | None) -> None:
    wiring.edges.append(ir.Edge(source=source, target=target, guard=guard, implied=True))


def _imply_failures(wiring: Wiring, node: ir.Node, way: WaysOut, *, limited: bool) -> None:
    """Lead an unguarded failure to FAILED, a failing check to where false leads (M35, M46), and a
    visit too many always to FAILED (M45, M50)."""
    errors: tuple[ir.ErrorKind, ...] = FAILURES if can_fail(node) else ()
    limit: tuple[ir.ErrorKind, ...] = ("limit",) if limited else ()
    if way.other is not None:
        if errors and isinstance(node, ir.ChooseNode):
            _imply_edge(wiring, node.id, way.other.target.text, ir.OnError(errors=errors))
        errors = ()
    if errors or limit:
        _imply_edge(wiring, node.id, "FAILED", ir.OnError(errors=(*errors, *limit)))


def _end_of_handlers(wiring: Wiring, flag: str) -> None:
    """End an activity that the failure handler and something else lead to FAILED or SUCCESS, as a
    variable of our own remembers which handler runs (M49)."""
    wiring.handler_flag = flag
    wiring.nodes[HANDLERS_END] = ir.ChooseNode(
        id=HANDLERS_END, title="end of the handlers", on=Name(name=flag)
    )
    for value, target in (("true", "FAILED"), ("false", "SUCCESS")):
        _imply_edge(wiring, HANDLERS_END, target, ir.Case(value=value))
    for id, node in wiring.nodes.items():
        if isinstance(node, ir.AssignNode) and (
            id.startswith("START") or id in ("ON_SUCCESS", "ON_FAILED")
        ):
            note = ir.Assignment(target=flag, value=Literal(value=id == "ON_FAILED"))
            wiring.nodes[id] = replace(node, assignments=(*node.assignments, note))


def can_fail(node: ir.Node) -> bool:
    """Return whether a run of this node can fail, visit limits aside."""
    match node:
        case ir.AgentNode() | ir.ExecNode() | ir.AskNode() | ir.CallNode() | ir.ToolNode():
            return True
        case ir.MessageNode():
            return _any(node.template, _reads_file)
        case ir.ChooseNode():
            return _any(node.on, _reads_file) or _any(node.on, _has_open_pattern)
        case ir.AssignNode():
            return any(_any(a.value, _reads_file) for a in node.assignments)
        case ir.EndNode():
            return False
        case _:
            return True


def _any(expr: Expr, holds: Callable[[Expr], bool]) -> bool:
    return any(holds(part) for part in walk(expr))


def _reads_file(expr: Expr) -> bool:
    return expr.kind == "call" and expr.function == "read_file"


def _has_open_pattern(expr: Expr) -> bool:
    return expr.kind == "binary" and expr.op == "matches" and expr.right.kind != "literal"
