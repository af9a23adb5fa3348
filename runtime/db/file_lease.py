"""One process per run: a lock on a file per run, which the kernel frees when its holder dies.

A frozen process keeps its lease. The lock says who may begin; what keeps two apart, should the
files be lost or somebody take the run by force, is the number in the store (`fence.py`). Only the
holder of a lock file removes it, and a process that takes one looks whether it is still there.
"""

from __future__ import annotations

import asyncio
import contextlib
import fcntl
import logging
import os
import random
import shlex
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Iterable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from ..errors import RunError, StoreFailed, lacks_room
from . import high_water
from .database import Database, delete_of
from .fence import FORGET, HELD, Holder, NotHeld, about_lease
from .own_files import open_own_file

LOG = logging.getLogger("flowc.service")
_RECOVERY = 1.0
"""Seconds to wait when the store is of no use."""
_BITS = 40
"""Of the first number of a run: one that was forgotten and begun again never meets an old one."""
Known = Callable[[], Awaitable[Collection[str]]]
_WAITS = (0.005, 0.01, 0.02, 0.04)
"""Seconds between attempts to take a lock that somebody may only be looking at."""


class Leases(Protocol):
    """The runs of a store that are being executed."""

    def hold(self, run: str, *, by_force: bool = False) -> AbstractAsyncContextManager[None]:
        """Hold the run. Raise `RunError`, naming the other process, when it is held already; `by
        force` it is taken from it, which then writes nothing more."""
        ...

    async def held_among(self, runs: Iterable[str]) -> frozenset[str]:
        """Return those of the runs that are being executed, by whatever process."""
        ...

    def end(
        self, db: Database, runs: Sequence[str]
    ) -> AbstractAsyncContextManager[tuple[Database, list[str]]]:
        """Open a transaction of `db`, with which the leases of those of the runs end that nobody
        executes. Nobody takes one of them before it is committed, and whoever believes to hold one
        writes nothing more. Raise `RunError`."""
        ...

    async def sweep(self, known: Known, *, dry_run: bool) -> int:
        """Remove what is kept of leases that nobody holds and that are not of `known` runs. Return
        how many there were. With `dry_run` they stay."""
        ...


@dataclass(frozen=True, slots=True)
class FileLeases:
    """A lock file for each run, and its number in the store. Without a folder (a store in memory)
    no other process can share."""

    folder: Path | None
    db: Database

    @asynccontextmanager
    async def hold(self, run: str, *, by_force: bool = False) -> AsyncIterator[None]:
        if self.folder is None:
            yield
            return
        # In a thread: a server refuses to wait for a disk on its event loop.
        taking = asyncio.ensure_future(asyncio.to_thread(_take, self.folder, run, by_force))
        try:
            descriptor = await asyncio.shield(taking)
        except asyncio.CancelledError:
            taking.add_done_callback(_give_back)
            raise
        try:
            async with _number(self.db, run):
                yield
        finally:
            os.close(descriptor)

    async def held_among(self, runs: Iterable[str]) -> frozenset[str]:
        if self.folder is None:
            return frozenset(runs)
        return frozenset(run for run in runs if is_held(self.folder, run))

    @asynccontextmanager
    async def end(
        self, db: Database, runs: Sequence[str]
    ) -> AsyncIterator[tuple[Database, list[str]]]:
        free: dict[str, int] = {}
        try:
            if self.folder is not None:
                taking = asyncio.ensure_future(
                    asyncio.to_thread(_take_free, self.folder, runs, free)
                )
                try:
                    await asyncio.shield(taking)
                finally:
                    await asyncio.wait([taking])  # what it still takes is given back
            these = list(runs if self.folder is None else free)
            async with db.transaction() as inside:
                yield inside, these
                await delete_of(inside, {"leases": "run"}, these)
            if self.folder is not None:
                await asyncio.to_thread(_remove, self.folder, these)
        finally:
            for descriptor in free.values():
                os.close(descriptor)

    async def sweep(self, known: Known, *, dry_run: bool) -> int:
        folder = self.folder
        if folder is None or folder.is_symlink() or not folder.is_dir():
            return 0
        # Looked for before it is read which runs there are: one that begins now keeps its own.
        files = [file for file in folder.iterdir() if file.suffix in (".lock", high_water.SUFFIX)]
        runs = await known()
        kept = {_file(folder, run).stem for run in runs}
        loose = {file.stem for file in files} - kept
        swept = sum(_sweep(folder / f"{stem}.lock", dry_run) for stem in loose)
        if not dry_run:
            for (run,) in await self.db.rows("select run from leases"):
                if run not in runs and not is_held(folder, run):
                    await self.db.run(FORGET, (run,))
        return swept


async def next_epoch(db: Database, run: str) -> int:
    """Take a run: give it a number that nobody had before, and this process's name. Raise
    `RunError`."""
    async with db.transaction(about_lease(run)) as inside:
        rows = await inside.rows(HELD, (run,))
        epoch = rows[0][0] + 1 if rows else random.getrandbits(_BITS) + 1
        await inside.run(
            "insert into leases values (?, ?, ?) on conflict (run) do update set"
            " epoch = excluded.epoch, holder = excluded.holder",
            (run, epoch, Holder.here().as_text()),
        )
    return int(epoch)


