"""`now()` in a node: the time at which its visit began, whatever the clock shows later."""

from __future__ import annotations

from typing import Any

from flowc.compiler.expr.ast import Call
from flowc.compiler.ir import Assignment, ForeachNode, Param
from flowc.runtime.context import WaitClock
from flowc.runtime.engine.engine import open_engine
from specs import STATE, SUCCESS, ask, assign, lit, program, program_of, workflow
from worlds import World, start

NOW = Call(function="now", args=())


class Clock:
    """Goes on by an hour whenever it is looked at."""

    seconds = -3600.0

    def time(self) -> float:
        self.seconds += 3600
        return self.seconds


def world() -> World:
    return World(clock=WaitClock(Clock().time))


def test_each_visit_has_its_time_and_all_its_expressions_the_same(wait, url) -> None:
    spec = program(assign("a", N=NOW, STATUS=NOW), assign("b", RESULT=NOW), SUCCESS)

    async def go() -> Any:
        async with open_engine(url) as engine:
            return await start(engine, spec, world())

    values = wait(go()).variables
    assert values["N"] == values["STATUS"] == "1970-01-01T00:00:00+00:00"
    assert values["RESULT"] == "1970-01-01T01:00:00+00:00"


def test_a_visit_that_goes_on_after_a_pause_sees_the_time_at_which_it_began(wait, url) -> None:
    """The second element is begun by the execution after the pause."""
    inner = workflow(ask("q"), SUCCESS, name="inner", outputs=("T",), variables=("RESULT",),
                     params=(Param(name="I", type="any"), Param(name="T", type="any")))  # fmt: skip
    each = ForeachNode(
        id="each", items=lit([1, 2]), workflow="inner", item="I", into="RESULT",
        passes=(Assignment(target="T", value=NOW),),
    )  # fmt: skip
    spec = program_of(workflow(each, SUCCESS, state=STATE), inner=inner)
    outside = world()

    async def go() -> Any:
        async with open_engine(url) as engine:
            outcome = await start(engine, spec, outside)
            while outcome.status == "paused":
                outcome = await engine.resume("r", spec, outside, answers={"": "on"})
            return outcome

    assert wait(go()).result == ["1970-01-01T00:00:00+00:00"] * 2
