"""Reservations by themselves: what a call may take, what it leaves to others, what is kept."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Coroutine
from dataclasses import dataclass, field
from decimal import Decimal
from typing import TypeVar

import pytest
from flowc.runtime.budget.budget import LEAST_OUTPUT, MOST_OUTPUT, Held, RunBudget, caller_caps
from flowc.runtime.charges import BudgetScope, Cap, Charge, Estimate, Usage
from flowc.runtime.config.prices import DOLLAR, Price, Prices, SetPrice
from flowc.runtime.errors import Failure, LimitReached, RunError
from flowc.runtime.services import ModelReply

T = TypeVar("T")
MODEL = "test:model"
INPUT, OUTPUT = 2_500_000, 10_000_000
"""Picodollars of a token at the price of the tests."""
PRICES = Prices(
    {
        MODEL: SetPrice(Decimal("2.5"), Decimal(10), cached_input=Decimal(1)),
        "free:model": SetPrice(Decimal(0), Decimal(0)),
        "answers:free": SetPrice(Decimal("2.5"), Decimal(0)),
    }
)


def run(work: Coroutine[None, None, T]) -> T:
    """Do it to its end. Who waits for a room that never comes has failed."""
    return asyncio.run(asyncio.wait_for(work, 5))


def tokens(bound: int, *, stops: bool = False, caller: bool = False) -> Cap:
    return Cap("tokens", bound, "the limit of `w`", stops, caller)


def cost(bound: int) -> Cap:
    return Cap("cost", bound, "the limit of `w`")


def chars(bound: int) -> Cap:
    return Cap("chars", bound, "the limit of `w`")


def question(
    *caps: Cap, given: int = 60, answer: int | None = None, model: str = MODEL, scope: str = "r"
) -> Estimate:
    """A call with limits, of the run alone."""
    return Estimate((BudgetScope(scope, caps),), model, given, answer)


def reserved(want: Estimate, *, max_output: int | None = None) -> Held:
    return run(RunBudget(PRICES, max_output=max_output).reserve(want))


def refused(want: Estimate) -> str:
    """What is said where there is no room."""
    with pytest.raises(Failure) as no_room:
        reserved(want)
    assert no_room.value.kind == "limit"
    return no_room.value.message


@dataclass
class Paper:
    """A ledger on paper; `torn` refuses what is written."""

    rows: dict[int, Charge] = field(default_factory=dict)
    renewed: dict[tuple[str, str], int] = field(default_factory=dict)
    torn: bool = False

    async def write(self, number: int, charge: Charge) -> None:
        if self.torn:
            raise RunError("the store is full")
        self.rows[number] = charge

    async def strike(self, number: int) -> None:
        del self.rows[number]

    async def charges(self) -> dict[int, Charge]:
        return dict(self.rows)

    async def renew(self, scope: str, name: str, used: int) -> None:
        self.renewed[scope, name] = used

    async def renewals(self) -> dict[tuple[str, str], int]:
        return dict(self.renewed)


async def waits(task: asyncio.Task[Held]) -> bool:
    """Whether a reservation waits for others."""
    for _ in range(20):
        await asyncio.sleep(0)
    return not task.done()


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


def test_a_limit_of_cost_needs_a_price_and_others_do_not(monkeypatch):
    monkeypatch.setattr(Prices, "of", lambda self, model: None)
    with pytest.raises(RunError, match="no price for `test:model`") as missing:
        reserved(question(cost(DOLLAR)))
    assert "flowc.toml" in missing.value.help
    assert reserved(question(tokens(100))).charge.cost is None
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
        with pytest.raises(Failure, match="too little|leaves"):  # and nobody is waited for
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


def test_the_list_of_prices_is_loaded_in_a_thread_and_once(monkeypatch):
    asked: list[bool] = []
    of = Prices.of

    def note(self: Prices, model: str) -> Price | None:
        asked.append(threading.current_thread() is threading.main_thread())
        return of(self, model)

    monkeypatch.setattr(Prices, "of", note)

    async def go() -> None:
        budget = RunBudget(Prices(PRICES.configured))
        await budget.reserve(question())
        await budget.reserve(question())

    run(go())
    assert asked == [False, True]
