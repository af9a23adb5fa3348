"""Callers: tokens with scopes, stored as digests, and the team that a token may see."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Sequence
from contextvars import ContextVar
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
);
create table if not exists service_token_agents (
    token text not null, agent text not null, team text not null, deputy integer not null,
    primary key (token, agent)
)
"""


@dataclass(frozen=True, slots=True)
class ActsFor:
    """An agent whose steps the holder of a token does: their own, or as a deputy. `team` is the
    agent's team in the service."""

    agent: str
    team: str
    deputy: bool = False


@dataclass(frozen=True, slots=True)
class Caller:
    """The sender of a request. `owner` is the one team whose executions they see (None: all),
    `token` the id of their token, "" without one; `agents` are those that they act for."""

    name: str
    scope: Scope
    owner: str | None
    token: str = ""
    agents: tuple[ActsFor, ...] = ()

    def may_act_for(self, agent: str) -> bool:
        """Return whether they do the steps of an agent: as the agent, a deputy, or an admin."""
        return self.scope == "admin" or any(own.agent == agent for own in self.agents)

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
        self,
        name: str,
        scope: Scope,
        owner: str | None,
        expires: datetime | None,
        now: datetime,
        agents: Sequence[ActsFor] = (),
    ) -> str:
        """Return a new token, which is not stored."""
        token = PREFIX + secrets.token_urlsafe(32)
        end = expires.astimezone(UTC).isoformat() if expires else None
        row = (digest_of(token), name, scope, owner or "", now.isoformat(), end)
        async with self.db.transaction("tokens") as inside:
            await inside.run("insert into service_tokens values (?, ?, ?, ?, ?, ?)", row)
            for own in agents:
                about = (row[0], own.agent, own.team, int(own.deputy))
                await inside.run("insert into service_token_agents values (?, ?, ?, ?)", about)
        return token

    async def has_holder(self, agent: str, now: datetime) -> bool:
        """Return whether somebody has a token with which they see the tasks of an agent."""
        query = (
            "select 1 from service_token_agents a join service_tokens t on t.digest = a.token"
            " where a.agent = ? and (t.expires is null or t.expires > ?) limit 1"
        )
        end = now.astimezone(UTC).isoformat()
        return bool(await self.db.rows(query, (agent, end)))

    async def any(self) -> bool:
        """Return whether there are tokens at all."""
        return bool(await self.db.rows("select 1 from service_tokens limit 1"))

    async def list(self) -> list[tuple[str, str, str, str, str | None, str]]:
        """Return name, scope, team ("": all), creation, expiry and agents of each token."""
        agents: dict[str, list[str]] = {}
        for token, agent in await self.db.rows(
            "select token, agent from service_token_agents order by deputy, agent"
        ):
            agents.setdefault(token, []).append(agent)
        query = "select digest, name, scope, owner, created, expires from service_tokens"
        return [
            (name, scope, owner, made, end, ", ".join(agents.get(digest, ())))
            for digest, name, scope, owner, made, end in await self.db.rows(
                f"{query} order by created"
            )
        ]

    async def revoke(self, name: str) -> int:
        """Delete the tokens of a name and return their number."""
        async with self.db.transaction("tokens") as inside:
            count = await inside.run("delete from service_tokens where name = ?", (name,))
            query = "delete from service_token_agents where token not in"
            await inside.run(f"{query} (select digest from service_tokens)")
        return count

    async def caller(self, token: str, now: datetime) -> Caller:
        """Return the caller of a token. Raises `ServiceFault` for an unknown or expired one."""
        return await self.caller_of(digest_of(token), now)

    async def caller_of(self, digest: str, now: datetime) -> Caller:
        """Return the same by a token's digest."""
        query = (
            "select t.name, t.scope, t.owner, t.expires, a.agent, a.team, a.deputy"
            " from service_tokens t left join service_token_agents a on a.token = t.digest"
            " where t.digest = ? order by a.agent"
        )
        rows = await self.db.rows(query, (digest,))
        if not rows or (rows[0][3] and datetime.fromisoformat(rows[0][3]) <= now):
            raise ServiceFault("UNAUTHENTICATED", "the token is unknown or has expired")
        name, scope, owner = rows[0][:3]
        agents = tuple(ActsFor(row[4], row[5], bool(row[6])) for row in rows if row[4])
        return Caller(name, scope, owner or None, digest, agents)


@dataclass(frozen=True, slots=True)
class Repeatable:
    """A request that is repeated when its process dies: `seed` stays the same, `again` marks a
    repetition."""

    seed: str = ""
    again: bool = False


AT_RANDOM = Repeatable()
REQUEST: ContextVar[Repeatable] = ContextVar("flowc_request", default=AT_RANDOM)


def new_id(kind: str) -> str:
    """Return `wf-…` with 64 random bits, so that ids made at one moment differ (C22)."""
    return f"{kind}-{secrets.token_hex(8)}"


def id_of_request(kind: str) -> str:
    """Return an id that is the same when the request is repeated."""
    seed = REQUEST.get().seed
    if not seed:
        return new_id(kind)
    return f"{kind}-{hashlib.sha256(f'{kind} {seed}'.encode()).hexdigest()[:16]}"
