"""Folds and outlines of texts, whole and half-written."""

from __future__ import annotations

import pytest
from flowc.compiler.driver import compile_text
from flowc.compiler.editor.folding import folds_of
from flowc.compiler.editor.outline import outline_of
from flowc.compiler.editor.symbols import symbols_of
from flowc.compiler.editor.tokens import tokens_of
from flowc.compiler.frontends import FRONTENDS, by_name
from hypothesis import given
from hypothesis import strategies as st
from lsp_texts import CHART, CONTRACT, FLOW, MACHINE, MERMAID, PLAN, STEPS

TEXTS = {
    "a.md": STEPS, "b.wf.md": CHART, "c.mmd": MERMAID, "d.json": CONTRACT, "e.md": PLAN,
    "f.flow.yaml": FLOW, "g.json": MACHINE,
}  # fmt: skip


def folds(format: str, text: str) -> list[tuple[int, int, str]]:
    editing = by_name(format).reader().editing()
    return [(f.first, f.last, f.kind) for f in folds_of(text, editing)]


def test_a_step_holds_its_tools_and_inputs():
    text = "## Part\n### 🔧 WORKFLOW STEP: a\nx\n### 🛠️ TOOLS:\n- b\n\n## Next\n"
    assert folds("steps", text) == [
        (0, 4, "region"), (1, 4, "region"), (3, 4, "region"),
    ]  # fmt: skip


def test_a_heading_in_a_fence_begins_nothing():
    text = "# A\n```\n# B\n~~~\n# C\n```\nx\n"
    assert folds("steps", text) == [(0, 6, "region"), (1, 5, "region")]


def test_a_comment_and_a_subgraph_fold():
    text = "<!-- why\nand how -->\n```mermaid\nflowchart TD\nsubgraph one\nA --> B\nend\n```\n"
    assert folds("flowchart", text) == [
        (0, 1, "comment"), (2, 7, "region"), (4, 6, "region"),
    ]  # fmt: skip


def test_yaml_folds_by_indentation_and_texts_hold_what_looks_like_comments():
    text = "# one\n# two\nnodes:\n- name: a\n  prompt: |\n    # x\n    # y\n- name: b\n\nstart: a\n"
    assert folds("flow", text) == [
        (0, 1, "comment"), (2, 7, "region"), (3, 6, "region"), (4, 6, "region"),
    ]  # fmt: skip


def test_json_folds_up_to_the_line_before_the_bracket():
    assert folds("contract", '{\n  "a": [\n    "}",\n    1\n  ]\n}\n') == [
        (0, 4, "region"), (1, 3, "region"),
    ]  # fmt: skip


@given(st.text(alphabet='#`~{}[]"\\- :|>a\n\r<!end', max_size=80))
def test_folds_lie_in_the_text(text):
    count = len(text.replace("\r\n", "\n").replace("\r", "\n").split("\n"))
    for frontend in FRONTENDS:
        found = folds(frontend.name, text)
        assert all(0 <= first < last < count for first, last, _ in found)


def outline(path: str) -> list[tuple[str, str, str]]:
    text = TEXTS[path]
    result = compile_text(text, path)
    found = folds_of(text, result.frontend.reader().editing())
    places = outline_of(symbols_of(result), path, found, lambda offset: text.count("\n", 0, offset))
    lines = text.split("\n")

    def rows(places, depth):
        for place in places:
            first, last = place.lines
            yield (" " * depth + place.kind, lines[first].strip(), lines[last].strip())
            yield from rows(place.inner, depth + 1)

    return list(rows(places, 0))


def test_a_definition_has_the_lines_that_belong_to_it():
    assert outline("a.md")[0] == ("node", "### 🔧 WORKFLOW STEP: Look around",
                                  "- the best place → PLACE")  # fmt: skip
    assert outline("e.md")[1] == ("node", "### Step 2: Trim it",
                                  "*   **Output Audio:** `reading_2.wav`")  # fmt: skip
    assert outline("d.json")[0] == ("node", "{", '"success_criteria": "the leak is found"')
    assert ("node", "A[First] --> B", "A[First] --> B") in outline("c.mmd")


def test_what_an_inner_workflow_defines_is_inside_of_it():
    rows = [kind for kind, first, _ in outline("f.flow.yaml")]
    assert rows[rows.index("workflow") :] == ["workflow", " variable", " node"]


@pytest.mark.parametrize("path", TEXTS)
def test_tokens_are_the_names_in_their_order(path):
    result = compile_text(TEXTS[path], path)
    tokens = list(tokens_of(symbols_of(result), path, 0, len(TEXTS[path])))
    assert tokens
    ends = [0, *(token.span.end for token in tokens)]
    assert all(end <= token.span.start for end, token in zip(ends, tokens, strict=False))
    assert all("\n" not in TEXTS[path][t.span.start : t.span.end] for t in tokens)


def test_a_token_says_what_is_done_with_the_name():
    result = compile_text(FLOW, "f.flow.yaml")
    found = {
        (FLOW[t.span.start : t.span.end], t.type, t.modifiers)
        for t in tokens_of(symbols_of(result), "f.flow.yaml", 0, len(FLOW))
    }
    assert ("judge", "function", ("declaration", "definition")) in found
    assert ("mark", "variable", ("modification",)) in found
    assert ("mark", "variable", ()) in found
    assert ("read_file", "method", ()) in found
