"""EMITTERS: the one place where a back end registers.

A picture is made from the workflow as it was written, a program from its lowered form.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ..ir import Program, Workflow
from ..lowering.graphspec import GraphSpec
from .flow.program import emit_flow_yaml
from .html.page import Page, emit_html
from .langgraph.config import emit_langgraph_json, emit_spec_json
from .langgraph.module import emit_python
from .picture.dot import emit_dot
from .picture.mermaid import emit_mermaid
from .picture.picture import Overlay


@dataclass(frozen=True, slots=True)
class WorkflowEmitter:
    """Draws a workflow; `suffix` is that of the file it makes. A run may be drawn over it."""

    name: str
    title: str
    suffix: str
    emit: Callable[[Workflow, Overlay | None], str]


@dataclass(frozen=True, slots=True)
class PageEmitter:
    """Shows a workflow with the files it was read from; `suffix` is that of the file it makes."""

    name: str
    title: str
    suffix: str
    emit: Callable[[Page], str]


@dataclass(frozen=True, slots=True)
class SpecEmitter:
    """Writes a lowered program; `file` is the name of the file it makes."""

    name: str
    title: str
    file: str
    emit: Callable[[GraphSpec], str]


@dataclass(frozen=True, slots=True)
class ProgramEmitter:
    """Writes a program down to be read again; `file` is the name of the file it makes. Files are
    named from the folder that is given, else from that of the program."""

    name: str
    title: str
    file: str
    emit: Callable[[Program, str | None], str]


Emitter = ProgramEmitter | WorkflowEmitter | PageEmitter | SpecEmitter

EMITTERS: tuple[Emitter, ...] = (
    WorkflowEmitter("mermaid", "mermaid flowchart", ".mmd", emit_mermaid),
    WorkflowEmitter("dot", "Graphviz", ".dot", emit_dot),
    PageEmitter("html", "page to look around in", ".html", emit_html),
    ProgramEmitter("flow_yaml", "flow YAML", "flow.yaml", emit_flow_yaml),
    SpecEmitter("python", "LangGraph module", "graph.py", emit_python),
    SpecEmitter("spec", "what the module's nodes do", "graph.json", emit_spec_json),
    SpecEmitter("langgraph_json", "LangGraph server", "langgraph.json", emit_langgraph_json),
)
