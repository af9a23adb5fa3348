"""A lock on a file for each run: who holds it and who is refused."""

from __future__ import annotations

import asyncio
import fcntl
import logging
import os
import random
import threading
import time
from collections.abc import Callable

import pytest
from flowc.runtime.db.fence import HELD, Holder, NotHeld
from flowc.runtime.db.file_lease import FileLeases, is_held, next_epoch, present
from flowc.runtime.errors import RunError
from leases import descriptors, file_leases, known, lease, lock_file, locked, with_leases


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
        assert descriptors() <= before, "what others left may go meanwhile"


def test_the_runs_that_are_held_are_named(tmp_path):
    with lease(tmp_path, "a"):
        held = with_leases(tmp_path, lambda leases: leases.held_among(["a", "b"]))
    assert held == {"a"}


@pytest.fixture
def waiting(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """For how long a lock was waited for; no time passes."""
    waits: list[float] = []

    def sleep(seconds: float) -> None:
        waits.append(seconds)

    monkeypatch.setattr(time, "sleep", sleep)
    return waits


def test_a_lock_names_its_holder_and_nobody_else_reads_it(tmp_path):
    folder = tmp_path / "a" / "b"
    file = lock_file(folder)
    file.write_text("pid 12345678901234567890")
    with lease(folder, "r"):
        assert file.read_text() == f"pid {os.getpid()}"
        assert file.stat().st_mode & 0o777 == 0o600
    assert folder.stat().st_mode & 0o777 == 0o700


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        (b"", "(pid unknown)"),
        (b"\xff" + b"x" * 300, "(\N{REPLACEMENT CHARACTER}" + "x" * 199 + ")"),
    ],
)
def test_a_holder_that_says_nothing_and_one_that_says_much(tmp_path, waiting, written, shown):
    with locked(lock_file(tmp_path)) as descriptor:
        os.write(descriptor, written)
        with pytest.raises(NotHeld) as refused, lease(tmp_path, "r"):
            pass
    assert shown in refused.value.message
    assert "flowc pause r" in refused.value.help
    assert "flowc resume r --take-over" in refused.value.help


def test_who_is_refused_has_waited_less_than_a_tenth_of_a_second(tmp_path, waiting):
    with locked(lock_file(tmp_path)), pytest.raises(NotHeld), lease(tmp_path, "r"):
        pass
    assert len(waiting) == 4
    assert 0.05 < sum(waiting) < 0.1


def test_who_only_looks_at_a_lock_is_waited_for(tmp_path, monkeypatch):
    file, looks = lock_file(tmp_path), [1, 2]
    with locked(file) as descriptor:
        monkeypatch.setattr(
            time, "sleep", lambda _: looks.pop() and fcntl.flock(descriptor, fcntl.LOCK_UN)
        )
        with lease(tmp_path, "r"):
            assert looks == [1]


@pytest.mark.parametrize("again", [True, False], ids=["made anew", "gone"])
def test_a_lock_on_a_file_that_was_swept_meanwhile_is_worth_nothing(tmp_path, monkeypatch, again):
    file = lock_file(tmp_path)
    with locked(file) as descriptor:

        def sweep(_: float) -> None:
            file.unlink()
            if again:
                file.touch()
            fcntl.flock(descriptor, fcntl.LOCK_UN)

        monkeypatch.setattr(time, "sleep", sweep)
        before = descriptors()
        with lease(tmp_path, "r"):
            assert is_held(tmp_path, "r")
            assert file.read_text() == f"pid {os.getpid()}"
        assert descriptors() <= before


@pytest.mark.parametrize("gone", [True, False])
def test_by_force_a_run_is_taken_and_the_one_before_does_not_hold_it_back(
    tmp_path, monkeypatch, gone
):
    file = lock_file(tmp_path)

    async def take(leases: FileLeases) -> None:
        async with leases.hold("r", by_force=True):
            assert is_held(tmp_path, "r")
            assert file.read_text() == f"pid {os.getpid()}"

    with locked(file):
        monkeypatch.setattr(time, "sleep", lambda _: gone and file.unlink(missing_ok=True))
        before = descriptors()
        with_leases(tmp_path, take)
        assert descriptors() <= before
        assert not is_held(tmp_path, "r")


def test_a_folder_that_is_a_file_cannot_be_used(tmp_path):
    folder = tmp_path / "leases"
    folder.touch()
    with pytest.raises(RunError, match=r"the lease folder .* cannot be used: Not a directory"):
        is_held(folder, "r")
    with pytest.raises(RunError, match="cannot be used: File exists"), lease(folder, "r"):
        pass

    async def end(leases: FileLeases) -> None:
        async with leases.end(leases.db, ["r"]):
            pass

    with pytest.raises(RunError, match="cannot be used: File exists"):
        with_leases(folder, end)


def test_a_run_has_a_number_while_it_is_held(tmp_path):
    async def numbers(leases: FileLeases) -> None:
        seen = []
        for _ in range(2):
            async with leases.hold("r"):
                ((number, holder),) = await leases.db.rows(HELD, ("r",))
                assert (leases.db.epochs, holder) == ({"r": number}, Holder.here().as_text())
                seen.append(number)
            assert leases.db.epochs == {}
        assert seen[1] == seen[0] + 1

    with_leases(tmp_path, numbers)


