"""Values that a checkpoint cannot hold are refused where they come in, with whose they are."""

from __future__ import annotations

from typing import Any

import pytest
from flowc.compiler.expr.ast import Binary
from flowc.compiler.ir import AgentNode, Assignment, AssignNode, Output, Param
from flowc.runtime.errors import Failure, RunError
from flowc.runtime.tools.registry import as_json
from flowc.runtime.values import MAX_DEPTH, SHORT, NotStorable, is_plain, storable_value
from specs import FAILED, SUCCESS, lit, name, on_error, program


def nested(levels: int) -> Any:
    value: Any = 1
    for _ in range(levels):
        value = [value]
    return value


UNFIT = {
    "a whole number beyond 64 bits": 2**64,
    "a number that is not finite": float("nan"),
    "nested more than 200 levels deep": nested(MAX_DEPTH + 1),
    "not a JSON value": {"a": object()},
}
STEP = AgentNode(
    id="step_0",
    agent="worker",
    prompt=lit("?"),
    report=True,
    step=0,
    outputs=(Output(name="N", source="n"),),
)


@pytest.mark.parametrize("reason", UNFIT)
def test_what_a_checkpoint_cannot_hold_is_named(reason) -> None:
    with pytest.raises(NotStorable, match=reason):
        storable_value({"deep": [UNFIT[reason]]})


def test_what_a_checkpoint_can_hold_stays_as_it_is() -> None:
    value = {"a": [1, -(2**63), 2**64 - 1, 2.5, None, True, "\0", "\U0001f600"], "b": nested(100)}
    assert storable_value(value) == value


def test_half_a_surrogate_pair_becomes_a_replacement_character_and_a_whole_one_its_sign() -> None:
    assert storable_value("a\ud83db \ud83d\ude00") == "a\ufffdb \U0001f600"


@pytest.mark.parametrize("value", [10**30, nested(700)], ids=["big", "deep"])
def test_a_model_is_told_when_its_arguments_cannot_be_kept(execute, world, value) -> None:
    def report(outputs: dict[str, Any]) -> Any:
        return [("report_step_result", {**done, "output_variables": outputs})]

    done = {"step_number": 1, "status": "passed"}
    world.models.replies = [report({"N": value}), report({"N": 5})]
    outcome = execute(program(STEP, SUCCESS))
    assert (outcome.status, outcome.variables["N"]) == ("success", 5)
    told = world.models.requests[1].messages[-1]["content"]
    assert told.startswith('{"error": "the arguments of `report_step_result`: it ')


def test_a_number_that_grows_beyond_64_bits_is_a_failure_at_its_node(execute) -> None:
    double = Binary(op="*", left=name("N"), right=name("N"))
    node = AssignNode(id="square", assignments=(Assignment(target="N", value=double),))
    start = AssignNode(id="begin", assignments=(Assignment(target="N", value=lit(2**40)),))
    spec = program(start, node, SUCCESS, FAILED, edges=(on_error("square", "FAILED"),))
    outcome = execute(spec)
    assert outcome.status == "failed"


def test_an_answer_of_a_model_is_the_same_before_and_after_a_resume(execute, world) -> None:
    world.models.replies = ["half \ud83d"]
    spec = program(AgentNode(id="p", agent="worker", prompt=lit("?"), into="RESULT"), SUCCESS)
    assert execute(spec).result == "half \ufffd"


@pytest.mark.parametrize("value", [10**30, "\udcff"], ids=["big", "not UTF-8"])
def test_an_input_that_cannot_be_kept_is_refused_by_name(execute, value) -> None:
    spec = program(SUCCESS, params=(Param(name="N"),))
    with pytest.raises(RunError, match=r"the input `N` of .* (cannot be kept|is not UTF-8)"):
        execute(spec, {"N": value})


def test_a_tools_result_that_cannot_be_kept_is_the_tools_failure() -> None:
    with pytest.raises(Failure, match="`big` gave no JSON value: it holds a whole number"):
        as_json({"n": 10**30}, "big")
    assert as_json(["\udce9.txt"], "list") == ["\ufffd.txt"]


@pytest.mark.parametrize("value", ["", "é" * SHORT, 1.5, -7, True])
def test_a_number_or_a_short_text_is_plain(value: object) -> None:
    assert is_plain(value)


@pytest.mark.parametrize(
    "value", ["x" * (SHORT + 1), "\0", float("nan"), float("inf"), [], {}, None]
)
def test_nothing_else_is_plain(value: object) -> None:
    assert not is_plain(value)
