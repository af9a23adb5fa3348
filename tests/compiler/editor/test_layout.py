"""Layouts of files: white space alone changes, and once; a reading stays the same."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from flowc.compiler.driver import compile_file, compile_text
from flowc.compiler.editor.json_layout import lay_out_json
from flowc.compiler.editor.layout import MAX_LAID_OUT, NotLaidOut, layout_of
from flowc.compiler.frontends import is_workflow
from flowc.compiler.source.source import SourceSet
from hypothesis import given
from hypothesis import strategies as st
from lsp_texts import CHART, CONTRACT, FLOW, STEPS

ROOT = Path(__file__).resolve().parents[3]
FILES = sorted(
    file
    for pattern in ("tests/corpus/*/ok/*/main.*", "workflows/*/*/*.*")
    for file in ROOT.glob(pattern)
    if file.suffix in (".md", ".json", ".yaml", ".mmd") and is_workflow(SourceSet().read(str(file)))
)


def lay_out(text: str, path: str) -> str:
    new = layout_of(compile_text(text, path))
    assert isinstance(new, str), new
    return new


@pytest.mark.parametrize("file", FILES, ids=lambda file: "/".join(file.parts[-3:]))
def test_a_layout_keeps_everything_but_white_space_and_stays(file):
    result = compile_file(str(file))
    text = result.sources.files[str(file)].text
    new = layout_of(result)
    if isinstance(new, NotLaidOut):
        assert [d for d in result.diagnostics if d.code.startswith("FC1")]
        return
    assert re.sub(r"\s", "", new) == re.sub(r"\s", "", text)
    again = compile_text(new, str(file))
    assert again.parsed.workflow == result.parsed.workflow
    assert again.parsed.parts == result.parsed.parts
    assert layout_of(again) == new


def test_blanks_at_the_ends_of_lines_go_where_nothing_is_said_by_them():
    messy = STEPS.replace("Find a place.", "Find a place.  ").replace("TOOLS:\n", "TOOLS: \t\n")
    assert lay_out(messy + "\n\n", "a.md") == STEPS.replace("Find a place.", "Find a place.  ")


def test_the_two_blanks_that_break_a_line_stay():
    text = CHART + "\nOne line,  \nand another.   \n"
    assert lay_out(text, "b.wf.md").endswith("One line,  \nand another.\n")


def test_blanks_that_are_read_stay():
    """The text of a prompt without a fence reaches the model with them."""
    result = compile_text(CHART.replace("{{CITY}}.\n", "{{CITY}}. \n\n \nMore.\n"), "b.wf.md")
    again = compile_text(layout_of(result), "b.wf.md")
    assert again.parsed.workflow == result.parsed.workflow


def test_line_ends_of_windows_stay():
    windows = STEPS.replace("TOOLS:\n", "TOOLS: \n").replace("\n", "\r\n")
    assert lay_out(windows, "a.md") == STEPS.replace("\n", "\r\n")
    wide = CONTRACT.replace('  "steps"', '\t"steps"').replace("\n", "\r\n")
    assert lay_out(wide, "c.json") == CONTRACT.replace("\n", "\r\n")


def test_flow_yaml_keeps_its_comments():
    text = FLOW.replace("    next: judge", "    next:   judge # again")
    assert "    next: judge  # again\n" in lay_out(text, "f.flow.yaml")


def test_a_file_with_a_fault_stays_as_it_is():
    refused = layout_of(compile_text("flow: 1\nnodes:\n  - nam: a\n    agent: b\n", "f.flow.yaml"))
    assert isinstance(refused, NotLaidOut)
    assert "fault in line 3" in refused.reason
    assert isinstance(layout_of(compile_text("# Read me\n", "r.md")), NotLaidOut)
    long = layout_of(compile_text(STEPS + "x" * MAX_LAID_OUT, "a.md"))
    assert long == NotLaidOut("the text is longer than 2,000,000 characters")


def test_json_stands_one_member_a_line_unless_it_is_short():
    assert lay_out_json('{"a":[1,2],"b" : {\n"c":"x , y"},"d":[]}') == (
        '{\n  "a": [1, 2],\n  "b": {\n    "c": "x , y"\n  },\n  "d": []\n}\n'
    )
    assert lay_out_json('{"a": [' + ", ".join(["12345678"] * 12) + "]}").count("\n") == 16


@pytest.mark.parametrize("text", ["", "{", "[1}", "{'a': 1}", '{"a": 1} // x', "[1,]x", "]"])
def test_what_is_not_json_has_no_layout(text):
    assert lay_out_json(text) is None


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=40),
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=40,
)


@given(values, st.sampled_from([None, 0, 1, 4]))
def test_json_says_the_same_in_its_layout(value, indent):
    text = json.dumps(value, indent=indent, ensure_ascii=False)
    new = lay_out_json(text)
    assert json.loads(new) == value
    assert lay_out_json(new) == new
