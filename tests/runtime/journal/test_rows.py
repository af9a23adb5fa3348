"""The two keys of an effect: equal for equal ones, and for no others."""

from __future__ import annotations

from itertools import combinations

import pytest
from flowc.runtime.journal.rows import canonical, outside_key

PLACES = [
    ("r", "draft", 1, "call 1", 1),
    ("r", "draft", 11, "call ", 1),
    ("r", "draft1", 1, "call 1", 1),
    ("r", "draft", 1, "call 1", 2),
    ("r", "draft", "1", "call 1", 1),
    ("rd", "raft", 1, "call 1", 1),
    ("r", "ü", 1, "call 1", 1),
]


@pytest.mark.parametrize(("one", "other"), [*combinations(PLACES, 2)])
def test_no_two_places_have_one_key(one, other):
    assert outside_key(*one) != outside_key(*other)


def test_a_key_is_the_same_in_every_process_and_short_enough_for_a_header():
    """A run that began under another version goes on under this one: keys never change."""
    assert outside_key(*PLACES[0]) == "78565adf1818573cc7b317cb0ac60de6"
    assert all(len(outside_key(*place)) == 32 for place in PLACES)


def test_inputs_are_equal_in_whatever_order_their_fields_stand():
    assert canonical({"a": 1, "b": {"d": 2, "c": 3}}) == canonical({"b": {"c": 3, "d": 2}, "a": 1})
    assert canonical([1, 2]) != canonical([2, 1])
    assert canonical({"to": "ü"}) == '{"to": "ü"}'
