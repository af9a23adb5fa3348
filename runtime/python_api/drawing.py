"""Pictures of a compiled workflow, in every form of `EMITTERS`."""

from __future__ import annotations

from typing import assert_never

from flowc.compiler.driver import CompileResult
from flowc.compiler.emit import (
    GraphvizEmitter,
    PageEmitter,
    PictureEmitter,
    SummaryEmitter,
    WorkflowEmitter,
)
from flowc.compiler.emit.html.page import Page, sized_picture
from flowc.compiler.emit.picture.picture import Overlay
from flowc.compiler.ir import Workflow

from ..graph.overlay import draw_dot, layout_of


def draw(result: CompileResult, picture: PictureEmitter, overlay: Overlay | None) -> bytes:
    """Return a picture of the workflow that was read. Raise `RunError` where Graphviz is needed and
    missing."""
    assert result.workflow is not None
    match picture:
        case WorkflowEmitter():
            return picture.emit(result.workflow, overlay).encode()
        case GraphvizEmitter():
            return draw_dot(picture.source.emit(result.workflow, overlay), picture.form.name)
        case SummaryEmitter():
            return picture.emit(result.summary(), overlay).encode()
        case PageEmitter():
            return picture.emit(_page(result, result.workflow, overlay)).encode()
        case _:
            assert_never(picture)


def _page(result: CompileResult, workflow: Workflow, overlay: Overlay | None) -> Page:
    """Return what a page shows, laid out as well as can be here."""
    from flowc.compiler.editor.about import about_node

    facts = {
        node.id: tuple(
            (fact.label, fact.text, fact.form)
            for fact in about_node(node, workflow, result.sources)
        )
        for node in workflow.nodes
    }
    layout = layout_of(sized_picture(workflow, overlay))
    return Page(workflow, result.sources, facts, result.path, overlay, layout)
