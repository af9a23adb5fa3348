"""The page of a workflow: whole by itself, safe whatever a file holds, laid out in any case."""

from __future__ import annotations

import base64
import hashlib
import json
import re
import shutil
import subprocess
import time
from html.parser import HTMLParser
from pathlib import Path

import pytest
from flowc.compiler.driver import compile_text
from flowc.compiler.emit.html.graphviz import layout_request, read_layout
from flowc.compiler.emit.html.layout import Rect, back_lines, lay_out
from flowc.compiler.emit.html.page import Page, emit_html, sized_picture
from flowc.compiler.emit.html.places import excerpts_of
from flowc.compiler.emit.picture.picture import Overlay
from flowc.compiler.ir import AssignNode, Edge, Workflow
from flowc.compiler.source.source import SourceSet
from flowcharts import compiled, node

NASTY = """</script><script>alert("1")</script> '"` & <!-- ]]> \u2028 <img src=x onerror=y>"""
CHART = (
    "START --> PROMPT_A[User A] --> CHECK_A{RESULT == 'a'}\nCHECK_A -->|NO| PROMPT_A\n"
    "CHECK_A -->|YES| EXECUTE_B[ls -l | wc]\nEXECUTE_B --> SUCCESS"
)
RESULT = compiled(CHART, "## User A\nSay {{CITY}}.\n")
VOID = {"meta", "link", "input", "br"}


