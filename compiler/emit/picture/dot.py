"""A workflow in Graphviz's language: what `flowc graph` turns into SVG, PNG and PDF."""

from __future__ import annotations

from ...analysis.graphs import returns, successors
from ...ir import Workflow
from ...source.snippet import visible
from .palette import COLOURS, EDGE, ERROR, FADED, PATH
from .picture import Look, Overlay, PictureEdge, Shown, picture_of

FONT = "Helvetica,Arial,sans-serif"
MONO = "Courier New,monospace"

_SHAPES: dict[Look, str] = {
    "start": 'shape=box style="rounded,filled"',
    "assign": 'shape=box style="filled"',
    "checkpoint": 'shape=box style="rounded,filled,dashed"',
    "agent": 'shape=box style="rounded,filled"',
    "message": 'shape=note style="filled"',
    "tool": 'shape=hexagon style="filled"',
    "exec": 'shape=box style="filled"',
    "choose": 'shape=diamond style="filled"',
    "ask": 'shape=parallelogram style="filled"',
    "call": 'shape=box style="filled" peripheries=2',
    "wait": 'shape=cds style="filled"',
    "http": 'shape=component style="filled,rounded"',
    "python": 'shape=component style="filled"',
    "script": 'shape=component style="filled"',
    "task": 'shape=box style="rounded,filled"',
    "gate": 'shape=octagon style="filled"',
    "assert": 'shape=diamond style="filled"',
    "foreach": 'shape=box style="filled" peripheries=3',
    "success": 'shape=box style="rounded,filled"',
    "failed": 'shape=box style="rounded,filled"',
}
_MARGINS: dict[Look, str] = {"choose": "0.02,0.02", "ask": "0.02,0.02"}
_ENTITIES = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;"})
_CONTROL = dict.fromkeys(range(32), " ")


def emit_dot(workflow: Workflow, overlay: Overlay | None = None) -> str:
    """The graph's text; with an overlay the way a run took stands out and the rest is faded."""
    picture = picture_of(workflow, overlay)
    boxed = {id for box in picture.boxes for id in box.members}
    shown = {node.id: node for node in picture.nodes}
    lines = [
        "digraph workflow {",
        f'    graph [rankdir=TB bgcolor="white" pad=0.3 nodesep=0.45 ranksep=0.5 splines=spline '
        f'fontname="{FONT}" fontsize=16 fontcolor="#1f2933" labelloc=t '
        f"label=<<b>{_html(picture.title)}</b><br/> >]",
        f'    node [fontname="{FONT}" fontsize=12 margin="0.18,0.1" height=0.4 penwidth=1.3]',
        f'    edge [fontname="{FONT}" fontsize=10 arrowsize=0.75 penwidth=1.2 color="{EDGE}" '
        f'fontcolor="{EDGE}"]',
    ]
    lines += ["    " + _node(node) for node in picture.nodes if node.id not in boxed]
    for number, box in enumerate(picture.boxes):
        lines.append(f"    subgraph cluster_{number} {{")
        lines.append(
            f'        graph [style="rounded" color="{FADED.line}" fontsize=12 labeljust=l '
            f"label=<{_html(box.title)}>]"
        )
        lines += ["        " + _node(shown[id]) for id in box.members if id in shown]
        lines.append("    }")
    after = successors((node.id for node in workflow.nodes), workflow.edges)
    back = returns([workflow.entry] if workflow.entry else [], after)
    lines += [
        "    " + _edge(line, leads_back=(line.source, line.target) in back)
        for line in picture.lines
    ]
    return "\n".join([*lines, "}"]) + "\n"


def _node(node: Shown) -> str:
    colour = COLOURS[node.look] if node.visits is None or node.visits else FADED
    width = 3 if node.is_current else 1.3
    margin = f' margin="{_MARGINS[node.look]}"' if node.look in _MARGINS else ""
    return (
        f"{_quote(node.id)} [{_SHAPES[node.look]} label=<{_label(node, colour.line)}> "
        f'fillcolor="{colour.fill}" color="{colour.line}" fontcolor="{colour.text}" '
        f"penwidth={width}{margin} tooltip={_quote(node.id)}]"
    )


def _label(node: Shown, accent: str) -> str:
    face = f' face="{MONO}"' if node.look == "exec" and node.note else ""
    body = "<br/>".join(_html(line) for line in node.lines)
    parts = [f"<font{face}>{body}</font>" if face else body]
    if node.note:
        parts.append(f'<font point-size="9" color="{accent}">{_html(node.note)}</font>')
    if node.tally:
        parts.append(f'<font point-size="9" color="{PATH}"><b>{_html(node.tally)}</b></font>')
    return "<br/>".join(parts)


def _edge(line: PictureEdge, *, leads_back: bool) -> str:
    """Graphviz ranks nodes along edges: one that leads back is written the other way round, so that
    the start stays on top, and is drawn backwards."""
    colour = ERROR if line.is_error else EDGE
    if line.is_implied or line.taken == 0:
        colour = FADED.line
    attributes = [f'color="{PATH if line.taken else colour}"', f'fontcolor="{colour}"']
    if line.is_error:
        attributes.append("style=dashed")
    if line.taken:
        attributes.append("penwidth=2.6")
    if label := line.text():
        attributes.append(f"label=< {_html(label)} >")
    ends = [_quote(line.source), _quote(line.target)]
    if leads_back and line.source != line.target:
        attributes.append("dir=back")
        ends.reverse()
    return f"{' -> '.join(ends)} [{' '.join(attributes)}]"


def _quote(text: str) -> str:
    """A DOT string: quotes and backslashes escaped, control characters as blanks."""
    inner = visible(text.translate(_CONTROL)).replace("\\", "\\\\").replace('"', '\\"')
    return f'"{inner}"'


def _html(text: str) -> str:
    """Text inside an HTML-like label."""
    return visible(text.translate(_CONTROL)).translate(_ENTITIES)
