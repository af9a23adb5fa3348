"""The same request twice: with an idempotency key it is done once, whichever process it reaches.

A key is kept with the answer it got. Until there is one, it is kept with the process that works on
it, whose name is a lease that ends with the process: a request whose process died is done again by
the next one that is asked. What it makes has the same ids, so that nothing is there twice.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from ..database import Database
from ..errors import RunError
from ..lease import Leases
from .access import Caller
from .faults import ServiceFault
from .register import REQUEST, Repeatable, new_id

LOG = logging.getLogger("flowc.service")
SCHEMA = """
create table if not exists service_idempotency (
    caller text not null, key text not null, digest text not null, status integer not null,
    answer text not null, created text not null, primary key (caller, key)
)
"""
_UNDER_WAY = 0
"""The status of a request without an answer; in place of the answer stands who works on it."""
_HERE = "where caller = ? and key = ?"
_RECOVERY = 1.0
"""Seconds to wait when the store is of no use."""

Answer = tuple[int, dict[str, Any]]


@dataclass(frozen=True, slots=True)
class Once:
    """Answers to requests that carry an idempotency key. `name` is this process's lease."""

    db: Database
    leases: Leases
    name: str = field(default_factory=lambda: new_id("service"))

    @asynccontextmanager
    async def present(self) -> AsyncIterator[None]:
        """Let other processes see that this one lives."""
        standing = asyncio.create_task(self._stand())
        try:
            yield
        finally:
            standing.cancel()
            await asyncio.wait([standing])

    async def _stand(self) -> None:
        while True:
            try:
                async with self.leases.held(self.name):
                    await asyncio.Event().wait()
            except RunError as error:
                LOG.warning("%s: %s", self.name, error.message)
                await asyncio.sleep(_RECOVERY)

    async def answer(
        self,
        caller: Caller,
        key: str,
        about: str,
        now: datetime,
        do: Callable[[], Awaitable[Answer]],
    ) -> Answer:
        """The kept answer, or that of `do`. `about` is the request: another one with the same key
        is refused, and so is the same one while it is under way."""
        digest = hashlib.sha256(about.encode("utf-8", "surrogatepass")).hexdigest()
        began = now.isoformat()
        fresh = await self.db.run(
            "insert into service_idempotency values (?, ?, ?, ?, ?, ?)"
            " on conflict (caller, key) do nothing",
            (caller.name, key, digest, _UNDER_WAY, self.name, began),
        )
        if not fresh:
            kept, began = await self._known(caller, key, digest)
            if kept is not None:
                return kept
        seed = f"{caller.name} {key} {digest} {began}"
        request = REQUEST.set(Repeatable(seed, again=not fresh))
        try:
            status, body = await do()
        except BaseException:
            query = f"delete from service_idempotency {_HERE}"
            await self.db.run(query, (caller.name, key))
            raise
        finally:
            REQUEST.reset(request)
        await self.db.run(
            f"update service_idempotency set status = ?, answer = ? {_HERE}",
            (status, self.db.seal(json.dumps(body)), caller.name, key),
        )
        return status, body

    async def _known(self, caller: Caller, key: str, digest: str) -> tuple[Answer | None, str]:
        """The kept answer, None when it is to be done again; and when it was asked for first."""
        query = f"select digest, status, answer, created from service_idempotency {_HERE}"
        rows = await self.db.rows(query, (caller.name, key))
        if not rows:  # it came to nothing a moment ago
            raise ServiceFault("CONFLICT", f"the request `{key[:100]}` is still under way")
        known, status, kept, began = rows[0]
        if known != digest:
            raise ServiceFault("CONFLICT", f"the key `{key[:100]}` was used for another request")
        if status != _UNDER_WAY:
            return (status, json.loads(self.db.unseal(kept))), began
        if kept == self.name or kept in await self.leases.held_among([kept]):
            raise ServiceFault("CONFLICT", f"the request `{key[:100]}` is still under way")
        query = f"update service_idempotency set answer = ? {_HERE} and status = ? and answer = ?"
        values = (self.name, caller.name, key, _UNDER_WAY, kept)
        if not await self.db.run(query, values):
            raise ServiceFault("CONFLICT", f"the request `{key[:100]}` is still under way")
        return None, began
