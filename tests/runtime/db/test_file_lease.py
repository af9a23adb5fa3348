"""A lock on a file for each run: who holds it, who is refused, and what a sweep leaves lying."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from flowc.runtime.db.fence import NotHeld
from flowc.runtime.db.file_lease import Known, is_held
from leases import lease, with_leases


def known(*runs: str) -> Known:
    """What tells a sweep which runs there are."""

    async def told() -> frozenset[str]:
        return frozenset(runs)

    return told


def descriptors() -> list[str]:
    """What this process has open."""
    return os.listdir("/proc/self/fd")


def locks(folder: Path) -> int:
    return len([*folder.glob("*.lock")])


def test_a_run_is_held_until_its_holder_lets_go(tmp_path):
    assert not is_held(tmp_path, "r")
    with lease(tmp_path, "r"):
        assert is_held(tmp_path, "r")
        assert not is_held(tmp_path, "another")
    assert not is_held(tmp_path, "r")


def test_the_second_process_learns_who_is_the_first(tmp_path):
    with (
        lease(tmp_path, "r"),
        pytest.raises(NotHeld, match=f"pid {os.getpid()}"),
        lease(tmp_path, "r"),
    ):
        pass


def test_nothing_stays_open(tmp_path):
    with lease(tmp_path, "busy"):
        before = descriptors()
        for _ in range(3):
            with lease(tmp_path, "r"):
                assert is_held(tmp_path, "r")
            with pytest.raises(NotHeld), lease(tmp_path, "busy"):
                pass
            with_leases(tmp_path, lambda leases: leases.sweep(known(), dry_run=True))
            with_leases(tmp_path, lambda leases: leases.sweep(known(), dry_run=False))
        assert descriptors() == before


def test_a_sweep_removes_the_locks_of_unknown_runs_that_nobody_holds(tmp_path):
    for run in ("known", "unknown", "another"):
        with lease(tmp_path, run):
            pass
    with lease(tmp_path, "held"):
        assert with_leases(tmp_path, lambda leases: leases.sweep(known("known"), dry_run=True)) == 2
        assert locks(tmp_path) == 4
        assert (
            with_leases(tmp_path, lambda leases: leases.sweep(known("known"), dry_run=False)) == 2
        )
        assert locks(tmp_path) == 2
        assert is_held(tmp_path, "held")
    assert with_leases(tmp_path, lambda leases: leases.sweep(known(), dry_run=False)) == 2
    assert locks(tmp_path) == 0


def test_the_runs_that_are_held_are_named(tmp_path):
    with lease(tmp_path, "a"):
        held = with_leases(tmp_path, lambda leases: leases.held_among(["a", "b"]))
    assert held == {"a"}


def test_a_store_in_memory_holds_all_its_runs_and_has_nothing_to_sweep():
    assert with_leases(None, lambda leases: leases.held_among(["a", "b"])) == {"a", "b"}
    assert with_leases(None, lambda leases: leases.sweep(known(), dry_run=False)) == 0


def test_a_folder_that_is_not_there_has_nothing_to_sweep(tmp_path):
    assert with_leases(tmp_path / "none", lambda leases: leases.sweep(known(), dry_run=False)) == 0
