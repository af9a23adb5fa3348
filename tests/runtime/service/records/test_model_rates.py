"""Calls of a model keep to its limit, whoever makes them."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

pytest.importorskip("fastapi", reason="the extra `service` is not installed")
from flowc.runtime.config.settings import Config
from flowc.runtime.service.operations.executions import open_executing
from flowc.runtime.service.records.model_rates import ModelRate, ModelRates, rate_of
from stores import KINDS, fresh_store

MINUTES = 3


class Time:
    """Callers whose time passes while they wait."""

    def __init__(self, ahead: float = 0.0) -> None:
        self.passed = ahead

    def __call__(self) -> datetime:
        return datetime(2026, 5, 1, tzinfo=UTC) + timedelta(seconds=self.passed)

    async def sleep(self, seconds: float) -> None:
        self.passed += seconds


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("limit", [1, 7, 60])
def test_no_minute_has_more_calls_than_it_may(kind: str, limit: int, tmp_path: Path) -> None:
    """Of two processes that call as fast as they can, and not far fewer either."""

    async def calls(url: str) -> list[float]:
        made: list[float] = []
        async with open_executing(url, Config()) as one, open_executing(url, Config()) as other:
            times = [Time(), Time()]
            rates = [ModelRates(e.db, t, t.sleep) for e, t in zip((one, other), times, strict=True)]
            while min(time.passed for time in times) < MINUTES * 60:
                number = times.index(min(times, key=lambda time: time.passed))
                await rates[number].wait("openai:x", ModelRate(limit))
                made.append(times[number].passed)
        return sorted(made)

    with fresh_store(kind, tmp_path) as url:
        made = asyncio.run(calls(url))
    for begin in made:
        assert sum(begin <= at < begin + 59.99 for at in made) <= limit
    assert len([at for at in made if at < MINUTES * 60]) >= 0.9 * MINUTES * limit


def test_a_model_has_its_limit_with_its_provider_or_without() -> None:
    limits = {"openai:gpt-5-mini": 5, "small": 7}
    assert rate_of("openai:gpt-5-mini", limits) == ("openai:gpt-5-mini", ModelRate(5))
    assert rate_of("openai:small", limits) == ("small", ModelRate(7))
    assert rate_of("gpt-5-mini", limits) is None
