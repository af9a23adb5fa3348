"""What LangGraph's own saver writes into a store of flowc's in PostgreSQL is refused as that."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from flowc.runtime.db.url import locate
from flowc.runtime.errors import RunError
from flowc.runtime.store.open import open_location
from stores import ask, fresh_store, stock_saver

PLACE = {"thread_id": "t", "checkpoint_ns": ""}


def checkpoint(number: int) -> Any:
    return {
        "v": 4,
        "ts": "2026-01-01T00:00:00+00:00",
        "id": f"1ef4f797-8335-6428-8001-8a1503f9b{number:03}",
        "channel_values": {"list": [1]},
        "channel_versions": {"list": f"{number:032}.1"},
        "versions_seen": {},
        "updated_channels": None,
    }


@pytest.mark.parametrize("what", ["checkpoint", "write"])
def test_what_a_saver_of_langgraph_s_writes_in_postgresql_is_refused_as_such(
    tmp_path: Path, wait, what: str
) -> None:
    async def go(url: str) -> None:
        async with open_location(locate(url)) as opened, opened.checkpointer() as saver:
            config: Any = {"configurable": PLACE}
            config = await saver.aput(config, checkpoint(1), {"source": "loop", "step": 1}, {})
            async with stock_saver(url) as stock:
                if what == "write":
                    await stock.aput_writes(config, [("list", [3])], "theirs")
                else:
                    await stock.aput(config, checkpoint(7), {"step": 7}, {})
            bare: Any = {"configurable": PLACE}
            for look in (saver.aget_tuple(bare), anext(aiter(saver.alist(bare)))):
                with pytest.raises(RunError, match="another program wrote it, and not flowc") as no:
                    await look
                named = {"checkpoint": checkpoint(7)["id"], "write": "what was written to `list`"}
                assert named[what] in no.value.message

    with fresh_store("postgresql", tmp_path) as url:
        wait(go(url))


def test_no_index_invites_the_server_to_read_all_of_a_run(tmp_path: Path, wait) -> None:
    """Without statistics it takes LangGraph's indexes of the thread alone: 4,000 steps then take
    six times as long as 1,000, and not four."""

    async def make(url: str) -> None:
        async with open_location(locate(url)) as opened, opened.checkpointer():
            pass

    with fresh_store("postgresql", tmp_path) as url:
        wait(make(url))
        query = "select tablename, indexdef from pg_indexes where tablename like 'checkpoint%'"
        indexes = ask(url, query)
        named = {"checkpoints", "checkpoint_blobs", "checkpoint_writes"}
        assert {table for table, _ in indexes} >= named
        assert [one for _, one in indexes if one.endswith("(thread_id)")] == []
