"""The nodes and ways of a workflow that some runs came by, and those that they never did."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Literal

from flowc.compiler.ir import Case as CaseGuard
from flowc.compiler.ir import OnError, Otherwise, Program, Workflow
from flowc.compiler.lowering.graphspec import (
    Branch,
    GraphSpec,
    NodeSpec,
    Place,
    called_by,
    labelled_targets,
)
from flowc.compiler.lowering.lower import place_of
from flowc.compiler.source.source import SourceSet

from ..events import RunEvent

Way = tuple[str, str, str]
"""Of a graph: the node, the case ("" for every other one), the target."""


@dataclass(frozen=True, slots=True)
class Gap:
    """Something that no run came by: where it stands, what it is in words."""

    place: str
    what: str
    kind: Literal["node", "way"]


@dataclass(slots=True)
class Coverage:
    """Counts over all runs of one program. Ends, and ways that the format adds by itself, are left
    out: nobody wrote them."""

    spec: GraphSpec
    program: Program
    sources: SourceSet
    nodes: set[tuple[str, str]] = field(default_factory=set)
    ways: set[tuple[str, Way]] = field(default_factory=set)

    def add(self, events: Iterable[RunEvent]) -> None:
        """Count one run."""
        for event in events:
            if event.kind not in ("node_finished", "node_failed"):
                continue
            graph, spec = self._graph(event.path)
            if spec is None:
                continue
            self.nodes.add((graph, event.node))
            branch = next((b for b in spec.branches if b.source == event.node), None)
            if branch is None:
                continue
            failed = event.kind == "node_failed"
            if failed and not event.data.get("caught"):
                continue
            case = f"error:{event.data.get('kind')}" if failed else str(event.data.get("case", ""))
            self.ways.update((graph, way) for way in _ways_of_case(branch, case))

    def counts(self) -> dict[str, tuple[int, int]]:
        """Return (visited, all) of `nodes` and of `ways`."""
        nodes = [(graph, node.id) for graph, spec in self._graphs() for node in _own(spec)]
        ways = [
            (graph, way) for graph, spec in self._graphs() for way, _ in self._ways(graph, spec)
        ]
        return {
            "nodes": (sum(node in self.nodes for node in nodes), len(nodes)),
            "ways": (sum(way in self.ways for way in ways), len(ways)),
        }

    def gaps(self) -> list[Gap]:
        """Return what no run came by, in the order of the files."""
        gaps: list[tuple[Place | None, Gap]] = []
        for graph, spec in self._graphs():
            for node in _own(spec):
                if (graph, node.id) not in self.nodes:
                    what = f"`{node.id}` is never visited"
                    gaps.append((node.place, Gap(str(node.place or spec.file), what, "node")))
            for way, place in self._ways(graph, spec):
                source, case, target = way
                if (graph, way) not in self.ways and (graph, source) in self.nodes:
                    shown = f"in the case `{case}`" if case else "in every other case"
                    what = f"`{source}` never goes on to `{target}` {shown}"
                    gaps.append((place, Gap(str(place or spec.file), what, "way")))
        gaps.sort(key=lambda each: (each[0].file, each[0].line, each[0].column) if each[0] else ())
        return [gap for _, gap in gaps]

    def _graphs(self) -> Iterator[tuple[str, GraphSpec]]:
        yield "", self.spec
        yield from self.spec.subgraphs

    def _graph(self, path: tuple[str, ...]) -> tuple[str, GraphSpec | None]:
        """Return the graph that calls lead to, with its name among the subgraphs, "" for the main
        one."""
        return called_by(self.spec, path) or ("", None)

    def _ways(self, graph: str, spec: GraphSpec) -> Iterator[tuple[Way, Place | None]]:
        """Yield the written ways out of branches, with their places."""
        workflow = dict(self.program.workflows).get(graph) if graph else self.program.main
        nodes = {node.id: node for node in spec.nodes}
        for branch in spec.branches:
            for case, _, target in labelled_targets(branch):
                way_place = self._place_of(workflow, branch.source, case) if workflow else None
                if way_place is None:
                    continue
                place = way_place if isinstance(way_place, Place) else nodes[branch.source].place
                yield (branch.source, case or "", target), place

    def _place_of(self, workflow: Workflow, source: str, case: str | None) -> Place | bool | None:
        """Return where a way is written; True without a place, None for an implied one."""
        for edge in workflow.edges:
            if edge.source != source or edge.implied:
                continue
            match edge.guard:
                case CaseGuard(value=value) if value == case:
                    pass
                case Otherwise() if case is None:
                    pass
                case OnError(errors=errors) if case in {f"error:{kind}" for kind in errors}:
                    pass
                case _:
                    continue
            return place_of(edge.span, self.sources) or True
        return None


def _own(spec: GraphSpec) -> list[NodeSpec]:
    return [node for node in spec.nodes if node.op.kind != "end"]


def _ways_of_case(branch: Branch, case: str) -> list[Way]:
    """Return the ways that a node's case leads by: several where branches begin side by side."""
    ways = [(branch.source, case, target) for known, target in branch.cases if known == case]
    if not ways and branch.otherwise is not None:
        ways = [(branch.source, "", branch.otherwise)]
    return ways
