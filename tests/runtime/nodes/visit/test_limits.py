"""Visit limits as people write them: too small, or no number at all (M45)."""

from __future__ import annotations

import dataclasses

import pytest
from flowc.compiler.expr.ast import Call
from flowc.compiler.ir import Assignment, ErrorRule, Limit, Param
from specs import FAILED, SUCCESS, assign, edge, field_of, lit, name, on_error, plus, program

HITS = plus(Call(function="number", args=(name("HITS"),)), lit(1))
COUNT = plus(Call(function="coalesce", args=(name("N"), lit(0))), lit(1))


@pytest.mark.parametrize(
    ("hits", "runs", "said"),
    [
        (0, 1, "`again` was entered once, which is its limit"),
        (-7, 1, "`again` was entered once, which is its limit"),
        ("abc", None, "the limit on visits of `again` cannot be read: `abc` is not a number"),
    ],
)
def test_a_limit_ends_the_workflow_failed_after_its_handler_m45(execute, hits, runs, said) -> None:
    limits = (Limit(name="visits", value=HITS),)
    spec = program(
        assign("again", N=COUNT),
        SUCCESS,
        dataclasses.replace(assign("tidy", STATUS=lit("tidied")), limits=()),
        FAILED,
        edges=(edge("again", "again"), on_error("again", "FAILED", "limit")),
        variables=("N", "STATUS", "RESULT"),
        params=(Param(name="HITS", type="any"),),
        on_failed="tidy",
        limits=limits if isinstance(hits, int) else (),
        on_error=(
            ErrorRule(
                kinds=("limit",),
                assignments=(Assignment(target="RESULT", value=field_of("error", "message")),),
            ),
        ),
    )
    if isinstance(hits, str):
        again = dataclasses.replace(spec.nodes[0], limits=limits)
        spec = dataclasses.replace(spec, nodes=(again, *spec.nodes[1:]))
    outcome = execute(spec, {"HITS": hits})
    assert (outcome.status, outcome.variables["N"]) == ("failed", runs)
    assert (outcome.result, outcome.variables["STATUS"]) == (said, "tidied")