def test_the_number_of_a_run_that_was_lost_stays(tmp_path):
    async def lose(leases: FileLeases) -> None:
        async with leases.hold("r"):
            own = leases.db.epochs["r"]
            assert await next_epoch(leases.db, "r") == own + 1
        assert leases.db.epochs == {"r": own}

    with_leases(tmp_path, lose)


@pytest.mark.parametrize(("bits", "number"), [(0, 1), (1, 2**40)])
def test_the_first_number_of_a_run_is_drawn_from_a_million_millions(monkeypatch, bits, number):
    monkeypatch.setattr(random, "getrandbits", lambda count: bits * (2**count - 1))

    async def first(leases: FileLeases) -> None:
        assert await next_epoch(leases.db, "r") == number

    with_leases(None, first)


def test_in_memory_nothing_is_locked():
    async def hold(leases: FileLeases) -> None:
        async with leases.hold("r"), leases.hold("r"):
            assert leases.db.epochs == {}

    with_leases(None, hold)


@pytest.fixture
def slow(monkeypatch: pytest.MonkeyPatch) -> tuple[threading.Event, threading.Event]:
    """A lock that is waited for: the first event says that it is, the second one ends that."""
    begun, go_on = threading.Event(), threading.Event()

    def sleep(_: float) -> None:
        begun.set()
        assert go_on.wait(10)

    monkeypatch.setattr(time, "sleep", sleep)
    return begun, go_on


async def cut_off(
    work: Callable[[], object],
    slow: tuple[threading.Event, threading.Event],
    let_go: Callable[[], object],
) -> list[object]:
    """Begin to hold a run, and be cancelled while its lock is waited for. Return what went wrong
    afterwards."""
    begun, go_on = slow
    wrong: list[object] = []
    asyncio.get_running_loop().set_exception_handler(lambda _, about: wrong.append(about))
    task = asyncio.ensure_future(work())  # type: ignore[arg-type]
    await asyncio.to_thread(begun.wait, 10)
    task.cancel()
    await asyncio.sleep(0)
    let_go()
    go_on.set()
    with pytest.raises(asyncio.CancelledError):
        await task
    await asyncio.get_running_loop().shutdown_default_executor()
    await asyncio.sleep(0.01)
    return wrong


@pytest.mark.parametrize("taken", [True, False], ids=["the lock is had", "it is refused"])
def test_who_is_cut_off_while_a_lock_is_waited_for_holds_nothing(tmp_path, slow, taken):
    file = lock_file(tmp_path)
    with locked(file) as descriptor:

        async def hold(leases: FileLeases) -> None:
            async with leases.hold("r"):
                raise AssertionError("it was cut off")

        def let_go() -> None:
            if taken:
                fcntl.flock(descriptor, fcntl.LOCK_UN)

        before = descriptors()

        async def go() -> None:
            async with file_leases(tmp_path) as leases:
                assert await cut_off(lambda: hold(leases), slow, let_go) == []

        asyncio.run(go())
        assert is_held(tmp_path, "r") is not taken
        assert descriptors() <= before


def test_who_is_cut_off_while_leases_end_keeps_no_lock(tmp_path, slow):
    file = lock_file(tmp_path)
    with locked(file) as descriptor:

        async def end(leases: FileLeases) -> None:
            async with leases.end(leases.db, ["r", "q"]):
                raise AssertionError("it was cut off")

        def let_go() -> None:
            fcntl.flock(descriptor, fcntl.LOCK_UN)

        async def go() -> None:
            async with file_leases(tmp_path) as leases:
                assert await cut_off(lambda: end(leases), slow, let_go) == []
                assert not is_held(tmp_path, "r")
                assert not is_held(tmp_path, "q")

        asyncio.run(go())


async def comes(condition: Callable[[], object]) -> None:
    """Wait until it is so."""
    for _ in range(1000):
        if condition():
            return
        await asyncio.sleep(0.005)
    raise AssertionError("it never comes")


def test_a_name_is_held_while_a_block_lasts(tmp_path):
    async def hold(leases: FileLeases) -> None:
        async with present(leases, "server"):
            await comes(lambda: is_held(tmp_path, "server"))
            for _ in range(20):
                await asyncio.sleep(0.001)
                assert is_held(tmp_path, "server")
        assert not is_held(tmp_path, "server")

    with_leases(tmp_path, hold)


def test_a_name_that_another_one_has_is_taken_later(tmp_path, caplog):
    caplog.set_level(logging.WARNING, "flowc.service")
    file = lock_file(tmp_path, "server")

    async def hold(leases: FileLeases) -> None:
        with locked(file):
            async with present(leases, "server"):
                await comes(lambda: caplog.messages)
                for _ in range(20):
                    await asyncio.sleep(0.01)
                assert len(caplog.messages) == 1, "it rests before it tries again"
        caplog.clear()
        with locked(file) as descriptor:
            async with present(leases, "server", recovery=0):
                await comes(lambda: len(caplog.messages) > 1)
                fcntl.flock(descriptor, fcntl.LOCK_UN)
                await comes(lambda: file.read_text() == f"pid {os.getpid()}")
        assert caplog.messages[0].startswith("server: run server is being executed by another")

    with_leases(tmp_path, hold)
