"""The mermaid layer: a flowchart's text becomes nodes, edges and subgraphs, each with its places.

    CHECK_OK{RESULT == 'YES'} -->|TRUE| SUCCESS

gives the nodes `CHECK_OK` (shape "diamond") and `SUCCESS` and one edge with the label `TRUE`.
A statement that does not parse is reported, what stood before the fault is kept, and reading goes
on with the next statement. No kind of activity is asked for here (F1–F12, M3, M4, M14, M17, M19).
"""

from __future__ import annotations

import re
from dataclasses import field

from lark import Token, Tree

from ....source.records import dataclass
from ....source.spelling import Spelling
from .captions import caption_text, plain, shape_of
from .placed_text import PlacedText, placed_text
from .syntax import ChartFault, parse_chart

_KEYS = Spelling(
    ("shape", "label", "icon", "form", "pos", "img", "constraint", "animate", "animation", "curve")
)
_SWALLOWED = re.compile(r"(?P<sign>[\])}])[ \t]*(?:--+>|-\.+->|==+>|---)[ \t|]*\w")
_LOOKS = re.compile(r"(?:style|class|click)[ \t]+(?P<ids>[^\s,]+(?:,[^\s,]+)*)")
_ATTRIBUTE = re.compile(r"(?P<key>[A-Za-z]+)\s*:\s*(?P<value>\"(?:[^\"\\]|\\.)*+\"|[^,}\n]*)", re.S)


@dataclass(frozen=True, slots=True)
class ChartNode:
    """A node: where its id stands (at the caption that counts, else where it came first), its
    caption and its shape. `caption` is None when none was written, and may be empty."""

    id: PlacedText
    caption: PlacedText | None = None
    shape: str | None = None


@dataclass(frozen=True, slots=True)
class ChartEdge:
    """A link: `start` to `end` are the offsets of the arrow with its label. `stroke` is "normal",
    "thick", "dotted" or "invisible"; `head` and `tail` are ">", "x", "o" or ""."""

    source: PlacedText
    target: PlacedText
    label: PlacedText | None
    stroke: str
    head: str
    tail: str
    start: int
    end: int
    id: str | None = None

    @property
    def is_comment(self) -> bool:
        """A dashed line without a head only holds a comment to its node (M17)."""
        return self.stroke == "invisible" or (self.stroke == "dotted" and not self.head)


@dataclass(slots=True)
class Subgraph:
    """A box around nodes; `parent` is the id of the box around it."""

    id: str
    title: str
    parent: str | None
    direction: str | None = None
    nodes: list[str] = field(default_factory=list)
    place: tuple[int, int] = (0, 0)
    """Where its line stands."""


@dataclass(slots=True)
class Chart:
    """Several blocks add up to one chart (M3). Nodes are in the order in which they are named."""

    direction: str | None = None
    nodes: dict[str, ChartNode] = field(default_factory=dict)
    edges: list[ChartEdge] = field(default_factory=list)
    subgraphs: dict[str, Subgraph] = field(default_factory=dict)
    faults: list[ChartFault] = field(default_factory=list)
    named: list[PlacedText] = field(default_factory=list)
    """Every place where a node's id stands, in statements about its looks as well."""
    replaced: list[tuple[ChartNode, PlacedText]] = field(default_factory=list)
    """Nodes with a caption that a later one replaces, and that one."""

    @property
    def notes(self) -> set[str]:
        """The nodes that only dashed lines without a head hold to others (M17)."""
        held = {end.text for link in self.edges for end in (link.source, link.target)}
        linked = (link for link in self.edges if not link.is_comment)
        return held - {end.text for link in linked for end in (link.source, link.target)}

    @property
    def lost_captions(self) -> set[str]:
        """The nodes whose only caption does not parse."""
        lost = {id for fault in self.faults for id in fault.lost_captions}
        return {id for id in lost if id in self.nodes and self.nodes[id].caption is None}


def read_chart(text: str, base: int = 0, chart: Chart | None = None) -> Chart:
    """Read one block of mermaid that stands at offset `base`; add it to `chart` when given."""
    chart = chart or Chart()
    tree, faults = parse_chart(text, base)
    chart.faults += faults
    reader = _Reader(chart, base)
    for statement in tree.children:
        reader.read(statement)
    reader.finish()
    return chart


