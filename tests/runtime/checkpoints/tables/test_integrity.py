"""Checkpoints that somebody changed: an error that names them, never a fault of flowc's."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from typing import Any

import pytest
from flowc.compiler.ir import CallNode
from flowc.runtime.checkpoints.tables.serializer import StrictSerializer
from flowc.runtime.engine.engine import Engine, open_engine
from flowc.runtime.errors import RunError
from flowc.runtime.journal.effects import EffectJournal
from specs import SUCCESS, N, ask, assign, lit, program_of, workflow
from worlds import World, start

ABOUT: list[Any] = [
    None,
    [],
    "x",
    {},
    {"step": "x"},
    {"step": None},
    {"step": True},
    {"step": 2.5},
    {"step": 10**30},
    {"step": 2, "parents": 7},
    {"step": 2, "parents": {"": None}},
    {"step": 2, "counters_since_delta_snapshot": 7},
    {"step": 2, "counters_since_delta_snapshot": {"$visits": ["a", "b"]}},
]
"""Metadata that LangGraph would not write."""


def asking() -> Any:
    """Asks in a called workflow."""
    inner = workflow(ask("inside", "N"), SUCCESS, state=(N,), variables=("RESULT",))
    main = workflow(assign("a", N=lit(1)), CallNode(id="sub", workflow="inner"), SUCCESS)
    return program_of(main, inner=inner)


async def refused(engine: Engine, spec: Any, inside: bool) -> None:
    """Whoever needs the checkpoint says that it cannot be read. `state` looks at the main workflow
    alone."""
    for look in () if inside else (engine.state, engine.compact):
        with pytest.raises(RunError, match="was changed, or is damaged"):
            await look("r")
    given = {} if await EffectJournal(engine.journal_db).answers("r") else {"": "x"}
    with pytest.raises(RunError, match="was changed, or is damaged") as said:
        await engine.resume("r", spec, World(), answers=given)
    assert "another run" in (said.value.help or "")


@pytest.mark.parametrize("inside", [False, True])
def test_changed_metadata_is_said_so(any_store, wait, world, inside: bool) -> None:
    spec = asking()
    where = "where thread_id = 'r' and checkpoint_ns " + ("<> ''" if inside else "= ''")
    newest = f"{where} and checkpoint_id = (select max(checkpoint_id) from checkpoints {where})"
    value = "?::jsonb" if any_store.startswith("postgresql") else "?"

    async def go() -> None:
        async with open_engine(any_store) as engine:
            await start(engine, spec, world)
            for about in ABOUT:
                query = f"update checkpoints set metadata = {value} {newest}"
                await engine.store.db.run(query, (json.dumps(about),))
                await refused(engine, spec, inside)

    wait(go())


def changed(checkpoint: dict[str, Any]) -> Iterator[Any]:
    """The checkpoint with each of its parts missing, or something else."""
    yield [1]
    for part in ("v", "id", "ts", "channel_values", "channel_versions", "versions_seen"):
        yield {name: value for name, value in checkpoint.items() if name != part}
        yield from ({**checkpoint, part: other} for other in (None, [7], {"x": 1}))
    yield {**checkpoint, "updated_channels": 7}
    yield {**checkpoint, "channel_versions": {}}
    for name in checkpoint["channel_versions"]:
        for other in (None, 7, "x"):
            versions = {**checkpoint["channel_versions"], name: other}
            yield {**checkpoint, "channel_versions": versions}


@pytest.mark.parametrize("inside", [False, True])
def test_a_changed_checkpoint_is_said_so(tmp_path, wait, world, inside: bool) -> None:
    spec, serde = asking(), StrictSerializer(None)
    file = tmp_path / "runs.db"

    async def go() -> None:
        async with open_engine(f"sqlite:///{file}") as engine:
            await start(engine, spec, world)
            rows = await engine.store.db.rows(
                "select checkpoint_id, type, checkpoint from checkpoints"
                " where (checkpoint_ns <> '') = ? order by checkpoint_id desc limit 1",
                (inside,),
            )
            for other in changed(serde.loads_typed((rows[0][1], rows[0][2]))):
                query = "update checkpoints set type = ?, checkpoint = ? where checkpoint_id = ?"
                await engine.store.db.run(query, (*serde.dumps_typed(other), rows[0][0]))
                await refused(engine, spec, inside)

    wait(go())


def test_metadata_that_is_no_json_is_said_so(tmp_path, wait, world) -> None:
    spec, file = asking(), tmp_path / "runs.db"

    async def go() -> None:
        async with open_engine(f"sqlite:///{file}") as engine:
            await start(engine, spec, world)
            with sqlite3.connect(file) as db:
                db.execute("update checkpoints set metadata = x'ff7b'")
            db.close()
            await refused(engine, spec, False)
            with pytest.raises(RunError, match="was changed, or is damaged"):
                await engine.history("r")
            with pytest.raises(RunError, match="was changed, or is damaged"):
                await engine.fork("r", "a", {}, "f")

    wait(go())
