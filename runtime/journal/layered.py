"""A journal before another one, to which it passes on what it does not do itself."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from langgraph.runtime import Runtime

from ..services import Journal, Json


@dataclass(frozen=True, slots=True)
class JournalBefore:
    """Base of journals that see effects first, each with its own `once`."""

    inner: Journal

    async def keep(self, runtime: Runtime[Any], name: str, ordinal: int, value: Json) -> None:
        await self.inner.keep(runtime, name, ordinal, value)

    async def entries(self, runtime: Runtime[Any], name: str) -> dict[int, Json]:
        return await self.inner.entries(runtime, name)

    async def abandon(self, runtime: Runtime[Any], name: str | None = None) -> None:
        await self.inner.abandon(runtime, name)
