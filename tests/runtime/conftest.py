"""What the runtime's tests share: a world of services, a bounded event loop."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Iterator
from pathlib import Path
from typing import Any

import pytest
from flowc.runtime.engine.engine import open_engine
from flowc.runtime.services import Outcome
from stores import KINDS, fresh_store
from worlds import World


@pytest.fixture
def world() -> World:
    return World()


@pytest.fixture
def url(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path}/runs.db"


@pytest.fixture
def wait() -> Callable[[Coroutine[Any, Any, Any]], Any]:
    """Run a coroutine to its end, bounded."""

    def run(coroutine: Coroutine[Any, Any, Any]) -> Any:
        return asyncio.run(asyncio.wait_for(coroutine, 240))

    return run


@pytest.fixture
def execute(world, wait):
    """Run a spec to its first outcome."""

    def run(spec, inputs: dict[str, Any] | None = None, **options: Any) -> Outcome:
        async def go() -> Outcome:
            async with open_engine("memory:") as engine:
                return await engine.start(
                    spec, world, run="r", inputs=inputs or {}, options={}, **options
                )

        return wait(go())

    return run


@pytest.fixture(params=KINDS)
def any_store(request, tmp_path: Path) -> Iterator[str]:
    """The URL of a store of each kind, one after the other."""
    with fresh_store(request.param, tmp_path) as store:
        yield store
