"""How often a worker asks the store."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("fastapi", reason="the extra `service` is not installed")
from flowc.runtime.config.settings import Config
from flowc.runtime.service.deadlines.duties import due_duties
from flowc.runtime.service.operations.executions import Executing, open_executing
from flowc.runtime.store.runs import RunStore
from own_folders import write_record
from stores import SERVER
from transactions import transactions

from .conftest import Opening

MOST = 30
"""Transactions of an execution of two model steps; it takes about 20, and 100 before a store was
used as it is meant."""
EXECUTIONS, SECONDS = 4, 2.0


@pytest.mark.skipif(not SERVER, reason="FLOWC_TEST_POSTGRES names no PostgreSQL server")
def test_an_execution_of_two_model_steps_takes_few_transactions(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_record(tmp_path)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    with_them, without = (transactions(many, EXECUTIONS, SECONDS) for many in (EXECUTIONS, 0))
    assert (with_them - without) / EXECUTIONS <= MOST


class Asked:
    """A database, and which of its methods that read were called."""

    def __init__(self, db: Any) -> None:
        self.db = db
        self.calls: list[str] = []

    def __getattr__(self, name: str) -> Any:
        if name.startswith("rows"):
            self.calls.append(name)
        return getattr(self.db, name)


def asked_by(executing: Executing) -> tuple[Executing, Asked]:
    store = executing.engine.store
    db: Any = Asked(store.db)
    same = RunStore(replace(store.opened, db=db), store.place, store.signer)
    return replace(executing, db=db, engine=replace(executing.engine, store=same)), db


def test_which_duty_is_due_is_one_question(store: str) -> None:
    async def go() -> None:
        async with open_executing(store, Config()) as executing:
            watching, db = asked_by(executing)
            assert await due_duties(watching) == []
            assert db.calls == ["rows_of_each"]

    asyncio.run(go())


def test_what_a_worker_begins_with_is_one_question(opening: Opening, store: str) -> None:
    with opening(concurrency=0) as desk:
        id = desk.execution()

    async def go() -> None:
        async with open_executing(store, Config()) as executing:
            watching, db = asked_by(executing)
            taken = await watching.register.take(id)
            assert (taken.execution.id, taken.has_run) == (id, False)
            assert db.calls == ["rows_of_each"]

    asyncio.run(go())
