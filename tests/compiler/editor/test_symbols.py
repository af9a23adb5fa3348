"""Symbols, completion and rename without a server: what they make of texts."""

from __future__ import annotations

import pytest
from flowc.compiler.driver import compile_text
from flowc.compiler.editor.completion import (
    Candidate,
    complete,
    keys_by_brackets,
    keys_by_indentation,
)
from flowc.compiler.editor.rename import Refusal, rename, replace_spans, same_but
from flowc.compiler.editor.symbols import symbols_of
from flowc.compiler.ir import AssignNode, EndNode, Workflow
from flowc.compiler.reading.editing import Editing, Slot
from flowc.compiler.source.source import Source, SourceSet, Span
from flowcharts import compiled
from lsp_texts import CHART, MORE, PROMPTS, STEPS


def places(result, kind: str, name: str) -> list[tuple[str, str]]:
    symbols = symbols_of(result)
    return [(m.act, symbols.text(m)) for m in symbols.of(kind, name)]


def test_every_occurrence_has_exactly_its_characters():
    result = compile_text(STEPS, "a.md")
    symbols = symbols_of(result)
    named = [m for m in symbols.all if m.kind in ("variable", "tool")]
    assert len(named) == 7
    assert [symbols.text(m) for m in named] == [m.name for m in named]


def test_a_node_that_reads_a_variable_without_naming_it_is_no_place_of_it():
    result = compiled("START --> ASK_A[why] --> CHECK_B{CONTENT == 'x'} --> SUCCESS")
    assert places(result, "variable", "RESULT") == [("read", "CONTENT")]


def test_the_shortest_mention_counts():
    result = compiled("START --> SET_A[CITY=Oslo] --> SUCCESS")
    symbols = symbols_of(result)
    source = result.sources.files["trip.wf.md"]
    at = source.text.index("CITY")
    assert symbols.at("trip.wf.md", at).name == "CITY"
    assert symbols.at("trip.wf.md", at - 1).name == "SET_A"
    assert symbols.at("trip.wf.md", 0) is None
    assert symbols.at("other.md", 0) is None


def test_symbols_of_what_cannot_be_read():
    for text in ("", "# Workflow\n", "x"):
        assert symbols_of(compile_text(text, "a.wf.md")).all == ()


# --- rename ----------------------------------------------------------------------------------

FILES = {"trip.wf.md": CHART, "more.wf.md": MORE, "prompts.md": PROMPTS}


def renamed(text: str, mark: str, new: str, file: str = "trip.wf.md", **related):
    at = text.index(mark)
    return rename(file, Span(file, at, at), new, {**FILES, file: text}, **related)


def test_edits_are_made_from_the_back():
    spans = [Span("a", 0, 1), Span("a", 2, 3), Span("b", 1, 1)]
    assert replace_spans(spans, "xyz", {"a": "1 2", "b": "ab"}) == {"a": "xyz xyz", "b": "axyzb"}


def test_an_occurrence_that_no_span_knows_makes_a_rename_refused():
    """`more.wf.md` reads CITY; without being told that it shares it, nothing must be edited."""
    found = renamed(CHART, "CITY=", "TOWN")
    assert isinstance(found, Refusal)
    found = renamed(CHART, "CITY=", "TOWN", related=["more.wf.md"])
    assert not isinstance(found, Refusal)
    assert {span.file for span in found.spans} == {"trip.wf.md", "prompts.md"}


def test_a_parameter_that_is_read_from_the_environment_keeps_its_name():
    chart = CHART.replace("    START", '    PARAMS["KEY=env:KEY"]\n    START')
    chart = chart.replace("{{CITY}}", "{{CITY}} {{KEY}}")
    found = renamed(chart, "KEY=env", "OTHER")
    assert isinstance(found, Refusal)
    assert "environment" in found.reason


def flow(*nodes) -> Workflow:
    return Workflow(name="w", nodes=nodes)


