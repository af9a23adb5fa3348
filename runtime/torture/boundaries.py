"""The boundaries of the journal: the moments between which a death makes a difference.

A process that was made to die counts them; no other process pays for it. So the classes that write
are marked where such a process begins, and nowhere else.
"""

from __future__ import annotations

import functools
import os
import signal
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import Any

from ..errors import Failure
from ..journal.before import NoJournal
from ..journal.effects import EffectJournal
from ..services import EffectCall, Json
from ..store.runs import RunStore

Boundary = Callable[[str], None]


def kind_of(boundary: str) -> str:
    """Return the kind of a boundary: that of `after intended: tool note` is `after intended`."""
    return boundary.partition(":")[0]


def die_at(at: int, what: str) -> None:
    """Have this process kill itself at the boundary number `at` (from 1) of those of a name, or of
    a kind."""
    seen = 0

    def boundary(name: str) -> None:
        nonlocal seen
        if what not in (name, kind_of(name)):
            return
        seen += 1
        if seen == at:
            os.write(2, f"dies {name}\n".encode())
            os.kill(os.getpid(), signal.SIGKILL)

    _watch(boundary)


def note_boundaries(file: Path) -> None:
    """Have this process write the name of each boundary that it comes to into a file."""
    descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)

    def note(name: str) -> None:
        os.write(descriptor, f"{name}\n".encode())

    _watch(note)


def read_boundaries(file: Path) -> list[str]:
    """Return what `note_boundaries` wrote; nothing when no boundary was come to."""
    return file.read_text(encoding="utf-8").splitlines() if file.exists() else []


def _watch(boundary: Boundary) -> None:
    """Call `boundary` with the name of each boundary that this process comes to, in one line."""
    for journal in (EffectJournal, NoJournal):
        _mark_effects(journal, boundary)
    _mark(EffectJournal, ("store_answer", "keep", "settle"), boundary)
    _mark(RunStore, ("create", "update", "append_events"), boundary)
    for saver in _savers():
        _mark(saver, ("aput", "aput_writes"), boundary)


def _mark_effects(journal: type[EffectJournal | NoJournal], boundary: Boundary) -> None:
    once: Callable[..., Awaitable[Json]] = journal.once
    keeps = journal is EffectJournal

    async def pass_boundaries(self: object, act: EffectCall) -> Json:
        name = " ".join(act.name.split())

        async def inside() -> Json:
            if keeps:
                boundary(f"after intended: {name}")
            try:
                value = await act.call()
            except Failure:  # which may have acted
                boundary(f"after the effect: {name}")
                raise
            boundary(f"after the effect: {name}")
            return value

        try:
            value = await once(self, replace(act, call=inside))
        except Failure:
            if keeps:
                boundary(f"after failed: {name}")
            raise
        if keeps:
            boundary(f"after done: {name}")
        return value

    setattr(journal, "once", pass_boundaries)  # noqa: B010 - for a checker it is not assignable


def _mark(cls: type, methods: Sequence[str], boundary: Boundary) -> None:
    for name in methods:
        setattr(cls, name, _between(getattr(cls, name), name, boundary))


def _between(
    method: Callable[..., Awaitable[Any]], name: str, boundary: Boundary
) -> Callable[..., Awaitable[Any]]:
    @functools.wraps(method)
    async def pass_boundaries(*args: object, **more: object) -> object:
        boundary(f"before {name}")
        value = await method(*args, **more)
        boundary(f"after {name}")
        return value

    return pass_boundaries


def _savers() -> list[type]:
    """Return the savers whose writes are boundaries, flowc's and LangGraph's."""
    found: list[type] = []
    for module, name in (
        ("flowc.runtime.checkpoints.tables.sqlite_saver", "SqliteSaver"),
        ("flowc.runtime.checkpoints.tables.postgres_saver", "PostgresSaver"),
        ("langgraph.checkpoint.sqlite.aio", "AsyncSqliteSaver"),
        ("langgraph.checkpoint.postgres.aio", "AsyncPostgresSaver"),
    ):
        with suppress(ImportError):  # PostgreSQL's are an extra
            found.append(getattr(import_module(module), name))
    return found
