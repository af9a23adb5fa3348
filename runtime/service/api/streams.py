"""An execution's events as they happen: server-sent events, which go on after a connection broke.

What happened stands in the store, whichever process executes: a stream reads on from a position
there. One task of the process looks for all streams together, at once when this process wrote
something, else every second, so that many streams cost about as much as one.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import resource
import time
from collections import Counter
from collections.abc import AsyncIterator, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from sse_starlette.event import ServerSentEvent

from ...errors import RunError
from ...store.runs import RunStore
from ..records.access import Caller
from ..records.errors import ServiceFault

SECONDS = 1.0
"""Between two looks at what other processes did."""
SOONER = 0.05
"""The same when this process wrote something."""
HEARTBEAT = 15
"""Seconds after which a stream without news says that it is there."""
MOST, MOST_EACH = 1000, 600
"""Streams of one process, and of one caller."""
AT_ONCE = 400
"""Executions in one query."""
LASTS = 300.0
"""Seconds after which a stream ends, to be asked for anew: a token may have expired."""
WAIT = 5.0
"""Seconds after which somebody who was sent away may ask again."""
Mark = tuple[Any, ...]


def most_streams() -> int:
    """Return `MOST`, or half of the files that the process may have open."""
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return MOST if soft == resource.RLIM_INFINITY else max(1, min(MOST, soft // 2))


@dataclass(slots=True, eq=False)
class EventStream:
    """One stream: `news` is set when there is something to look for, and `is_over` when its token
    was taken away."""

    execution: str
    token: str = ""
    is_over: bool = False
    news: asyncio.Event = field(default_factory=asyncio.Event)


@dataclass(slots=True)
class Streams:
    """The streams of one process."""

    store: RunStore
    most: int = field(default_factory=most_streams)
    most_each: int = MOST_EACH
    lasts: float = LASTS
    open: set[EventStream] = field(default_factory=set)
    callers: Counter[str] = field(default_factory=Counter)
    marks: dict[str, Mark] = field(default_factory=dict)
    wake: asyncio.Event = field(default_factory=asyncio.Event)
    task: asyncio.Task[None] | None = None

    def __post_init__(self) -> None:
        self.store.on_events = lambda run: self.wake.set()

    @contextlib.contextmanager
    def listening(self, caller: Caller, execution: str) -> Iterator[EventStream]:
        """Hold one more stream in the block. Raises `ServiceFault` when there are too many."""
        self.refuse_more(caller)
        listening = EventStream(execution, caller.token)
        listening.news.set()
        self.open.add(listening)
        self.callers[caller.rate_key] += 1
        if self.task is None:
            self.task = asyncio.create_task(self._look(), name="event streams")
        try:
            yield listening
        finally:
            self.open.discard(listening)
            self.callers[caller.rate_key] -= 1
            if self.callers[caller.rate_key] <= 0:
                del self.callers[caller.rate_key]

    def refuse_more(self, caller: Caller) -> None:
        """Raise `ServiceFault` when one more stream would be too many."""
        details = {"retry_after": WAIT}
        if self.callers[caller.rate_key] >= self.most_each:
            message = f"a caller has at most {self.most_each} event streams"
            raise ServiceFault("TOO_MANY_REQUESTS", message, details=details)
        if len(self.open) >= self.most:
            message = f"{self.most} event streams are open, and that is all there can be"
            raise ServiceFault("UNAVAILABLE", message, details=details)

    async def close(self) -> None:
        """Stop looking."""
        if self.task is not None:
            self.task.cancel()
            await asyncio.wait([self.task])

    async def _look(self) -> None:
        """Wake the streams of every execution that has changed, until the service ends."""
        while True:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(SECONDS):
                    await self.wake.wait()
                await asyncio.sleep(SOONER)  # what comes at once is looked for once
            self.wake.clear()
            ids = sorted({listening.execution for listening in self.open})
            if not ids:
                self.marks.clear()
                continue
            with contextlib.suppress(RunError):  # the store is away: the next look may find it
                await self._end_revoked()
                now = await self._marks(ids)
                changed = {id for id in ids if now.get(id) != self.marks.get(id)}
                self.marks = now
                for listening in self.open:
                    if listening.execution in changed:
                        listening.news.set()

    async def _end_revoked(self) -> None:
        """End the streams of tokens that are no more."""
        open_now = tuple(self.open)
        held = sorted({listening.token for listening in open_now if listening.token})
        known = {""}
        for begin in range(0, len(held), AT_ONCE):
            some = held[begin : begin + AT_ONCE]
            holes = ", ".join("?" * len(some))
            query = f"select digest from service_tokens where digest in ({holes})"
            known |= {row[0] for row in await self.store.db.rows(query, some)}
        for listening in open_now:
            if listening.token not in known:
                listening.is_over = True
                listening.news.set()

    async def _marks(self, ids: Sequence[str]) -> dict[str, Mark]:
        """Return a value for each execution that differs as soon as anything has changed in it."""
        marks: dict[str, Mark] = dict.fromkeys(ids, ())
        for begin in range(0, len(ids), AT_ONCE):
            some = ids[begin : begin + AT_ONCE]
            holes = ", ".join("?" * len(some))
            for query in (
                "select run, max(seq) from events where run in ({}) group by run",
                "select id, status, updated from runs where id in ({})",
                "select id, length(body) from service_executions where id in ({})",
                "select execution, count(*), sum(length(body)) from service_assignments"
                " where execution in ({}) group by execution",
                "select execution, count(*) from service_happenings"
                " where execution in ({}) group by execution",
                "select execution, max(number) from service_messages"
                " where execution in ({}) group by execution",
                "select execution, count(*) from service_message_reads"
                " where execution in ({}) group by execution",
            ):
                for row in await self.store.db.rows(query.format(holes), some):
                    marks[row[0]] = (*marks[row[0]], *row[1:])
        return marks


async def event_messages(
    streams: Streams, caller: Caller, execution: str, position: int
) -> AsyncIterator[ServerSentEvent]:
    """Yield the messages of one stream: each event behind a position with its own as `id`,
    `standing` when something else has changed (somebody has a new task), `end` after the last
    one."""
    with streams.listening(caller, execution) as listening:
        yield ServerSentEvent(comment="events follow", retry=2000)
        first, end = True, time.monotonic() + streams.lasts
        while True:
            try:
                async with asyncio.timeout(end - time.monotonic()):
                    await listening.news.wait()
            except TimeoutError:
                return
            if listening.is_over:
                return
            listening.news.clear()
            try:
                ended = await _has_ended(streams.store, execution)
                more = await streams.store.events_after(execution, position)
            except RunError:  # the store is away: the stream waits, as runs do
                await asyncio.sleep(SECONDS)
                listening.news.set()
                continue
            for position, event in more:
                data = {
                    "kind": event.kind,
                    "time": event.time,
                    "node": event.node,
                    "path": list(event.path),
                    "data": event.data,
                }
                yield ServerSentEvent(json.dumps(data, ensure_ascii=False), id=str(position))
            if more:
                listening.news.set()  # there may be more of them than come at once
            elif ended:
                yield ServerSentEvent("{}", event="end")
                return
            elif not first:
                yield ServerSentEvent("{}", event="standing")
            first = False


async def _has_ended(store: RunStore, execution: str) -> bool:
    rows = await store.db.rows("select status from runs where id = ?", (execution,))
    if bool(rows) and rows[0][0] in ("success", "failed"):
        return True
    query = "select 1 from service_states where execution = ? and state = 'cancelled'"
    return bool(await store.db.rows(query, (execution,))) and (not rows or rows[0][0] == "stopped")
