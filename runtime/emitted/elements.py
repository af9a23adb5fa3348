"""What LangGraph's drawings show of a workflow: one node for each element of the user's file.

LangGraph draws a graph by executing it without its nodes. The spec says the same and more: what
belongs to one element, what the file does not have, and the words at its branches.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from flowc.compiler.ir import CallNode, ChooseNode, EndNode, ForeachNode
from flowc.compiler.lowering.graphspec import SUCCESS_CASE, GraphSpec, NodeSpec
from langchain_core.runnables import RunnablePassthrough
from langchain_core.runnables.graph import Edge, Graph, Node
from langgraph.graph import END, START

_ERROR = "error:"
_SHOWN_AS = RunnablePassthrough()  # type: ignore[var-annotated]
"""What stands for a node's function: clients show a node that has one as a step."""


def drawing_of(spec: GraphSpec, xray: int | bool = False) -> Graph:
    """Return the drawing of a workflow. With `xray` called workflows are drawn in place of their
    callers, as many levels deep as it says (True: all)."""
    return _Drawing(spec, dict(spec.subgraphs)).graph(xray)


def names_shown(spec: GraphSpec) -> dict[str, tuple[str, ...]]:
    """Return what is shown for the nodes that have no element of their own: that which they belong
    to, or those that they lead to."""
    drawing = _Drawing(spec, {})
    names = {}
    for id, element in drawing.shown.items():
        if element is None:
            ends = dict.fromkeys(drawing.shown.get(end) or "" for end in drawing.ends(id))
            names[id] = tuple(filter(None, ends)) or (id,)
        elif element != id and element in drawing.nodes:
            names[id] = (element,)
    return names


@dataclass(slots=True)
class _Drawing:
    """One workflow's elements. `shown` is the element that each node belongs to, None for what the
    file does not have; `entries` are the nodes that other elements lead to."""

    spec: GraphSpec
    subgraphs: Mapping[str, GraphSpec]
    nodes: dict[str, NodeSpec] = field(init=False)
    shown: dict[str, str | None] = field(init=False)
    ways: dict[str, list[tuple[str, str]]] = field(init=False)
    entries: set[str] = field(init=False)

    def __post_init__(self) -> None:
        self.nodes = {node.id: node for node in self.spec.nodes}
        placed = any(node.place for node in self.spec.nodes)
        self.shown = {node.id: self._element(node, placed) for node in self.spec.nodes}
        self.shown |= dict.fromkeys(self.spec.relays)
        self.ways = {}
        for source, target, label in _edges(self.spec):
            self.ways.setdefault(source, []).append((target, label))
        self.entries = {
            target
            for source, target, _ in _edges(self.spec)
            if self.shown.get(source) != self.shown.get(target)
        }

    def _element(self, node: NodeSpec, placed: bool) -> str | None:
        group = node.op.group
        if group is not None:
            other = self.nodes.get(group)
            return group if other is None or other.op.group == group else f"{group} (all)"
        owner = node.id.rpartition(".")[0]
        if isinstance(node.op, ChooseNode) and owner in self.nodes:
            return owner
        return node.id if node.place or not placed else None

    def graph(self, xray: int | bool) -> Graph:
        """Return the drawing."""
        graph = Graph({START: Node(START, START, None, None)})
        for id, element in self.shown.items():
            if element is not None and (element == id or element not in graph.nodes):
                about = _about(self.nodes[id])
                graph.nodes[element] = Node(element, element, _SHOWN_AS, about)
        graph.nodes[END] = Node(END, END, None, None)
        labels: dict[tuple[str, str], list[str]] = {}
        for source, target, label in self._lines():
            labels.setdefault((source, target), []).append(label)
        for (source, target), said in labels.items():
            words = _words(said)
            graph.edges.append(Edge(source, target, words, words is not None))
        for id in [id for id in graph.nodes if xray and id in self.nodes]:
            op = self.nodes[id].op
            if isinstance(op, CallNode | ForeachNode):
                called = _Drawing(self.subgraphs[op.workflow], self.subgraphs)
                _put(called.graph(xray if isinstance(xray, bool) else xray - 1), graph, id)
        return graph

    def _lines(self) -> Iterator[tuple[str, str, str]]:
        for source in (START, *self.shown):
            drawn = START if source == START else self.shown[source]
            if drawn is None:
                continue
            for target, label in self.ways.get(source, ()):
                for end in dict.fromkeys(self.ends(target)):
                    inside = drawn == self.shown.get(end)
                    if not inside or end in self.entries:
                        yield drawn, self.shown.get(end) or end, label

    def ends(self, target: str, past: frozenset[str] = frozenset()) -> Iterator[str]:
        """Yield where a way leads that goes through what is not drawn. Where a run fails that the
        file does not say, it leads nowhere."""
        if target == END or self.shown[target] is not None:
            yield target
            return
        node = self.nodes.get(target)
        fails = node is not None and isinstance(node.op, EndNode) and node.op.outcome == "failed"
        for further, _ in () if target in past else self.ways.get(target, ()):
            if not (fails and further == END):
                yield from self.ends(further, past | {target})


def _about(node: NodeSpec) -> dict[str, Any]:
    """Return what Studio shows of a node, such as its place in the user's file."""
    data: dict[str, Any] = {"node": node.id, "kind": node.op.kind}
    if node.op.title:
        data["title"] = node.op.title
    if node.place is not None:
        data |= {"file": node.place.file, "line": node.place.line, "column": node.place.column}
    return data


def _edges(spec: GraphSpec) -> Iterable[tuple[str, str, str]]:
    """Yield every edge of a workflow with its label."""
    yield START, spec.entry, ""
    for edge in spec.edges:
        yield edge.source, edge.target, ""
    for join in spec.joins:
        yield from ((source, join.target, "") for source in join.sources)
    for branch in spec.branches:
        words = {SUCCESS_CASE: "", "": "otherwise", **dict(branch.labels)}
        for case, target in (*branch.cases, ("", branch.otherwise)):
            if target is not None:
                yield branch.source, target, words.get(case, case)


def _words(labels: list[str]) -> str | None:
    """Return what stands at an edge: the cases that take it, failures only where none else does."""
    said = dict.fromkeys(label for label in labels if label and not label.startswith(_ERROR))
    if said:
        return " / ".join(said)
    failures = {label.removeprefix(_ERROR) for label in labels if label}
    if not failures or "" in labels:
        return None
    return "on " + (failures.pop() if len(failures) == 1 else "error")


def _put(inner: Graph, graph: Graph, id: str) -> None:
    """Put a drawing in place of a node."""
    inner.trim_first_node()
    inner.trim_last_node()
    ends = inner.first_node(), inner.last_node()
    if None in ends:
        return
    del graph.nodes[id]
    first, last = graph.extend(inner, prefix=id)
    assert first is not None
    assert last is not None
    for at, edge in enumerate(graph.edges):
        source = last.id if edge.source == id else edge.source
        target = first.id if edge.target == id else edge.target
        graph.edges[at] = edge.copy(source=source, target=target)
