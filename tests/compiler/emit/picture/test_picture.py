"""Pictures: mermaid reads back to the same edges, Graphviz accepts the text, runs are drawn in."""

from __future__ import annotations

import re
import shutil
import subprocess
import time
from dataclasses import replace

import pytest
from flowc.compiler.emit import EMITTERS, WorkflowEmitter
from flowc.compiler.emit.picture.dot import emit_dot
from flowc.compiler.emit.picture.mermaid import emit_mermaid, mermaid_ids
from flowc.compiler.emit.picture.picture import Overlay, picture_of
from flowc.compiler.expr.ast import Name
from flowc.compiler.frontends.flowchart.mermaid.chart import read_chart
from flowc.compiler.ir import AssignNode, Case, ChooseNode, Edge, EndNode, Group, OnError, Workflow
from flowc.compiler.source.snippet import visible
from flowcharts import read
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

CHART = (
    "START --> PROMPT_A[User A] --> CHECK_A{RESULT == 'a &lt; \"b\"'}\nCHECK_A -->|NO| PROMPT_A\n"
    "PROMPT_A -->|ERROR| EXECUTE_B[ls -l | wc]\nEXECUTE_B --> ASK_C[/Ask: why? #35;1/]\n"
    "CHECKPOINT_X --> ASK_C\nON_FAILED --> CHECKPOINT_X"
)
TRIP = read(CHART, "## User A\nHi.")

SLOW = (HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much)
texts = st.text(max_size=20)
groups = st.sampled_from([None, "g"])
ids = st.text(min_size=1, max_size=8)


@st.composite
def workflows(draw) -> Workflow:
    names = draw(st.lists(ids, min_size=1, max_size=6, unique=True))
    nodes = [
        draw(st.sampled_from([
            AssignNode(id=name, title=draw(texts)),
            ChooseNode(id=name, title=draw(texts), on=Name(name="A"), group=draw(groups)),
        ]))
        for name in names
    ]  # fmt: skip
    guards = st.sampled_from([None, Case(value="x"), OnError(errors=("failure",))])
    ends = st.sampled_from(names)
    edge = st.builds(Edge, source=ends, target=ends, label=texts, guard=guards)
    edges = draw(st.lists(edge, max_size=8))
    return Workflow(name="w", title=draw(texts), nodes=tuple(nodes), edges=tuple(edges))


def shown_edges(workflow: Workflow) -> list[tuple[str, str, str]]:
    names = mermaid_ids(workflow)
    return [
        (names[line.source], names[line.target], visible(" ".join(line.label.split())))
        for line in picture_of(workflow).lines
    ]


def drawn_edges(text: str) -> list[tuple[str, str, str]]:
    chart = read_chart(text)
    assert chart.faults == []
    return [(e.source.text, e.target.text, e.label.text if e.label else "") for e in chart.edges]


@settings(deadline=None, suppress_health_check=SLOW)
@given(workflows())
def test_mermaid_reads_back_to_the_same_nodes_and_edges(workflow):
    text = emit_mermaid(workflow)
    assert drawn_edges(text) == shown_edges(workflow)
    assert set(read_chart(text).nodes) == set(mermaid_ids(workflow).values())


@settings(deadline=None, suppress_health_check=SLOW)
@given(workflows())
def test_dot_strings_and_brackets_are_closed(workflow):
    text = emit_dot(workflow)
    bare = re.sub(r'"(?:[^"\\]|\\.)*"', "", re.sub(r"label=<(?:[^<>]|<[^<>]*>)*>", "", text))
    assert '"' not in bare
    assert bare.count("[") == bare.count("]")
    assert bare.count("{") == bare.count("}")


