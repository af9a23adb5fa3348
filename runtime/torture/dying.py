"""Processes that die: by a signal at a moment, or by themselves at a boundary of the journal.

A child is forked, so that it begins with everything imported. Its standard output and errors lie in
a folder, it reads nothing, and no signal of the terminal reaches it.
"""

from __future__ import annotations

import asyncio
import faulthandler
import gc
import os
import signal
import sys
import time
import traceback
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

from .boundaries import die_at, note_boundaries

PATIENCE = 300.0
"""Seconds after which a child that was not killed has hung."""
_LOOK = 0.002
"""Seconds between two looks at a child."""


@dataclass(frozen=True, slots=True)
class Blow:
    """How a child dies: `signals`, each so many seconds after the one before; or of itself, at the
    boundary number `at` (from 1) of those of a kind or name, `what`, that it comes to. One that
    lives may note its boundaries in a file."""

    signals: tuple[tuple[float, int], ...] = ()
    at: int = 0
    what: str = ""
    notes: Path | None = None


@dataclass(frozen=True, slots=True)
class End:
    """How a child ended: its exit code, negative for the signal that killed it. `hit`: a signal
    reached it while it lived, or it died at a boundary. `hung` is where one stood that had to be
    killed for it."""

    code: int
    hit: bool
    hung: str = ""


def in_child(body: Callable[[], int], blow: Blow, folder: Path, patience: float = PATIENCE) -> End:
    """Run `body` in a forked process, whose output lies in `folder` as `out` and `err`."""
    for name in ("out", "err"):  # it may die before it comes to that itself
        (folder / name).write_bytes(b"")
    sys.stdout.flush()
    sys.stderr.flush()
    before = signal.pthread_sigmask(signal.SIG_BLOCK, (signal.SIGINT,))
    child = os.fork()
    if child == 0:
        _live(body, blow, folder, before)
    try:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
        return _strike(child, blow, folder, patience)
    except BaseException:  # a person has enough of it
        with suppress(ProcessLookupError, ChildProcessError):
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
        raise


def _strike(child: int, blow: Blow, folder: Path, patience: float) -> End:
    hit = False
    for wait, number in blow.signals:
        ended = _wait(child, wait)
        if ended is not None:
            return End(ended, hit)
        os.kill(child, number)
        hit = True
    ended = _wait(child, patience)
    if ended is None:
        return End(-signal.SIGKILL, hit, _last_words(child, folder) or "it said nothing")
    return End(ended, hit or ended == -signal.SIGKILL)


def _live(
    body: Callable[[], int], blow: Blow, folder: Path, mask: set[int | signal.Signals]
) -> NoReturn:
    """Do what the child does. A SIGINT before the body listens for it ends it as it ends Python."""
    code = 3
    try:
        _enter(folder)
        gc.unfreeze()  # it rests the collector itself, and Python counts what is frozen slowly
        if blow.at:
            die_at(blow.at, blow.what)
        elif blow.notes is not None:
            note_boundaries(blow.notes)
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        code = body()
    except KeyboardInterrupt:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        os.kill(os.getpid(), signal.SIGINT)
    except BaseException:
        traceback.print_exc()  # the parent reads it
        raise
    finally:
        try:
            sys.stdout.flush()
            sys.stderr.flush()
        finally:  # a child never goes on with what its parent does
            os._exit(code)


def _enter(folder: Path) -> None:
    os.setsid()
    reading = os.open(os.devnull, os.O_RDONLY)
    os.dup2(reading, 0)
    for name, descriptor in (("out", 1), ("err", 2)):
        file = os.open(folder / name, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        os.dup2(file, descriptor)
        os.close(file)
    sys.stdout = open(1, "w", encoding="utf-8", closefd=False)  # noqa: SIM115 - the process ends
    sys.stderr = open(2, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
    faulthandler.register(signal.SIGUSR1, file=2, all_threads=True)
    signal.signal(signal.SIGUSR2, _tell_tasks)


def _last_words(child: int, folder: Path) -> str:
    """Return where a child stood that has hung: its threads and tasks. It dies."""
    for number in (signal.SIGUSR1, signal.SIGUSR2, signal.SIGKILL):
        os.kill(child, number)  # nobody else waits for it, so the number is still its own
        if _wait(child, 2) is not None:
            break
    return (folder / "err").read_text(encoding="utf-8", errors="replace").strip()


def _tell_tasks(*_: object) -> None:
    with suppress(RuntimeError):
        for task in asyncio.all_tasks():
            task.print_stack(file=sys.stderr)


def _wait(child: int, seconds: float) -> int | None:
    """Return the exit code; None when it still runs after that time."""
    end = time.monotonic() + seconds
    while True:
        pid, status = os.waitpid(child, os.WNOHANG)
        if pid:
            return os.waitstatus_to_exitcode(status)
        if (left := end - time.monotonic()) <= 0:
            return None
        time.sleep(min(left, _LOOK))
