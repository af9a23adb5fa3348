"""Mermaid as it is met in the wild (F1–F12), and what is said of charts that do not parse."""

from __future__ import annotations

import time

import pytest
from flowc.compiler.diagnostics.fixes import apply_fixes, chosen_fixes
from flowc.compiler.driver import compile_text
from flowc.compiler.frontends.flowchart.mermaid.chart import Chart, read_chart


def chart(text: str) -> Chart:
    found = read_chart(text)
    assert found.faults == []
    return found


def links(text: str) -> list[tuple[str, str, str]]:
    return [
        (e.source.text, e.target.text, e.label.text if e.label else "") for e in chart(text).edges
    ]


@pytest.mark.parametrize("word", ["flowchart", "graph", "flowchart-elk"])
@pytest.mark.parametrize("direction", ["", " TD", " TB;", " BT", " LR", " RL;"])
def test_f1_headers(word, direction):
    assert links(f"{word}{direction}\nA --> B") == [("A", "B", "")]


def test_f2_front_matter_and_directives():
    text = "---\ntitle: T\n---\n%%{init: {'a': 1}}%%\n%% note\ngraph TD\n%%{init: {}}%%\nA --> B\n"
    assert links(text) == [("A", "B", "")]


SHAPES = {
    "[x]": "square", "(x)": "round", "([x])": "stadium", "[[x]]": "subroutine",
    "[(x)]": "cylinder", "((x))": "circle", "(((x)))": "doublecircle", "{x}": "diamond",
    "{{x}}": "hexagon", ">x]": "odd", "[/x/]": "lean_right", "[\\x\\]": "lean_left",
    "[/x\\]": "trapezoid", "[\\x/]": "inv_trapezoid", "@{ shape: f-circ, label: \"x\" }": "f-circ",
}  # fmt: skip


@pytest.mark.parametrize("shape", SHAPES)
def test_f3_shapes(shape):
    found = chart(f"graph TD\nA{shape} --> B").nodes["A"]
    assert found.caption is not None
    assert (found.shape, found.caption.text) == (SHAPES[shape], "x")


@pytest.mark.parametrize(
    ("written", "text"),
    [
        ('["a [b] (c) {d}"]', "a [b] (c) {d}"),
        ('["#quot;#9829;#; #nothing;"]', '"♥#; #nothing;'),
        ('["`two\nlines`"]', "two\nlines"),
        ("[naïve 提交]", "naïve 提交"),
        ("[ ]", ""),
        ('[""]', ""),
        ("[a<br/>b]", "a<br/>b"),
    ],
)
def test_f4_captions(written, text):
    caption = chart(f"graph TD\nA{written}").nodes["A"].caption
    assert caption is not None
    assert caption.text == text


LINKS = {
    "-->": ("normal", ">", ""), "---": ("normal", "", ""), "----->": ("normal", ">", ""),
    "-.->": ("dotted", ">", ""), "-.-": ("dotted", "", ""), "-...->": ("dotted", ">", ""),
    "==>": ("thick", ">", ""), "===": ("thick", "", ""), "====>": ("thick", ">", ""),
    "~~~": ("invisible", "", ""), "--o": ("normal", "o", ""), "--x": ("normal", "x", ""),
    "<-->": ("normal", ">", ">"), "o--o": ("normal", "o", "o"), "x--x": ("normal", "x", "x"),
}  # fmt: skip


@pytest.mark.parametrize("arrow", LINKS)
def test_f5_links(arrow):
    (edge,) = chart(f"graph TD\nA {arrow} B").edges
    assert (edge.stroke, edge.head, edge.tail) == LINKS[arrow]


@pytest.mark.parametrize(
    "link",
    ["-->|a text|", "--> |a text|", "-- a text -->", "-. a text .->", "== a text ==>",
     '-->|"a text"|', '-- "a text" -->'],
)  # fmt: skip
def test_f6_link_texts(link):
    assert links(f"graph TD\nA {link} B") == [("A", "B", "a text")]


def test_f7_chains_and_groups():
    assert links("graph TD\nA & B --> C -- x --> D & E") == [
        ("A", "C", ""), ("B", "C", ""), ("C", "D", "x"), ("C", "E", "x"),
    ]  # fmt: skip


def test_f8_ids_and_edge_ids():
    text = "graph TD\n1 --> sid-4A-b.c_d --> ärger --> 9e1\nA e1@--> B\ne1@{ animate: true }"
    found = chart(text)
    assert list(found.nodes) == ["1", "sid-4A-b.c_d", "ärger", "9e1", "A", "B"]
    assert found.edges[-1].id == "e1"


def test_f8_the_last_text_of_a_node_wins():
    caption = chart("graph TD\nA[one] --> B\nA[two]\nA --> C").nodes["A"].caption
    assert caption is not None
    assert (caption.text, caption.start) == ("two", 24)