@pytest.mark.skipif(shutil.which("dot") is None, reason="Graphviz is not installed")
def test_graphviz_draws_odd_texts():
    odd = Workflow(
        name="odd",
        title='<b> & "x"',
        nodes=(
            AssignNode(id='a"\\', title="<&>\u0001\u00ff \\n"),
            EndNode(id="end", outcome="failed", title="{|}"),
        ),
        edges=(Edge(source='a"\\', target="end", label='<"&\\>'),),
    )
    done = subprocess.run(
        ["dot", "-Tsvg"],
        input=emit_dot(odd),
        text=True,
        capture_output=True,
        timeout=150,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert "&lt;&amp;&gt;" in done.stdout


@pytest.mark.parametrize("emitter", [e for e in EMITTERS if isinstance(e, WorkflowEmitter)])
def test_pictures_are_the_same_every_time(emitter):
    assert emitter.emit(TRIP, None) == emitter.emit(read(CHART, "## User A\nHi."), None)


def test_implied_failures_are_not_drawn_and_implied_ends_are_light():
    lines = {(line.source, line.target): line for line in picture_of(TRIP).lines}
    assert ("EXECUTE_B", "FAILED") not in lines
    assert lines["ASK_C", "END"].is_implied
    assert lines["PROMPT_A", "EXECUTE_B"].is_error
    assert not lines["CHECK_A", "PROMPT_A"].is_error


def test_error_edges_are_dashed():
    assert "PROMPT_A -.->|ERROR| EXECUTE_B" in emit_mermaid(TRIP)
    line = next(x for x in emit_dot(TRIP).splitlines() if '"PROMPT_A" -> "EXECUTE_B"' in x)
    assert "style=dashed" in line


def test_branches_side_by_side_are_drawn_as_they_were_taken():
    names = ("a", "b", "c", "d")
    pairs = (("a", "b"), ("a", "c"), ("b", "d"), ("c", "d"))
    fork = Workflow(
        name="fork",
        nodes=tuple(AssignNode(id=name, join="all") for name in names),
        edges=tuple(Edge(source=a, target=b) for a, b in pairs),
        entry="a",
    )
    overlay = Overlay(names, exits=tuple((name, "") for name in names))
    lines = picture_of(fork, overlay).lines
    assert {(line.source, line.target): line.taken for line in lines} == dict.fromkeys(pairs, 1)


def test_a_run_is_drawn_over_the_picture():
    path = ("START", "PROMPT_A", "CHECK_A", "PROMPT_A", "FAILED")
    exits = (
        ("START", ""), ("PROMPT_A", "success"), ("CHECK_A", "false"), ("PROMPT_A", "error:limit"),
    )  # fmt: skip
    overlay = Overlay(path, {"PROMPT_A": 1.26}, "FAILED", exits)
    picture = picture_of(TRIP, overlay)
    nodes = {node.id: node for node in picture.nodes}
    assert nodes["PROMPT_A"].tally == "2× · 1.3 s"
    assert nodes["FAILED"].is_current
    assert nodes["EXECUTE_B"].visits == 0
    taken = {(line.source, line.target): line.taken for line in picture.lines if line.taken}
    assert taken == {
        ("START", "PROMPT_A"): 1, ("PROMPT_A", "CHECK_A"): 1, ("CHECK_A", "PROMPT_A"): 1,
        ("PROMPT_A", "FAILED"): 1,
    }  # fmt: skip
    text = emit_mermaid(TRIP, overlay)
    assert "START ==> PROMPT_A" in text
    assert ":::faded" in text
    assert "2× · 1.3 s" in emit_dot(TRIP, overlay)


@pytest.mark.parametrize("emit", [emit_mermaid, emit_dot])
def test_no_title_holds_what_a_terminal_obeys(emit):
    """Also where the text goes into a file, which somebody prints."""
    steers = "\x1b]0;title\x07\x1b[2J\x9b31m\u202etxt"
    node = AssignNode(id="a", title=steers)
    text = emit(replace(TRIP, title=steers, nodes=(node, *TRIP.nodes)))
    assert "title" in text
    assert [c for c in text if c != "\n" and not c.isprintable()] == []


def test_a_machine_of_3_000_states_is_drawn_within_seconds():
    """Each state is a box of nodes: what each box needs is found without a look at all nodes."""
    nodes = [
        AssignNode(id=f"s{n}.{part}", group=f"s{n}") for n in range(3_000) for part in ("pre", "to")
    ]
    groups = tuple(Group(id=f"s{n}", title=f"state {n}") for n in range(3_000))
    workflow = Workflow(name="large", nodes=tuple(nodes), groups=groups)
    begin = time.process_time()
    assert emit_dot(workflow).count("subgraph") == 3_000
    assert emit_mermaid(workflow).count("subgraph") == 3_000
    assert time.process_time() - begin < 6


def test_an_edge_to_a_node_that_a_faulty_file_lacks_is_not_drawn():
    workflow = replace(TRIP, edges=(*TRIP.edges, Edge(source="gone", target="A")))
    drawn, whole = picture_of(workflow), picture_of(TRIP)
    assert drawn.lines == whole.lines
    assert emit_mermaid(workflow) == emit_mermaid(TRIP)
    assert emit_dot(workflow) == emit_dot(TRIP)
