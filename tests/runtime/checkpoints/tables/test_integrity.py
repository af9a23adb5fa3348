"""Checkpoints that somebody changed: an error that names them, never a fault of flowc's."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from flowc.compiler.ir import CallNode
from flowc.runtime.engine.engine import Engine, open_engine
from flowc.runtime.errors import RunError
from flowc.runtime.journal.effects import EffectJournal
from forged import body_of, forge_checkpoint
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
    spec, postgres = asking(), any_store.startswith("postgresql")
    among = "checkpoint_ns" if postgres else "space"
    space = f"{among} {'<>' if inside else '='} ''"

    async def go() -> None:
        async with open_engine(any_store) as engine:
            await start(engine, spec, world)
            for about in ABOUT:
                if postgres:
                    newest = f"(select max(checkpoint_id) from checkpoints where {space})"
                    query = (
                        f"update checkpoints set metadata = ?::jsonb where checkpoint_id = {newest}"
                    )
                    await engine.store.db.run(query, (json.dumps(about),))
                else:
                    where = f"where {space} order by id desc limit 1"
                    forge_checkpoint(file_of(any_store), where, about=about)
                await refused(engine, spec, inside)

    wait(go())


def file_of(url: str) -> Path:
    return Path(url.removeprefix("sqlite:///"))


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
    spec, file = asking(), tmp_path / "runs.db"
    where = f"where space {'<>' if inside else '='} '' order by id desc limit 1"

    async def go() -> None:
        async with open_engine(f"sqlite:///{file}") as engine:
            await start(engine, spec, world)
            for other in changed(body_of(file, where)):
                forge_checkpoint(file, where, body=other)
                await refused(engine, spec, inside)

    wait(go())


def test_metadata_that_is_no_json_is_said_so(tmp_path, wait, world) -> None:
    spec, file = asking(), tmp_path / "runs.db"

    async def go() -> None:
        async with open_engine(f"sqlite:///{file}") as engine:
            await start(engine, spec, world)
            with sqlite3.connect(file) as db:
                db.execute("update flow_checkpoints set about = x'ff7b'")
            db.close()
            await refused(engine, spec, False)
            with pytest.raises(RunError, match="was changed, or is damaged"):
                await engine.history("r")
            with pytest.raises(RunError, match="was changed, or is damaged"):
                await engine.fork("r", "a", {}, "f")

    wait(go())
