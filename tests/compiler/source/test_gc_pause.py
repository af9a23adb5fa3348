"""The collector's rests end as they should, whatever a host does with the collector itself."""

from __future__ import annotations

import gc

import pytest
from flowc.compiler.source.gc_pause import collector_at_rest, heap_at_rest


def test_the_collector_works_again_afterwards_also_after_a_fault() -> None:
    with pytest.raises(KeyError):
        _fail_at_rest()
    assert gc.isenabled()


def _fail_at_rest() -> None:
    with collector_at_rest():
        assert not gc.isenabled()
        raise KeyError


def test_a_collector_that_a_host_switched_off_stays_off() -> None:
    gc.disable()
    try:
        with collector_at_rest():
            pass
        assert not gc.isenabled()
    finally:
        gc.enable()


def test_what_exists_is_frozen_inside_and_thawed_afterwards() -> None:
    with heap_at_rest():
        assert gc.get_freeze_count() > 0
        with heap_at_rest():
            pass
        assert gc.get_freeze_count() > 0, "the inner rest thawed the outer one's objects"
    assert gc.get_freeze_count() == 0
