"""The ledger of a run's charges by itself: what was written is read again, and forgotten whole."""

from __future__ import annotations

import pytest
from flowc.runtime.budget.ledger import SCHEMA, Ledger, forget_charges, usage_of
from flowc.runtime.charges import Charge, Usage
from flowc.runtime.config.prices import DOLLAR
from flowc.runtime.db.database import create_tables
from flowc.runtime.db.sqlite import open_sqlite
from flowc.runtime.db.url import MEMORY, locate
from flowc.runtime.state.thread_turns import scope_inside

CHARGE = Charge(("r", "r/n"), "test:model", 60, 40, 5, 3 * 10**11, 7, "told")


@pytest.fixture
def ledgers(wait):
    """Run a function with what makes the ledger of a run, and with their database."""

    def run(function):
        async def go():
            async with open_sqlite(locate(MEMORY), durable=False) as db:
                await create_tables(db, SCHEMA)
                return await function(lambda name: Ledger(db, name), db)

        return wait(go())

    return run


def test_a_charge_is_read_as_it_was_written_and_stands_in_the_place_of_the_one_before(ledgers):
    async def go(ledger, _):
        held = Charge(("r", "r/n"), "test:model", 99, 98, 0, None, 0, "held")
        for number in (2, 1, 10):
            await ledger("r").write(number, held)
        await ledger("r").write(2, CHARGE)
        await ledger("s").write(1, CHARGE)
        assert list((await ledger("r").charges()).items()) == [(1, held), (2, CHARGE), (10, held)]
        await ledger("r").strike(10)
        await ledger("r").strike(1)
        assert await ledger("r").charges() == {2: CHARGE}
        assert await ledger("s").charges() == {1: CHARGE}
        assert await ledger("t").charges() == {}

    ledgers(go)


def test_a_limit_counts_from_where_it_was_renewed_last(ledgers):
    async def go(ledger, _):
        for used in (5, 3):
            await ledger("r").renew("r", "tokens", used)
        await ledger("r").renew("r", "steps", 9)
        await ledger("r").renew("r/n", "tokens", 4)
        await ledger("s").renew("r", "tokens", 1)
        expected = {("r", "tokens"): 3, ("r", "steps"): 9, ("r/n", "tokens"): 4}
        assert await ledger("r").renewals() == expected
        assert await ledger("s").renewals() == {("r", "tokens"): 1}

    ledgers(go)


def test_runs_are_forgotten_with_all_their_turns_and_no_others(ledgers):
    async def go(ledger, db):
        runs = ("r", scope_inside("r", "1.a"), scope_inside("r", "\U0001f600"), "r2", "q", "ra")
        for run in runs:
            await ledger(run).write(1, CHARGE)
            await ledger(run).renew(run, "tokens", 1)
        await forget_charges(db, ["r", "q"])
        for table in ("charges", "renewals"):
            rows = await db.rows(f"select run from {table} order by run")
            assert rows == [("r2",), ("ra",)]

    ledgers(go)


def test_the_usage_of_calls_is_their_sum_and_no_more_certain_than_each():
    assert usage_of([]) == Usage(cost=0.0)
    assert usage_of(iter([CHARGE, CHARGE])) == Usage(120, 80, 10, 6 * 10**11 / DOLLAR)
    unpriced = Charge(("r",), "x", 1, 1, 0, None)
    assert usage_of([CHARGE, unpriced]) == Usage(61, 41, 5, None)
    for status in ("held", "guessed"):
        assert usage_of([CHARGE, Charge(status=status)]).estimated
