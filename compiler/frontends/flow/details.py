"""Details in flow YAML of a workflow that another format draws: what its picture has no signs for.

outputs: [line]
agents:
  writer: {system: You are brief.}
nodes:
  - {name: draft, agent: writer, prompt: Write a line., into: line}

The document says what follows what, so nodes have no ways out here.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import fields, replace

from ... import ir
from ...diagnostics.diagnostic import Sink
from ...flow_yaml import keys
from ...reading.details import Details
from ...reading.tree import ListAt, MapAt, Value, brief
from ...reading.yaml_syntax import read_yaml
from ...source.source import Source, SourceSet
from ...source.spelling import Spelling
from .edges import Targets
from .elements import kind
from .forms import Forms
from .workflow import WorkflowReader

_TOP = tuple(key for key in keys.TOP if key.name != "name")
_WAYS = {
    "defaults": "draw a link for each failure that leads somewhere",
}
_WAYS_OUT = {name for kind in keys.NODES for name in keys.edge_keys(kind)}
_FIELDS = {"on": "starts", "tests": "trials", "start": "entry"}
"""The field of a workflow where its key has another name."""


def read_details(source: Source, sources: SourceSet, sink: Sink, around: ir.Workflow) -> Details:
    """Read a block: see `ReadDetails`."""
    words = {*(key.name for key in _TOP), *keys.SECTIONS, *keys.NODES, "name"}
    forms = Forms(source, sink, sources)
    root = read_yaml(source, sink, words)
    if not isinstance(root, MapAt):
        if root is not None and not root.is_null:
            _report_shape(root, forms)
        return Details()
    _report_ways(root, forms)
    forms.known_keys(root, [*(key.name for key in _TOP), *keys.SECTIONS], "a block of details")
    reader = _Reader(forms, sources, frozenset())
    workflow = reader.read_around(root, around)
    known = {f.name for f in fields(ir.Workflow)}
    given = {_FIELDS.get(name.text, name.text) for name, _ in root.pairs}
    nodes = {node.id: node for node in workflow.nodes}
    return Details(
        workflow, nodes, frozenset(given & known), lambda whole: reader.check(root, whole)
    )


def _report_ways(root: MapAt, forms: Forms) -> None:
    """Report what says where a run goes: the document draws it."""
    nodes = root.get("nodes")
    own = nodes.items if isinstance(nodes, ListAt) else []
    found = [(key, _WAYS[key.text]) for key, _ in root.pairs if key.text in _WAYS]
    for node in own:
        pairs = node.pairs if isinstance(node, MapAt) else []
        found += [(key, "draw it") for key, _ in pairs if key.text in _WAYS_OUT]
    for key, help in found:
        message = f"`{key.text}` has no place in details: the chart shows what follows what"
        forms.report("FC1002", message, key.span, help)


def _report_shape(root: Value, forms: Forms) -> None:
    message = f"details are a mapping, not {kind(root)}"
    help = "write `nodes:`, or another key of flow YAML, and what belongs to it"
    forms.report("FC1001", message, root.span, help)


class _Drawn(Targets):
    """The nodes that the document draws; it has no ends beside them."""

    def use(self, name: str) -> bool:
        return name in self.names


class _Reader(WorkflowReader):
    """Reads a workflow without its ways."""

    def read_around(self, root: MapAt, around: ir.Workflow) -> ir.Workflow:
        """Return what the mapping says of the workflow that is drawn `around` it."""
        workflow = self.declarations(root, around.name, _TOP)
        if workflow.agents:
            self.references.declared.agents |= dict.fromkeys(agent.id for agent in around.agents)
        self.references.declared.threads |= dict.fromkeys(thread.id for thread in around.threads)
        drawn = dict.fromkeys(node.id for node in around.nodes)
        nodes = self.nodes(root, workflow) if root.get("nodes") is not None else []
        self._report_undrawn([node for node, _ in nodes], drawn)
        targets = _Drawn(self.forms, around.nodes)
        start = root.value("start")
        named = self.named_nodes(root, targets)
        named["entry"] = (start and targets.find(start)) or ""
        return replace(workflow, nodes=tuple(n for n, _ in nodes if n.id in drawn), **named)

    def _report_undrawn(self, nodes: list[ir.Node], drawn: Collection[str]) -> None:
        spelling = Spelling(drawn)
        for node in nodes:
            if node.id not in drawn and node.span is not None:
                message = f"the chart does not draw `{brief(node.id)}`"
                near = spelling.nearest(node.id)
                help = "draw what leads there and where it leads"
                self.forms.report("FC2001", message, node.span, help, near=near)
