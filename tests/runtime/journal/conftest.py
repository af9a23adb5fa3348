"""A store in memory for the tests of the journal."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from flowc.runtime.db.database import create_tables
from flowc.runtime.db.sqlite import open_sqlite
from flowc.runtime.db.url import MEMORY, locate
from flowc.runtime.journal.effects import EffectJournal
from flowc.runtime.journal.rows import SCHEMA


@pytest.fixture
def kept(wait):
    """Run a function with a way to make journals of one store."""

    def run(function: Any) -> Any:
        async def go() -> Any:
            async with open_sqlite(locate(MEMORY), durable=False) as db:
                await create_tables(db, SCHEMA)
                return await function(lambda **more: EffectJournal(db, **more))

        return wait(asyncio.wait_for(go(), 20))

    return run
