"""State schemas and the reducers that LangGraph rebuilds a state with."""

from __future__ import annotations

from typing import Any

from flowc.compiler.ir import Param, StateField
from flowc.runtime.graph import build
from flowc.runtime.inert import inert_services
from flowc.runtime.state import append, fold, reset, tally
from hypothesis import given
from hypothesis import strategies as st
from specs import SUCCESS, assign, lit, program

MESSAGES = st.lists(st.integers(), max_size=3)
WRITES = st.lists(st.one_of(MESSAGES.map(append), MESSAGES.map(reset), MESSAGES), max_size=5)
COUNTS = st.dictionaries(st.sampled_from("abc"), st.integers(1, 3))


@given(MESSAGES, WRITES, WRITES)
def test_folding_two_batches_is_folding_both_at_once(start: Any, first: Any, second: Any) -> None:
    assert fold(fold(start, first), second) == fold(start, first + second)


@given(COUNTS, st.lists(COUNTS), st.lists(COUNTS))
def test_counting_two_batches_is_counting_both_at_once(start: Any, first: Any, more: Any) -> None:
    assert tally(tally(start, first), more) == tally(start, first + more)


@given(MESSAGES, WRITES)
def test_folding_changes_nothing_that_it_was_given(start: Any, writes: Any) -> None:
    before = list(start)
    fold(start, writes)
    assert start == before


def test_a_graph_says_what_goes_in_and_what_comes_out() -> None:
    spec = program(
        assign("a", RESULT=lit("x")),
        SUCCESS,
        params=(Param(name="CITY", type="text"), Param(name="COUNT", type="integer")),
    )
    app = build(spec, inert_services()).compile()
    assert set(app.get_input_jsonschema()["properties"]) == {"CITY", "COUNT"}
    assert set(app.get_output_jsonschema()["properties"]) == {"RESULT", "$outcome"}


def test_reducers_of_variables(execute) -> None:
    fields = (
        StateField(name="LIST", type="list", reducer="append"),
        StateField(name="SUM", type="number", reducer="add"),
        StateField(name="RESULT", type="any"),
    )
    spec = program(
        assign("a", LIST=lit("one"), SUM=lit(2)),
        assign("b", LIST=lit("two"), SUM=lit(3)),
        SUCCESS,
        state=fields,
    )
    variables = execute(spec).variables
    assert (variables["LIST"], variables["SUM"]) == (["one", "two"], 5)
