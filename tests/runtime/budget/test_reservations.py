"""Reservations by themselves: what a call may take, what it waits for and what limits leave."""

from __future__ import annotations

import asyncio
import threading
from decimal import Decimal

import pytest
from estimates import (
    INPUT,
    MODEL,
    OUTPUT,
    PRICES,
    Paper,
    chars,
    cost,
    question,
    refused,
    reserved,
    run,
    tokens,
    waits,
)
from flowc.runtime.budget.budget import LEAST_OUTPUT, MOST_OUTPUT, RunBudget, caller_caps
from flowc.runtime.charges import BudgetScope, Cap, Estimate, Usage
from flowc.runtime.config.prices import DOLLAR, Price, Prices, SetPrice
from flowc.runtime.errors import Failure, LimitReached, RunError
from flowc.runtime.services import ModelReply


def test_without_limits_an_answer_may_be_as_long_as_it_likes():
    held = reserved(question())
    assert (held.max_tokens, held.tight, held.charge.output_tokens) == (None, None, 0)


@pytest.mark.parametrize(
    ("ours", "theirs", "most"), [(None, 50, 50), (50, None, 50), (50, 40, 40), (40, 50, 40)]
)
def test_the_shorter_of_two_bounds_on_an_answer_holds(ours, theirs, most):
    held = reserved(question(answer=theirs), max_output=ours)
    assert (held.max_tokens, held.tight, held.charge.output_tokens) == (most, None, most)


def test_under_a_limit_an_answer_of_which_nobody_says_how_long_it_is_has_a_bound():
    held = reserved(question(tokens(10**6)))
    assert (held.max_tokens, held.tight) == (MOST_OUTPUT, None) == (32_768, None)
    assert reserved(question(cost(DOLLAR))).max_tokens == 32_768
    assert reserved(question(chars(10))).max_tokens is None, "which does not count tokens"


def test_a_limit_of_tokens_holds_to_the_token():
    whole = reserved(question(tokens(100), answer=40))
    assert (whole.max_tokens, whole.tight) == (40, None)
    short = reserved(question(tokens(99), answer=40))
    assert (short.max_tokens, short.tight) == (39, (short.want.scopes[0], tokens(99)))
    assert short.charge.tokens == 99


def test_a_call_is_made_for_sixteen_tokens_of_answer_and_not_for_fewer():
    assert LEAST_OUTPUT == 16
    assert reserved(question(tokens(76))).max_tokens == 16
    assert refused(question(tokens(75))) == (
        "the limit of `w` of 75 tokens leaves 75, and the question alone may have 60"
    )


@pytest.mark.parametrize("bound", [-5, 0])
def test_a_limit_that_leaves_nothing_is_used_up(bound):
    for cap in (tokens(bound), cost(bound), chars(bound)):
        for model in (MODEL, ""):
            assert refused(question(cap, model=model, given=0)).endswith(" is used up")


def test_a_limit_of_characters_has_room_until_none_is_left():
    assert reserved(question(chars(1), answer=5)).max_tokens == 5
    assert reserved(question(chars(1), model="")).max_tokens is None


def test_a_limit_of_cost_holds_to_the_picodollar():
    exact = 60 * INPUT + 40 * OUTPUT
    whole = reserved(question(cost(exact), answer=40))
    assert (whole.max_tokens, whole.tight, whole.charge.cost) == (40, None, exact)
    short = reserved(question(cost(exact - 1), answer=40))
    assert (short.max_tokens, short.tight) == (39, (short.want.scopes[0], cost(exact - 1)))


def test_money_for_the_question_alone_is_too_little():
    said = refused(question(cost(4000 * INPUT), given=4000))
    assert said == "the limit of `w` of $0.0100 is too little to go on: $0.0100 are left"
    assert "too little" in refused(question(cost(4000 * INPUT - 1), given=4000))


def test_what_costs_nothing_has_room_in_any_limit_of_cost():
    assert reserved(question(cost(1), model="free:model", answer=40)).max_tokens == 40
    answer_free = question(cost(60 * INPUT), model="answers:free", answer=40)
    assert reserved(answer_free).max_tokens == 40
    assert "too little" in refused(question(cost(60 * INPUT - 1), model="answers:free"))


def test_a_call_that_wants_no_answer_needs_room_for_its_question_alone():
    held = reserved(question(tokens(60), answer=0))
    assert (held.max_tokens, held.tight) == (0, None)
    assert "leaves 59" in refused(question(tokens(59), answer=0))


