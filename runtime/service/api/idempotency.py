"""The same request twice: with an idempotency key it is done once, whichever process it reaches.

A key is kept with the answer it got. Until there is one, it is kept with the process that works on
it, whose name is a lease that ends with the process: a request whose process died, or could not
finish it, is done again by the next one that is asked. What it makes has the same ids, so that
nothing is there twice.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, NoReturn

from ...db.database import Database
from ...db.file_lease import Leases
from ...errors import RunError
from ..records.access import REQUEST, Caller, Repeatable, new_id
from ..records.errors import ServiceFault

SCHEMA = """
create table if not exists service_idempotency (
    caller text not null, key text not null, digest text not null, status integer not null,
    answer text not null, created text not null, primary key (caller, key)
)
"""
_UNDER_WAY = 0
"""The status of a request without an answer; in place of the answer stands who works on it."""
_HERE = "where caller = ? and key = ?"

Answer = tuple[int, dict[str, Any]]
Place = tuple[str, str]
"""Whose key, and the key."""


@dataclass(frozen=True, slots=True)
class Once:
    """Answers to requests that carry an idempotency key. `name` is this process's lease, `working`
    what it is working on."""

    db: Database
    leases: Leases
    name: str = field(default_factory=lambda: new_id("service"))
    working: set[Place] = field(default_factory=set)

    async def answer(
        self,
        caller: Caller,
        key: str,
        about: str,
        now: datetime,
        do: Callable[[], Awaitable[Answer]],
    ) -> Answer:
        """Return the stored answer, or that of `do`. `about` is the request: a different one with
        the same key is refused, and so is the same one while it is under way. When `do` raises, the
        next attempt runs it again with the same ids."""
        place: Place = (caller.apart, key)
        digest = hashlib.sha256(about.encode("utf-8", "surrogatepass")).hexdigest()
        if place in self.working:
            known, _, _ = await self._read(place, digest)
            return known or _refuse(key)
        self.working.add(place)
        try:
            return await self._answer(place, digest, now, do)
        finally:
            self.working.discard(place)

    async def _answer(
        self, place: Place, digest: str, now: datetime, do: Callable[[], Awaitable[Answer]]
    ) -> Answer:
        began = now.isoformat()
        fresh = await self.db.run(
            "insert into service_idempotency values (?, ?, ?, ?, ?, ?)"
            " on conflict (caller, key) do nothing",
            (*place, digest, _UNDER_WAY, self.name, began),
        )
        if not fresh:
            known, began = await self._take_over(place, digest)
            if known is not None:
                return known
        seed = f"{' '.join(place)} {digest} {began}"
        request = REQUEST.set(Repeatable(seed, again=not fresh))
        try:
            status, body = await do()
            await self.db.run(
                f"update service_idempotency set status = ?, answer = ? {_HERE}",
                (status, self.db.seal(json.dumps(body)), *place),
            )
        except BaseException:
            with contextlib.suppress(RunError):  # else it is this process that is asked again
                await self._let_go(place)
            raise
        finally:
            REQUEST.reset(request)
        return status, body

    async def _read(self, place: Place, digest: str) -> tuple[Answer | None, str, str]:
        """Return the stored answer or None, the process that works on it, and the time of the first
        attempt. Raises `ServiceFault` when the key belongs to another request."""
        query = f"select digest, status, answer, created from service_idempotency {_HERE}"
        rows = await self.db.rows(query, place)
        if not rows:
            return None, self.name, ""
        known, status, kept, began = rows[0]
        if known != digest:
            message = f"the key `{place[1][:100]}` was used for another request"
            raise ServiceFault("CONFLICT", message)
        if status == _UNDER_WAY:
            return None, kept, began
        answer = self.db.unseal(kept, f"the answer kept for the idempotency key `{place[1][:100]}`")
        return (status, json.loads(answer)), "", began

    async def _take_over(self, place: Place, digest: str) -> tuple[Answer | None, str]:
        """Return the stored answer, or None when this process is to do it again, and the time of
        the first attempt. Raises `ServiceFault` while another process works on it."""
        known, worker, began = await self._read(place, digest)
        if known is not None:
            return known, began
        if worker not in ("", self.name) and worker in await self.leases.held_among([worker]):
            _refuse(place[1])
        query = f"update service_idempotency set answer = ? {_HERE} and status = ? and answer = ?"
        if not await self.db.run(query, (self.name, *place, _UNDER_WAY, worker)):
            _refuse(place[1])
        return None, began

    async def _let_go(self, place: Place) -> None:
        """Let the process that is asked next do it again."""
        query = f"update service_idempotency set answer = '' {_HERE} and status = ? and answer = ?"
        await self.db.run(query, (*place, _UNDER_WAY, self.name))


def _refuse(key: str) -> NoReturn:
    raise ServiceFault("CONFLICT", f"the request `{key[:100]}` is still under way")
