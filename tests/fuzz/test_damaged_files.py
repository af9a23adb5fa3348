"""A few of the inputs that `python -m tests.fuzz` tries by the million."""

from __future__ import annotations

import itertools

import pytest

from .attempt import TooSlow, time_limit, try_batch
from .damage import damage, originals

SEED = 7


def test_no_damaged_file_is_an_internal_fault() -> None:
    tried, faults = try_batch(SEED, range(60), 60.0)
    assert (tried, faults) == (60, [])


def test_an_input_that_takes_too_long_is_a_fault() -> None:
    with pytest.raises(TooSlow), time_limit(0.01):
        all(n >= 0 for n in itertools.count())


def test_an_input_is_the_same_whenever_it_is_asked_for() -> None:
    assert damage(originals(), SEED, 5) == damage(originals(), SEED, 5)
