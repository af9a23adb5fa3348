"""Assert nodes: the run goes on when the condition holds and fails with the message otherwise."""

from __future__ import annotations

import pytest
from flowc.compiler.ir import AssertNode, Param
from specs import SUCCESS, name, program, text


def claim(*, message: bool) -> AssertNode:
    said = text("N is ", name("N")) if message else None
    return AssertNode(id="claim", condition=name("N"), message=said)


def test_what_holds_lets_the_run_go_on(execute) -> None:
    outcome = execute(
        program(claim(message=True), SUCCESS, params=(Param(name="N", type="any"),), variables=()),
        {"N": 3},
    )
    assert outcome.status == "success"


@pytest.mark.parametrize(("message", "said"), [(True, "N is 0"), (False, "`claim` does not hold")])
def test_what_does_not_hold_ends_the_run_failed(execute, message: bool, said: str) -> None:
    outcome = execute(
        program(
            claim(message=message), SUCCESS, params=(Param(name="N", type="any"),), variables=()
        ),
        {"N": 0},
    )
    assert (outcome.status, outcome.error["message"]) == ("error", said)
