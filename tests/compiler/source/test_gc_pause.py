"""The collector's rests end as they should, and are taken in processes of flowc's own alone."""

from __future__ import annotations

import gc

import pytest
from flowc.compiler.source.gc_pause import collector_at_rest, heap_at_rest, own_process


def test_the_collector_works_again_afterwards_also_after_a_fault() -> None:
    with pytest.raises(KeyError), own_process():
        _fail_at_rest()
    assert gc.isenabled()


def _fail_at_rest() -> None:
    with collector_at_rest():
        assert not gc.isenabled()
        raise KeyError


def test_a_collector_that_was_switched_off_stays_off() -> None:
    gc.disable()
    try:
        with own_process(), collector_at_rest():
            pass
        assert not gc.isenabled()
    finally:
        gc.enable()


def test_what_exists_is_frozen_inside_and_thawed_afterwards() -> None:
    with own_process():
        before = gc.get_freeze_count()  # Python 3.12 begins with some
        with heap_at_rest():
            assert gc.get_freeze_count() > before
            with heap_at_rest():
                pass
            assert gc.get_freeze_count() > before, "the inner rest thawed the outer one's objects"
        assert gc.get_freeze_count() == 0


def test_the_collector_of_a_program_around_flowc_is_left_alone() -> None:
    before = gc.get_freeze_count()
    with collector_at_rest(), heap_at_rest():
        assert gc.isenabled()
        assert gc.get_freeze_count() == before
