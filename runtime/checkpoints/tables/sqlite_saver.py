"""A saver of LangGraph's on SQLite that keeps each value once: each of its reads and writes is one
visit of the connection's thread, each write one transaction."""

from __future__ import annotations

import asyncio
from collections.abc import (
    AsyncIterator,
    Awaitable,
    Callable,
    Coroutine,
    Iterable,
    Iterator,
    Mapping,
    Sequence,
)
from contextlib import asynccontextmanager
from typing import Any, TypeVar, cast

import aiosqlite
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import (
    BaseCheckpointSaver,
    ChannelVersions,
    Checkpoint,
    CheckpointMetadata,
    CheckpointTuple,
    DeltaChannelHistory,
    get_checkpoint_id,
)

from ...db.database import Ahead, nothing_ahead
from ...db.fence import Epochs
from ...db.sqlite import explain_errors, target_of
from ...db.url import Location
from ...savers.home_loop import HomeLoop
from ...savers.thread_upkeep import ThreadUpkeep
from ..keys import thread_of
from .integrity import IntactReads
from .serializer import StrictSerializer
from .sqlite_tables import SqliteTables, Stored, Texts

Result = TypeVar("Result")


class _TableSaver(BaseCheckpointSaver[str]):
    """The saver's methods over the tables."""

    ahead: dict[str, Ahead]

    def __init__(
        self, connection: aiosqlite.Connection, epochs: Epochs, *, serde: StrictSerializer
    ) -> None:
        super().__init__(serde=serde)
        self.epochs = epochs
        self.ahead = {}
        self.conn = connection
        self.lock = asyncio.Lock()
        self.loop = asyncio.get_running_loop()
        self.tables = SqliteTables(connection._conn, serde.whole)

    async def visit(self, work: Callable[[], Result]) -> Result:
        """Do the work in the thread of the connection."""
        async with self.lock:
            # The public methods of a connection take statements; this one takes any function.
            execute: Callable[[Callable[[], Result]], Awaitable[Result]] = self.conn._execute
            return await execute(work)

    async def look(self, work: Callable[[], Result]) -> Result:
        """Do the work there on what is kept at one moment."""
        return await self.visit(lambda: self.tables.read(work))

    async def change(self, run: str, work: Callable[[], Result], *, later: bool = False) -> Result:
        """Do the work there in a transaction, behind the fence of a run, with what is ahead of it.
        What is on the disk `later` is so with whatever is written next."""
        epoch = self.epochs.get(run)
        write = self.tables.write_later if later else self.tables.write
        async with self.ahead.get(run, nothing_ahead)() as more:

            def together() -> Result:
                for query, values in more:
                    self.conn._conn.execute(query, values)
                return work()

            return await self.visit(lambda: write(run, epoch, together))

    async def aput(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        """Keep a checkpoint."""
        return await self.change(
            thread_of(config), lambda: self.tables.put(config, checkpoint, metadata, new_versions)
        )

    async def aput_writes(
        self,
        config: RunnableConfig,
        writes: Sequence[tuple[str, Any]],
        task_id: str,
        task_path: str = "",
    ) -> None:
        """Keep what a task wrote after a checkpoint. It need not wait for the disk: the checkpoint
        after it does, and a node whose writes are lost with the machine runs again, where its
        effects are known."""
        await self.change(
            thread_of(config),
            lambda: self.tables.put_writes(config, writes, task_id, task_path),
            later=True,
        )

    async def adelete_thread(self, thread_id: str) -> None:
        """Delete everything of a thread."""
        run = str(thread_id)
        await self.change(run, lambda: self.tables.forget(run))

    async def adelete_for_runs(self, run_ids: Sequence[str]) -> None:
        """Delete the checkpoints of executions that LangGraph's server takes back."""
        runs = [str(run) for run in run_ids]
        await self.change("", lambda: self.tables.take_back(runs))

    async def aget_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        """Return a checkpoint, by default the latest of its namespace."""
        run, space, id = _place(config)

        def read() -> CheckpointTuple | None:
            item = self.tables.newest(run, space, id)
            return None if item is None else self._whole(item, {})

        found = await self.look(read)
        return found if found is None or not id else found._replace(config=config)

    async def alist(
        self,
        config: RunnableConfig | None,
        *,
        filter: dict[str, Any] | None = None,
        before: RunnableConfig | None = None,
        limit: int | None = None,
    ) -> AsyncIterator[CheckpointTuple]:
        """Yield checkpoints, the newest first."""
        where, values = ["1 = 1"], list[str]()
        given = (config or {}).get("configurable", {})
        for column, key in (
            ("run", "thread_id"),
            ("space", "checkpoint_ns"),
            ("id", "checkpoint_id"),
        ):
            if given.get(key) is not None and (key != "checkpoint_id" or given[key]):
                where.append(f"{column} = ?")
                values.append(str(given[key]))
        if before is not None:
            where.append("id < ?")
            values.append(get_checkpoint_id(before) or "")
        query = f"where {' and '.join(where)} order by id desc"
        wanted = (filter or {}).items()

        def read() -> list[CheckpointTuple]:
            texts: Texts = {}
            items: list[CheckpointTuple] = []
            for item in self.tables.select(query, values):
                if limit is not None and len(items) >= limit:
                    break
                if all(item.about.get(key) == value for key, value in wanted):
                    items.append(self._whole(item, texts))
            return items

        for item in await self.look(read):
            yield item

    async def aget_delta_channel_history(
        self, *, config: RunnableConfig, channels: Sequence[str]
    ) -> Mapping[str, DeltaChannelHistory]:
        """Return what was written to channels since a checkpoint last held them as a whole."""
        run, space, id = _place(config)
        return await self.look(lambda: self._delta(run, space, id, channels))

    def _delta(
        self, run: str, space: str, id: str | None, channels: Sequence[str]
    ) -> dict[str, DeltaChannelHistory]:
        history: dict[str, DeltaChannelHistory] = {name: {"writes": []} for name in channels}
        if id is None:
            newest = self.tables.newest(run, space, None)
            id = "" if newest is None else newest.id
        texts: Texts = {}
        seeking, ancestors = set(channels), list[tuple[str, set[str]]]()
        chain = self.tables.chain(run, space, id)
        followers = [item for item in (next(chain, None),) if item is not None]
        for item in chain:
            followers.append(item)
            ancestors.append((item.id, set(seeking)))
            for name, value in self.tables.values(item, seeking & item.slots.keys(), texts).items():
                history[name]["seed"] = value
                seeking.discard(name)
            if not seeking:
                break
        steps = [(item.parent, item.written) for item in followers[:-1]]  # the last one begins
        self.tables.require_steps(run, space, steps)
        ids = [ancestor for ancestor, _ in ancestors]
        written = self.tables.writes(run, space, ids, texts, channels)
        for ancestor, sought in reversed(ancestors):
            for write in written.get(ancestor, ()):
                if write[1] in sought:
                    history[write[1]]["writes"].append(write)
        return history

    def _whole(self, item: Stored, texts: Texts) -> CheckpointTuple:
        body = {**item.body, "channel_values": self.tables.values(item, item.slots, texts)}
        about = cast("CheckpointMetadata", item.about)
        written = self.tables.writes(item.run, item.space, [item.id], texts).get(item.id, [])
        parent = _config(item, item.parent) if item.parent else None
        return CheckpointTuple(
            _config(item, item.id), cast("Checkpoint", body), about, parent, written
        )

    def get_next_version(self, current: str | None, channel: None) -> str:
        """Return a version that comes after another one. They are texts of one length: LangGraph
        compares them."""
        return f"{(int(current.partition('.')[0]) if current else 0) + 1:010}"

    def get_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        """Do `aget_tuple` from another thread than that of the event loop."""
        return self._elsewhere(lambda: self.aget_tuple(config))

    def list(
        self,
        config: RunnableConfig | None,
        *,
        filter: dict[str, Any] | None = None,
        before: RunnableConfig | None = None,
        limit: int | None = None,
    ) -> Iterator[CheckpointTuple]:
        """Do `alist` from another thread."""

        async def read() -> Iterable[CheckpointTuple]:
            items = self.alist(config, filter=filter, before=before, limit=limit)
            return [item async for item in items]

        yield from self._elsewhere(read)

    def put(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        """Do `aput` from another thread."""
        return self._elsewhere(lambda: self.aput(config, checkpoint, metadata, new_versions))

    def put_writes(
        self,
        config: RunnableConfig,
        writes: Sequence[tuple[str, Any]],
        task_id: str,
        task_path: str = "",
    ) -> None:
        """Do `aput_writes` from another thread."""
        self._elsewhere(lambda: self.aput_writes(config, writes, task_id, task_path))

    def delete_thread(self, thread_id: str) -> None:
        """Do `adelete_thread` from another thread."""
        self._elsewhere(lambda: self.adelete_thread(thread_id))

    def get_delta_channel_history(
        self, *, config: RunnableConfig, channels: Sequence[str]
    ) -> Mapping[str, DeltaChannelHistory]:
        """Do `aget_delta_channel_history` from another thread."""
        return self._elsewhere(
            lambda: self.aget_delta_channel_history(config=config, channels=channels)
        )

    def _elsewhere(self, work: Callable[[], Coroutine[Any, Any, Result]]) -> Result:
        try:
            here = asyncio.get_running_loop() is self.loop
        except RuntimeError:
            here = False
        if here:
            raise asyncio.InvalidStateError(
                "on the thread of its event loop the checkpointer would wait for itself: use"
                " `ainvoke`, `aget_state` and the like"
            )
        return asyncio.run_coroutine_threadsafe(work(), self.loop).result()


class SqliteSaver(HomeLoop, ThreadUpkeep, IntactReads, _TableSaver):
    """Keeps the checkpoints of a store in SQLite, and checks what it reads."""


@asynccontextmanager
async def open_sqlite_saver(
    location: Location, serde: StrictSerializer, epochs: Epochs
) -> AsyncIterator[SqliteSaver]:
    """Open a saver on the file and make its tables. Raise `RunError` when it cannot be opened."""
    with explain_errors(location):
        # Python would open transactions of its own.
        db = await aiosqlite.connect(
            target_of(location), isolation_level=None, timeout=location.patience
        )
    try:
        saver = SqliteSaver(db, epochs, serde=serde)
        saver.store_url = await asyncio.to_thread(lambda: location.complete)
        with explain_errors(location):
            await saver.visit(saver.tables.create)
        yield saver
    finally:
        await db.close()


def _place(config: RunnableConfig) -> tuple[str, str, str | None]:
    into = config["configurable"]
    return str(into["thread_id"]), str(into.get("checkpoint_ns", "")), get_checkpoint_id(config)


def _config(item: Stored, id: str) -> RunnableConfig:
    place = {"thread_id": item.run, "checkpoint_ns": item.space, "checkpoint_id": id}
    return {"configurable": place}
