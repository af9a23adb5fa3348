"""Lists of models and of texts to stop at, names that hide an end, and what the rules can be."""

from __future__ import annotations

import pytest
from flowc.compiler.catalog.model_settings import OFFLINE, OFFLINE_ROLES
from flowc.compiler.driver import compile_text
from flowc.runtime.models.offline import OFFLINE as RULES
from flowc.runtime.models.offline import ROLES

FLOW = """flow: 1
{top}
agents: {{{agents}}}
nodes:
  - {{name: n, agent: {agent}, prompt: Say it., into: t{node}}}
outputs: [t]
"""


def said(agents="a: {system: x}", top="name: f", node="", agent="a"):
    text = FLOW.format(top=top, agents=agents, node=node, agent=agent)
    found = compile_text(text, "main.flow.yaml").diagnostics
    return [(d.code, d.severity, d.message, text[d.primary.start : d.primary.end]) for d in found]


@pytest.mark.parametrize(
    ("value", "message", "place"),
    [
        ("model: []", "`model` lists nothing", "[]"),
        ("model: [x:y, x:z, x:y]", "`x:y` stands in `model` twice", "x:y"),
        ("settings: {stop: []}", "`stop` lists nothing", "[]"),
        ("settings: {stop: [END, '']}", "`stop` lists an empty text", ""),
        ("settings: {stop: [END, END]}", "`END` stands in `stop` twice", "END"),
    ],
)
def test_a_list_that_says_nothing_or_something_twice_is_an_error(value, message, place):
    expected = [("FC1005", "error", message, place)]
    assert said(agents=f"a: {{system: x, {value}}}") == expected
    assert said(node=f", {value}") == expected


@pytest.mark.parametrize("value", ["model: [x:y, x:z]", "model: x:y", "settings: {stop: END}"])
def test_other_lists_are_good(value):
    assert said(node=f", {value}") == []


def test_a_file_names_one_model():
    assert said(top="model: [x:y, x:z]") == [
        ("FC1005", "error", "`model` takes one model, not a list", "[x:y, x:z]")
    ]


@pytest.mark.parametrize("name", ["end", "failed"])
def test_a_node_with_the_name_of_an_end_is_told(name):
    text = f"flow: 1\nnodes:\n  - {{name: a, assign: {{x: 1}}, next: {name}}}\n"
    node = f"  - {{name: {name}, assign: {{x: 2}}, next: done}}\n  - {{name: done, end: success}}\n"
    (found,) = compile_text(f"{text}{node}outputs: [x]\n", "main.flow.yaml").diagnostics
    assert (found.code, found.severity, found.primary.start) == (
        "FC1004", "warning", len(text) + len("  - {name: "),
    )  # fmt: skip
    assert found.message.startswith(f"`{name}` names this node, so `next: {name}` leads to it")


def test_a_real_end_may_have_that_name():
    text = "flow: 1\nnodes:\n  - {name: a, assign: {x: 1}}\n  - {name: end, end: success}\n"
    assert compile_text(f"{text}outputs: [x]\n", "main.flow.yaml").diagnostics == ()


def test_who_the_rules_cannot_be_is_told_at_once():
    (found,) = said(top="model: offline")
    assert found[:3] == (
        "FC4002", "warning", "the offline rules, which this file asks, cannot be `a`",
    )  # fmt: skip
    asked = "planner: {system: x, model: x:y}"
    (found,) = said(agents=asked, top="model: offline", agent="planner")
    assert found[2] == "`planner` asks `x:y`, and the model of this file is `offline`"


@pytest.mark.parametrize("role", OFFLINE_ROLES)
def test_who_the_rules_can_be_is_not(role):
    assert said(agents=f"{role}: {{system: x}}", top="model: offline", agent=role) == []


def test_the_rules_are_the_ones_that_answer():
    assert (RULES, tuple(ROLES)) == (OFFLINE, OFFLINE_ROLES)
