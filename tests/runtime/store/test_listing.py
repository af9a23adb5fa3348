"""Lists of runs are read from an index, page by page, and say what a person asks of them."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from flowc.runtime.db.database import Database
from flowc.runtime.errors import RunError
from flowc.runtime.store.cleanup import PruneCriteria, select_runs
from flowc.runtime.store.listing import ALL_RUNS, RunFilter, duration, read_filter
from flowc.runtime.store.runs import RunRecord, RunStore, open_store

NOW = datetime(2030, 1, 1, tzinfo=UTC)
SECRET = "Rosebud"


async def keep(store: RunStore, *records: RunRecord) -> None:
    """Keep records as if each were written when it says that it changed."""
    for record in records:
        store.clock = lambda time=record.updated: time
        await store.create(record)


def record(number: int, status: Any, days: float, **fields: Any) -> RunRecord:
    changed = (NOW - timedelta(days=days)).isoformat(timespec="milliseconds")
    about = {"name": "n", "file": "f.md", **fields}
    return RunRecord(id=f"r{number}", status=status, updated=changed, started=changed, **about)


RECORDS = [
    record(0, "success", -2),  # the clock was set back
    record(1, "running", 1),
    record(2, "success", 5, name="other", file="deep/other.md"),
    record(3, "paused", 40, questions=[{"node": "ask", "text": "Who?"}]),
    record(4, "failed", 50, error={"node": "make", "message": "no bread"}),
    record(5, "running", 60),  # its process is gone
]


@pytest.mark.parametrize(
    ("wanted", "names"),
    [
        ({}, "r0 r1 r2 r3 r4 r5"),
        ({"statuses": ["success", "paused"]}, "r0 r2 r3"),
        ({"statuses": ["running"]}, "r1"),
        ({"statuses": ["crashed"]}, "r5"),
        ({"statuses": ["crashed", "paused"]}, "r3 r5"),
        ({"statuses": ["crashed", "running"]}, "r1 r5"),
        ({"since": "5d"}, "r0 r1 r2"),
        ({"since": "2029-12-27T00:00Z"}, "r0 r1 r2"),
        ({"since": "2029-12-27T02:00+02:00", "statuses": ["success"]}, "r0 r2"),
        ({"since": "2029-12-27T00:00:00.001Z"}, "r0 r1"),
        ({"since": "999999w"}, "r0 r1 r2 r3 r4 r5"),
        ({"before": "41d"}, "r4 r5"),
        ({"before": "999999w"}, ""),
        ({"workflow": "other"}, "r2"),
        ({"workflow": "other.md"}, "r2"),
        ({"workflow": "/anywhere/f.md"}, "r0 r1 r3 r4 r5"),
        ({"workflow": "othe"}, ""),
    ],
)
def test_a_list_has_the_runs_that_are_asked_for(any_store, wait, wanted, names) -> None:
    async def go() -> None:
        async with open_store(any_store) as store:
            await keep(store, *RECORDS)
            async with store.leases.hold("r1"):
                asked = read_filter(**wanted, now=NOW)
                found = await store.listing.page(asked)
                assert [run.id for run in found] == names.split()
                assert await store.listing.count(asked) == len(found)

    wait(go())


def test_a_list_says_how_each_run_stands(any_store, wait) -> None:
    async def go() -> None:
        async with open_store(any_store) as store:
            long = record(6, "success", 70, result={"text": "x" * 900}, usage={"input_tokens": 3})
            await keep(store, *RECORDS, long)
            runs = {run.id: run for run in await store.listing.page()}
            assert (runs["r3"].status, runs["r3"].now) == ("paused", "waits at ask: Who?")
            assert (runs["r4"].status, runs["r4"].now) == ("failed", "make: no bread")
            assert (runs["r5"].status, runs["r2"].file) == ("crashed", "deep/other.md")
            assert (len(runs["r6"].now), runs["r6"].usage) == (200, {"input_tokens": 3})

    wait(go())


def test_pages_have_every_run_once_also_of_one_moment(any_store, wait) -> None:
    async def go() -> None:
        async with open_store(any_store) as store:
            await keep(store, *(record(n, "success", n // 4) for n in range(10)))
            seen: list[str] = []
            wanted = ALL_RUNS
            while page := await store.listing.page(wanted, 3):
                seen += [run.id for run in page]
                wanted = read_filter(before=page[-1].cursor)
            assert seen == ["r3", "r2", "r1", "r0", "r7", "r6", "r5", "r4", "r9", "r8"]

    wait(go())


class Watched:
    """A database that notes each query, and how many rows it gave."""

    def __init__(self, db: Database) -> None:
        self.db = db
        self.queries: list[tuple[str, int]] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(self.db, name)

    async def rows(self, query: str, values: Sequence[Any] = ()) -> Any:
        rows = await self.db.rows(query, values)
        self.queries.append((query, len(rows)))
        return rows


async def watched(url: str, count: int, look: Any) -> list[tuple[str, int]]:
    """The queries of a look at a store of so many runs with large inputs."""
    async with open_store(url) as opened:
        large = {"text": "x" * 5_000}
        await keep(opened, *(record(n, "success", n, inputs=large) for n in range(count)))
        db: Any = Watched(opened.db)
        await look(RunStore(replace(opened.opened, db=db), opened.place, opened.signer))
        return db.queries


LOOKS = {
    "all": ALL_RUNS,
    "status": RunFilter(statuses=("success",)),
    "since": RunFilter(since="2000-01-01", before=("9999", "")),
    "workflow": RunFilter(workflow="n"),
}


@pytest.mark.parametrize("wanted", LOOKS.values(), ids=LOOKS)
def test_a_page_is_read_from_an_index_and_never_from_records(any_store, wait, wanted) -> None:
    async def look(store: RunStore) -> None:
        assert len(await store.listing.page(wanted, 5)) == 5
        assert await store.listing.count(wanted) == 40

    queries = wait(watched(any_store, 40, look))
    assert [rows for _, rows in queries] == [5, 1]
    assert not [query for query, _ in queries if re.search(r"\brecord\b|blobs|holds", query)]


@pytest.mark.parametrize("wanted", LOOKS.values(), ids=LOOKS)
def test_the_index_gives_the_order_and_the_count(url, wait, wanted) -> None:
    async def go() -> None:
        async with open_store(url) as store:
            where, values = await store.listing._where(wanted)
            for query, index in (
                ("select summary from runs {} order by updated desc, id desc", "runs_by_change"),
                ("select count(*) from runs {}", "COVERING INDEX"),
            ):
                explain = f"explain query plan {query.format(where)}"
                plan = str(await store.db.rows(explain, values))
                assert index in plan
                assert "TEMP B-TREE" not in plan

    wait(go())


def test_one_run_of_many_is_read_alone(any_store, wait) -> None:
    async def look(store: RunStore) -> None:
        assert (await store.get("r7")).inputs == {"text": "x" * 5_000}
        assert [run.id for run in await store.get_each(["r3", "r99", "r1"])] == ["r3", "r1"]

    queries = wait(watched(any_store, 40, look))
    assert [rows for _, rows in queries] == [1, 1, 2, 2]


def test_a_name_that_is_close_is_found_among_many(any_store, wait) -> None:
    async def go() -> None:
        async with open_store(any_store) as store:
            await keep(store, *RECORDS, replace(record(9, "success", 99), id="brave-otter"))
            with pytest.raises(RunError) as missing:
                await store.get("brave-ottr")
            assert missing.value.help == "did you mean `brave-otter`?"

    wait(go())


def test_what_a_list_reads_is_sealed_in_a_store_with_a_key(any_store, wait, monkeypatch) -> None:
    monkeypatch.setenv("FLOWC_STORE_KEY", "07" * 32)

    async def go() -> None:
        async with open_store(any_store) as store:
            secrets = {"name": SECRET, "file": f"{SECRET}.md", "result": SECRET}
            await keep(store, *RECORDS, record(7, "success", 7, **secrets))
            (found,) = await store.listing.page(read_filter(workflow=SECRET))
            assert (found.name, found.now) == (SECRET, SECRET)
            kept = await store.db.rows("select * from runs where id = 'r7'")
            assert SECRET not in str(kept)
            plain = hashlib.sha256(SECRET.encode()).hexdigest()[:16]
            assert plain not in str(kept)

    wait(go())


def test_several_statuses_may_stand_in_one_text() -> None:
    both = {"paused", "failed"}
    assert read_filter(["paused,failed"]).statuses == both
    assert read_filter(["paused", "failed"]).statuses == both
    assert read_filter(["paused, failed"]).statuses == both


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"statuses": ["paused,done"]}, "`done` is not a status of a run"),
        ({"statuses": ["done"]}, "`done` is not a status of a run"),
        ({"since": "soon"}, "`soon` is neither an age nor a date"),
        ({"since": ""}, "`` is neither an age nor a date"),
        ({"since": "2026-13-01"}, "`2026-13-01` is neither an age nor a date"),
        ({"since": "0001-01-01T00:00+09:00"}, "is neither an age nor a date"),
        ({"before": "brave-otter"}, "`brave-otter` is neither an age nor a date"),
    ],
)
def test_what_cannot_be_asked_for_is_said(asked, said) -> None:
    with pytest.raises(RunError, match=re.escape(said)) as refused:
        read_filter(**asked)
    assert ("crashed" if "statuses" in asked else "2026-11-20T14:30") in refused.value.help


def test_ages_are_written_with_a_unit() -> None:
    assert duration("30d") == timedelta(days=30)
    assert duration("90min") == timedelta(minutes=90)
    for text in ("", "d", "5x", "-3d", "1.5h", "3", "9999999d", "３d3", "３d"):
        with pytest.raises(RunError, match="is not an age"):
            duration(text)


@pytest.mark.parametrize(
    ("choice", "names"),
    [
        (PruneCriteria(), "r0 r2 r4"),
        (PruneCriteria(older_than=timedelta(days=30)), "r4"),
        (PruneCriteria(older_than=timedelta(days=30), everything=True), "r3 r4 r5"),
        (PruneCriteria(older_than=timedelta(0)), "r2 r4"),
        (PruneCriteria(older_than=timedelta(days=999_999)), ""),
        (PruneCriteria(statuses=("failed", "paused")), "r4"),
        (PruneCriteria(statuses=("failed", "paused"), everything=True), "r3 r4"),
        (PruneCriteria(statuses=("running",), everything=True), ""),
        (PruneCriteria(keep=3), "r4"),
        (PruneCriteria(keep=1, everything=True), "r2 r3 r4 r5"),
        (PruneCriteria(keep=2, older_than=timedelta(days=45)), "r4"),
        (PruneCriteria(keep=99, everything=True), ""),
    ],
)
def test_what_may_be_forgotten(any_store, wait, choice: PruneCriteria, names: str) -> None:
    async def go() -> list[str]:
        async with open_store(any_store) as store:
            await keep(store, *RECORDS)
            async with store.leases.hold("r1"):
                wanted = await select_runs(store.listing, choice, NOW)
                found = () if wanted is None else await store.listing.page(wanted)
                return [run.id for run in found]

    assert wait(go()) == names.split()


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("rum-5", "run-5"),
        ("run-55", "run-5"),
        ("run5", "run-5"),
        ("rnu-5", "run-5"),
        ("rn-5", "run-5"),
    ],
)
def test_a_name_with_one_slip_is_found_among_all_that_are_kept(
    any_store, wait, typed, meant
) -> None:
    """Also where many others changed later, which are less like it."""

    async def go() -> str:
        async with open_store(any_store) as store:
            for id in ("run-5", *(f"x-{number}" for number in range(520)), "rumour-5", "ruin-15"):
                await store.create(RunRecord(id=id, name="x", file="x.md"))
            with pytest.raises(RunError) as missing:
                await store.get(typed)
            return missing.value.help

    assert wait(go()) == f"did you mean `{meant}`?"
