"""Services and workers that begin at one time on a store that nobody has used: one of them makes
the tables, and the others see them."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

pytest.importorskip("fastapi", reason="the extra `service` is not installed")
from flowc.runtime.config.settings import Config
from flowc.runtime.service.operations.executions import open_executing
from stores import KINDS, fresh_store


@pytest.mark.parametrize("kind", KINDS)
def test_all_of_them_come_up(kind: str, tmp_path: Path) -> None:
    async def begin(url: str, up: asyncio.Barrier) -> None:
        async with open_executing(url, Config()):
            await up.wait()

    async def all_of_them(url: str) -> None:
        up = asyncio.Barrier(6)
        async with asyncio.timeout(120), asyncio.TaskGroup() as group:
            for _ in range(6):
                group.create_task(begin(url, up))

    with fresh_store(kind, tmp_path) as url:
        asyncio.run(all_of_them(url))
