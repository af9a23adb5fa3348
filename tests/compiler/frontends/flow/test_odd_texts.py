"""Texts, names and limits of flow YAML that mean something else than they seem to."""

from __future__ import annotations

import pytest
from findings import findings

GOOD = """flow: 1
params: {topic: text, names: list}
limits: {steps: 5}
agents: {writer: {}}
nodes:
  - name: write
    agent: writer
    prompt: Write about {{ topic }}.
    into: draft
    retry: 2
  - name: look
    assign: {many: length(names)}
  - name: ask
    ask: Good?
    choices: [yes, no]
    into: answer
outputs: [draft, many, answer]
"""


def said(text: str) -> list[tuple[str, str, int]]:
    return findings(text, "main.flow.yaml")


def test_the_good_one_is_good():
    assert said(GOOD) == []


@pytest.mark.parametrize(
    ("old", "new", "message", "help", "line"),
    [
        ("Write about", "Write it #3 about", "a comment", 'in quotes: `"Write it #3', 8),
        ("about {{ topic }}.", "about #{topic}.", "a comment", "in quotes", 8),
        ("agent: writer\n", "agent: writer,\n", "the `,` belongs", "write `writer`", 7),
        ("Write about {{ topic }}.", "“Write it.”", "quotes are not YAML's", '"Write it."', 8),
        ("{{ topic }}", "{{{ topic }}}", "not a placeholder", "{{ topic }}", 8),
        ("{{ topic }}", "${{ topic }}", "not a placeholder", "{{ topic }}", 8),
        ("about {{", "{% if topic %} about {{", "not a statement", "a `choose` node", 8),
        ("into: draft", 'into: "{{ draft }}"', "not a name of a variable", "`draft`", 9),
        ("into: draft", "into: my-draft", "not a name of a variable", "`my_draft`", 9),
        ("steps: 5", "steps: 0", "`steps` is not above 0", "a number above 0", 3),
        ("retry: 2", "retry: 0", "`attempts` is not `0`", "at least 1", 10),
        ("length(names)", "names.size", "`names` is a list", "`length(names)`", 12),
        ("[yes, no]", "[]", "`choices` lists nothing", "name at least one", 15),
        ("    prompt: Write about {{ topic }}.\n", "", "`write` asks nothing", "`prompt:`", 7),
        ("    into: draft", "    into： draft", "not a colon: `： `", "`into: `", 9),
        ("    into: answer", "\u00a0   into: answer", "a blank of another kind", "plain", 16),
        ("  - name: look", "  -name: look", "stands behind the dash", "`- name:`", 11),
    ],
)
def test_what_means_something_else_is_told_where_it_stands(old, new, message, help, line):
    assert old in GOOD
    told = said(GOOD.replace(old, new))
    assert any(message in m and help in h and at == line for m, h, at in told), told
