"""EMITTERS: the one place where a back end registers.

A picture is made from the workflow as it was written, a program from its lowered form. The forms of
`flowc graph` are the pictures here: their names, file names, help and documentation.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ..ir import Program, Workflow
from ..lowering.graphspec import GraphSpec
from ..source.records import dataclass
from .flow.program import emit_flow_yaml
from .html.page import Page, emit_html
from .langgraph.module import emit_langgraph_json, emit_python, emit_spec_json
from .picture.dot import emit_dot
from .picture.json_text import emit_json
from .picture.mermaid import emit_mermaid
from .picture.picture import Overlay


@dataclass(frozen=True, slots=True)
class Form:
    """A picture's form: its name, the name in a sentence, and the suffixes of its files."""

    name: str
    title: str
    suffixes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class WorkflowEmitter:
    """Draws a workflow, and a run over it."""

    form: Form
    emit: Callable[[Workflow, Overlay | None], str]


@dataclass(frozen=True, slots=True)
class PageEmitter:
    """Shows a workflow with the files it was read from."""

    form: Form
    emit: Callable[[Page], str]


@dataclass(frozen=True, slots=True)
class SummaryEmitter:
    """Writes down the summary of a compilation, and a run's path."""

    form: Form
    emit: Callable[[Mapping[str, Any], Overlay | None], str]


@dataclass(frozen=True, slots=True)
class GraphvizEmitter:
    """A picture that Graphviz renders from the text of a `source`. The runtime does that: the
    compiler starts no program."""

    form: Form
    source: WorkflowEmitter
    is_binary: bool = False


@dataclass(frozen=True, slots=True)
class SpecEmitter:
    """Writes a lowered program; `file` is the name of the file it makes."""

    file: str
    emit: Callable[[GraphSpec], str]


@dataclass(frozen=True, slots=True)
class ProgramEmitter:
    """Writes a program down to be read again; `file` is the name of the file it makes. Files are
    named from the folder in the second argument, else from that of the program."""

    file: str
    emit: Callable[[Program, str | None], str]


PictureEmitter = WorkflowEmitter | PageEmitter | SummaryEmitter | GraphvizEmitter
Emitter = PictureEmitter | SpecEmitter | ProgramEmitter

DOT = WorkflowEmitter(Form("dot", "Graphviz", (".dot", ".gv")), emit_dot)

EMITTERS: tuple[Emitter, ...] = (
    WorkflowEmitter(Form("mermaid", "mermaid", (".mmd",)), emit_mermaid),
    DOT,
    GraphvizEmitter(Form("svg", "svg", (".svg",)), DOT),
    GraphvizEmitter(Form("png", "png", (".png",)), DOT, is_binary=True),
    GraphvizEmitter(Form("pdf", "pdf", (".pdf",)), DOT, is_binary=True),
    PageEmitter(Form("html", "html", (".html",)), emit_html),
    SummaryEmitter(Form("json", "json", (".json",)), emit_json),
    ProgramEmitter("flow.yaml", emit_flow_yaml),
    SpecEmitter("graph.py", emit_python),
    SpecEmitter("graph.json", emit_spec_json),
    SpecEmitter("langgraph.json", emit_langgraph_json),
)

PICTURES: dict[str, PictureEmitter] = {
    emitter.form.name: emitter for emitter in EMITTERS if isinstance(emitter, PictureEmitter)
}
"""The forms of `flowc graph` by name; the first is that without a choice."""
