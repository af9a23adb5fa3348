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
from datetime import datetime, timedelta
from typing import Any

from sse_starlette.event import ServerSentEvent

from ...errors import RunError
from ...events import RunEvent
from ...store.listing import iso_time
from ...store.runs import RunStore
from ..live.texts import LiveTexts, Texts
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
WATCHES = 15.0
"""Seconds for which a worker tells what its models write, until it hears again that somebody
looks."""
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
    was taken away. `has_changed`: there is more than a text that goes on. `texts` are those that
    models are writing, None where the stream does not tell them."""

    execution: str
    token: str = ""
    is_over: bool = False
    has_changed: bool = True
    texts: Texts | None = None
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
    watched: float = 0.0
    """When it was said last that somebody looks (monotonic)."""
    task: asyncio.Task[None] | None = None

    def __post_init__(self) -> None:
        self.store.on_events = lambda run: self.wake.set()

    @contextlib.contextmanager
    def listening(
        self, caller: Caller, execution: str, texts: bool = False
    ) -> Iterator[EventStream]:
        """Hold one more stream in the block. Raises `ServiceFault` when there are too many."""
        self.refuse_more(caller)
        listening = EventStream(execution, caller.token, texts={} if texts else None)
        listening.news.set()
        if texts:
            self.watched = 0.0  # it is said at once
            self.wake.set()
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
                async with asyncio.timeout(SECONDS / 2 if self._is_written() else SECONDS):
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
                        listening.has_changed = True
                        listening.news.set()
                await self._look_at_texts()

    def _is_written(self) -> bool:
        """Whether somebody sees a text that goes on."""
        return any(listening.texts for listening in self.open)

    async def _look_at_texts(self) -> None:
        """Say that somebody looks, and hand out what models write meanwhile."""
        now = datetime.fromisoformat(self.store.clock())
        asking = [listening for listening in self.open if listening.texts is not None]
        ids, live = sorted({one.execution for one in asking}), LiveTexts(self.store.db)
        if time.monotonic() - self.watched > WATCHES / 3 and (ids or self.watched):
            await live.tidy(iso_time(now))
            for begin in range(0, len(ids), AT_ONCE):
                until = iso_time(now + timedelta(seconds=WATCHES))
                await live.watch(ids[begin : begin + AT_ONCE], until)
            self.watched = time.monotonic() if ids else 0.0
        since = iso_time(now - timedelta(seconds=WATCHES))
        texts = await live.read(ids, since) if ids else {}
        for one in asking:
            found = texts.get(one.execution, {})
            if found != one.texts:
                one.texts = found
                one.news.set()

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
    streams: Streams, caller: Caller, execution: str, position: int, texts: bool = False
) -> AsyncIterator[ServerSentEvent]:
    """Yield the messages of one stream: each event behind a position with its own as `id`,
    `standing` when something else has changed (somebody has a new task), `end` after the last
    one; with `texts` also `text`, what a model has written on."""
    with streams.listening(caller, execution, texts) as listening:
        yield ServerSentEvent(comment="events follow", retry=2000)
        first, end = True, time.monotonic() + streams.lasts
        told: Texts = {}
        while True:
            try:
                async with asyncio.timeout(end - time.monotonic()):
                    await listening.news.wait()
            except TimeoutError:
                return
            if listening.is_over:
                return
            listening.news.clear()
            for message in _text_messages(told, listening.texts or {}):
                yield message
            told = listening.texts or {}
            if not listening.has_changed:
                continue
            listening.has_changed = False
            try:
                ended = await _has_ended(streams.store, execution)
                more = await streams.store.events_after(execution, position)
            except RunError:  # the store is away: the stream waits, as runs do
                await asyncio.sleep(SECONDS)
                listening.has_changed = True
                listening.news.set()
                continue
            for position, event in more:
                yield _event_message(position, event)
            if more:
                listening.has_changed = True
                listening.news.set()  # there may be more of them than come at once
            elif ended:
                yield ServerSentEvent("{}", event="end")
                return
            elif not first:
                yield ServerSentEvent("{}", event="standing")
            first = False


def _event_message(position: int, event: RunEvent) -> ServerSentEvent:
    data = {
        "kind": event.kind,
        "time": event.time,
        "node": event.node,
        "path": list(event.path),
        "data": event.data,
    }
    return ServerSentEvent(json.dumps(data, ensure_ascii=False), id=str(position))


def _text_messages(before: Texts, now: Texts) -> Iterator[ServerSentEvent]:
    """Yield what models have written on, and the places where a text is whole."""
    for place in before.keys() - now.keys():
        yield ServerSentEvent(json.dumps({"place": place, "over": True}), event="text")
    for place, text in now.items():
        begin, more = text.behind(before.get(place))
        if more or not begin:
            data = {"place": place, "begin": begin, "text": more}
            yield ServerSentEvent(json.dumps(data, ensure_ascii=False), event="text")


async def _has_ended(store: RunStore, execution: str) -> bool:
    rows = await store.db.rows("select status from runs where id = ?", (execution,))
    if bool(rows) and rows[0][0] in ("success", "failed"):
        return True
    query = "select 1 from service_states where execution = ? and state = 'cancelled'"
    return bool(await store.db.rows(query, (execution,))) and (not rows or rows[0][0] == "stopped")
