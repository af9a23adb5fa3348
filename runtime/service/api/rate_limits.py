"""How often a caller may ask the service."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field

from ..records.access import Caller
from ..records.errors import ServiceFault

MOST_BUCKETS = 10_000
"""Buckets before those are looked for that are full again."""


@dataclass(slots=True)
class Rate:
    """A bucket for each token: `per_second` requests on average, `burst` at once. Full ones are
    dropped from `most` on."""

    per_second: float = 100.0
    burst: float = 200.0
    clock: Callable[[], float] = time.monotonic
    most: int = MOST_BUCKETS
    buckets: dict[str, tuple[float, float]] = field(default_factory=dict)

    def take(self, caller: Caller) -> None:
        """Raise `ServiceFault` with the seconds to wait when the bucket is empty."""
        now = self.clock()
        if len(self.buckets) >= self.most:
            self._drop_full(now)
        level, before = self.buckets.get(caller.rate_key, (self.burst, now))
        level = min(self.burst, level + (now - before) * self.per_second)
        if level < 1:
            wait = (1 - level) / self.per_second
            raise ServiceFault(
                "TOO_MANY_REQUESTS",
                f"{self.per_second:g} requests a second are answered",
                details={"retry_after": wait},
            )
        self.buckets[caller.rate_key] = (level - 1, now)

    def _drop_full(self, now: float) -> None:
        """Forget the callers whose bucket is full again."""
        kept = self.buckets.items()
        whole = self.burst / self.per_second
        self.buckets = {who: (level, at) for who, (level, at) in kept if now - at < whole}
