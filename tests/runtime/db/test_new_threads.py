"""Of a run that this process has just begun, no checkpoint is looked for where none was written."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from flowc.runtime.db.fence import Epochs
from flowc.runtime.db.new_threads import NewThreads
from flowc.runtime.engine.engine import open_engine
from stores import fresh_store


def held(run: str, epoch: int) -> Epochs:
    epochs = Epochs()
    epochs[run] = epoch
    epochs.held.add(run)
    return epochs


def test_what_was_written_since_is_looked_for() -> None:
    threads = NewThreads(held("r", 1))
    assert not threads.is_empty("r", "a:1")
    threads.begin("r")
    threads.write("r", "a:1")
    assert (threads.is_empty("r", "a:1"), threads.is_empty("r", "b:1")) == (False, True)


def test_a_run_that_is_not_held_any_more_or_anew_may_hold_anything() -> None:
    epochs = held("r", 1)
    threads = NewThreads(epochs)
    threads.begin("r")
    epochs["r"] = 2  # another process had it in between
    assert not threads.is_empty("r", "")
    epochs["r"] = 1
    epochs.held.discard("r")
    assert not threads.is_empty("r", "")


def test_a_thread_of_nobody_may_hold_anything() -> None:
    threads = NewThreads(Epochs())
    threads.begin("r")
    assert not threads.is_empty("r", "")


def test_runs_that_are_over_are_forgotten() -> None:
    epochs = held("r", 1)
    threads = NewThreads(epochs)
    threads.begin("r")
    epochs.held.discard("r")
    threads.begin("s")
    epochs.held.add("r")
    assert not threads.is_empty("r", "")


def test_the_saver_asks_the_server_only_of_what_may_be_there(tmp_path: Path, wait) -> None:
    """What another program would write behind its back stands for a question to the server."""
    place: dict[str, Any] = {"thread_id": "t", "checkpoint_ns": "a:1"}
    checkpoint = {
        "v": 4,
        "ts": "2026-01-01T00:00:00+00:00",
        "id": "1ef4f797-8335-6428-8001-8a1503f9b001",
        "channel_values": {},
        "channel_versions": {},
        "versions_seen": {},
        "updated_channels": None,
    }

    async def go(url: str) -> None:
        async with open_engine(url) as engine, open_engine(url) as beside:
            saver: Any = engine.saver
            async with engine.hold("t"):
                await saver.begin_thread("t", blank=False)
                await beside.saver.aput({"configurable": place}, checkpoint, {"step": 1}, {})
                assert await engine.saver.aget_tuple({"configurable": place}) is None
                await engine.saver.aput({"configurable": place}, checkpoint, {"step": 1}, {})
                assert await engine.saver.aget_tuple({"configurable": place}) is not None
                await saver.begin_thread("t", blank=True)
                await beside.saver.aput({"configurable": place}, checkpoint, {"step": 1}, {})
            assert await engine.saver.aget_tuple({"configurable": place}) is not None

    with fresh_store("postgresql", tmp_path) as url:
        wait(go(url))