@asynccontextmanager
async def _number(db: Database, run: str) -> AsyncIterator[None]:
    """Give the run a new number, under which this process writes while the block lasts. A number
    that another process has passed stays: what comes late is refused too."""
    epoch = db.epochs[run] = await next_epoch(db, run)
    try:
        yield
    finally:
        with contextlib.suppress(RunError):
            if [row[0] for row in await db.rows(HELD, (run,))] == [epoch]:
                db.epochs.pop(run, None)


def _give_back(taking: asyncio.Future[int]) -> None:
    """Let go of a lock that nobody waits for any more."""
    if not taking.cancelled() and taking.exception() is None:
        os.close(taking.result())


def _take(folder: Path, run: str, by_force: bool) -> int:
    """Return the run's lock file, locked, as it lies there now, with this process's name in it. One
    that is taken by force is another file."""
    while True:
        descriptor = _open(folder, run)
        try:
            if not _lock(descriptor):
                if not by_force:
                    raise lease_refusal(run, _holder(descriptor))
                _file(folder, run).unlink(missing_ok=True)
                os.close(descriptor)
                continue
            if _in_place(descriptor, _file(folder, run)):
                os.ftruncate(descriptor, 0)
                os.pwrite(descriptor, f"pid {os.getpid()}".encode(), 0)
                return descriptor
        except OSError as error:
            os.close(descriptor)
            raise _unusable(folder, error) from error
        except BaseException:
            os.close(descriptor)
            raise
        os.close(descriptor)


def lease_refusal(run: str, holder: str) -> NotHeld:
    """Return the error for the second process."""
    return NotHeld(
        f"run {run} is being executed by another process ({holder})",
        help=f"wait for it, or ask it to pause: flowc pause {shlex.quote(run)}\n"
        f"or take the run from it: flowc resume {shlex.quote(run)} --take-over",
    )


def is_held(folder: Path, run: str) -> bool:
    """Return whether a process is executing the run now."""
    try:
        descriptor = open_own_file(_file(folder, run), os.O_RDONLY)
    except FileNotFoundError:
        return False
    except OSError as error:
        raise _unusable(folder, error) from error
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(descriptor)
    return False


def _take_free(folder: Path, runs: Iterable[str], free: dict[str, int]) -> None:
    """Lock the files of those runs that nobody executes, and enter them with their descriptors."""
    for run in runs:
        with contextlib.suppress(NotHeld):
            free[run] = _take(folder, run, by_force=False)


def _remove(folder: Path, runs: Iterable[str]) -> None:
    """Remove the files of runs that this process has locked."""
    for run in runs:
        _file(folder, run).unlink(missing_ok=True)


def _sweep(file: Path, dry_run: bool) -> bool:
    """Remove a lock file that nobody holds, with the number of finished effects beside it, unless
    `dry_run`. Return whether nobody holds it."""
    try:
        descriptor = open_own_file(file, os.O_RDWR | os.O_CREAT * (not dry_run))
    except FileNotFoundError:
        return True
    except OSError:
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if not _in_place(descriptor, file):
            return False
        if not dry_run:
            file.with_suffix(high_water.SUFFIX).unlink(missing_ok=True)
            file.unlink()
    except OSError:
        return False
    finally:
        os.close(descriptor)
    return True


def _in_place(descriptor: int, file: Path) -> bool:
    """Return whether an open file still lies there: a sweep may have come before the lock."""
    try:
        return os.path.samestat(os.fstat(descriptor), file.lstat())
    except FileNotFoundError:
        return False


def _lock(descriptor: int) -> bool:
    """Take the lock. Looking whether it is free holds it for a moment, so one refusal is not
    enough."""
    for wait in (*_WAITS, None):
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if wait is not None:
                time.sleep(wait)
        else:
            return True
    return False


def _file(folder: Path, run: str) -> Path:
    return folder / f"{high_water.stem_of(run)}.lock"


def _open(folder: Path, run: str) -> int:
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        return open_own_file(_file(folder, run), os.O_RDWR | os.O_CREAT)
    except OSError as error:
        raise _unusable(folder, error) from error


def _unusable(folder: Path, error: OSError) -> RunError:
    reason = error.strerror or str(error)
    if folder.is_symlink():
        reason = "it is a link, and could lead to files of yours"
    kind = StoreFailed if lacks_room(error) else RunError
    return kind(
        f"the lease folder {folder} cannot be used: {reason}",
        help="remove it while no run of this store is executed, or name another with --store",
    )


def _holder(descriptor: int) -> str:
    return os.pread(descriptor, 200, 0).decode("utf-8", "replace") or "pid unknown"


@asynccontextmanager
async def present(leases: Leases, name: str, recovery: float = _RECOVERY) -> AsyncIterator[None]:
    """Hold a lease of this name while the block lasts, whatever becomes of the store meanwhile: it
    is tried again after `recovery` seconds."""
    standing = asyncio.create_task(_stand(leases, name, recovery))
    try:
        yield
    finally:
        standing.cancel()
        await asyncio.wait([standing])


async def _stand(leases: Leases, name: str, recovery: float) -> None:
    while True:
        try:
            async with leases.hold(name):
                await asyncio.Event().wait()
        except RunError as error:
            LOG.warning("%s: %s", name, error.message)
            await asyncio.sleep(recovery)
