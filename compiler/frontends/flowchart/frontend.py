"""The two flowchart formats. What reads them is imported on demand."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from ...reading.details import ReadDetails
from ...reading.editing import Editing
from ...reading.protocol import Frontend, Reader
from .detect import claims_document, claims_plain


def flowchart(details: Callable[[], tuple[ReadDetails, Callable[[], Editing]]]) -> Frontend:
    """Return the format of documents, whose details are read, and completed in an editor, by what
    `details` imports."""

    def reader() -> Reader:
        from .editing import flowchart_editing
        from .parse import parse

        read, editing = details()
        return Reader(partial(parse, read=read), partial(flowchart_editing, editing))

    return Frontend(
        name="flowchart",
        title="flowchart markdown (*.wf.md)",
        suffixes=(".wf.md", ".wfh.md"),
        claims=claims_document,
        reader=reader,
        comment=("<!--", "-->"),
    )


def _plain_reader() -> Reader:
    from .editing import mermaid_editing
    from .plain import parse

    return Reader(parse, mermaid_editing)


MERMAID = Frontend(
    name="mermaid",
    title="plain mermaid flowchart (*.mmd), to inspect and draw",
    suffixes=(".mmd", ".mermaid"),
    claims=claims_plain,
    reader=_plain_reader,
    comment=("%%", ""),
)
