"""What is kept of a reservation once its call is over, refused, lost or cut off."""

from __future__ import annotations

import asyncio

import pytest
from estimates import (
    INPUT,
    MODEL,
    OUTPUT,
    PRICES,
    Paper,
    chars,
    question,
    run,
    tokens,
    waits,
)
from flowc.runtime.budget.budget import RunBudget
from flowc.runtime.charges import Charge, Usage
from flowc.runtime.errors import Failure, RunError
from flowc.runtime.services import ModelReply


def test_the_real_usage_takes_the_place_of_the_worst_case():
    async def go() -> None:
        budget, paper = RunBudget(PRICES), Paper()
        await budget.open(paper)
        held = await budget.reserve(question(tokens(1000), answer=40))
        worst = Charge(("r",), MODEL, 60, 40, 0, 60 * INPUT + 40 * OUTPUT, 0, "held")
        assert (budget.left(held.want.scopes[0], tokens(1000)), paper.rows) == (900, {1: worst})
        calls = ({"id": "1", "name": "f", "args": {"ü": 1}}, {"id": "2", "name": "g"})
        charge = await held.settle(ModelReply("abc", calls, Usage(50, 10)))
        real = 50 * INPUT + 10 * OUTPUT
        assert charge == Charge(("r",), MODEL, 50, 10, 0, real, 3 + 8 + 4, "told")
        assert paper.rows == {1: charge}
        assert budget.left(held.want.scopes[0], tokens(1000)) == 940

    run(go())


@pytest.mark.parametrize(
    ("answer", "output"), [(40, 40), (None, 5)], ids=["the bound", "its length in bytes"]
)
def test_where_the_provider_says_nothing_the_worst_case_is_guessed(answer, output):
    async def go() -> None:
        budget = RunBudget(PRICES)
        held = await budget.reserve(question(answer=answer))
        charge = await held.settle(ModelReply("fünf", usage=Usage()))
        assert (charge.input_tokens, charge.output_tokens) == (60, output)
        assert (charge.status, charge.cost) == ("guessed", 60 * INPUT + output * OUTPUT)
        assert budget.used().estimated

    run(go())


@pytest.mark.parametrize("usage", [Usage(5, 0), Usage(0, 5)])
def test_half_of_a_usage_is_one_that_was_told(usage):
    async def go() -> Charge:
        held = await RunBudget(PRICES).reserve(question(answer=40))
        return await held.settle(ModelReply("x", usage=usage))

    charge = run(go())
    assert (charge.status, charge.tokens) == ("told", 5)


def test_what_is_not_a_model_costs_nothing_and_leaves_a_row_once_it_is_done():
    async def go() -> None:
        budget, paper = RunBudget(PRICES, max_output=40), Paper()
        await budget.open(paper)
        held = await budget.reserve(question(tokens(1000), model="", given=0))
        assert (held.max_tokens, held.charge, paper.rows) == (
            None,
            Charge(("r",), "", 0, 0, 0, 0, 0, "held"),
            {},
        )
        charge = await held.settle(ModelReply("abc"))
        assert charge == Charge(("r",), "", 0, 0, 0, 0, 3, "told")
        assert paper.rows == {1: charge}
        assert not budget.used().estimated
        released = await budget.reserve(question(model=""))
        await released.release()
        assert list(paper.rows) == [1]

    run(go())


def test_an_answer_with_more_characters_than_are_left_is_paid_and_not_taken():
    async def go() -> None:
        budget, paper = RunBudget(PRICES), Paper()
        await budget.open(paper)
        want = question(chars(4), answer=40)
        await (await budget.reserve(want)).settle(ModelReply("ab", usage=Usage(1, 1)))
        over = await budget.reserve(want)
        with pytest.raises(Failure, match="4 characters is too little to go on: 2 characters are"):
            await over.settle(ModelReply("abc", usage=Usage(50, 30)))
        assert (paper.rows[2].tokens, paper.rows[2].chars) == (80, 0)
        assert budget.left(want.scopes[0], chars(4)) == 2
        exact = await budget.reserve(want)
        assert (await exact.settle(ModelReply("cd", usage=Usage(1, 1)))).chars == 2
        assert budget.left(want.scopes[0], chars(4)) == 0
        assert budget.used().input_tokens == 52

    run(go())


def test_only_characters_are_looked_at_once_an_answer_is_there():
    async def go() -> Charge:
        held = await RunBudget(PRICES).reserve(question(tokens(100), answer=40))
        return await held.settle(ModelReply("x" * 500, usage=Usage(60, 40)))

    assert run(go()).chars == 500


