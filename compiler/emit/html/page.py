"""A workflow as one page that needs nothing else: the picture, the nodes, their places in the file.

The page asks no other address for anything, and its content security policy lets it do so; whatever
stands in a user's file reaches it as escaped text or as JSON in a block that is never run.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, field
from functools import cache
from html import escape
from importlib.resources import files
from typing import Any

from ...ir import Workflow
from ...source.records import dataclass
from ...source.source import SourceSet
from ..picture.palette import COLOURS, ERROR, PATH, Colour
from ..picture.picture import Overlay, picture_of
from .layout import Layout, lay_out
from .places import excerpts_of
from .sizes import Sized, measure
from .svg import draw

Facts = Mapping[str, tuple[tuple[str, str, str], ...]]


@dataclass(frozen=True, slots=True)
class Page:
    """What a page shows. `facts` are, by node id, rows of label, text and form ("words", "code",
    "prose"); `layout` is a better one than our own."""

    workflow: Workflow
    sources: SourceSet
    facts: Facts = field(default_factory=dict)
    file: str = ""
    overlay: Overlay | None = None
    layout: Layout | None = None


def sized_picture(workflow: Workflow, overlay: Overlay | None = None) -> Sized:
    """The picture that a page draws, with the sizes of its parts: what a layouter needs."""
    return measure(picture_of(workflow, overlay))


def emit_html(page: Page) -> str:
    """The page's text."""
    sized = sized_picture(page.workflow, page.overlay)
    svg = draw(sized, page.layout or lay_out(sized))
    style = _asset("page.css") + picture_style(".dark ")
    script = _asset("page.js")
    title = escape(" ".join((page.workflow.title or page.workflow.name).split()))
    data = _json(_data(page, sized))
    policy = (
        f"default-src 'none'; script-src 'sha256-{_digest(script)}'; "
        f"style-src 'sha256-{_digest(style)}'; base-uri 'none'; form-action 'none'"
    )
    return (
        _asset("page.html")
        .replace("@POLICY@", policy)
        .replace("@TITLE@", title)
        .replace("@FILE@", escape(page.file))
        .replace("@STYLE@", style)
        .replace("@DATA@", data)
        .replace("@SCRIPT@", script)
        .replace("@PICTURE@", svg)
    )


def _data(page: Page, sized: Sized) -> dict[str, Any]:
    nodes = {node.id: node for node in page.workflow.nodes}
    numbers = {node.id: n for n, node in enumerate(sized.picture.nodes)}
    overlay = page.overlay
    return {
        "description": page.workflow.description,
        "params": [
            {"name": p.name, "type": p.type, "required": p.required} for p in page.workflow.params
        ],
        "nodes": [
            {
                "id": shown.id,
                "kind": nodes[shown.id].kind,
                "look": shown.look,
                "title": " ".join(nodes[shown.id].title.split()) or shown.id,
                "group": nodes[shown.id].group,
                "facts": list(page.facts.get(shown.id, ())),
                "places": [asdict(x) for x in excerpts_of(nodes[shown.id], page.sources)],
                "tally": shown.tally,
                "visits": shown.visits,
            }
            for shown in sized.picture.nodes
        ],
        "lines": [
            [numbers[line.source], numbers[line.target], " ".join(line.label.split())]
            for line in sized.picture.lines
            if line.source in numbers and line.target in numbers
        ],
        "path": None if overlay is None else [numbers[id] for id in overlay.path if id in numbers],
        "seconds": {} if overlay is None else dict(overlay.seconds),
    }


def _json(value: object) -> str:
    """JSON that can stand in a script block: nothing in it can end the block."""
    text = json.dumps(value, ensure_ascii=True, separators=(",", ":"))
    return text.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e")


@cache
def _asset(name: str) -> str:
    return files(__package__).joinpath(name).read_text(encoding="utf-8")


def _digest(text: str) -> str:
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def picture_style(scope: str = "", query: str = "") -> str:
    """How the picture looks: on a dark ground fills are dimmed and outlines are lightened. The dark
    rules hold below `scope`, a selector with a blank behind it, or where a media `query` holds."""
    light = [_rule("", look, colour) for look, colour in COLOURS.items()]
    dark = [_rule(scope, look, _dim(colour)) for look, colour in COLOURS.items()]
    ways = f":root{{--error:{ERROR};--taken:{PATH}}}"
    dark_ways = (
        f"{scope.strip() or ':root'}"
        f"{{--error:{_mix(ERROR, '#ffffff', 0.35)};--taken:{_mix(PATH, '#ffffff', 0.45)}}}"
    )
    rules = [ways, *light, f"@media {query}{{" if query else "", dark_ways, *dark]
    return _asset("picture.css") + "\n".join([*rules, "}" if query else ""]) + "\n"


def _rule(scope: str, look: str, colour: Colour) -> str:
    return f"{scope}.{look}{{--fill:{colour.fill};--edge:{colour.line};--ink:{colour.text}}}"


def _dim(colour: Colour) -> Colour:
    return Colour(
        fill=_mix(colour.line, "#161b22", 0.76),
        line=_mix(colour.line, "#ffffff", 0.30),
        text="#e8edf3",
    )


def _mix(first: str, second: str, share: float) -> str:
    """The colour between two `#rrggbb`; `share` is that of the second."""
    parts = []
    for at in (1, 3, 5):
        a, b = int(first[at : at + 2], 16), int(second[at : at + 2], 16)
        parts.append(f"{round(a + (b - a) * share):02x}")
    return "#" + "".join(parts)
