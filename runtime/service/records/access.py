"""Callers: tokens with scopes, stored as digests, and the team that a token may see."""

from __future__ import annotations

import hashlib
import secrets
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Literal

from ...db.database import Database
from .errors import ServiceFault

Scope = Literal["read", "operate", "approve", "admin"]
SCOPES: tuple[Scope, ...] = ("read", "operate", "approve", "admin")
"""Each may do what those before it may."""
APPROVING: Scope = "approve"
"""What answers the approval of a command or of a grant."""
PREFIX = "flowc_"

SCHEMA = """
create table if not exists service_tokens (
    digest text primary key, name text not null, scope text not null, owner text not null,
    created text not null, expires text
)
"""


@dataclass(frozen=True, slots=True)
class Caller:
    """The sender of a request. `owner` is the one team whose executions they see (None: all),
    `token` the id of their token, "" without one."""

    name: str
    scope: Scope
    owner: str | None
    token: str = ""

    @property
    def apart(self) -> str:
        """The name, apart from the same name in another team: a token's name has no line end."""
        return self.name if self.owner is None else f"{self.owner}\n{self.name}"

    @property
    def rate_key(self) -> str:
        """The key of the caller's rate: each token has its own, in a page as in a program."""
        return self.token or f"\n{self.name}"

    def require(self, scope: Scope) -> None:
        """Raise `ServiceFault` when the caller lacks the scope."""
        if SCOPES.index(self.scope) < SCOPES.index(scope):
            raise ServiceFault("FORBIDDEN", f"this needs a token with the scope `{scope}`")


LOCAL = Caller("local", "admin", None)
"""Whoever reaches a service that listens on this machine alone and has no tokens."""


def digest_of(token: str) -> str:
    """Return a token's digest. A token has 256 random bits, so a plain digest cannot be guessed."""
    return hashlib.sha256(token.encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class Tokens:
    """The tokens of one store."""

    db: Database

    async def create(
        self, name: str, scope: Scope, owner: str | None, expires: datetime | None, now: datetime
    ) -> str:
        """Return a new token, which is not stored."""
        token = PREFIX + secrets.token_urlsafe(32)
        end = expires.astimezone(UTC).isoformat() if expires else None
        row = (digest_of(token), name, scope, owner or "", now.isoformat(), end)
        await self.db.run("insert into service_tokens values (?, ?, ?, ?, ?, ?)", row)
        return token

    async def any(self) -> bool:
        """Return whether there are tokens at all."""
        return bool(await self.db.rows("select 1 from service_tokens limit 1"))

    async def list(self) -> list[tuple[str, str, str, str, str | None]]:
        """Return name, scope, team ("": all), creation and expiry of each token."""
        query = "select name, scope, owner, created, expires from service_tokens order by created"
        return [tuple(row) for row in await self.db.rows(query)]

    async def revoke(self, name: str) -> int:
        """Delete the tokens of a name and return their number."""
        return await self.db.run("delete from service_tokens where name = ?", (name,))

    async def caller(self, token: str, now: datetime) -> Caller:
        """Return the caller of a token. Raises `ServiceFault` for an unknown or expired one."""
        return await self.caller_of(digest_of(token), now)

    async def caller_of(self, digest: str, now: datetime) -> Caller:
        """Return the same by a token's digest."""
        query = "select name, scope, owner, expires from service_tokens where digest = ?"
        rows = await self.db.rows(query, (digest,))
        if not rows or (rows[0][3] and datetime.fromisoformat(rows[0][3]) <= now):
            raise ServiceFault("UNAUTHENTICATED", "the token is unknown or has expired")
        name, scope, owner, _ = rows[0]
        return Caller(name, scope, owner or None, digest)
