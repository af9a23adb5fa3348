"""`flowc fmt`: white space alone changes, and only once."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml
from flowc.compiler.emit.flow.program import emit_flow_yaml
from flowc.compiler.flow_yaml.layout import lay_out
from flowc.compiler.ir import Program
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from workflows import FILE, workflows

FOLDERS = [Path(__file__).parents[2] / "corpus/flow", Path(__file__).parents[3] / "workflows"]
FILES = sorted(file for folder in FOLDERS for file in folder.rglob("*.flow.yaml"))
SLOW = list(HealthCheck)
NO_SHRINKING = (Phase.explicit, Phase.reuse, Phase.generate)
"""A workflow that fails is small enough to read, and takes minutes to make smaller."""


def squeezed(text: str) -> str:
    return "".join(text.split())


def is_yaml(text: str) -> bool:
    try:
        list(yaml.parse(text, Loader=yaml.CSafeLoader))
    except yaml.YAMLError:
        return False
    return True


@pytest.mark.parametrize("file", FILES, ids=lambda f: f"{f.parent.name}/{f.name}")
def test_every_file_keeps_its_words_and_is_settled_after_one_round(file):
    text = file.read_text(encoding="utf-8")
    if not is_yaml(text):
        return
    once = lay_out(text)
    assert squeezed(once) == squeezed(text)
    assert lay_out(once) == once


@settings(max_examples=20, phases=NO_SHRINKING, deadline=None, suppress_health_check=SLOW)
@given(main=workflows(), inner=workflows())
def test_what_flowc_writes_is_laid_out_already(main, inner):
    rows = ((FILE, main), (f"{FILE}#inner", inner))
    text = emit_flow_yaml(Program(entry=FILE, workflows=rows))
    assert lay_out(text) == text


SCRAPS = st.sampled_from(
    ["a: b", "- c", "-   d: e", "  f:   g  # tail", "# note", "   # deep", "", "  ", "h: |",
     "i: >-", "    text", "   more: text", "j: [k,", "   l]", 'm: "n', '  o"  ', "- - p", "  - q",
     "? r", ": s", "t: &u {v: w}", "x: *u", "---", "nodes:", "  -", "y: |+", "z: 'it''s"]
)  # fmt: skip


@settings(max_examples=300, phases=NO_SHRINKING, deadline=None, suppress_health_check=SLOW)
@given(lines=st.lists(SCRAPS, max_size=9))
def test_whatever_is_yaml_keeps_its_meaning(lines):
    text = "\n".join(lines) + "\n"
    if is_yaml(text):
        once = lay_out(text)
        assert squeezed(once) == squeezed(text)
        assert lay_out(once) == once


UNTIDY = """\
flow: 1   # the version
params:
    topic: text     # what it is about
    # how many
    count:   {type: integer,
              default: 3}   # lines
nodes:
# first of all
- name: draft
  # the question
  prompt: |    # kept
        Dear reader,

          this is indented.
  agent:  writer
# then
-   name: look
    ask: Well?
    into: answer


# the end
"""
TIDY = """\
flow: 1  # the version

params:
  topic: text  # what it is about
  # how many
  count: {type: integer,
            default: 3}  # lines

nodes:
  # first of all
  - name: draft
    # the question
    prompt: |  # kept
      Dear reader,

        this is indented.
    agent: writer

  # then
  - name: look
    ask: Well?
    into: answer

# the end
"""


def test_comments_stand_where_what_they_speak_of_stands():
    assert lay_out(UNTIDY) == TIDY


@pytest.mark.parametrize(
    "text", ["", "# nothing\n", "flow: 1", "a: |+\n  b\n\n\n", "flow: 1\r\na:  b\r\n"]
)
def test_odd_files(text):
    once = lay_out(text)
    assert squeezed(once) == squeezed(text)
    assert lay_out(once) == once
    assert ("\r\n" in once) == ("\r\n" in text)


@pytest.mark.parametrize("header", ["|", ">", "|-", "|+"])
def test_a_file_that_ends_inside_a_block_keeps_its_last_line(header):
    text = f"flow: 1\ntitle:   {header}\n     Tell me"
    once = lay_out(text)
    assert yaml.safe_load(once) == yaml.safe_load(text)
    assert f"\ntitle: {header}\n  Tell" in once
    assert lay_out(once) == once
