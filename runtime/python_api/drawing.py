"""Pictures of a compiled workflow, in every form of `EMITTERS`."""

from __future__ import annotations

import html
from typing import assert_never

from flowc.compiler.driver import CompileResult
from flowc.compiler.emit import (
    PICTURES,
    GraphvizEmitter,
    PageEmitter,
    PictureEmitter,
    SummaryEmitter,
    WorkflowEmitter,
)
from flowc.compiler.emit.html.page import Page, sized_picture
from flowc.compiler.emit.picture.picture import Overlay
from flowc.compiler.ir import Workflow

from ..errors import RunError
from ..graph.overlay import draw_dot, layout_of

_FRAME = "width: 100%; height: 600px; border: 0"


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


def notebook_forms(result: CompileResult, report: str) -> dict[str, str]:
    """Return by media type what a notebook shows of a compiled workflow: its text in mermaid, and
    its picture with the diagnostics of the `report` below, neither of which needs a network. {}
    for a file without a workflow."""
    if result.workflow is None:
        return {}
    try:
        picture = draw(result, PICTURES["svg"], None).decode()
        picture = picture[max(picture.find("<svg"), 0) :]
    except RunError:  # Graphviz is not here
        page = html.escape(draw(result, PICTURES["html"], None).decode())
        picture = f'<iframe srcdoc="{page}" sandbox="allow-scripts" style="{_FRAME}"></iframe>'
    remarks = f"<pre>{html.escape(report)}</pre>" if report else ""
    mermaid = draw(result, PICTURES["mermaid"], None).decode()
    return {"text/html": picture + remarks, "text/vnd.mermaid": mermaid}


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
