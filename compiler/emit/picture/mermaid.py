"""A workflow as a mermaid flowchart: for documents, pull requests and Studio's neighbours.

flowchart TB
    CHECK{"RESULT == 'YES'"}:::choose
    CHECK -->|TRUE| SUCCESS
    CHECK -.->|ERROR| FAILED
"""

from __future__ import annotations

import re

from ...ir import Workflow
from ...source.snippet import visible
from .palette import COLOURS, FADED, PATH, Colour
from .picture import Look, Overlay, Picture, PictureEdge, Shown, picture_of

_SHAPES: dict[Look, tuple[str, str]] = {
    "start": ("([", "])"),
    "assign": ("[", "]"),
    "checkpoint": ("([", "])"),
    "agent": ("(", ")"),
    "message": (">", "]"),
    "tool": ("{{", "}}"),
    "exec": ("[/", "/]"),
    "choose": ("{", "}"),
    "ask": ("[\\", "\\]"),
    "call": ("[[", "]]"),
    "python": ("{{", "}}"),
    "wait": (">", "]"),
    "http": ("[[", "]]"),
    "script": ("[(", ")]"),
    "task": ("[", "]"),
    "gate": ("{{", "}}"),
    "assert": ("{", "}"),
    "foreach": ("[[", "]]"),
    "success": ("([", "])"),
    "failed": ("([", "])"),
}
_PLAIN_ID = re.compile(r"[A-Za-z_]\w*\Z", re.A)
KEYWORDS = frozenset(
    (
        "end",
        "graph",
        "flowchart",
        "subgraph",
        "style",
        "class",
        "click",
        "default",
        "direction",
        "linkStyle",
        "classDef",
    )
)
_PLAIN_LABEL = re.compile(r"[A-Za-z0-9_][\w ]*\Z", re.A)
_SPECIAL = re.compile(r'["#<>&`\\]')


def emit_mermaid(workflow: Workflow, overlay: Overlay | None = None) -> str:
    """The chart's text; with an overlay the way a run took stands out and the rest is faded."""
    picture = picture_of(workflow, overlay)
    ids = mermaid_ids(workflow)
    lines = [*_front_matter(picture), "flowchart TB"]
    boxed = {id for box in picture.boxes for id in box.members}
    shown = {node.id: node for node in picture.nodes}
    for node in picture.nodes:
        if node.id not in boxed:
            lines.append("    " + _node(node, ids))
    for number, box in enumerate(picture.boxes):
        lines.append(f'    subgraph box{number}["{_escape(box.title)}"]')
        lines += ["        " + _node(shown[id], ids) for id in box.members if id in shown]
        lines.append("    end")
    lines += ["    " + _edge(line, ids) for line in picture.lines]
    lines += ["    " + text for text in _styles(picture)]
    return "\n".join(lines) + "\n"


def mermaid_ids(workflow: Workflow) -> dict[str, str]:
    """The chart's id of each node: its own, unless mermaid reads that as something else (F11)."""
    taken = {node.id for node in workflow.nodes}
    ids: dict[str, str] = {}
    for node in workflow.nodes:
        if _PLAIN_ID.match(node.id) and node.id not in KEYWORDS:
            ids[node.id] = node.id
            continue
        name = "n_" + re.sub(r"\W", "_", node.id, flags=re.A)
        while name in taken:
            name += "_"
        taken.add(name)
        ids[node.id] = name
    return ids


def _front_matter(picture: Picture) -> list[str]:
    title = visible(" ".join(picture.title.split())).replace("\\", "\\\\").replace('"', '\\"')
    return ["---", f'title: "{title}"', "---"] if title else []


def _node(node: Shown, ids: dict[str, str]) -> str:
    opening, closing = _SHAPES[node.look]
    lines = [_escape(line) for line in node.lines]
    if node.tally:
        lines.append(f"<small>{_escape(node.tally)}</small>")
    text = "<br>".join(lines)
    return f'{ids[node.id]}{opening}"{text}"{closing}:::{_class(node)}'


def _class(node: Shown) -> str:
    if node.is_current:
        return f"{node.look}_here"
    return node.look if node.visits is None or node.visits else "faded"


def _edge(line: PictureEdge, ids: dict[str, str]) -> str:
    arrow = "-.->" if line.is_error else "==>" if line.taken else "-->"
    label = line.text()
    text = label if _PLAIN_LABEL.match(label) else f'"{_escape(label)}"'
    return f"{ids[line.source]} {arrow}{f'|{text}|' if label else ''} {ids[line.target]}"


def _escape(text: str) -> str:
    """Characters that mean something to mermaid or to HTML as entities; those that a terminal obeys
    as signs, for no reader takes entities of them."""
    return _SPECIAL.sub(lambda match: f"#{ord(match.group())};", visible(text))


def _styles(picture: Picture) -> list[str]:
    used = dict.fromkeys(_class(node) for node in picture.nodes)
    lines = [f"classDef {name} {_style(_colour(name), name)}" for name in used]
    light = [str(n) for n, line in enumerate(picture.lines) if line.is_implied or line.taken == 0]
    path = [str(n) for n, line in enumerate(picture.lines) if line.taken]
    if light:
        lines.append(f"linkStyle {','.join(light)} stroke:{FADED.line},color:{FADED.text}")
    if path:
        lines.append(f"linkStyle {','.join(path)} stroke:{PATH},stroke-width:3px")
    return lines


def _colour(name: str) -> Colour:
    look = name.removesuffix("_here")
    return next((colour for known, colour in COLOURS.items() if known == look), FADED)


def _style(colour: Colour, name: str) -> str:
    width = 4 if name.endswith("_here") else 1.5
    return f"fill:{colour.fill},stroke:{colour.line},color:{colour.text},stroke-width:{width}px"