def test_the_least_price_of_an_answer_is_a_price():
    priced = Prices({MODEL: SetPrice(Decimal(0), Decimal("1e-12"))})
    want = question(cost(1), given=0, answer=2_000_000)
    held = run(RunBudget(priced).reserve(want))
    assert (held.max_tokens, held.charge.cost) == (1_000_000, 1)


class Unlisted(Prices):
    """A list that names nothing."""

    def of(self, model: str) -> Price | None:
        return None


def test_a_limit_of_cost_needs_a_price_and_others_do_not():
    budget = RunBudget(Unlisted())
    with pytest.raises(RunError, match="no price for `test:model`") as missing:
        run(budget.reserve(question(cost(DOLLAR))))
    assert "flowc.toml" in missing.value.help
    unpriced = run(budget.reserve(question(tokens(100))))
    assert unpriced.charge.cost is None
    assert unpriced.budget.left(unpriced.want.scopes[0], cost(DOLLAR)) == DOLLAR
    assert reserved(question(cost(DOLLAR), model="")).charge.cost == 0


def test_the_tightest_limit_bounds_an_answer_and_of_equal_ones_the_innermost():
    outer, inner = tokens(100), Cap("tokens", 90, "the inner limit")
    want = Estimate((BudgetScope("r", (outer,)), BudgetScope("n", (inner,))), MODEL, 60)
    held = reserved(want)
    assert (held.max_tokens, held.tight) == (30, (want.scopes[1], inner))
    equal = Cap("tokens", 100, "the inner limit")
    want = Estimate((BudgetScope("r", (outer,)), BudgetScope("n", (equal,))), MODEL, 60)
    assert reserved(want).tight == (want.scopes[1], equal)
    assert reserved(want).charge.scopes == ("r", "n")


def test_what_two_calls_use_counts_in_every_scope_and_in_no_other():
    async def go() -> None:
        budget, ten = RunBudget(PRICES), tokens(1000)
        run_, node = BudgetScope("r", (ten,)), BudgetScope("n", (ten,))
        first = await budget.reserve(Estimate((run_, node), MODEL, 60, 40))
        await first.settle(ModelReply("four", usage=Usage(50, 30, 20)))
        await (await budget.reserve(Estimate((run_,), MODEL, 10, 20))).settle(
            ModelReply("x", usage=Usage(7, 5))
        )
        assert [budget.left(scope, ten) for scope in (run_, node)] == [908, 920]
        assert budget.left(BudgetScope("other"), ten) == 1000
        assert budget.left(node, chars(10)) == 6
        assert budget.left(node, cost(DOLLAR)) == DOLLAR - 30 * INPUT - 20 * 10**6 - 30 * OUTPUT
        assert budget.used() == Usage(57, 35, 20, pytest.approx(462.5e-6), estimated=False)

    run(go())


def test_a_call_waits_for_those_under_way_and_gets_what_they_leave():
    async def go() -> None:
        budget, want = RunBudget(PRICES), question(tokens(160), given=60, answer=40)
        first = await budget.reserve(want)
        second, third = (asyncio.create_task(budget.reserve(want)) for _ in range(2))
        assert await waits(second)
        await first.settle(ModelReply("x", usage=Usage(40, 20)))
        held = await second
        assert (held.max_tokens, held.tight) == (40, None)
        assert await waits(third), "the second one holds all there is"
        await held.release()
        assert (await third).max_tokens == 40

    run(go())


def test_who_gives_up_waiting_is_in_nobodys_way():
    async def go() -> None:
        budget, want = RunBudget(PRICES), question(tokens(100), answer=40)
        first = await budget.reserve(want)
        second, third = (asyncio.create_task(budget.reserve(want)) for _ in range(2))
        assert await waits(second)
        second.cancel()
        await asyncio.wait([second])
        await first.release()
        assert (await third).max_tokens == 40

    run(go())


def test_nobody_waits_for_calls_of_another_scope_or_of_no_model():
    async def go() -> None:
        budget = RunBudget(PRICES)
        await budget.reserve(question(answer=40, scope="other"))
        await budget.reserve(question(model="", given=0))
        held = await budget.reserve(question(tokens(99), answer=40))
        assert held.max_tokens == 39
        with pytest.raises(Failure, match="leaves"):
            await budget.reserve(question(tokens(50), scope="third"))

    run(go())


