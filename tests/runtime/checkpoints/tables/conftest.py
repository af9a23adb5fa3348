"""What is sent to a server."""

from __future__ import annotations

from typing import Any

import pytest
from psycopg import AsyncConnection


@pytest.fixture
def sent_queries(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What is sent to PostgreSQL, on whichever connection."""
    queries: list[str] = []
    execute: Any = AsyncConnection.execute

    async def heard(self: Any, query: bytes, *values: Any) -> Any:
        queries.append(query.decode() if isinstance(query, bytes) else query)
        return await execute(self, query, *values)

    monkeypatch.setattr(AsyncConnection, "execute", heard)
    return queries
