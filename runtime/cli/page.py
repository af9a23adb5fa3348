"""The page of `flowc graph -f html`: what a compilation gives, laid out as well as can be here."""

from __future__ import annotations

from flowc.compiler.about import about_node
from flowc.compiler.driver import CompileResult
from flowc.compiler.emit.html import Page, emit_html, sized_picture
from flowc.compiler.emit.html_graphviz import layout_request, read_layout
from flowc.compiler.emit.html_layout import Layout
from flowc.compiler.emit.picture import Overlay
from flowc.compiler.ir import Workflow

from ..errors import RunError
from .graph import draw_dot

MAX_FOR_GRAPHVIZ = 1500
"""Nodes and edges above which Graphviz would take minutes; our own layout is linear."""


def page_of(result: CompileResult, overlay: Overlay | None) -> str:
    """The page for a compilation that found a workflow."""
    workflow = result.workflow
    assert workflow is not None
    facts = {
        node.id: tuple(
            (fact.label, fact.text, fact.form)
            for fact in about_node(node, workflow, result.sources)
        )
        for node in workflow.nodes
    }
    layout = _by_graphviz(workflow, overlay)
    return emit_html(Page(workflow, result.sources, facts, result.path, overlay, layout))


def _by_graphviz(workflow: Workflow, overlay: Overlay | None) -> Layout | None:
    """Graphviz' layout where it is installed and the picture is not too large for it."""
    if len(workflow.nodes) + len(workflow.edges) > MAX_FOR_GRAPHVIZ:
        return None
    sized = sized_picture(workflow, overlay)
    try:
        answer = draw_dot(layout_request(sized), "json0")
    except RunError:
        return None
    return read_layout(answer.decode(errors="replace"), sized)
