"""What holds for every store: records, who executes what, encryption, and content by strangers."""

from __future__ import annotations

import base64
import os
import re
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

import ormsgpack
import pytest
from flowc.compiler.ir import AskNode, ExecNode
from flowc.runtime.checkpoints.tables.postgres_marks import VALUE, WRITE
from flowc.runtime.db.fence import NotHeld
from flowc.runtime.db.schema_version import LAYOUT, has_table
from flowc.runtime.db.url import locate
from flowc.runtime.engine.engine import open_engine
from flowc.runtime.errors import RunError
from flowc.runtime.events import RunEvent
from flowc.runtime.store.open import open_database
from flowc.runtime.store.runs import MOST_AT_ONCE, RunRecord, open_store
from forged import forge_values
from specs import SUCCESS, assign, lit, parts, program
from stores import ask
from worlds import start

KEY = base64.b64encode(bytes(range(32))).decode()
SECRET = "Rosebud-4711"
SPEC = program(
    assign("a", RESULT=lit(SECRET), N=lit([SECRET])),
    ExecNode(
        id="e",
        source=lit(f"echo {SECRET}"),
        form="command",
        session="main",
        parts=parts(RESULT="text"),
    ),
    AskNode(id="q", question=lit(f"{SECRET}?"), into="N"),
    SUCCESS,
)


def content(url: str) -> bytes:
    """Everything that a store holds, as it is kept."""
    if url.startswith("sqlite"):
        folder = Path(url.removeprefix("sqlite:///")).parent
        return b"".join(f.read_bytes() for f in folder.glob("runs.db*") if f.is_file())
    query = "select tablename from pg_tables where schemaname = 'flowc'"
    rows = [ask(url, f"select t::text from flowc.{table} t") for (table,) in ask(url, query)]
    found = str(rows)
    blobs = re.findall(r"\\+x([0-9a-f]+)", found)
    return found.encode() + b"".join(bytes.fromhex(blob) for blob in blobs)


async def opened(url: str) -> None:
    async with open_engine(url):
        pass


def test_records_events_and_requests_are_kept(any_store, wait) -> None:
    many = [RunEvent("node_started", "r", "t", f"n{i}", ("c",)) for i in range(MOST_AT_ONCE + 2)]

    async def go() -> None:
        async with open_store(any_store) as store:
            await store.create(RunRecord(id="r", name="n", file="f.md", inputs={"ü": ["\0"]}))
            with pytest.raises(RunError, match="there is a run `r` already"):
                await store.create(RunRecord(id="r", name="n", file="f.md"))
            await store.append_events("r", many)
            await store.append_events("r", [RunEvent("run_finished", "r", "t")])
            assert (await store.get("r")).status == "crashed"
            async with store.leases.hold("r"):
                assert [r.status for r in await store.listing.page()] == ["running"]
        async with open_store(any_store) as store:
            assert (await store.get("r")).inputs == {"ü": ["\0"]}
            assert (await store.events("r"))[:-1] == tuple(many)
            await store.request("r", "stop")
            await store.request("r", "pause")
            assert await store.requests(["r", "s"]) == {"r": "pause"}
            await store.clear_request("r")
            assert await store.requests(["r"]) == {}
            with pytest.raises(RunError, match="there is no run `R`"):
                await store.request("R", "stop")

    wait(go())


def test_a_store_with_a_key_holds_nothing_readable(any_store, wait, world, monkeypatch) -> None:
    monkeypatch.setenv("FLOWC_STORE_KEY", KEY)

    async def go() -> None:
        async with open_engine(any_store) as engine:
            assert (await start(engine, SPEC, world)).status == "paused"
        assert SECRET.encode() not in content(any_store)
        assert KEY.encode() not in content(any_store)
        async with open_engine(any_store) as engine:
            outcome = await engine.resume("r", SPEC, world, answers={"": f"no, {SECRET}"})
            assert (outcome.status, outcome.variables["N"]) == ("success", f"no, {SECRET}")
            assert len(await engine.history("r")) == 5
            assert SECRET in str(await engine.store.events("r"))
        assert SECRET.encode() not in content(any_store)

    wait(go())
    for key, said in (
        (None, "is encrypted and FLOWC_STORE_KEY is not set"),
        ("Pa55" + KEY[4:20], "is not a key: 32 bytes"),
        (KEY.replace("A", "B", 1), "is not that of the store"),
    ):
        monkeypatch.delenv("FLOWC_STORE_KEY")
        monkeypatch.setenv("FLOWC_STORE_KEY", key or "")
        with pytest.raises(RunError, match=said) as refused:
            wait(opened(any_store))
        assert not key or key not in refused.value.message + refused.value.help


def test_without_a_key_it_is_readable_and_a_key_comes_too_late(
    any_store, wait, world, monkeypatch
) -> None:
    async def go() -> None:
        async with open_engine(any_store) as engine:
            await start(engine, SPEC, world)

    wait(go())
    assert SECRET.encode() in content(any_store)
    monkeypatch.setenv("FLOWC_STORE_KEY", KEY)
    with pytest.raises(RunError, match="is not encrypted, but"):
        wait(opened(any_store))


