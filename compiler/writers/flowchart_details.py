"""What a chart has no signs for: the block of flow YAML beside it, and the links of its nodes."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

from .. import ir
from ..analysis.diff import rename_nodes
from ..emit.flow.program import emit_details
from ..emit.picture.mermaid import KEYWORDS
from ..frontends.flowchart.details import WHOLE
from ..frontends.flowchart.links import FAILURES, meaning_of
from .flowchart_captions import quote_label
from .manuscript import Manuscript

RESERVED = frozenset({"PARAMS", "END", "ON_SUCCESS", "ON_FAILED"})
"""Ids that mean something to the format, whatever an activity is."""
SHAPES = {"choose": ("{", "}"), "end": ("([", "])"), "call": ("[[", "]]"), "foreach": ("[[", "]]")}
_SAFE = re.compile(r"\w+(?:[.-]\w+)*\Z")
_NAMED = ("params", "state", "agents", "tools", "threads", "scripts", "prompts", "groups")
_KEYS = {"starts": "on", "trials": "tests", "entry": "start"}
_TICKS = re.compile(r"`{3,}")
_PLAIN = re.compile(r"[A-Za-z][\w ,]*\w\Z")


class ChartDetails:
    """The parts of a workflow that its chart does not say; `nodes` are the ids of nodes among them,
    `prompts` those that only such nodes use."""

    def __init__(self, manuscript: Manuscript) -> None:
        self.manuscript = manuscript
        self.parts = manuscript.details
        workflow = manuscript.workflow
        self.nodes = {node.id for node in workflow.nodes if ("nodes", node.id) in self.parts}
        talking = [n for n in workflow.nodes if isinstance(n, ir.AgentNode | ir.MessageNode)]
        own = {node.prompt_id for node in talking if node.id not in self.nodes}
        self.used = {node.prompt_id for node in talking if node.id in self.nodes}
        listed = {name for part, name in self.parts if part == "prompts"}
        self.prompts = {p.id for p in workflow.prompts if p.id in self.used | listed} - own

    def keeps(self, id: str) -> bool:
        """Whether a node of the details can have its id in the chart."""
        begins = id.split("_")[0] != "START" or id == self.manuscript.workflow.entry
        return _SAFE.match(id) is not None and id not in RESERVED | KEYWORDS and begins

    def block(self, names: dict[str, str]) -> list[str]:
        """The block, none where the chart says all. `names` are those of nodes that took others."""
        workflow = rename_nodes(self.manuscript.workflow, names, {})
        untitled = self.manuscript.untitled
        said: dict[str, Any] = {
            name: tuple(m for m in getattr(workflow, name) if self.holds(name, m))
            for name in _NAMED
        }
        given = [name for name in WHOLE if any(part == name for part, _ in self.parts)]
        said |= {name: getattr(workflow, name) for name in given}
        nodes = zip(self.manuscript.workflow.nodes, workflow.nodes, strict=True)
        said["nodes"] = tuple(
            node if old.id in untitled else replace(node, title="")
            for old, node in nodes
            if old.id in self.nodes
        )
        empty = [_KEYS.get(name, name) for name in given if not said[name]]
        text = emit_details(ir.Workflow(name="", **said), empty, self.manuscript.path)
        marks = "`" * max([3, *(len(ticks) + 1 for ticks in _TICKS.findall(text))])
        return [f"{marks}yaml flow\n{text}{marks}"] if text else []

    def holds(self, field: str, member: object) -> bool:
        """Whether a declaration stands among the details."""
        id = getattr(member, "id", None) or getattr(member, "name", "")
        return (field, id) in self.parts or (field == "prompts" and id in self.used)


def drawn_arrow(edge: ir.Edge, node: ir.Node) -> str:
    """The arrow of a link that leaves a node of the details."""
    texts = _labels(edge)
    says = edge.guard, edge.label
    text = next((text for text in texts if meaning_of(text, node) == says), texts[0])
    if not text:
        return "-->"
    return f"-->|{text}|" if _PLAIN.match(text) else f'-->|"{quote_label(text)}"|'


def _labels(edge: ir.Edge) -> list[str]:
    """Labels that may say when a link is taken, the easiest to read first."""
    match edge.guard:
        case None:
            return [edge.label, f": {edge.label}"]
        case ir.Case(value="true" | "false" as value):
            words = [value.upper()]
        case ir.Case(value=value):
            words = [value, f"'{value}'"]
        case ir.Otherwise():
            words = ["ELSE"]
        case ir.OnError(errors=errors):
            words = ["ERROR" if set(errors) == set(FAILURES) else f"ON {', '.join(errors)}"]
    return [f"{word}: {edge.label}" if edge.label else word for word in words]
