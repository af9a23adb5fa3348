"""State schemas and the reducers that LangGraph rebuilds a state with."""

from __future__ import annotations

import sqlite3
from typing import Any

import specs
from flowc.compiler.expr.ast import Binary
from flowc.compiler.ir import AskNode, ChooseNode, Param, StateField
from flowc.runtime.checkpoints.channels import SNAPSHOT_AT_LAST, GrowingChannel
from flowc.runtime.engine.engine import open_engine
from flowc.runtime.graph.build import build
from flowc.runtime.state.channels import tally
from flowc.runtime.state.conversations import append, fold, reset
from flowc.runtime.state.parameters import parameters_schema
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from specs import SUCCESS, assign, lit, program

MESSAGES = st.lists(st.integers(), max_size=3)
WRITES = st.lists(st.one_of(MESSAGES.map(append), MESSAGES.map(reset), MESSAGES), max_size=5)
COUNTS = st.dictionaries(st.sampled_from("abc"), st.integers(1, 3))


@settings(suppress_health_check=[HealthCheck.too_slow])
@given(MESSAGES, WRITES, WRITES)
def test_folding_two_batches_is_folding_both_at_once(start: Any, first: Any, second: Any) -> None:
    assert fold(fold(start, first), second) == fold(start, first + second)


@given(COUNTS, st.lists(COUNTS), st.lists(COUNTS))
def test_counting_two_batches_is_counting_both_at_once(start: Any, first: Any, more: Any) -> None:
    assert tally(tally(start, first), more) == tally(start, first + more)


@settings(suppress_health_check=[HealthCheck.too_slow])
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
    assert set(parameters_schema(spec)["properties"]) == {"messages", "CITY", "COUNT"}
    assert set(build(spec).compile().get_output_jsonschema()["properties"]) == {
        "RESULT",
        "messages",
        "outcome",
    }


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


ROUNDS, LINE = 300, "x" * 2_000


def a_line_in_each_round() -> Any:
    """A loop that appends a line to a list, then a question."""
    more = Binary(op="<", left=specs.name("N"), right=lit(ROUNDS))
    return program(
        assign("begin", N=lit(0)),
        assign("again", N=specs.plus(specs.name("N"), lit(1)), LIST=lit(LINE)),
        ChooseNode(id="more", on=more),
        AskNode(id="ask", question=lit("?"), into="N"),
        SUCCESS,
        edges=(specs.case("more", "true", "again"), specs.case("more", "false", "ask")),
        state=(specs.LIST, specs.N),
        outputs=("LIST",),
    )


def test_a_list_that_grows_is_kept_as_what_was_added(url, tmp_path, world, wait) -> None:
    spec = a_line_in_each_round()

    async def go() -> Any:
        async with open_engine(url) as engine:
            await engine.start(spec, world, run="r", inputs={}, options={})
        async with open_engine(url) as engine:
            return await engine.resume("r", spec, world, answers={"": "go on"})

    assert wait(go()).variables["LIST"] == [LINE] * ROUNDS
    with sqlite3.connect(tmp_path / "runs.db") as db:
        whole = db.execute("select sum(length(body)) from flow_checkpoints").fetchone()[0]
    limit = 3 * ROUNDS * len(LINE)
    assert whole < limit


def test_who_reads_a_long_list_does_not_put_all_of_it_together() -> None:
    channel = GrowingChannel(fold)
    channel.update([append(range(10_000))])
    assert channel.copy().snapshot_frequency == SNAPSHOT_AT_LAST
