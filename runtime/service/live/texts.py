"""The texts that models are writing, for those who look at an execution while they are written.

A stream that wants them says so in a row, every few seconds. While a model writes, its worker puts
what it has so far into that row, if there is one: without somebody who looks, nothing is written.
Nothing of it lasts. A text that is whole is in the answer, which the run's journal keeps.
"""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import AsyncIterator, Callable, Collection, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field, replace

from ...db.database import Database, marks
from ...errors import RunError
from ...events import EventKind, RunEvent
from ...secrets import redact_begun, secret_values
from ...store.runs import RunStore

SCHEMA = """
create table if not exists service_live (
    execution text not null primary key, watched text not null, texts text not null
)
"""
EVERY = 0.5
"""Seconds between two writes of what was added."""
LONGEST = 20_000
"""Characters of a text that are kept while it is written: the last ones."""
_ENDS: Collection[EventKind] = (
    *("node_started", "node_finished", "node_failed"),
    *("model_called", "model_retry", "model_fallback"),
)
"""Events after which the next piece begins another text."""


@dataclass(frozen=True, slots=True)
class LiveText:
    """A text that is being written at a place, `CALL/NODE`: `begun` tells it from the one before it
    there; `text` are its last characters, before which it had `cut` others."""

    place: str
    begun: int
    cut: int
    text: str

    @property
    def end(self) -> int:
        """How many characters it has."""
        return self.cut + len(self.text)

    def behind(self, before: LiveText | None) -> tuple[int, str]:
        """Return what is new in it, and behind how many characters: 0 begins it anew."""
        known = before.end if before is not None and before.begun == self.begun else 0
        if not self.cut <= known <= self.end:
            known = 0
        return known, self.text[max(0, known - self.cut) :]


Texts = Mapping[str, LiveText]


@dataclass(frozen=True, slots=True)
class LiveTexts:
    """The rows. Times are ISO 8601 UTC."""

    db: Database

    async def watch(self, executions: Sequence[str], until: str) -> None:
        """Note that somebody looks at executions until a time."""
        holes = ", ".join(["(?, ?, '')"] * len(executions))
        await self.db.put(
            f"insert into service_live values {holes} on conflict (execution)"
            " do update set watched = excluded.watched",
            [value for id in executions for value in (id, until)],
        )

    async def tell(self, execution: str, texts: Collection[LiveText], now: str) -> bool:
        """Store what is being written. Return False, and store nothing, when nobody looks."""
        watched = "select 1 from service_live where execution = ? and watched > ?"
        if not await self.db.rows(watched, (execution, now)):
            return False  # asked twice a second while a model writes: a transaction is dearer
        rows = [[text.place, text.begun, text.cut, text.text] for text in texts]
        sealed = self.db.seal(json.dumps([now, rows], ensure_ascii=False))
        update = "update service_live set texts = ? where execution = ?"
        await self.db.put(update, (sealed, execution))
        return True

    async def read(
        self, executions: Sequence[str], since: str = ""
    ) -> dict[str, dict[str, LiveText]]:
        """Return what is being written in executions, by place: what was told `since` a time. A
        worker that lives tells it again and again."""
        query = (
            "select execution, texts from service_live where texts <> ''"
            f" and execution in ({marks(executions)})"
        )
        found = {}
        for id, sealed in await self.db.rows(query, executions):
            at, rows = json.loads(self.db.unseal(sealed, f"what is written in {id}"))
            found[id] = {row[0]: LiveText(*row) for row in rows if at >= since}
        return found

    async def tidy(self, now: str) -> None:
        """Drop the rows at which nobody looks any more."""
        await self.db.put("delete from service_live where watched <= ?", (now,))


@dataclass(slots=True)
class Writing:
    """Gathers what models write in one execution, and tells it those who look."""

    live: LiveTexts
    execution: str
    clock: Callable[[], str]
    hidden: tuple[str, ...] = ()
    """Values that are not shown, longest first."""
    texts: dict[str, LiveText] = field(default_factory=dict)
    begun: int = 0
    has_changed: bool = False
    has_told: bool = False
    """Whether somebody who looked has been told something."""

    def listen(self, event: RunEvent) -> None:
        """Take in a piece of a text, or that it is whole."""
        place = "/".join((*event.path, event.node))
        if event.kind == "model_text":
            known = self.texts.get(place)
            if known is None:
                self.begun += 1
                known = LiveText(place, self.begun, 0, "")
            text = known.text + str(event.data.get("text", ""))
            over = max(0, len(text) - LONGEST)
            self.texts[place] = LiveText(place, known.begun, known.cut + over, text[over:])
            self.has_changed = True
        elif event.kind in _ENDS and place in self.texts:
            del self.texts[place]
            self.has_changed = True

    @asynccontextmanager
    async def broadcast(self) -> AsyncIterator[None]:
        """Tell what changes while the block lasts. One that begins to look gets what is there."""
        telling = asyncio.create_task(self._tell_on(), name=f"what is written in {self.execution}")
        try:
            yield
        finally:
            telling.cancel()
            await asyncio.wait([telling])
            self.texts.clear()
            if self.has_told:
                with suppress(RunError):
                    await self._tell()

    async def _tell_on(self) -> None:
        while True:
            await asyncio.sleep(EVERY)
            if self.texts or (self.has_changed and self.has_told):
                self.has_changed = False
                with suppress(RunError):  # the store is away: the next look may find it
                    await self._tell()

    async def _tell(self) -> None:
        shown = [replace(t, text=redact_begun(t.text, self.hidden)) for t in self.texts.values()]
        told = await self.live.tell(self.execution, shown, self.clock())
        self.has_told = self.has_told or told


def writing_in(store: RunStore, execution: str) -> Writing:
    """Return what gathers the texts of an execution that is carried on here."""
    hidden = secret_values(os.environ)
    return Writing(LiveTexts(store.db), execution, lambda: store.clock(), hidden)
