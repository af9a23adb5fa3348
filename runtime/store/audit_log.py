"""The audit log of a store: who asked for what, and the outcome.

The service writes here, and so does the MCP server: one log for one store.
"""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from datetime import datetime

from ..db.database import Database

SCHEMA = """
create table if not exists service_audit (
    id text primary key, time text not null, who text not null, operation text not null,
    outcome text not null
)
"""
LONGEST = 300
"""Characters of an operation that are kept."""


@dataclass(frozen=True, slots=True)
class Audit:
    """The entries of one store. The outcome of each is a code, never the content of a request."""

    db: Database

    async def note(self, who: str, operation: str, outcome: str, now: datetime) -> None:
        """Keep one entry."""
        text = operation.encode("utf-8", "replace").decode().replace("\0", "?")[:LONGEST]
        row = (secrets.token_hex(12), now.isoformat(), who, text, outcome)
        await self.db.run("insert into service_audit values (?, ?, ?, ?, ?)", row)

    async def page(self, limit: int) -> list[tuple[str, str, str, str]]:
        """Return time, who, operation and outcome, the newest first."""
        query = "select time, who, operation, outcome from service_audit order by time desc, id"
        return [tuple(row) for row in await self.db.rows(f"{query} limit ?", (limit,))]