def crafted(url: str, poison: bytes) -> int:
    """Put `poison` wherever a value of the state is kept; how many places."""
    if url.startswith("sqlite"):
        return forge_values(Path(url.removeprefix("sqlite:///")), poison, ("RESULT", "N"))
    value, count = f"'\\x{poison.hex()}'::bytea", 0
    for table, mark in (("checkpoint_writes", WRITE), ("checkpoint_blobs", VALUE)):
        where = "where channel in ('RESULT', 'N') returning 1"
        query = f"update flowc.{table} set type = 'msgpack', blob = {value}"
        count += len(ask(url, f"{query} {where}"))
        ask(url, f"update flowc.{table} set mark = {mark} {where}")
    return count


async def failure(work: Any) -> str:
    """What a `RunError` says; "" when there is none."""
    try:
        await work
    except RunError as error:
        return error.message
    return ""


@pytest.mark.parametrize("key", ["", KEY])
def test_a_crafted_checkpoint_executes_nothing(
    any_store, wait, world, tmp_path, monkeypatch, key
) -> None:
    monkeypatch.setenv("FLOWC_STORE_KEY", key)
    proof = tmp_path / "executed"
    poison = ormsgpack.packb(ormsgpack.Ext(0, ormsgpack.packb(("os", "system", f"touch {proof}"))))

    async def go() -> None:
        async with open_engine(any_store) as engine:
            await start(engine, SPEC, world)
        assert crafted(any_store, poison)
        async with open_engine(any_store) as engine:
            for look in (engine.history("r"), engine.resume("r", SPEC, world, answers={"": "x"})):
                said = await failure(look)
                reasons = "was not encrypted with the key|was changed|cannot be read"
                assert re.search(reasons, said)

    wait(go())
    assert not proof.exists()


def test_a_store_of_another_layout_is_refused_and_left_as_it_is(any_store, wait) -> None:
    async def go() -> None:
        await opened(any_store)
        async with open_database(locate(any_store), durable=True) as db:
            for version, age in ((LAYOUT + 1, "a newer"), (LAYOUT - 1, "an older")):
                await db.run("update layout set version = ?", (version,))
                with pytest.raises(RunError, match=f"was made by {age} flowc") as refused:
                    await opened(any_store)
                assert "--store" in (refused.value.help or "")
                assert await db.rows("select version from layout") == [(version,)]
            await db.run("drop table layout")  # as the first flowc left it
            with pytest.raises(RunError, match="was made by an older flowc"):
                await opened(any_store)
            assert not await has_table(db, "layout")

    wait(go())


@pytest.mark.parametrize("led_by", ["file", "folder"])
def test_a_run_is_held_whatever_link_leads_to_its_store(tmp_path, wait, led_by) -> None:
    real = tmp_path / "here" / "runs.db"
    link = tmp_path / "there" / "runs.db" if led_by == "folder" else tmp_path / "link.db"

    async def go() -> None:
        await opened(f"sqlite:///{real}")
        if led_by == "folder":
            link.parent.symlink_to(real.parent)
        else:
            link.symlink_to(real)
        async with open_store(f"sqlite:///{real}") as one, open_store(f"sqlite:///{link}") as two:
            async with one.leases.hold("r"):
                assert await two.leases.held_among(["r"]) == {"r"}
                with pytest.raises(NotHeld, match="is being executed by another process"):
                    async with two.leases.hold("r"):
                        pass
            async with two.leases.hold("r"):
                pass
        assert not (tmp_path / "link.db.leases").exists()

    wait(go())


WORKER = Path(__file__).parents[2] / "fixtures" / "many_runs.py"


def work(store: str, log: Path, count: int) -> subprocess.Popen[bytes]:
    argv = [sys.executable, str(WORKER), store, str(log), str(count)]
    return subprocess.Popen(argv, env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)})


def many_runs(store: str, log: Path, count: int) -> None:
    """Four processes execute `count` runs; one is killed and another one comes in its place."""
    processes = [work(store, log, count) for _ in range(4)]
    deadline = time.monotonic() + 250
    while not log.exists() or log.read_text().count("\n") < count:
        assert time.monotonic() < deadline
        time.sleep(0.05)
    processes[0].kill()
    processes.append(work(store, log, count))
    assert [p.wait(timeout=250) for p in processes] == [-9, 0, 0, 0, 0]
    begun: dict[str, str] = {}
    ended: Counter[str] = Counter()
    for line in log.read_text().splitlines():
        process, run, step, what = line.split()
        where = f"{run} {step}"
        if what == "begin":
            dead = str(processes[0].pid)
            assert begun.get(run, dead) == dead, f"{run} is executed by two"
            begun[run] = process
        else:
            assert begun.pop(run) == process
            ended[where] += 1
    assert len(ended) == 3 * count
    # What the dead one had done and not yet written down is done again, as it was asked for.
    assert sorted(ended.values())[-2:] in ([1, 1], [1, 2])


def test_a_few_runs_by_four_processes_of_which_one_is_killed(any_store, tmp_path) -> None:
    many_runs(any_store, tmp_path / "log", 6)


@pytest.mark.soak
def test_fifty_runs_by_four_processes_of_which_one_is_killed(any_store, tmp_path) -> None:
    many_runs(any_store, tmp_path / "log", 50)
