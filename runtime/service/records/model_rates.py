"""How often a model is called, by all workers of a store together.

A row for each model with a limit holds the time of the last call that was given one. Whoever calls
takes the next time and waits for it, outside of any transaction, so callers come in their order.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from datetime import datetime

from ...db.database import Database
from ...services import ModelReply, ModelRequest, Models

SCHEMA = """
create table if not exists service_model_calls (
    model text not null primary key, at integer not null
)
"""
MINUTE = 60_000_000
"""Microseconds, in which times are counted here."""


@dataclass(frozen=True, slots=True)
class ModelRate:
    """So many calls in any minute: a tenth of them may come at once, the others evenly."""

    per_minute: int

    @property
    def step(self) -> int:
        """Microseconds between two calls."""
        return MINUTE // max(1, self.per_minute - self.burst + 1)

    @property
    def burst(self) -> int:
        """Calls that may come at once when there were none for a while."""
        return max(1, self.per_minute // 10)


def rate_of(model: str, limits: Mapping[str, int]) -> tuple[str, ModelRate] | None:
    """Return the limit of a model, and the name under which it stands there: with its provider or
    without."""
    for name in (model, model.partition(":")[2]):
        if name in limits:
            return name, ModelRate(limits[name])
    return None


@dataclass(frozen=True, slots=True)
class ModelRates:
    """The rows. `clock` is the machines' time, which they have to agree on to a second or so."""

    db: Database
    clock: Callable[[], datetime]
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep

    async def wait(self, model: str, rate: ModelRate) -> float:
        """Wait until a call's time has come. Return the seconds that it took."""
        now = self._now()
        async with self.db.transaction(f"calls of {model}") as inside:
            query = "select at from service_model_calls where model = ?"
            rows = await inside.rows(query, (model,))
            at = max(now, rows[0][0] if rows else 0) + rate.step
            await inside.put(
                "insert into service_model_calls values (?, ?) on conflict (model)"
                " do update set at = excluded.at",
                (model, at),
            )
        seconds = max(0, at - rate.burst * rate.step - now) / 1_000_000
        if seconds:
            await self.sleep(seconds)
        return seconds

    async def waits(self) -> dict[str, float]:
        """Return how many seconds a call of each model would wait for those before it."""
        now = self._now()
        rows = await self.db.rows("select model, at from service_model_calls order by model")
        return {model: max(0, at - now) / 1_000_000 for model, at in rows}

    def _now(self) -> int:
        return int(self.clock().timestamp() * 1_000_000)


@dataclass(frozen=True, slots=True)
class RatedModels:
    """`services.Models` whose calls keep to their limits."""

    models: Models
    rates: ModelRates
    limits: Mapping[str, int]

    @property
    def label(self) -> str:
        return self.models.label

    @property
    def is_model(self) -> bool:
        return self.models.is_model

    async def reply(self, request: ModelRequest) -> ModelReply:
        found = rate_of(request.model or self.label, self.limits)
        if found is not None:
            await self.rates.wait(*found)
        return await self.models.reply(request)
