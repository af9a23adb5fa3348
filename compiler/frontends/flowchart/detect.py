"""How files of the two flowchart formats are recognized."""

from __future__ import annotations

import re

from ...source.source import Source

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
    """Return whether the first word, after front matter and comments, opens a chart (M3, F1,
    F2)."""
    return _BEGINS.match(text) is not None


def claims_document(source: Source) -> int:
    """Claim a `*.wf.md` or `*.wfh.md` name, or a `# Workflow` heading with a mermaid block."""
    named = source.path.endswith((".wf.md", ".wfh.md"))
    text = source.text
    # To look for the word alone is much cheaper, and most files do not have it.
    titled = "Workflow" in text and _WORKFLOW_HEADING.search(text) is not None
    charted = titled and _CHART_FENCE.search(text) is not None
    return 90 if charted else 60 if named else 0


def claims_plain(source: Source) -> int:
    """Claim a `*.mmd` name, or a text whose first line is that of a flowchart."""
    if source.path.endswith((".mmd", ".mermaid")):
        return 80
    return 50 if _HEADER_LINE.match(source.text) else 0
