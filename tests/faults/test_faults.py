"""A person's mistakes in a file are told: a sample here, all of them by `make soak PART=faults`."""

from __future__ import annotations

from collections import Counter

import pytest

from tests.faults.__main__ import count
from tests.faults.suite import OPERATORS, Outcome, outcomes, twins

LEAST = {"steps": 89, "flowchart": 95, "machine": 95, "plan": 93, "contract": 93, "flow": 93}
"""Percent of the mistakes that are found at least, by dialect."""


def every(dialect: str, sites: int, seed: int) -> list[Outcome]:
    return list(outcomes(dialect, OPERATORS[dialect], twins(dialect), sites, seed))


def test_there_are_many_kinds_of_mistakes_and_no_two_of_one_name():
    names = [(dialect, operator.name) for dialect, rows in OPERATORS.items() for operator in rows]
    assert len(names) >= 240
    assert [name for name, times in Counter(names).items() if times > 1] == []


@pytest.mark.parametrize("dialect", OPERATORS)
def test_a_file_without_a_mistake_raises_no_alarm(dialect):
    assert [str(d) for twin in twins(dialect) for d in twin.result.diagnostics] == []


@pytest.mark.parametrize("dialect", OPERATORS)
def test_mistakes_are_found(dialect):
    made = every(dialect, sites=1, seed=1)
    assert {o.operator.name for o in made} == {operator.name for operator in OPERATORS[dialect]}
    sums = count(made)
    assert 100 * sums["found"] / sums["made"] >= LEAST[dialect]


@pytest.mark.parametrize("dialect", OPERATORS)
def test_no_mistake_ends_the_compiler(dialect):
    assert [outcome.fault for outcome in every(dialect, sites=1, seed=2) if outcome.fault] == []


@pytest.mark.soak
@pytest.mark.parametrize("dialect", OPERATORS)
def test_mistakes_at_every_place_are_told_where_they_are_with_the_repair(dialect):
    sums = count(every(dialect, sites=50, seed=3))
    print(dialect, dict(sums))
    found = sums["found"]
    assert 100 * found / sums["made"] >= 97
    assert 100 * sums["line"] / found >= 96
    assert 100 * sums["repair"] / found >= 93