class _Reader:
    """Walks the statements of one block."""

    def __init__(self, chart: Chart, base: int) -> None:
        self.chart = chart
        self.base = base
        self.open: list[Subgraph] = []
        self.boxed = {id for box in chart.subgraphs.values() for id in box.nodes}
        self.edge_ids = {edge.id for edge in chart.edges if edge.id}

    def read(self, statement: Tree[Token] | Token) -> None:
        if isinstance(statement, Token):
            return
        match statement.data:
            case "chain":
                self.chain(statement)
            case "header":
                self.header(str(statement.children[0]))
            case "subgraph":
                self.subgraph(self.placed_text(statement.children[0]))
            case "direction":
                if self.open:
                    self.open[-1].direction = str(statement.children[0]).split()[-1]
            case "end":
                self.end(self.placed_text(statement.children[0]))
            case "presentation":
                self.presentation(self.placed_text(statement.children[0]))

    def placed_text(self, token: Token | Tree[Token]) -> PlacedText:
        assert isinstance(token, Token)
        assert token.start_pos is not None
        return placed_text(str(token), self.base + token.start_pos)

    def header(self, text: str) -> None:
        words = text.split()
        if len(words) > 1 and self.chart.direction is None:
            arrows = {"<": "RL", ">": "LR", "^": "BT", "v": "TB", "TD": "TB"}
            self.chart.direction = arrows.get(words[1], words[1])

    def chain(self, statement: Tree[Token]) -> None:
        parts = [part for part in statement.children if isinstance(part, Tree)]
        sources = self.group(parts[0])
        for link, group in zip(parts[1::2], parts[2::2], strict=False):
            targets = self.group(group)
            for source in sources:
                for target in targets:
                    self.chart.edges.append(self.edge(link, source, target))
            sources = targets

    def group(self, group: Tree[Token]) -> list[PlacedText]:
        return [self.node(node) for node in group.children if isinstance(node, Tree)]

    def node(self, node: Tree[Token]) -> PlacedText:
        """Note a node; a later non-empty caption replaces the earlier one (M14, F8)."""
        id, *decorations = node.children
        name = self.placed_text(id)
        self.chart.named.append(name)
        caption: PlacedText | None = None
        shape: str | None = None
        for token in decorations:
            assert isinstance(token, Token)
            if token.type == "SHAPE":
                written = self.placed_text(token)
                shape, caption = shape_of(written)
                self.check_arrow(written)
            elif token.type == "ATTRIBUTES":
                shape, caption = self.attributes(self.placed_text(token), shape, caption)
        known = self.chart.nodes.get(name.text)
        if known is None:
            self.chart.nodes[name.text] = ChartNode(name, caption, shape)
            return self.boxed_name(name)
        again = caption if caption is not None and caption.text else None
        if again and known.caption and known.caption.text not in ("", again.text):
            self.chart.replaced.append((known, again))
        if again is not None or (shape and known.caption is None):
            self.chart.nodes[name.text] = ChartNode(
                name, caption or known.caption, shape or known.shape
            )
        return self.boxed_name(name)

    def boxed_name(self, name: PlacedText) -> PlacedText:
        """Put a node into the box that is open, and return its name."""
        if self.open and name.text not in self.boxed:
            self.put_into_box(name.text)
        return name

    def check_arrow(self, written: PlacedText) -> None:
        """Report a caption in which an arrow stands behind a bracket: the node's own bracket was
        meant to close there, and another node's does."""
        arrow = None if '"' in written.text else _SWALLOWED.search(written.text)
        if arrow is not None:
            closing = {"[": "]", "(": ")", "{": "}"}.get(written.text[0], "]")
            place = written.group(arrow, "sign")
            message = f"`{place.text}` does not close `{written.text[0]}`, so the arrow is caption"
            help = f"write `{closing}`, or put the caption in quotes"
            self.chart.faults.append(ChartFault(message, place.start, place.end, help, closing))

    def attributes(
        self, text: PlacedText, shape: str | None, caption: PlacedText | None
    ) -> tuple[str | None, PlacedText | None]:
        """Read `@{ shape: diam, label: "…" }` (M12, F3)."""
        for match in _ATTRIBUTE.finditer(text.text, 2):
            value = caption_text(text.group(match, "value").strip())
            if match["key"] == "shape":
                shape = value.text
            elif match["key"] == "label":
                caption = value
            elif match["key"] not in _KEYS and (near := _KEYS.nearest(match["key"])):
                key = text.group(match, "key")
                message, help = f"`{key.text}` is not an attribute", f"did you mean `{near}`?"
                self.chart.faults.append(ChartFault(message, key.start, key.end, help, near))
        return shape, caption

    def edge(self, link: Tree[Token], source: PlacedText, target: PlacedText) -> ChartEdge:
        tokens = {token.type: token for token in link.children if isinstance(token, Token)}
        first, last = link.children[0], link.children[-1]
        assert isinstance(first, Token)
        assert isinstance(last, Token)
        arrow = self.placed_text(tokens["LINK"])
        label = self.placed_text(tokens["LABEL"])[1:-1] if "LABEL" in tokens else _words_in(arrow)
        if "LABEL" in tokens and label is not None and not label.text.strip():
            place = self.placed_text(tokens["LABEL"])
            message, help = "this label is empty", "write `-->|YES|` and the like, or no bars"
            self.chart.faults.append(ChartFault(message, place.start, place.end, help))
        edge_id = str(tokens["EDGE_ID"])[:-1] if "EDGE_ID" in tokens else None
        if edge_id:
            self.edge_ids.add(edge_id)
        text = arrow.text
        stroke = {"=": "thick", "~": "invisible"}.get(text.lstrip("<xo")[0], "normal")
        return ChartEdge(
            source=source,
            target=target,
            label=caption_text(label.strip()) if label is not None else None,
            stroke="dotted" if text.lstrip("<xo").startswith("-.") else stroke,
            head=text[-1] if text[-1] in ">xo" else "",
            tail={"<": ">"}.get(text[0], text[0]) if text[0] in "<xo" else "",
            start=self.placed_text(first).start,
            end=self.placed_text(last).end,
            id=edge_id,
        )

    def subgraph(self, text: PlacedText) -> None:
        name, words = _title_of(text.text.removeprefix("subgraph").strip())
        if words is None:
            self.chart.faults.append(
                ChartFault(
                    "the subgraph's title is not closed", text.start, text.end, "write `[title]`"
                )
            )
        title = plain(words or name)
        box = Subgraph(name or title, title, self.open[-1].id if self.open else None)
        box.place = (text.start, text.end)
        self.chart.subgraphs[box.id] = box
        if self.open:
            self.put_into_box(box.id)
        self.open.append(box)

    def presentation(self, text: PlacedText) -> None:
        """Note the nodes of `style A fill:#fff`, `class A,B big`, `click A …`, which make none."""
        match = _LOOKS.match(text.text)
        if match is not None:
            ids = text.group(match, "ids")
            for id in re.finditer(r"[^\s,]+", ids.text):
                self.chart.named.append(ids.group(id, 0))

    def put_into_box(self, id: str) -> None:
        self.open[-1].nodes.append(id)
        self.boxed.add(id)

    def end(self, word: PlacedText) -> None:
        if self.open:
            self.open.pop()
            return
        self.chart.faults.append(
            ChartFault("`end` closes no subgraph", word.start, word.end, "remove it")
        )

    def finish(self) -> None:
        """Remove names of edges, which are not nodes (F8); a subgraph that a link touches is one
        (F9). Report a subgraph that is not closed."""
        for name in self.edge_ids:
            self.chart.nodes.pop(name, None)
        for box in self.open:
            message, help = "this subgraph is not closed", "write `end` behind its last line"
            self.chart.faults.append(ChartFault(message, *box.place, help))


def _title_of(text: str) -> tuple[str, str | None]:
    """Return id and title behind `subgraph`: `id [title]`, `id "title"`, `id`; None when it is
    open."""
    at = min((place for place in (text.find("["), text.find('"')) if place >= 0), default=-1)
    if at < 0:
        return text, ""
    name, words = text[:at].rstrip(), text[at:]
    if words[0] == "[":
        return name, words[1:-1] if words[-1] == "]" else None
    return name, words if len(words) > 1 and words[-1] == '"' else None


def _words_in(arrow: PlacedText) -> PlacedText | None:
    """Return the text in `-- text -->`, `-. text .->`, `== text ==>` (F6)."""
    match = re.match(r"[xo<]?(?:--|-\.|==)(?P<text>.*?)\s*[-=.]+[-=>xo]?\Z", arrow.text, re.S)
    if match is None or not match["text"].strip("-=. "):
        return None
    return arrow.group(match, "text")
