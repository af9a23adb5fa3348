"""Leases that end: with the runs that are removed, and in a sweep of what nobody holds."""

from __future__ import annotations

import fcntl
from pathlib import Path

import pytest
from flowc.runtime.db.file_lease import FileLeases, is_held, next_epoch
from flowc.runtime.db.high_water import stem_of
from leases import descriptors, known, lease, lock_file, with_leases


def locks(folder: Path) -> int:
    return len([*folder.glob("*.lock")])


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


def test_a_store_in_memory_holds_all_its_runs_and_has_nothing_to_sweep():
    assert with_leases(None, lambda leases: leases.held_among(["a", "b"])) == {"a", "b"}
    assert with_leases(None, lambda leases: leases.sweep(known(), dry_run=False)) == 0


def test_a_folder_that_is_not_there_has_nothing_to_sweep(tmp_path):
    assert with_leases(tmp_path / "none", lambda leases: leases.sweep(known(), dry_run=False)) == 0


def test_the_leases_of_runs_that_nobody_holds_end_with_the_transaction(tmp_path):
    async def end(leases: FileLeases) -> None:
        for run in ("free", "other", "held"):
            await next_epoch(leases.db, run)
        before = descriptors()
        async with leases.hold("held"), leases.end(leases.db, ["free", "held", "gone"]) as parts:
            inside, free = parts
            assert free == ["free", "gone"]
            assert is_held(tmp_path, "free")
            (tmp_path / f"{stem_of('gone')}.lock").unlink()
            await inside.run("delete from leases where run = 'other'")
        rows = await leases.db.rows("select run from leases")
        assert rows == [("held",)]
        assert locks(tmp_path) == 1
        assert descriptors() <= before

    with_leases(tmp_path, end)


def test_in_memory_every_lease_ends():
    async def end(leases: FileLeases) -> None:
        for run in ("a", "b"):
            await next_epoch(leases.db, run)
        async with leases.end(leases.db, ["a", "new"]) as (_, free):
            assert free == ["a", "new"]
        assert await leases.db.rows("select run from leases") == [("b",)]

    with_leases(None, end)


@pytest.mark.parametrize("dry_run", [True, False])
def test_a_sweep_takes_numbers_too_and_leaves_what_is_not_its_own(tmp_path, dry_run):
    lock, alone = lock_file(tmp_path), tmp_path / "alone.done"
    for file in (lock.with_suffix(".done"), alone, tmp_path / "notes.txt"):
        file.touch()
    (tmp_path / "folder.lock").mkdir()

    async def sweep(leases: FileLeases) -> None:
        for run in ("r", "known"):
            await next_epoch(leases.db, run)
        async with leases.hold("held"):
            assert await leases.sweep(known("known"), dry_run=dry_run) == 2
            rows = await leases.db.rows("select run from leases order by run")
        assert [run for (run,) in rows] == ["held", "known", *(["r"] if dry_run else [])]

    with_leases(tmp_path, sweep)
    left = {file.name for file in tmp_path.iterdir()}
    swept = {lock.name, f"{lock.stem}.done", "alone.done"}
    assert swept & left == (swept if dry_run else set())
    assert {"notes.txt", "folder.lock"} <= left
    assert len(left) == (6 if dry_run else 3)


@pytest.mark.parametrize("again", [True, False], ids=["made anew", "gone"])
def test_a_sweep_leaves_a_lock_that_another_one_swept_first(tmp_path, monkeypatch, again):
    file, lock = lock_file(tmp_path), fcntl.flock

    def swept(descriptor: int, how: int) -> None:
        file.unlink()
        if again:
            file.touch()
        lock(descriptor, how)

    async def sweep(leases: FileLeases) -> None:
        monkeypatch.setattr(fcntl, "flock", swept)
        assert await leases.sweep(known(), dry_run=False) == 0
        monkeypatch.undo()

    with_leases(tmp_path, sweep)
    assert file.exists() is again
