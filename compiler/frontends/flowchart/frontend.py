"""The two flowchart formats. What reads them is imported on demand.

Most checks read one format; not importing the readers of the others saves a tenth of a cold start.
"""

from __future__ import annotations

from ...diagnostics.diagnostic import Sink
from ...reading.editing import Editing
from ...reading.protocol import Frontend, Parsed, with_file_grants
from ...source.source import Source, SourceSet
from .detect import claims_document, claims_plain


def parse_document(source: Source, sources: SourceSet, sink: Sink) -> Parsed:
    """Read a workflow."""
    from .parse import parse

    return with_file_grants(parse(source, sources, sink), source)


def parse_plain(source: Source, sources: SourceSet, sink: Sink) -> Parsed:
    """Read a chart."""
    from .plain import parse

    return parse(source, sources, sink)


def _document_editing() -> Editing:
    from .editing import flowchart_editing

    return flowchart_editing()


def _plain_editing() -> Editing:
    from .editing import mermaid_editing

    return mermaid_editing()


FLOWCHART = Frontend(
    name="flowchart",
    title="flowchart markdown (*.wf.md)",
    suffixes=(".wf.md", ".wfh.md"),
    claims=claims_document,
    parse=parse_document,
    comment=("<!--", "-->"),
    editing=_document_editing,
)
MERMAID = Frontend(
    name="mermaid",
    title="plain mermaid flowchart (*.mmd), to inspect and draw",
    suffixes=(".mmd", ".mermaid"),
    claims=claims_plain,
    parse=parse_plain,
    comment=("%%", ""),
    editing=_plain_editing,
)
