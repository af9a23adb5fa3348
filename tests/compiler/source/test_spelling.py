"""Spelling: the name that was meant, found at a cost that does not grow with the file."""

from __future__ import annotations

import pytest
from flowc.compiler.source.spelling import MAX_COMPARED, Spelling, slip_pairs


@pytest.mark.parametrize(
    ("name", "meant"),
    [("reslut", "result"), ("RESULT", "result"), ("resul", "result"), ("resultt", "result"),
     ("total", None), ("re", None), ("result", None)],
)  # fmt: skip
def test_the_name_that_was_meant(name, meant):
    assert Spelling(["result", "status"]).nearest(name) == meant


def test_a_known_name_may_have_a_neighbour():
    assert Spelling(["part_1", "part_2"]).nearest("part_1") == "part_2"


def test_among_very_many_names_case_order_and_one_slip_are_looked_up():
    known = [f"variable_{n}" for n in range(MAX_COMPARED // 100)]
    spelling = Spelling(known)
    assert spelling.nearest("VARIABLE_7") == "variable_7"
    assert spelling.nearest("vraiable_1234") == "variable_1234"
    assert spelling.nearest("variabl_7") == "variable_7"
    assert spelling.nearest("varble_7xy") is None


def test_names_are_compared_until_so_much_is_compared():
    known = [f"{n:04}_variable" for n in range(1_000)]
    for spelling in (Spelling(known), Spelling(known)):  # also where the answers are known already
        guesses = [spelling.nearest(f"{n:04}_variaxx") for n in range(100)]
        assert guesses[0] == "0000_variable"
        found = sum(guess is not None for guess in guesses)
        assert found == MAX_COMPARED // (12 * 13 * 1_000)


@pytest.mark.parametrize(
    "name", ["0007_variabe", "0007_variablee", "0007_variavle", "007_variable"]
)
def test_one_slip_is_found_among_however_many(name):
    spelling = Spelling(
        [f"{n:04}_variable" for n in range(100_000, 999_999, 50)] + ["0007_variable"]
    )
    assert spelling.nearest(name) == "0007_variable"


def test_pairs_that_differ_by_a_slip_are_found_and_those_that_differ_on_purpose_are_not():
    names = ["curator", "curtaor", "planner", "planer", "Writer", "writer"]
    pairs = {frozenset(pair) for pair in slip_pairs(names)}
    assert pairs == {frozenset(names[at : at + 2]) for at in (0, 2, 4)}
    assert slip_pairs(["editor", "editors", "form", "from", "step_12", "step_21", "agent_1"]) == []


def test_sentences_are_not_compared_letter_by_letter():
    assert Spelling([f"{'a' * 70}b"]).nearest(f"{'a' * 70}c") is None