def test_f9_subgraphs():
    found = chart(
        "graph TD\nsubgraph one [First]\ndirection LR\nA --> B\n"
        'subgraph "in it"\nC\nend\nend\none --> D'
    )
    boxes = [(b.id, b.title, b.parent, b.direction, b.nodes) for b in found.subgraphs.values()]
    assert boxes == [
        ("one", "First", None, "LR", ["A", "B", "in it"]),
        ("in it", "in it", "one", None, ["C"]),
    ]
    assert [(e.source.text, e.target.text) for e in found.edges] == [("A", "B"), ("one", "D")]


def test_f10_presentation_and_accessibility_lines():
    text = (
        "graph TD\nstyle A fill:#f9f,stroke:#333\nlinkStyle 0 color:red;\nclassDef big fill:#f96;\n"
        'class A big; A:::big --> B\nclick A "a.html#x;y" "a; b" _blank\naccTitle: A to B\n'
        "accDescr {\n  A --> X\n}\naccDescr: one line"
    )
    assert links(text) == [("A", "B", "")]


def test_f11_end_is_a_keyword_and_o_and_x_are_heads():
    found = chart("graph TD\nsubgraph s\nA---oB\nC---xD\nend\nending --> B")
    assert [(e.source.text, e.head, e.target.text) for e in found.edges] == [
        ("A", "o", "B"), ("C", "x", "D"), ("ending", ">", "B"),
    ]  # fmt: skip


def test_f12_statements_on_one_line_and_arrows_at_a_lines_end():
    assert links("graph TD; A --> B; B -->\n  C -->|x|\n\n D;") == [
        ("A", "B", ""), ("B", "C", ""), ("C", "D", "x"),
    ]  # fmt: skip


FAULTS = {
    "A -> B": "->",
    "A --> B[open": "[",
    "A B": "B",
    "A --> B -->": "-->",
    "A -- text B": "--",
    "A --> |yes B": "|",
    "end": "end",
    "A --> ^° b": "^°",
    "A @{ shape: x": "@{",
    'A["one': '"',
}


@pytest.mark.parametrize("line", FAULTS)
def test_a_fault_is_shown_where_it_stands_and_reading_goes_on(line):
    text = f"graph TD\nA --> M\n{line}\n"
    result = compile_text(text + "\n", "a.mmd")
    assert [text[d.primary.start : d.primary.end] for d in result.diagnostics] == [FAULTS[line]]
    assert {d.code for d in result.diagnostics} == {"FC1001"}


@pytest.mark.parametrize("arrow", ["->", "->>", "- ->", "-- >", "=>", "→", "—>", "–>"])
def test_what_was_meant_as_an_arrow_becomes_one(arrow):
    text = f"graph TD\nA {arrow} B\n"
    result = compile_text(text, "a.mmd")
    assert [d.message for d in result.diagnostics] == [f"`{arrow}` is not a link"]
    assert apply_fixes(text, chosen_fixes(result.diagnostics, "a.mmd")) == "graph TD\nA --> B\n"


def test_f1_a_direction_that_is_none_is_named():
    (fault,) = compile_text("graph XY\nA --> B\n", "a.mmd").diagnostics
    assert (fault.message, fault.primary.start) == ("`XY` is not a direction", 6)


def test_one_parse_reports_many_faults_and_keeps_what_is_good():
    found = read_chart("graph TD\nA -> B\nC --> D\nE [open\nF --> G --> H(\nI --> J\n")
    assert [f.start for f in found.faults] == [11, 26, 45]
    assert [(e.source.text, e.target.text) for e in found.edges] == [
        ("C", "D"), ("F", "G"), ("G", "H"), ("I", "J"),
    ]  # fmt: skip


def test_a_plain_chart_lists_nodes_and_edges_and_has_no_entry():
    workflow = compile_text(
        '---\ntitle: Two\n---\ngraph LR\nA["one<br>two"] -->|x| B', "a.mmd"
    ).workflow
    assert workflow is not None
    assert (workflow.title, workflow.entry) == ("Two", "")
    assert [(n.id, n.title) for n in workflow.nodes] == [("A", "one two"), ("B", "")]
    assert [(e.source, e.target, e.label) for e in workflow.edges] == [("A", "B", "x")]


@pytest.mark.parametrize(
    "text",
    ["[" * 200_000, "A@{\n" * 10_000, 'A["x\n' * 10_000, "accDescr {\n" * 10_000, "A -- " * 10_000,
     "subgraph s\nA\nend\n" * 20 + "".join(f"subgraph s{n}\nA{n}\nend\n" for n in range(30_000)),
     "A -. .. " + "." * 200_000, "- " * 100_000, "%%{ " * 50_000, "((" * 100_000, '"' * 200_000],
    ids=lambda text: repr(text[:8]),
)  # fmt: skip
def test_hostile_texts_take_linear_time(text):
    started = time.process_time()
    read_chart("graph TD\n" + text)
    assert time.process_time() - started < 8
