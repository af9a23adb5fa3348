"""What one caller may ask of the service: how much at once, how often, and the same thing twice."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from ..database import Database
from .access import Caller
from .faults import ServiceFault

MAX_BODY = 4_000_000
"""Bytes of a request."""
KEY = "idempotency-key"
SCHEMA = """
create table if not exists service_idempotency (
    caller text not null, key text not null, digest text not null, status integer not null,
    answer text not null, created text not null, primary key (caller, key)
)
"""
_UNDER_WAY = 0


class BodyLimit:
    """Refuses a request whose body is larger than `most` bytes, without reading it to its end."""

    def __init__(self, app: Any, most: int = MAX_BODY) -> None:
        self.app = app
        self.most = most

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        parts: list[bytes] = []
        size, more = 0, True
        while more:
            message = await receive()
            if message["type"] != "http.request":
                return
            parts.append(message.get("body", b""))
            size += len(parts[-1])
            more = message.get("more_body", False)
            if size > self.most:
                await _refuse(send, self.most)
                return
        body, given = b"".join(parts), False

        async def replay() -> Any:
            nonlocal given
            if given:
                return await receive()
            given = True
            return {"type": "http.request", "body": body, "more_body": False}

        await self.app(scope, replay, send)


async def _refuse(send: Any, most: int) -> None:
    fault = ServiceFault("INVALID_REQUEST", f"a request has at most {most:,} bytes")
    body = json.dumps(fault.as_answer()).encode()
    headers = [(b"content-type", b"application/json"), (b"connection", b"close")]
    await send({"type": "http.response.start", "status": 413, "headers": headers})
    await send({"type": "http.response.body", "body": body})


@dataclass(slots=True)
class Rate:
    """A bucket for each caller: `per_second` requests on average, `burst` at once."""

    per_second: float
    burst: float
    clock: Callable[[], float]
    buckets: dict[str, tuple[float, float]] = field(default_factory=dict)

    def take(self, caller: Caller) -> None:
        """Raises `ServiceFault` with the seconds to wait when the bucket is empty."""
        now = self.clock()
        level, before = self.buckets.get(caller.name, (self.burst, now))
        level = min(self.burst, level + (now - before) * self.per_second)
        if level < 1:
            wait = (1 - level) / self.per_second
            raise ServiceFault(
                "TOO_MANY_REQUESTS",
                f"{self.per_second:g} requests a second are answered",
                details={"retry_after": wait},
            )
        self.buckets[caller.name] = (level - 1, now)


@dataclass(frozen=True, slots=True)
class Once:
    """Answers to requests that carry an idempotency key, so that a repetition does nothing."""

    db: Database

    async def answer(
        self,
        caller: Caller,
        key: str,
        about: str,
        now: datetime,
        do: Callable[[], Awaitable[tuple[int, dict[str, Any]]]],
    ) -> tuple[int, dict[str, Any]]:
        """The kept answer, or that of `do`. `about` is the request: another one with the same key
        is refused, and so is the same one while it is under way."""
        digest = hashlib.sha256(about.encode("utf-8", "surrogatepass")).hexdigest()
        fresh = await self.db.run(
            "insert into service_idempotency values (?, ?, ?, ?, ?, ?)"
            " on conflict (caller, key) do nothing",
            (caller.name, key, digest, _UNDER_WAY, "", now.isoformat()),
        )
        here = "where caller = ? and key = ?"
        if not fresh:
            query = f"select digest, status, answer from service_idempotency {here}"
            known, status, kept = (await self.db.rows(query, (caller.name, key)))[0]
            if known != digest:
                raise ServiceFault(
                    "CONFLICT", f"the key `{key[:100]}` was used for another request"
                )
            if status == _UNDER_WAY:
                raise ServiceFault("CONFLICT", f"the request `{key[:100]}` is still under way")
            return status, json.loads(self.db.unseal(kept))
        try:
            status, body = await do()
        except BaseException:
            await self.db.run(f"delete from service_idempotency {here}", (caller.name, key))
            raise
        await self.db.run(
            f"update service_idempotency set status = ?, answer = ? {here}",
            (status, self.db.seal(json.dumps(body)), caller.name, key),
        )
        return status, body