@pytest.mark.parametrize(
    ("a", "b", "same"),
    [
        (AssignNode(id="A"), AssignNode(id="B"), True),
        (AssignNode(id="A"), AssignNode(id="C"), False),
        (AssignNode(id="AA"), AssignNode(id="BB"), False),
        (AssignNode(id="x", title="A and A"), AssignNode(id="x", title="B and A"), True),
        (AssignNode(id="x", title="A and A"), AssignNode(id="x", title="B or A"), False),
        (AssignNode(id="x", title="A"), AssignNode(id="x", title="A B"), False),
        (AssignNode(id="A"), EndNode(id="B", outcome="failed"), False),
        (AssignNode(id="x", span=Span("f", 1, 2)), AssignNode(id="x"), True),
    ],
)
def test_the_same_but_for_a_name(a, b, same):
    assert same_but(flow(a), flow(b), "A", "B") is same


def test_the_same_but_for_a_name_that_begins_with_the_old_one():
    a, b = AssignNode(id="x", title="A, A"), AssignNode(id="x", title="A b, A")
    assert same_but(flow(a), flow(b), "A", "A b")
    assert not same_but(flow(a), flow(b), "A", "A c")


def test_a_name_that_can_be_read_in_too_many_ways_counts_as_a_difference():
    title = "A " * 20_000
    a, b = AssignNode(id="x", title=title), AssignNode(id="x", title=title.replace("A", "A A"))
    assert not same_but(flow(a), flow(b), "A", "A A")
    assert same_but(flow(a), flow(AssignNode(id="x", title=title.replace("A", "B"))), "A", "B")


# --- completion ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "keys"),
    [
        ("", []),
        ('{"na', []),
        ('{"states": [{"name": "a"}, {"na', ["states", "*"]),
        ('{"steps": [{"dependencies": ["a", "', ["steps", "*", "dependencies", "*"]),
        ('{"a": {"b": {"c": 1}, "d": ', ["a", "d"]),
        ('{"a": "}{][", "b": {', ["b"]),
        ('{"a": "\\"{", "b": [', ["b", "*"]),
        ("}}]]]", []),
    ],
)
def test_keys_around_a_place_in_json(text, keys):
    assert keys_by_brackets(text) == keys


@pytest.mark.parametrize(
    ("text", "keys"),
    [
        ("na", []),
        ("nodes:\n  a:\n    pro", ["nodes", "a"]),
        ("nodes:\n  a:\n    prompt: x\n  b:\n    to", ["nodes", "b"]),
        ("steps:\n  - name: a\n    tool", ["steps", "*"]),
        ("steps:\n  - na", ["steps", "*"]),
        ("a:\n  b: 1\nc:\n  ", ["c"]),
    ],
)
def test_keys_around_a_place_in_yaml(text, keys):
    assert keys_by_indentation(Source("a.yaml", text), len(text)) == keys


def test_very_many_names_are_cut_to_those_that_fit():
    import re

    editing = Editing((Slot(re.compile(r"(?P<word>\w*)\Z"), ("node",)),))
    names = {"node": [Candidate(f"node_{n}") for n in range(5_000)]}
    source = Source("a", "e_499")
    choices, whole = complete(source, 5, editing, names)
    assert not whole
    assert [c.label for c in choices] == ["node_499", *(f"node_499{n}" for n in range(10))]
    assert complete(Source("a", ""), 0, Editing(), names) == ([], True)


def test_what_is_written_behind_a_name_is_not_written_twice():
    result = compile_text(CHART, "trip.wf.md", sources=SourceSet(overrides=FILES))
    editing = result.frontend.reader().editing()
    names = {"variable": [Candidate("CITY")]}
    at = CHART.index("{{CITY}}") + 4
    choices, _ = complete(Source("trip.wf.md", CHART), at, editing, names)
    assert {c.label: c.insert for c in choices}["CITY"] == "CITY"
