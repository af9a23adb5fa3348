"""Lists of executions by status: the same status as that of each, found by an index."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from flowc.runtime.db.database import Database, create_tables
from flowc.runtime.db.url import locate
from flowc.runtime.service.records import happenings, states, tables
from flowc.runtime.service.records.states import StateRows
from flowc.runtime.service.search.wanted import Wanted
from flowc.runtime.store.open import open_database
from flowc.runtime.store.runs import open_store
from stores import KINDS, fresh_store

NOW, PAST, LATER = "2026-11-01T00:00:00Z", "2026-10-01T00:00:00Z", "2026-12-01T00:00:00Z"
RUNS = (None, "running", "paused", "interrupted", "success", "failed", "error", "stopped")
HELD = ("", "paused", "cancelled", "fault")
STATUSES = ("completed", "cancelled", "paused", "failed", "starting", "executing")
ENDED = ("completed", "cancelled", "failed")
_RUN = "insert into runs (id, status, updated, started, workflow, source, summary, record)"


def in_store(
    kind: str, folder: Path, do: Callable[[Database, str], Coroutine[Any, Any, Any]]
) -> Any:
    async def go() -> Any:
        with fresh_store(kind, folder) as url:
            async with open_store(url), open_database(locate(url), durable=False) as db:
                await create_tables(db, tables.SCHEMA, states.SCHEMA, happenings.SCHEMA)
                return await do(db, url)

    return asyncio.run(go())


async def add(db: Database, id: str, run: str | None, held: Any, ends: str, number: int) -> None:
    created = f"2026-11-01T00:00:{number % 60:02}Z"
    row = (id, f"team{number % 2}", created, "")
    await db.run("insert into service_executions values (?, ?, ?, ?)", row)
    await StateRows(db).keep(id, held, ends, f"w{number % 3}", f"t{number % 2}")
    await StateRows(db).begin(id)
    if run is not None:
        await db.run(f"{_RUN} values (?, ?, '', '', '', '', '', '')", (id, run))


async def listed(db: Database, wanted: Wanted, owner: str | None = None) -> list[str]:
    """Every page of three of a list."""
    found: list[str] = []
    while True:
        query, values = wanted.query(owner, found[-1] if found else "", 3)
        order = (
            "select id from service_executions where id in ({}) order by created desc, id limit 3"
        )
        rows = await db.rows(order.format(query), values)
        found += [row[0] for row in rows]
        if len(rows) < 3:
            return found


@pytest.mark.parametrize("kind", KINDS)
def test_a_list_of_a_status_has_those_that_have_it(kind: str, tmp_path: Path) -> None:
    async def go(db: Database, url: str) -> None:
        cases = {
            f"e{number}": case for number, case in enumerate(product(RUNS, HELD, ("", PAST, LATER)))
        }
        for number, (id, (run, held, ends)) in enumerate(cases.items()):
            await add(db, id, run, held, ends, number)
        await StateRows(db).tidy()
        told = await StateRows(db).statuses(list(cases), NOW)
        assert set(told.values()) == set(STATUSES)
        for status in STATUSES:
            expected = {id for id, own in told.items() if own == status}
            found = await listed(db, Wanted(now=NOW, status=status))
            assert len(found) == len(set(found))
            assert set(found) == expected, status
            part = await listed(db, Wanted(now=NOW, status=status, workflow="w1"), "team1")
            numbers = {id: int(id[1:]) for id in expected}
            assert set(part) == {id for id, n in numbers.items() if n % 3 == 1 and n % 2}
        waiting = set(await listed(db, Wanted(now=NOW, waits=True)))
        assert waiting >= {id for id, own in told.items() if own in ("starting", "executing")}
        assert not waiting & {id for id, own in told.items() if own in ("completed", "cancelled")}

    in_store(kind, tmp_path, go)


@pytest.mark.parametrize("kind", KINDS)
def test_the_note_that_a_run_has_not_begun_goes_when_it_has(kind: str, tmp_path: Path) -> None:
    async def go(db: Database, url: str) -> None:
        await add(db, "begun", "running", "", "", 0)
        await add(db, "waiting", None, "", "", 1)
        await StateRows(db).tidy()
        assert await db.rows("select execution from service_starting") == [("waiting",)]
        assert await listed(db, Wanted(now=NOW, status="starting")) == ["waiting"]

    in_store(kind, tmp_path, go)


@pytest.mark.skipif("postgresql" not in KINDS, reason="FLOWC_TEST_POSTGRES names no server")
@pytest.mark.parametrize("status", ["failed", "starting", "executing", "paused", "waits"])
def test_a_rare_status_is_found_by_an_index(status: str, tmp_path: Path) -> None:
    """Among thirty thousand executions that have ended well."""

    async def go(db: Database, url: str) -> None:
        many = "generate_series(1, 30000) n"
        await db.run(
            f"insert into service_executions select 'x' || n, '', 'c' || n, '' from {many}"
        )
        await db.run(f"insert into service_states select 'x' || n, '', '', 0, 'w', 't' from {many}")
        await db.run(f"{_RUN} select 'x' || n, 'success', '', '', '', '', '', '' from {many}")
        for number, (run, held) in enumerate(product(("failed", "running", None), HELD)):
            await add(db, f"e{number}", run, held, "", number)
        for table in ("service_executions", "service_states", "service_starting", "runs"):
            await db.run(f"analyze flowc.{table}")
        wanted = (
            Wanted(now=NOW, waits=True) if status == "waits" else Wanted(now=NOW, status=status)
        )
        query, values = wanted.query(None, "", 20)
        plan = [row[0] for row in await db.rows(f"explain {query}", values)]
        large = ("service_executions", "service_states", "runs")
        read = [line for line in plan if "Seq Scan" in line and any(name in line for name in large)]
        assert read == [], "\n".join(plan)

    in_store("postgresql", tmp_path, go)
