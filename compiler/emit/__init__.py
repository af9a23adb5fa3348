"""EMITTERS: the one place where a picture registers.

A picture is made from the workflow as it was written. Its form is one of `flowc graph`: name, file
names, help and documentation come from here. A project for LangGraph is made from lowered programs
(`langgraph/project.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ..ir import Workflow
from ..source.records import dataclass
from .html.page import Page, emit_html
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


PictureEmitter = WorkflowEmitter | PageEmitter | SummaryEmitter | GraphvizEmitter

DOT = WorkflowEmitter(Form("dot", "Graphviz", (".dot", ".gv")), emit_dot)

EMITTERS: tuple[PictureEmitter, ...] = (
    WorkflowEmitter(Form("mermaid", "mermaid", (".mmd",)), emit_mermaid),
    DOT,
    GraphvizEmitter(Form("svg", "svg", (".svg",)), DOT),
    GraphvizEmitter(Form("png", "png", (".png",)), DOT, is_binary=True),
    GraphvizEmitter(Form("pdf", "pdf", (".pdf",)), DOT, is_binary=True),
    PageEmitter(Form("html", "html", (".html",)), emit_html),
    SummaryEmitter(Form("json", "json", (".json",)), emit_json),
)

PICTURES: dict[str, PictureEmitter] = {emitter.form.name: emitter for emitter in EMITTERS}
"""The forms of `flowc graph` by name; the first is that without a choice."""
