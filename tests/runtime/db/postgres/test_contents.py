"""Contents that runs share: what one lets go while another begins to hold it stays."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from flowc.runtime.store.runs import RunRecord, open_store
from stores import fresh_store

LONG = "the same in every run " * 20
ROUNDS = 25


@pytest.fixture
def server(tmp_path: Path) -> Iterator[str]:
    with fresh_store("postgresql", tmp_path) as store:
        yield store


def test_a_content_that_is_let_go_and_held_at_once_is_there(server: str, wait: Any) -> None:
    """Runs of two processes change between two results, so that each is held and let go."""

    async def change(url: str, run: str, offset: int) -> None:
        async with open_store(url) as store:
            await store.create(RunRecord(id=run, name=run, file="w.flow.yaml"))
            for number in range(ROUNDS):
                result = f"{LONG}{(number + offset) % 2}"
                known = RunRecord(id=run, name=run, file="w.flow.yaml", result=result)
                await store.update(known)
                assert (await store.get(run)).result == result

    async def go() -> None:
        async with open_store(server):
            pass
        async with asyncio.timeout(100):
            await asyncio.gather(*(change(server, f"r{n}", n) for n in range(4)))

    wait(go())