def test_a_refused_call_gives_back_everything():
    async def go() -> None:
        budget, paper = RunBudget(PRICES), Paper()
        await budget.open(paper)
        held = await budget.reserve(question(tokens(100), answer=40))
        await held.release()
        await held.release()
        assert (budget.left(held.want.scopes[0], tokens(100)), paper.rows) == (100, {})
        assert budget.used() == Usage(cost=0.0)

    run(go())


def test_a_call_that_was_cut_off_stays_spent():
    async def go() -> None:
        budget, paper = RunBudget(PRICES), Paper()
        await budget.open(paper)
        held = await budget.reserve(question(tokens(200), answer=40))
        held.let_go()
        await held.release()
        assert paper.rows[1].status == "held"
        assert budget.left(held.want.scopes[0], tokens(200)) == 100
        assert budget.used().estimated

    run(go())


def test_what_cannot_be_written_down_is_not_reserved():
    async def go() -> None:
        budget, paper = RunBudget(PRICES), Paper(torn=True)
        await budget.open(paper)
        want = question(tokens(100), answer=40)
        with pytest.raises(RunError, match="full"):
            await budget.reserve(want)
        assert budget.left(want.scopes[0], tokens(100)) == 100
        paper.torn = False
        with pytest.raises(Failure, match=r"too little|leaves"):  # and nobody is waited for
            await budget.reserve(question(tokens(70)))
        assert (await budget.reserve(want)).max_tokens == 40

    run(go())


def test_an_answer_that_was_lost_is_paid_twice_when_it_is_asked_for_again():
    async def go() -> None:
        budget, paper = RunBudget(PRICES), Paper()
        await budget.open(paper)
        held = await budget.reserve(question(tokens(300), answer=40))
        await held.charge_lost_attempt(again=True)
        assert (held.number, held.max_tokens, held.tight) == (2, 40, None)
        assert [row.status for row in paper.rows.values()] == ["held", "held"]
        await held.charge_lost_attempt(again=True, usage=Usage(50, 10))
        assert (held.number, held.max_tokens) == (3, 40)
        assert (paper.rows[2].tokens, paper.rows[2].status) == (60, "told")
        charge = await held.settle(ModelReply("x", usage=Usage(1, 1)))
        assert (paper.rows[3], budget.left(held.want.scopes[0], tokens(300))) == (charge, 138)

    run(go())


def test_the_room_of_another_attempt_is_what_the_lost_one_leaves():
    async def go() -> None:
        budget = RunBudget(PRICES)
        want = question(tokens(190), answer=40)
        held = await budget.reserve(want)
        await held.charge_lost_attempt(again=True)
        assert (held.max_tokens, held.tight) == (30, (want.scopes[0], tokens(190)))
        assert held.charge.tokens == 90
        await held.release()
        assert budget.left(want.scopes[0], tokens(190)) == 90
        with pytest.raises(Failure, match="the limit of `w` of 100 tokens is used up"):
            await (await budget.reserve(question(tokens(100), scope="s"))).charge_lost_attempt(True)

    run(go())


@pytest.mark.parametrize("usage", [None, Usage(), Usage(0, 7)])
def test_a_lost_answer_of_which_nothing_is_told_is_counted_at_its_worst(usage):
    async def go() -> None:
        budget = RunBudget(PRICES)
        want = question(tokens(100), answer=40)
        held = await budget.reserve(want)
        await held.charge_lost_attempt(again=False, usage=usage)
        await held.release()
        assert budget.left(want.scopes[0], tokens(100)) == 0
        with pytest.raises(Failure, match="used up"):  # and nobody is waited for
            await budget.reserve(want)

    run(go())


def test_an_attempt_that_is_asked_for_again_is_waited_for():
    async def go() -> None:
        budget, want = RunBudget(PRICES), question(tokens(200), answer=40)
        held = await budget.reserve(want)
        await held.charge_lost_attempt(again=True)
        other = asyncio.create_task(budget.reserve(want))
        assert await waits(other)
        await held.release()
        assert (await other).max_tokens == 40

    run(go())


def test_a_run_goes_on_from_what_it_used_before():
    async def go() -> None:
        paper, want = Paper(), question(tokens(1000), answer=40)
        budget = RunBudget(PRICES)
        await budget.open(paper)
        for _ in range(2):
            await (await budget.reserve(want)).settle(ModelReply("x", usage=Usage(50, 20)))
        await budget.renew("r", "tokens")
        again = RunBudget(PRICES)
        await again.open(paper)
        assert (again.used(), again.since("r", "tokens")) == (budget.used(), 140)
        assert (await again.reserve(want)).number == 3

    run(go())
