"""Joins: a node that waits for a branch that may never come (FC2003).

    START --> A --> J              both come: sound
    START --> B --> J
    START --> C -->|yes| J         with the other answer C leads elsewhere: J would wait for ever
              C -->|no| SUCCESS

What a run can only fail behind does not count, a failed run waits for nothing. A join belongs to
the node at which its branches part: the last one that lies on every way to all of its sources.
A way out of it that begins one of them has to bring all of them, whatever is chosen on the way,
before the join runs or the branches part anew.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from .. import ir
from ..analysis.graphs import Dominance, dominators, predecessors, reachable
from ..analysis.ways import starts, successors_of
from ..analysis.wording import node_name
from ..diagnostics.diagnostic import Code, Diagnostic, Label
from ..diagnostics.examples import flow, mend
from ..lowering.routes import sources_of_joins
from ..source.records import dataclass
from .check import Check

_ROOT = ""
"""A node before the entry and the handlers; no node of a workflow has this name."""


def endless_waits(workflow: ir.Workflow, program: ir.Program) -> Iterator[Diagnostic]:
    """FC2003, once for each join that may wait for ever: at the join, labelled where the way to a
    source of it is left."""
    joins = sources_of_joins(workflow)
    if not joins:
        return
    graph = _graph_of(workflow)
    for target, sources in joins.items():
        found = _unsure(target, sources, graph)
        if found is not None:
            yield from _report(graph.nodes[target], *found, graph)


ENDLESS_WAITS = Check(
    Code("FC2003", "dead-end", "error",
        title="A node that waits for a branch which may never come.",
        why="On that way the run would stand still, or end without the node.",
        examples=lambda: mend(
            flow(
                """
            nodes:
              - {name: start, assign: {}, next: [check, draft]}
              - {name: check, exec: make test, into: {log: stdout, code: code}, next: fine}
              - {name: fine, choose: code == 0, cases: {"true": publish, "false": end}}
              - {name: draft, agent: writer, prompt: Write the news., into: news, next: publish}
              - {name: publish, join: all, exec: make release}
            outputs: [log, news]
            """
            ),
            '"false": end',
            '"false": failed',
        ),
    ),
    endless_waits,
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Graph:
    """A workflow's edges by node. Of `ways` one is taken; `hopeless` are the nodes from which a run
    can only fail; `choosing` are those of which several ways lead on."""

    nodes: Mapping[str, ir.Node]
    after: Mapping[str, Sequence[str]]
    before: Mapping[str, Sequence[str]]
    ways: Mapping[str, Sequence[frozenset[str]]]
    above: Mapping[str, str]
    dominates: Callable[[str, str], bool]
    hopeless: frozenset[str]
    choosing: Sequence[str]


def _graph_of(workflow: ir.Workflow) -> _Graph:
    nodes = {node.id: node for node in workflow.nodes}
    after = successors_of(workflow)
    above = dominators(_ROOT, {**after, _ROOT: tuple(dict.fromkeys(starts(workflow)))})
    before = predecessors(after)
    ends = [
        id
        for id, node in nodes.items()
        if (node.outcome == "success" if isinstance(node, ir.EndNode) else not after[id])
    ]
    ways = _ways(workflow.edges, nodes)
    return _Graph(
        nodes=nodes,
        after=after,
        before=before,
        ways=ways,
        above=above,
        dominates=Dominance(_ROOT, above).holds,
        hopeless=frozenset(nodes.keys() - reachable(ends, before).keys()),
        choosing=[node for node, cases in ways.items() if len(cases) > 1],
    )


def _ways(
    edges: Sequence[ir.Edge], nodes: Mapping[str, ir.Node]
) -> dict[str, list[frozenset[str]]]:
    """For each node the targets of each case, which are all begun when the case is taken."""
    by_case: dict[str, dict[object, list[str]]] = {}
    for edge in edges:
        if edge.source in nodes and edge.target in nodes:
            by_case.setdefault(edge.source, {}).setdefault(edge.guard, []).append(edge.target)
    return {source: [frozenset(t) for t in cases.values()] for source, cases in by_case.items()}


def _unsure(target: str, sources: Sequence[str], graph: _Graph) -> tuple[str, str] | None:
    """(source, node): a source that may never come, and the node at which the way to it is left.
    None for a sound join, and for one that nothing leads to."""
    there = [source for source in sources if source in graph.above]
    if len(there) < len(sources):
        lost = next(source for source in sources if source not in graph.above)
        return (lost, lost) if there else None
    parting = there[0]
    for source in there[1:]:
        while not graph.dominates(parting, source):
            parting = graph.above[parting]
    if parting == _ROOT:
        return (there[0], there[0])
    if not any(graph.dominates(parting, node) for node in graph.choosing):
        return None  # whatever lies between begins all that it leads to
    stretches = [_Stretch.to(source, target, parting, graph) for source in there]
    unsure = [_unsure_nodes(stretch) for stretch in stretches]
    for way in graph.ways.get(parting, ()):
        # A way that begins none of the branches does not concern the join.
        if not any(stretch.may_come(way) for stretch in stretches):
            continue
        for stretch, nodes in zip(stretches, unsure, strict=True):
            if not stretch.comes(parting, way, nodes):
                return (stretch.source, stretch.left_at())
    return None


@dataclass(frozen=True, slots=True)
class _Stretch:
    """What lies between the node at which branches part and the source of a join: `inside` are the
    nodes on a way from one to the other that does not pass the join, without its beginning."""

    source: str
    target: str
    parting: str
    inside: frozenset[str]
    graph: _Graph

    @classmethod
    def to(cls, source: str, target: str, parting: str, graph: _Graph) -> _Stretch:
        """The stretch that ends at `source`."""
        ends = (parting, target)
        leading = reachable([source], graph.before, avoid=lambda node: node in ends)
        return cls(source, target, parting, frozenset(leading.keys() - {*ends}), graph)

    def may_come(self, way: frozenset[str]) -> bool:
        """Whether this way out of the parting node begins something that may come to the source."""
        if self.source == self.parting:
            return self.target in way
        return not self.inside.isdisjoint(way)

    def comes(self, node: str, way: frozenset[str], unsure: set[str]) -> bool:
        """Whether this way out of a node begins something that is sure to come to the join, or
        something that can only fail."""
        if node == self.source and self.target in way:
            return True
        fewer, more = sorted((way, self.inside), key=len)
        if any(n in more and n not in unsure for n in fewer):
            return True
        return any(n in self.graph.hopeless for n in way)

    def strays(self, node: str, unsure: set[str]) -> bool:
        """Whether some case of the node begins nothing that is sure to come to the join."""
        return any(not self.comes(node, way, unsure) for way in self.graph.ways.get(node, ()))

    def left_at(self) -> str:
        """The first node on the way to the source that may lead elsewhere."""
        onwards = reachable(
            [self.parting],
            self.graph.after,
            avoid=lambda n: n != self.parting and n not in self.inside,
        )
        strays = (n for n in onwards if n in self.inside and self.strays(n, set()))
        return next(strays, self.parting)


def _unsure_nodes(stretch: _Stretch) -> set[str]:
    """The nodes of a stretch from which its source may not come. A loop is left some time, so only
    a way that leads out of the stretch makes a node unsure."""
    unsure: set[str] = set()
    waiting = [node for node in stretch.inside if stretch.strays(node, unsure)]
    while waiting:
        node = waiting.pop()
        if node in unsure:
            continue
        unsure.add(node)
        before = (n for n in stretch.graph.before.get(node, ()) if n in stretch.inside)
        waiting += [n for n in before if n not in unsure and stretch.strays(n, unsure)]
    return unsure


def _report(join: ir.Node, source: str, left: str, graph: _Graph) -> Iterator[Diagnostic]:
    if join.span is None:
        return
    labels: list[Label] = []
    for id, text in ((left, "here another way can be taken"), (source, "waited for")):
        span = graph.nodes[id].span
        if span is not None and span != join.span and all(span != label.span for label in labels):
            labels.append(Label(span, text))
    yield ENDLESS_WAITS.code.diagnostic(
        f"{node_name(join)} waits for {node_name(graph.nodes[source])}, which may never come",
        join.span,
        labels=tuple(labels),
        help="lead every way to one node before the join, or do not wait for all",
    )
