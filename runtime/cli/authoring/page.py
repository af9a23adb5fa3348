"""The page of `flowc graph -f html`: what a compilation gives, laid out as well as can be here."""

from __future__ import annotations

from flowc.compiler.driver import CompileResult
from flowc.compiler.editor.about import about_node
from flowc.compiler.emit.html.page import Page, emit_html, sized_picture
from flowc.compiler.emit.picture.picture import Overlay

from ...graph.overlay import layout_of


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
    layout = layout_of(sized_picture(workflow, overlay))
    return emit_html(Page(workflow, result.sources, facts, result.path, overlay, layout))
