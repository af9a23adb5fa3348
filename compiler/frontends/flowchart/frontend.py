"""The two flowchart formats. What reads them is imported on demand."""

from __future__ import annotations

from ...reading.protocol import Frontend, Reader
from .detect import claims_document, claims_plain


def _document_reader() -> Reader:
    from .editing import flowchart_editing
    from .parse import parse

    return Reader(parse, flowchart_editing)


def _plain_reader() -> Reader:
    from .editing import mermaid_editing
    from .plain import parse

    return Reader(parse, mermaid_editing)


FLOWCHART = Frontend(
    name="flowchart",
    title="flowchart markdown (*.wf.md)",
    suffixes=(".wf.md", ".wfh.md"),
    claims=claims_document,
    reader=_document_reader,
    comment=("<!--", "-->"),
)
MERMAID = Frontend(
    name="mermaid",
    title="plain mermaid flowchart (*.mmd), to inspect and draw",
    suffixes=(".mmd", ".mermaid"),
    claims=claims_plain,
    reader=_plain_reader,
    comment=("%%", ""),
)
