"""What one caller may ask of the service: how much at once, and how often."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ..records.errors import ServiceFault
from ..records.tokens import Caller

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

MAX_BODY = 4_000_000
"""Bytes of a request."""

MOST_BUCKETS = 10_000
"""Buckets before those are looked for that are full again."""


class BodyLimit:
    """Refuses a request whose body is larger than `most` bytes, without reading it to its end."""

    def __init__(self, app: ASGIApp, most: int = MAX_BODY) -> None:
        self.app = app
        self.most = most

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
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

        async def replay() -> Message:
            nonlocal given
            if given:
                return await receive()
            given = True
            return {"type": "http.request", "body": body, "more_body": False}

        await self.app(scope, replay, send)


async def _refuse(send: Send, most: int) -> None:
    fault = ServiceFault("INVALID_REQUEST", f"a request has at most {most:,} bytes")
    body = json.dumps(fault.as_answer()).encode()
    headers = [(b"content-type", b"application/json"), (b"connection", b"close")]
    await send({"type": "http.response.start", "status": 413, "headers": headers})
    await send({"type": "http.response.body", "body": body})


@dataclass(slots=True)
class Rate:
    """A bucket for each token: `per_second` requests on average, `burst` at once. Full ones are
    dropped from `most` on."""

    per_second: float
    burst: float
    clock: Callable[[], float]
    most: int = MOST_BUCKETS
    buckets: dict[str, tuple[float, float]] = field(default_factory=dict)

    def take(self, caller: Caller) -> None:
        """Raises `ServiceFault` with the seconds to wait when the bucket is empty."""
        now = self.clock()
        if len(self.buckets) >= self.most:
            self._drop_full(now)
        level, before = self.buckets.get(caller.counted, (self.burst, now))
        level = min(self.burst, level + (now - before) * self.per_second)
        if level < 1:
            wait = (1 - level) / self.per_second
            raise ServiceFault(
                "TOO_MANY_REQUESTS",
                f"{self.per_second:g} requests a second are answered",
                details={"retry_after": wait},
            )
        self.buckets[caller.counted] = (level - 1, now)

    def _drop_full(self, now: float) -> None:
        """Forget whoever may ask as much as somebody new."""
        kept = self.buckets.items()
        whole = self.burst / self.per_second
        self.buckets = {who: (level, at) for who, (level, at) in kept if now - at < whole}
