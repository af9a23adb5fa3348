"""Processes that die: by a signal at a moment, or by themselves at a boundary of the journal."""

from __future__ import annotations

import asyncio
import faulthandler
import functools
import os
import signal
import sys
import time
import traceback
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

PATIENCE = 300.0
"""Seconds after which a child that was not killed has hung."""


@dataclass(frozen=True)
class Blow:
    """How a child dies: `signals`, each so many seconds after the one before; or of itself, at the
    boundary number `at` (from 1) of those of its `kind` that it comes to."""

    signals: tuple[tuple[float, int], ...] = ()
    at: int = 0
    kind: str = ""


@dataclass(frozen=True)
class End:
    """How a child ended: its exit code, negative for the signal that killed it."""

    code: int
    hit: bool
    """Whether a signal reached it while it lived, or it died at a boundary."""


def in_child(body: Callable[[], int], blow: Blow, folder: str) -> End:
    """Run `body` in a forked process whose output lies in `folder` as `out` and `err`."""
    for name in ("out", "err"):  # it may die before it comes to that itself
        Path(folder, name).write_bytes(b"")
    child = os.fork()
    if child == 0:
        _enter(folder)
        if blow.at:
            die_at(blow.at, blow.kind)
        code = 3
        try:
            code = body()
        except BaseException:  # whatever it is, the parent reads it
            traceback.print_exc()
        os._exit(code)
    hit = False
    for wait, number in blow.signals:
        ended = _wait(child, wait)
        if ended is not None:
            return End(ended, hit)
        os.kill(child, number)
        hit = True
    ended = _wait(child, PATIENCE)
    if ended is None:
        raise TimeoutError(f"a child in {folder} hung\n{_last_words(child, folder)}")
    return End(ended, hit or ended == -signal.SIGKILL)


def _enter(folder: str) -> None:
    os.chdir(folder)
    os.setsid()
    for name, descriptor in (("out", 1), ("err", 2)):
        file = os.open(name, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        os.dup2(file, descriptor)
        os.close(file)
    faulthandler.register(signal.SIGUSR1, file=2, all_threads=True)
    signal.signal(signal.SIGUSR2, _tell_tasks)


def _last_words(child: int, folder: str) -> str:
    """What a child was doing that has hung: the stacks of its threads and tasks. It dies."""
    os.kill(child, signal.SIGUSR1)
    _wait(child, 2)
    with suppress(ProcessLookupError):
        os.kill(child, signal.SIGUSR2)
    _wait(child, 2)
    with suppress(ProcessLookupError, ChildProcessError):
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
    with open(os.path.join(folder, "err")) as file:
        return file.read()


def _tell_tasks(*_: object) -> None:
    with suppress(RuntimeError):
        for task in asyncio.all_tasks():
            task.print_stack(file=sys.stderr)


def _wait(child: int, seconds: float) -> int | None:
    """The exit code; None when it still runs after that time."""
    end = time.monotonic() + seconds
    while True:
        pid, status = os.waitpid(child, os.WNOHANG)
        if pid:
            return os.waitstatus_to_exitcode(status)
        if (left := end - time.monotonic()) <= 0:
            return None
        time.sleep(min(left, 0.002))


def die_at(at: int, kind: str) -> None:
    """Have this process kill itself at the boundary number `at` of a kind."""
    seen = 0

    def boundary(name: str) -> None:
        nonlocal seen
        seen += kind_of(name) == kind
        if seen == at and kind_of(name) == kind:
            os.write(2, f"dies {name}\n".encode())
            os.kill(os.getpid(), signal.SIGKILL)

    _watch(boundary)


def kind_of(boundary: str) -> str:
    """`after intended: tool note` is of the kind `after intended`."""
    return boundary.partition(":")[0]


def count_boundaries(body: Callable[[], int], folder: str, file: str) -> list[str]:
    """The names of all boundaries that an undisturbed `body` comes to, in their order."""

    def counted() -> int:
        names: list[str] = []
        _watch(names.append)
        code = body()
        with open(file, "w") as out:
            out.write("\n".join(names))
        return code

    in_child(counted, Blow(), folder)
    with open(file) as found:
        return found.read().splitlines()


def _watch(boundary: Callable[[str], None]) -> None:
    """Call `boundary` with the name of each boundary that this process comes to."""
    from flowc.runtime.journal import EffectJournal
    from flowc.runtime.store import RunStore

    once = EffectJournal.once

    async def watched(
        self: Any, runtime: Any, name: str, effect: Any, given: Any, call: Any, **more: Any
    ) -> Any:
        async def inside() -> Any:
            boundary(f"after intended: {name}")
            value = await call()
            boundary(f"after the effect: {name}")
            return value

        value = await once(self, runtime, name, effect, given, inside, **more)
        boundary(f"after done: {name}")
        return value

    EffectJournal.once = watched  # type: ignore[method-assign]
    _around(EffectJournal, ("store_answer", "keep", "settle"), boundary)
    _around(RunStore, ("create", "update", "append_events"), boundary)
    for saver in _savers():
        _around(saver, ("aput", "aput_writes"), boundary)


def _around(cls: Any, methods: Sequence[str], boundary: Callable[[str], None]) -> None:
    for name in methods:
        setattr(cls, name, _marked(getattr(cls, name), name, boundary))


def _marked(method: Any, name: str, boundary: Callable[[str], None]) -> Any:
    @functools.wraps(method)
    async def marked(*args: Any, **more: Any) -> Any:
        boundary(f"before {name}")
        value = await method(*args, **more)
        boundary(f"after {name}")
        return value

    return marked


def _savers() -> list[Any]:
    from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver

    savers: list[Any] = [AsyncSqliteSaver]
    with suppress(ImportError):
        from langgraph.checkpoint.postgres.aio import AsyncPostgresSaver

        savers.append(AsyncPostgresSaver)
    return savers
