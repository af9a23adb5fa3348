"""Journals that keep nothing themselves: for graphs without a store, and before another journal."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from langgraph.runtime import Runtime

from ..db.database import Write
from ..people import Timer
from ..services import EffectCall, Journal, Json


class NoJournal:
    """A journal for graphs without a store of flowc's own (the emitted module under LangGraph's
    server): every effect is called, nothing is kept."""

    async def once(self, act: EffectCall) -> Json:
        return await act.call()

    async def begin(self, *writes: Write) -> None:
        return None

    async def keep(self, runtime: Runtime[Any], name: str, ordinal: int, value: Json) -> None:
        return None

    async def entries(self, runtime: Runtime[Any], name: str) -> dict[int, Json]:
        return {}

    async def abandon(self, runtime: Runtime[Any], name: str | None = None) -> None:
        return None

    async def set_timer(self, runtime: Runtime[Any], timer: Timer) -> Timer:
        return timer

    async def end_timer(self, runtime: Runtime[Any]) -> None:
        return None


@dataclass(frozen=True, slots=True)
class JournalBefore:
    """A journal before another one: `before` sees each effect first, and gives it to the inner one
    as it is, with another call, or not at all."""

    inner: Journal
    before: Callable[[Journal, EffectCall], Awaitable[Json]]

    async def once(self, act: EffectCall) -> Json:
        return await self.before(self.inner, act)

    async def begin(self, *writes: Write) -> None:
        await self.inner.begin(*writes)

    async def keep(self, runtime: Runtime[Any], name: str, ordinal: int, value: Json) -> None:
        await self.inner.keep(runtime, name, ordinal, value)

    async def entries(self, runtime: Runtime[Any], name: str) -> dict[int, Json]:
        return await self.inner.entries(runtime, name)

    async def abandon(self, runtime: Runtime[Any], name: str | None = None) -> None:
        await self.inner.abandon(runtime, name)

    async def set_timer(self, runtime: Runtime[Any], timer: Timer) -> Timer:
        return await self.inner.set_timer(runtime, timer)

    async def end_timer(self, runtime: Runtime[Any]) -> None:
        await self.inner.end_timer(runtime)
