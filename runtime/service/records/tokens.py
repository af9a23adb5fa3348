"""Who calls: tokens with scopes, kept as digests, and the team that a token may see."""

from __future__ import annotations

import hashlib
import secrets
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Literal

from ...db.database import Database
from .errors import ServiceFault

Scope = Literal["read", "operate", "admin"]
SCOPES: tuple[Scope, ...] = ("read", "operate", "admin")
"""Each may do what those before it may."""
PREFIX = "flowc_"

SCHEMA = """
create table if not exists service_tokens (
    digest text primary key, name text not null, scope text not null, owner text not null,
    created text not null, expires text
)
"""


@dataclass(frozen=True, slots=True)
class Caller:
    """Who calls. `owner` is the one team whose executions they see; None: all. `token` is the id
    of the token that says so, "" without one."""

    name: str
    scope: Scope
    owner: str | None
    token: str = ""

    @property
    def apart(self) -> str:
        """The name, apart from the same name in another team. A token's name has no line end."""
        return self.name if self.owner is None else f"{self.owner}\n{self.name}"

    @property
    def counted(self) -> str:
        """Under what is counted how much they ask: each token has its own, whatever it is called,
        in a page as in a program."""
        return self.token or f"\n{self.name}"

    def require(self, scope: Scope) -> None:
        """Raises `ServiceFault` when the caller may not do what needs this scope."""
        if SCOPES.index(self.scope) < SCOPES.index(scope):
            raise ServiceFault("FORBIDDEN", f"this needs a token with the scope `{scope}`")


LOCAL = Caller("local", "admin", None)
"""Whoever reaches a service that listens on this machine alone and has no tokens."""


def digest_of(token: str) -> str:
    """What is kept of a token. It has 256 random bits, so a plain digest cannot be guessed."""
    return hashlib.sha256(token.encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class Tokens:
    """The tokens of one store."""

    db: Database

    async def create(
        self, name: str, scope: Scope, owner: str | None, expires: datetime | None, now: datetime
    ) -> str:
        """A new token, which is shown this once."""
        token = PREFIX + secrets.token_urlsafe(32)
        end = expires.astimezone(UTC).isoformat() if expires else None
        row = (digest_of(token), name, scope, owner or "", now.isoformat(), end)
        await self.db.run("insert into service_tokens values (?, ?, ?, ?, ?, ?)", row)
        return token

    async def any(self) -> bool:
        """Whether there are tokens at all."""
        return bool(await self.db.rows("select 1 from service_tokens limit 1"))

    async def listed(self) -> list[tuple[str, str, str, str, str | None]]:
        """Name, scope, team ("": all), creation, expiry of each; nothing that opens a door."""
        query = "select name, scope, owner, created, expires from service_tokens order by created"
        return [tuple(row) for row in await self.db.rows(query)]

    async def revoke(self, name: str) -> int:
        """How many tokens of that name there were."""
        return await self.db.run("delete from service_tokens where name = ?", (name,))

    async def caller(self, token: str, now: datetime) -> Caller:
        """Whose token it is. Raises `ServiceFault` for one that is unknown or expired."""
        return await self.caller_of(digest_of(token), now)

    async def caller_of(self, digest: str, now: datetime) -> Caller:
        """The same by what is kept of the token."""
        query = "select name, scope, owner, expires from service_tokens where digest = ?"
        rows = await self.db.rows(query, (digest,))
        if not rows or (rows[0][3] and datetime.fromisoformat(rows[0][3]) <= now):
            raise ServiceFault("UNAUTHENTICATED", "the token is unknown or has expired")
        name, scope, owner, _ = rows[0]
        return Caller(name, scope, owner or None, digest)
