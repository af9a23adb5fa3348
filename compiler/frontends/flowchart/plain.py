"""Plain mermaid flowcharts (`*.mmd`): nodes and edges to inspect and draw, no kinds of activities.

Such a chart is a picture, not a program: the workflow has no entry and cannot be run (F1–F12).
"""

from __future__ import annotations

import os
import re

from ...diagnostics.diagnostic import Sink
from ...ir import AssignNode, Edge, Origin, Workflow
from ...reading.protocol import NotRun, Parsed
from ...source.source import Source, SourceSet
from .editing import chart_mentions
from .mermaid.captions import break_lines
from .mermaid.chart import Chart, read_chart
from .mermaid.placed_text import PlacedText
from .mermaid.syntax import report_faults

_TITLE = re.compile(r"\s*---[ \t]*\r?\n(?:(?!---)[^\n]*\n)*?title:[ \t]*(?P<title>[^\r\n]+)")
_QUOTED = re.compile(r"(?P<mark>[\"'])(?P<text>.*)(?P=mark)\Z")
_ESCAPED = re.compile(r'\\([\\"])')

_PICTURE = NotRun(
    "is a plain chart: there is nothing to run",
    "flowc inspect {file}, or flowc graph {file}; "
    "a chart of activities stands below `# Workflow` in a `.wf.md` file",
)


def parse(source: Source, sources: SourceSet, sink: Sink) -> Parsed:
    """Read nodes and edges; links without a head are edges too."""
    del sources
    chart = read_chart(source.text)
    report_faults(chart.faults, source.span, sink)
    if not chart.nodes:
        if not chart.faults:
            sink.report(
                "FC1008", "the flowchart has no nodes", source.span(0), help="write `A --> B`"
            )
        return Parsed(None)
    return Parsed(
        _workflow(chart, source),
        not_run=_PICTURE,
        mentions=lambda: chart_mentions(chart, lambda id: source.span(id.start, id.end)),
    )


def _workflow(chart: Chart, source: Source) -> Workflow:
    title = _TITLE.match(source.text)
    titles = {box.id: box.title for box in chart.subgraphs.values()}
    return Workflow(
        name=os.path.basename(source.path).rsplit(".", 1)[0],
        title=_unquote(title["title"].strip()) if title else "",
        nodes=tuple(
            AssignNode(
                id=id,
                title=_on_one_line(node.caption) if node.caption else titles.get(id, ""),
                span=source.span(node.id.start, node.id.end),
            )
            for id, node in chart.nodes.items()
        ),
        edges=tuple(
            Edge(
                source=edge.source.text,
                target=edge.target.text,
                label=edge.label.text if edge.label else "",
                span=source.span(edge.start, edge.end),
            )
            for edge in chart.edges
        ),
        origin=Origin(format="mermaid", file=source.path),
    )


def _on_one_line(caption: PlacedText) -> str:
    """Return the title that a caption shows: where its lines break, nobody sees their blanks."""
    return " ".join(break_lines(caption, " ").text.split())


def _unquote(title: str) -> str:
    """Return a title without its quotes; the front matter is YAML."""
    match = _QUOTED.match(title)
    if match is None:
        return title
    return _ESCAPED.sub(r"\1", match["text"]) if match["mark"] == '"' else match["text"]
