"""The two flowchart formats: how their files are recognised. What reads them is imported on demand.

Most checks read one format; not importing the readers of the others saves a tenth of a cold start.
"""

from __future__ import annotations

import re

from ...diagnostics.diagnostic import Sink
from ...reading.editing import Editing
from ...reading.protocol import Frontend, Parsed, granted
from ...source.source import Source, SourceSet

_BEGINS = re.compile(
    r"(?:\s|%%[^\n]*\n|---[ \t]*\r?\n(?:(?!---)[^\n]*\n)*+---)*+"
    r"(?:flowchart(?:-elk)?|graph)(?![\w-])"
)
_HEADER_LINE = re.compile(
    _BEGINS.pattern + r"(?:[ \t]+(?:TB|TD|BT|LR|RL|[<>^v]))?[ \t]*(?:[;\r\n]|\Z)"
)
_WORKFLOW_HEADING = re.compile(r"^#[ \t]+Workflow[ \t]*#*[ \t]*\r?$", re.M)
_CHART_FENCE = re.compile(r"^[ ]{0,3}(?:`{3,}|~{3,})[ \t]*mermaid\b", re.M | re.I)


def is_flowchart(text: str) -> bool:
    """Whether the first word, after front matter and comments, opens a flowchart (M3, F1, F2)."""
    return _BEGINS.match(text) is not None


def claims_document(source: Source) -> int:
    """A `*.wf.md` or `*.wfh.md` name, or a `# Workflow` heading with a mermaid block."""
    named = source.path.endswith((".wf.md", ".wfh.md"))
    charted = _CHART_FENCE.search(source.text) and _WORKFLOW_HEADING.search(source.text)
    return 90 if charted else 60 if named else 0


def claims_plain(source: Source) -> int:
    """A `*.mmd` name, or a text whose first line is that of a flowchart."""
    if source.path.endswith((".mmd", ".mermaid")):
        return 80
    return 50 if _HEADER_LINE.match(source.text) else 0


def parse_document(source: Source, sources: SourceSet, sink: Sink) -> Parsed:
    """Read a workflow: see flowchart_md."""
    from .parse import parse

    return granted(parse(source, sources, sink), source)


def parse_plain(source: Source, sources: SourceSet, sink: Sink) -> Parsed:
    """Read a chart: see flowchart_plain."""
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
