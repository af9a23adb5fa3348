"""The inputs of a workflow mean the same to `flowc run`, to `flow.run` and to a graph."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import flowc
import pytest
from flowc import errors
from flowc.runtime.cli.app import run as command_line
from langgraph.checkpoint.memory import InMemorySaver

FLOW = """flow: 1
name: mix
params:
  word: {type: text, required: true}
  parts: {type: list, required: false}
  about: {type: object, required: false}
state: {n: {type: integer, default: 1}, wards: any}
nodes:
  - {name: put, assign: {n: n + 1}}
outputs: [n]
"""
THREAD: dict[str, Any] = {"configurable": {"thread_id": "a"}}


def by_run(inputs: Any) -> Any:
    return flowc.load(FLOW).run(inputs).variables


def by_graph(inputs: Any) -> Any:
    graph = flowc.load(FLOW).graph(checkpointer=InMemorySaver())
    graph.invoke(inputs, THREAD)
    return graph.get_state(THREAD).values


HOSTS = pytest.mark.parametrize("host", [by_run, by_graph])


def by_command_line(inputs: Any, capsys: pytest.CaptureFixture[str]) -> tuple[int, str, Any]:
    """Exit code, what is said, the variables."""
    Path("mix.flow.yaml").write_text(FLOW)
    Path("inputs.json").write_text(json.dumps(inputs))
    code = command_line(["run", "mix.flow.yaml", "--inputs", "inputs.json", "--json"])
    told = capsys.readouterr()
    return code, told.err, json.loads(told.out)["variables"] if code == 0 else {}


@HOSTS
def test_a_variable_is_no_input(host):
    with pytest.raises(errors.RunError, match=r"has no (parameter|input) `n`"):
        host({"word": "a", "n": 5})


def test_a_variable_is_no_input_of_flowc_run(capsys):
    code, said, _ = by_command_line({"word": "a", "n": 5}, capsys)
    assert code == 2
    assert "`mix` has no parameter `n`: it is a variable, which its nodes set" in said


@HOSTS
def test_the_nearest_parameter_is_named_and_never_a_variable(host):
    with pytest.raises(errors.RunError) as refused:
        host({"word": "a", "ward": "b"})
    assert "did you mean `word`?" in f"{refused.value.message} {refused.value.help}"


@HOSTS
@pytest.mark.parametrize(
    ("value", "text"), [(5, "5"), (2.5, "2.5"), (True, "true"), ("5", "5"), ("", "")]
)
def test_a_number_and_a_truth_value_are_their_texts_where_a_text_is_declared(host, value, text):
    assert host({"word": value})["word"] == text


def test_they_are_to_flowc_run_too(capsys):
    assert by_command_line({"word": 5}, capsys)[2]["word"] == "5"


@HOSTS
@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ({"parts": (1, ("a", 2))}, {"parts": [1, ["a", 2]]}),
        ({"about": {"pair": (1, 2)}}, {"about": {"pair": [1, 2]}}),
    ],
)
def test_a_tuple_is_a_list(host, given, kept):
    done = host({"word": "a", **given})
    assert {name: done[name] for name in kept} == kept


@HOSTS
@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"word": "a\ud800"}, "the input `word`.* is not UTF-8 text"),
        ({"word": "a", "parts": ["\ud800"]}, "the input `parts`.* is not UTF-8 text"),
        ({"word": "a", "parts": [{1, 2}]}, "the input `parts`.* cannot be kept: it holds a set"),
        ({"word": "a", "about": {1: 2}}, "the input `about`.* a key of an object is not a text"),
        ({"word": "a", "parts": "b"}, 'must be a JSON list, not `"b"`'),
        ({"word": ["a"]}, r"must be a text, not `\[\"a\"\]`"),
    ],
)
def test_what_does_not_fit_is_refused_in_words(host, given, words):
    with pytest.raises(errors.RunError, match=words):
        host(given)