class Tags(HTMLParser):
    """Every start tag with its attributes, and what is open at the end."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.found.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.found.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def all(self, tag: str) -> list[dict[str, str | None]]:
        return [attrs for name, attrs in self.found if name == tag]


def page(workflow: Workflow, sources: SourceSet | None = None, **more) -> str:
    return emit_html(Page(workflow, sources or SourceSet(), **more))


def embedded(text: str) -> dict:
    found = re.search(r'<script id="data" type="application/json">(.*?)</script>', text, re.DOTALL)
    assert found is not None
    return json.loads(found[1])


def chain(count: int) -> Workflow:
    nodes = tuple(AssignNode(id=f"n{i}") for i in range(count))
    edges = [Edge(source=f"n{i}", target=f"n{i + 1}") for i in range(count - 1)]
    edges += [
        Edge(source=f"n{i + 1}", target=f"n{i}", label="back") for i in range(0, count - 1, 9)
    ]
    return Workflow(name="chain", nodes=nodes, edges=tuple(edges), entry="n0")


def test_the_page_is_well_formed_and_asks_no_address_for_anything():
    text = page(RESULT.workflow, RESULT.sources)
    tags = Tags(text)
    assert tags.open == []
    assert {tag for tag, _ in tags.found}.isdisjoint({"link", "img", "iframe", "object", "base"})
    addresses = [
        value
        for _, attrs in tags.found
        for name, value in attrs.items()
        if name in {"src", "href", "action", "xlink:href"}
    ]
    assert addresses == []
    assert re.findall(r"https?://[^\"' ]*", text) == ["http://www.w3.org/2000/svg"]
    assert "@import" not in text
    assert "url(" not in text


def test_the_policy_lets_only_the_pages_own_script_and_style_be_used():
    text = page(RESULT.workflow, RESULT.sources)
    policy = Tags(text).all("meta")[1]["content"]
    assert policy.startswith("default-src 'none'")
    for kind, body in (
        ("script", re.findall(r"<script>(.*?)</script>", text, re.DOTALL)[0]),
        ("style", re.findall(r"<style>(.*?)</style>", text, re.DOTALL)[0]),
    ):
        digest = base64.b64encode(hashlib.sha256(body.encode()).digest()).decode()
        assert f"{kind}-src 'sha256-{digest}'" in policy


def test_every_node_can_be_reached_and_is_named():
    tags = Tags(page(RESULT.workflow, RESULT.sources))
    nodes = [attrs for attrs in tags.all("g") if "data-node" in attrs]
    assert len(nodes) == 5
    assert all(n["tabindex"] == "0" and n["role"] == "button" and n["aria-label"] for n in nodes)
    assert nodes[2]["aria-label"] == "RESULT == 'a', decision"
    assert all(button.get("aria-label") or button.get("title") for button in tags.all("button"))
    assert all(field["aria-label"] for field in tags.all("input"))
    [html] = tags.all("html")
    assert html["lang"] == "en"


def test_motion_is_left_out_for_those_who_do_not_want_it():
    text = page(RESULT.workflow, RESULT.sources)
    assert "prefers-reduced-motion" in text
    assert text.index("prefers-reduced-motion:no-preference") < text.index("transition:stroke")


def test_nothing_that_stands_in_a_file_can_leave_its_place():
    workflow = Workflow(
        name=NASTY,
        title=NASTY,
        description=NASTY,
        nodes=(AssignNode(id="a", title=NASTY), AssignNode(id=NASTY)),
        edges=(Edge(source="a", target=NASTY, label=NASTY),),
    )
    facts = {"a": ((NASTY, NASTY, "words"),)}
    text = page(workflow, facts=facts, file=NASTY)
    tags = Tags(text)
    assert tags.open == []
    assert len(tags.all("script")) == 2
    assert tags.all("img") == []
    assert not any(name.startswith("on") for _, attrs in tags.found for name in attrs)
    data = embedded(text)
    assert data["nodes"][0]["facts"][0][1] == NASTY
    assert data["lines"][0][2] == " ".join(NASTY.split())


def test_control_characters_and_lone_surrogates_do_not_break_the_page():
    title = "a\x00b\x1bc\ud800d￾"
    text = page(Workflow(name="w", title=title, nodes=(AssignNode(id="a", title=title),)))
    assert Tags(text.encode("utf-8", "replace").decode()).open == []


def test_a_click_knows_the_place_in_the_file():
    data = embedded(page(RESULT.workflow, RESULT.sources))
    check = next(n for n in data["nodes"] if n["id"] == "CHECK_A")
    [place] = check["places"]
    row = place["lines"][place["first"] - place["start"]]
    assert row[slice(*place["columns"])] == "CHECK_A"
    assert place["file"] == "trip.wf.md"


def test_an_excerpt_covers_the_step_and_the_prompt_stands_in_one_of_its_own():
    text = (
        "### 🔧 WORKFLOW STEP: One\n```\nDo [A].\n```\n\n### 🛠️ TOOL: t\n\n### 📥 INPUTS:\n- A: a\n"
        "\n### 📤 OUTPUTS:\n- it → B\n"
    )
    result = compile_text(text, "a.md")
    [excerpt] = excerpts_of(node(result.workflow, "step_0"), result.sources)
    assert (excerpt.first, excerpt.last) == (1, 12)
    places = excerpts_of(node(RESULT.workflow, "PROMPT_A"), RESULT.sources)
    assert [p.lines[p.first - p.start].strip()[:8] for p in places] == ["START --", "Say {{CI"]


def test_a_run_is_drawn_in():
    path = ("START", "PROMPT_A", "CHECK_A", "PROMPT_A")
    exits = (("START", ""), ("PROMPT_A", "success"), ("CHECK_A", "false"))
    overlay = Overlay(path, {"PROMPT_A": 1.26}, "PROMPT_A", exits)
    text = page(RESULT.workflow, RESULT.sources, overlay=overlay)
    data = embedded(text)
    assert data["path"] == [0, 1, 2, 1]
    assert data["seconds"] == {"PROMPT_A": 1.26}
    assert data["nodes"][1]["tally"] == "2× · 1.3 s"
    classes = [attrs.get("class", "").split() for attrs in Tags(text).all("g")]
    assert sum("taken" in c for c in classes) == 3
    assert ["node", "agent", "here"] in classes
    assert sum("faded" in c for c in classes) == 2


def overlap(a: Rect, b: Rect) -> bool:
    return (
        a.x < b.x + b.width and b.x < a.x + a.width and a.y < b.y + b.height
        and b.y < a.y + a.height
    )  # fmt: skip


@pytest.mark.parametrize("workflow", [RESULT.workflow, chain(30)], ids=["chart", "chain"])
def test_our_own_layout_keeps_boxes_apart_and_inside(workflow):
    sized = sized_picture(workflow)
    layout = lay_out(sized)
    rects = list(layout.nodes.values())
    assert not any(overlap(a, b) for n, a in enumerate(rects) for b in rects[:n])
    points = [p for route in layout.routes if route for p in route.points]
    points += [(r.x + r.width, r.y + r.height) for r in rects] + [(r.x, r.y) for r in rects]
    assert all(0 <= x <= layout.width and 0 <= y <= layout.height for x, y in points)
    assert None not in layout.routes


@pytest.mark.parametrize(
    ("lines", "back"),
    [
        ("ab bc", ""),
        ("ab bc ca", "ca"),
        ("ab bc cd ad da", "da"),
        ("rt rp tl pl lv vg gt gp", "gt gp"),
        ("ab ba", "ba"),
        ("bc ab ca", "ca"),
    ],
)
def test_the_lines_that_lead_back_are_those_that_close_a_circle(lines, back):
    """A shortcut leads on, and so does a way that a loop joins from behind."""
    pairs = lines.split()
    ids = sorted({id for pair in pairs for id in pair})
    found = back_lines(ids, [(n, a, b) for n, (a, b) in enumerate(pairs)])
    assert [pairs[n] for n in sorted(found)] == back.split()


def test_a_picture_without_nodes_is_a_page():
    assert Tags(page(Workflow(name="none"))).open == []


def test_a_large_picture_is_laid_out_in_time_that_grows_with_its_size():
    def seconds(count: int) -> float:
        sized = sized_picture(chain(count))
        begin = time.process_time()
        lay_out(sized)
        return time.process_time() - begin

    small, large = (min(seconds(count) for _ in range(3)) for count in (1_500, 12_000))
    assert large < 8 * small * 4, "eight times the size; the square would take 64 times as long"


def test_an_answer_that_is_no_layout_is_refused():
    sized = sized_picture(RESULT.workflow)
    for answer in ("", "{}", "[]", '{"bb": "0,0,1,1", "objects": [{}]}', '{"bb": "0,0,9,9"}'):
        assert read_layout(answer, sized) is None


@pytest.mark.skipif(shutil.which("dot") is None, reason="needs Graphviz")
def test_graphviz_gives_a_place_to_every_node_line_and_box():
    grouped = Workflow(
        name="g",
        nodes=(*(AssignNode(id=i, group="g") for i in "ab"), AssignNode(id='c"]')),
        edges=(Edge(source="a", target="b", label="x"), Edge(source="b", target='c"]')),
    )
    for workflow in (RESULT.workflow, grouped):
        sized = sized_picture(workflow)
        done = subprocess.run(
            ["dot", "-Tjson0"], input=layout_request(sized), text=True, capture_output=True,
            timeout=150, check=True,
        )  # fmt: skip
        layout = read_layout(done.stdout, sized)
        assert layout is not None
        assert None not in layout.routes
        assert None not in layout.boxes
        rects = list(layout.nodes.values())
        assert not any(overlap(a, b) for n, a in enumerate(rects) for b in rects[:n])


@pytest.mark.skipif(shutil.which("chromium") is None, reason="needs Chromium")
def test_a_browser_shows_the_node_that_the_address_names(tmp_path: Path):
    (tmp_path / "a.html").write_text(page(RESULT.workflow, RESULT.sources), encoding="utf-8")
    done = subprocess.run(
        [
            "chromium", "--headless=new", "--no-sandbox", "--disable-gpu", "--dump-dom",
            "--virtual-time-budget=2000", f"--user-data-dir={tmp_path}/profile",
            f"file://{tmp_path}/a.html#CHECK_A",
        ],
        text=True, capture_output=True, timeout=120, check=False,
    )  # fmt: skip
    assert '<p class="id">CHECK_A</p>' in done.stdout
    assert "<mark>CHECK_A</mark>" in done.stdout
    assert re.search(r'<g class="node choose chosen"[^>]*aria-pressed="true"', done.stdout)