def test_a_limit_of_the_program_counts_anew_and_one_of_the_caller_does_not():
    async def go() -> None:
        budget, paper = RunBudget(PRICES), Paper()
        await budget.renew("r", "tokens")
        assert budget.since("r", "tokens") == 0
        await budget.open(paper)
        await (await budget.reserve(question())).settle(ModelReply("x", usage=Usage(50, 20)))
        scope = BudgetScope("r")
        await budget.renew("r", "tokens")
        await budget.renew("r", "steps", 7)
        assert paper.renewed == {("r", "tokens"): 70, ("r", "steps"): 7}
        assert [budget.since("r", name) for name in ("tokens", "steps", "cost")] == [70, 7, 0]
        assert budget.left(scope, tokens(100)) == 100
        assert budget.left(scope, tokens(100, caller=True)) == 30
        assert budget.left(scope, tokens(60, caller=True)) == -10
        await budget.renew("r", "tokens", 0)
        assert budget.left(scope, tokens(100)) == 30

    run(go())


def test_what_limits_leave_is_told_by_measure_the_least_first_and_in_dollars():
    async def go() -> None:
        budget = RunBudget(PRICES)
        caps = (tokens(200), tokens(90), cost(DOLLAR // 2), chars(3), chars(9))
        want = question(*caps)
        assert budget.left_of(want) == {"tokens": 90, "cost": 0.5, "chars": 3}
        await (await budget.reserve(question())).settle(ModelReply("four", usage=Usage(90, 20)))
        left = budget.left_of(want)
        assert (left["tokens"], left["chars"]) == (0, 0)
        assert left["cost"] == pytest.approx(0.5 - 0.000425)
        assert budget.left_of(question()) == {}

    run(go())


@pytest.mark.parametrize(("caller", "scope"), [(False, "r"), (True, "")])
def test_a_limit_that_stops_names_itself_and_what_counts_anew(caller, scope):
    with pytest.raises(LimitReached) as stopped:
        reserved(question(tokens(10, stops=True, caller=caller)))
    assert (stopped.value.name, stopped.value.scope) == ("tokens", scope)


@pytest.mark.parametrize(
    ("cap", "given", "said"),
    [
        (tokens(1), 60, "of 1 token leaves 1, and the question alone may have 60"),
        (tokens(1015), 1000, "of 1,015 tokens leaves 1,015, and the question alone may have 1,000"),
        (tokens(0), 60, "of 0 tokens is used up"),
        (cost(DOLLAR), 10**9, "of $1.00 is too little to go on: $1.00 are left"),
    ],
)
def test_a_refusal_says_what_is_left_and_what_is_needed(cap, given, said):
    assert refused(question(cap, given=given)) == f"the limit of `w` {said}"


def test_an_answer_that_breaks_off_says_which_limit_cut_it():
    error = reserved(question(answer=1500)).cut_short()
    assert isinstance(error, Failure)
    assert error.kind == "limit"
    assert "after 1,500 tokens" in error.message
    assert "max_output_tokens" in error.help
    tight = reserved(question(tokens(99), answer=40)).cut_short()
    assert isinstance(tight, Failure)
    assert tight.message == "the limit of `w` of 99 tokens is used up"


def test_the_callers_limits_stop_and_are_theirs():
    assert caller_caps(None, None) == ()
    whose = "this run's limit"
    assert caller_caps(5, 0) == (
        Cap("tokens", 5, whose, stops=True, caller=True),
        Cap("cost", 0, whose, stops=True, caller=True),
    )


@pytest.mark.parametrize(
    ("own", "named", "full"),
    [
        ("openai:gpt", None, "openai:gpt"),
        ("openai:gpt", "mini", "openai:mini"),
        ("openai:gpt", "xai:grok", "xai:grok"),
        ("openai:ft:gpt:own", "mini", "openai:mini"),
        ("offline", "mini", "mini"),
        ("offline", None, "offline"),
        ("", None, ""),
        ("", "mini", "mini"),
    ],
)
def test_a_model_without_a_provider_is_one_of_the_runs_provider(own, named, full):
    assert RunBudget(model=own).full_name(named) == full


def test_the_list_of_prices_is_loaded_in_a_thread_and_once():
    asked: list[bool] = []

    class Noted(Prices):
        def of(self, model: str) -> Price | None:
            asked.append(threading.current_thread() is threading.main_thread())
            return Prices.of(self, model)

    async def go() -> None:
        budget = RunBudget(Noted(PRICES.configured))
        await budget.reserve(question())
        await budget.reserve(question())

    run(go())
    assert asked == [False, True]


def test_of_two_limits_without_room_the_innermost_is_named_whichever_lacks_more():
    outer = BudgetScope("r", (Cap("tokens", 0, "the outer limit"),))
    inner = BudgetScope("i", (Cap("tokens", 59, "the inner limit"),))
    assert "the inner limit" in refused(Estimate((outer, inner), MODEL, 60))
