"""The line of a slip, where the parser of YAML notices it further down."""

from __future__ import annotations

import pytest
from flowc.compiler.driver import compile_text

GOOD = """flow: 1
title: A title
agents:
  clerk: {system: You write.}
nodes:
  - name: write
    agent: clerk
    prompt: "Write about {{ topic }}."
    into: text
    next: end
params:
  topic: text
outputs: [text]
limits: {steps: 5}
"""


@pytest.mark.parametrize(
    ("right", "wrong", "message", "help"),
    [
        ("    into: text", "    into text", "no colon stands behind `into`", "write `into: `"),
        ("nodes:\n", "nodes\n", "no colon stands behind `nodes`", "write `nodes: `"),
        ("params:\n", "params\n", "no colon stands behind `params`", "write `params: `"),
        ("[text]\n", "[text\n", "this `[` is not closed", "write `]` at its end"),
        ("{steps: 5}\n", "{steps: 5\n", "this `{` is not closed", "write `}` at its end"),
        ('}}."\n', "}}.\n", "this quote is not closed", 'write `"` at its end'),
        (
            "    into: text", "\tinto: text", "a tab stands where blanks indent",
            "write blanks in place of the tab",
        ),
    ],
)  # fmt: skip
def test_the_slip_itself_is_told(right, wrong, message, help):
    line = GOOD[: GOOD.index(right)].count("\n") + 1
    result = compile_text(GOOD.replace(right, wrong, 1), "main.flow.yaml")
    found = next(d for d in result.diagnostics if d.code == "FC1001")
    assert (found.message, found.help) == (message, help)
    text = GOOD.replace(right, wrong, 1)
    assert text.count("\n", 0, found.primary.start) + 1 == line


def test_a_file_that_is_read_is_not_searched_for_slips():
    text = GOOD.replace("You write.", "'limits and steps: what to write'")
    assert compile_text(text, "main.flow.yaml").diagnostics == ()


def test_lines_in_a_block_of_text_are_not_slips():
    text = GOOD.replace('"Write about {{ topic }}."', "|\n      into text\n      [open\n")
    result = compile_text(text.replace("[text]", "[text"), "main.flow.yaml")
    assert [d.message for d in result.diagnostics if d.code == "FC1001"] == [
        "this `[` is not closed"
    ]


@pytest.mark.parametrize(
    ("right", "wrong", "help"),
    [
        ("nodes:", "steps:", "here it is `nodes:`"),
        ("params:", "env:", "here it is `params:`"),
        ("    next: end", "    goto: end", "here it is `next:`"),
        ("    agent: clerk", "    llm: clerk", "did you mean `agent`?"),
    ],
)
def test_words_of_other_tools_are_told_by_their_names_here(right, wrong, help):
    found = compile_text(GOOD.replace(right, wrong, 1), "main.flow.yaml").diagnostics
    assert help in [d.help for d in found]
