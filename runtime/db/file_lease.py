"""One process per run: a lock on a file per run, which the kernel frees when its holder dies.

A frozen process keeps its lease, so none can wake up beside a successor. Only the holder of a lock
file removes it, and a process that takes one looks whether it is still there: else there could be
two holders.
"""

from __future__ import annotations

import asyncio
import fcntl
import hashlib
import logging
import os
import shlex
import time
from collections.abc import AsyncIterator, Collection, Iterable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from ..errors import RunError

LOG = logging.getLogger("flowc.service")
_RECOVERY = 1.0
"""Seconds to wait when the store is of no use."""
_WAITS = (0.005, 0.01, 0.02, 0.04)
"""Seconds between attempts to take a lock that somebody may only be looking at."""


class Leases(Protocol):
    """The runs of a store that are being executed. `lost_runs` are those that this process held and
    another one has taken since."""

    @property
    def lost_runs(self) -> set[str]: ...

    def hold(self, run: str) -> AbstractAsyncContextManager[None]:
        """Hold the run. Raise `RunError`, naming the other process, when it is held already."""
        ...

    async def held_among(self, runs: Iterable[str]) -> frozenset[str]:
        """Return those of the runs that are being executed, by whatever process."""
        ...

    async def sweep(self, known: Collection[str], *, dry_run: bool) -> int:
        """Remove what is kept of leases that nobody holds and that are not of `known` runs. Return
        how many there were. With `dry_run` they stay."""
        ...


@dataclass(frozen=True, slots=True)
class FileLeases:
    """A lock file for each run. Without a folder (a store in memory) no other process can share."""

    folder: Path | None

    @property
    def lost_runs(self) -> set[str]:
        return set()

    @asynccontextmanager
    async def hold(self, run: str) -> AsyncIterator[None]:
        if self.folder is None:
            yield
            return
        # In a thread: a server refuses to wait for a disk on its event loop.
        taking = asyncio.ensure_future(asyncio.to_thread(_take, self.folder, run))
        try:
            descriptor = await asyncio.shield(taking)
        except asyncio.CancelledError:
            taking.add_done_callback(_give_back)
            raise
        try:
            yield
        finally:
            os.close(descriptor)

    async def held_among(self, runs: Iterable[str]) -> frozenset[str]:
        if self.folder is None:
            return frozenset(runs)
        return frozenset(run for run in runs if is_held(self.folder, run))

    async def sweep(self, known: Collection[str], *, dry_run: bool) -> int:
        if self.folder is None or not self.folder.is_dir():
            return 0
        kept = {_file(self.folder, run) for run in known}
        loose = [file for file in self.folder.glob("*.lock") if file not in kept]
        return sum(_sweep(file, dry_run) for file in loose)


def _give_back(taking: asyncio.Future[int]) -> None:
    """Let go of a lock that nobody waits for any more."""
    if not taking.cancelled() and taking.exception() is None:
        os.close(taking.result())


def _take(folder: Path, run: str) -> int:
    """Return the run's lock file, locked, as it lies there now, with this process's name in it."""
    while True:
        descriptor = _open(folder, run)
        try:
            if not _lock(descriptor):
                raise lease_refusal(run, _holder(descriptor))
            if _in_place(descriptor, _file(folder, run)):
                os.ftruncate(descriptor, 0)
                os.pwrite(descriptor, f"pid {os.getpid()}".encode(), 0)
                return descriptor
        except BaseException:
            os.close(descriptor)
            raise
        os.close(descriptor)


class NotHeld(RunError):
    """Another process executes the run, or may: this one must not."""


def lease_refusal(run: str, holder: str) -> NotHeld:
    """Return the error for the second process."""
    return NotHeld(
        f"run {run} is being executed by another process ({holder})",
        help=f"wait for it, or ask it to pause: flowc pause {shlex.quote(run)}",
    )


def is_held(folder: Path, run: str) -> bool:
    """Return whether a process is executing the run now."""
    try:
        descriptor = os.open(_file(folder, run), os.O_RDWR | os.O_CLOEXEC)
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


def _sweep(file: Path, dry_run: bool) -> bool:
    """Remove a lock file that nobody holds, unless `dry_run`. Return whether nobody holds it."""
    try:
        descriptor = os.open(file, os.O_RDWR | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if not _in_place(descriptor, file):
            return False
        if not dry_run:
            file.unlink()
    except OSError:
        return False
    finally:
        os.close(descriptor)
    return True


def _in_place(descriptor: int, file: Path) -> bool:
    """Return whether an open file still lies there: a sweep may have come before the lock."""
    try:
        return os.path.samestat(os.fstat(descriptor), file.stat())
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
    """Return the lock file of a run. An id may hold any character, so the file is named after a
    digest."""
    return folder / f"{hashlib.sha256(run.encode('utf-8', 'surrogatepass')).hexdigest()[:32]}.lock"


def _open(folder: Path, run: str) -> int:
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        return os.open(_file(folder, run), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError as error:
        raise _unusable(folder, error) from error


def _unusable(folder: Path, error: OSError) -> RunError:
    return RunError(f"the lease folder {folder} cannot be used: {error.strerror}")


def _holder(descriptor: int) -> str:
    return os.pread(descriptor, 200, 0).decode("utf-8", "replace") or "pid unknown"


@asynccontextmanager
async def present(leases: Leases, name: str) -> AsyncIterator[None]:
    """Hold a lease of this name while the block lasts, whatever becomes of the store meanwhile."""
    standing = asyncio.create_task(_stand(leases, name))
    try:
        yield
    finally:
        standing.cancel()
        await asyncio.wait([standing])


async def _stand(leases: Leases, name: str) -> None:
    while True:
        try:
            async with leases.hold(name):
                await asyncio.Event().wait()
        except RunError as error:
            LOG.warning("%s: %s", name, error.message)
            await asyncio.sleep(_RECOVERY)
