"""What is sent to a server."""

from __future__ import annotations

from typing import Any

import pytest
from psycopg import AsyncCursor


@pytest.fixture
def sent_queries(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What is sent to PostgreSQL, on whichever connection."""
    queries: list[str] = []
    execute: Any = AsyncCursor.execute

    async def heard(self: Any, query: bytes, *values: Any, **options: Any) -> Any:
        queries.append(query.decode() if isinstance(query, bytes) else query)
        return await execute(self, query, *values, **options)

    monkeypatch.setattr(AsyncCursor, "execute", heard)
    return queries
