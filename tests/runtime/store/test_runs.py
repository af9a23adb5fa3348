"""Stores that are not as they should be: said in words, and no run is lost."""

from __future__ import annotations

import asyncio
import fcntl
import os
import shutil
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import ormsgpack
import pytest
from flowc.compiler.ir import AskNode
from flowc.runtime.db.database import Database
from flowc.runtime.db.file_lease import is_held
from flowc.runtime.db.url import locate
from flowc.runtime.engine.engine import open_engine
from flowc.runtime.errors import RunError
from flowc.runtime.events import RunEvent
from flowc.runtime.store.runs import RunRecord, RunStore, open_store
from forged import forge_values
from killing import in_process
from leases import lease
from specs import SUCCESS, assign, lit, name, program, text
from worlds import start


def opening(url: str, wait: Any) -> str:
    """The message with which opening fails."""

    async def go() -> None:
        async with open_engine(url):
            pass

    with pytest.raises(RunError) as refused:
        wait(go())
    assert refused.value.exit_code == 2
    return refused.value.message


def test_a_store_that_is_a_folder(tmp_path: Path, wait) -> None:
    assert opening(f"sqlite:///{tmp_path}", wait) == f"the store {tmp_path} is a folder"


def test_a_store_that_is_another_file(tmp_path: Path, wait) -> None:
    file = tmp_path / "notes.txt"
    file.write_text("These are my notes, please keep them.")
    assert "is not a database of flowc" in opening(f"sqlite:///{file}", wait)
    assert file.read_text() == "These are my notes, please keep them."


def test_a_store_whose_pages_are_damaged(tmp_path: Path, wait) -> None:
    file = tmp_path / "runs.db"
    file.write_bytes(b"SQLite format 3\x00" + b"\xff" * 4096)
    assert "is damaged" in opening(f"sqlite:///{file}", wait)


def test_a_store_below_a_file(tmp_path: Path, wait) -> None:
    (tmp_path / "file").write_text("")
    assert "cannot be opened" in opening(f"sqlite:///{tmp_path}/file/runs.db", wait)


def test_a_store_of_an_unknown_kind() -> None:
    with pytest.raises(RunError, match="a store cannot be at `redis://"):
        locate("redis://localhost/1?password=secret")


def test_a_store_that_may_not_be_written(wait) -> None:
    """Root may write everywhere, so a child gives its rights away first."""
    # pytest's own folders may not be entered by anybody else.
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o555)

        def as_nobody() -> str:
            if os.geteuid() == 0:
                os.setgroups([])
                os.setgid(65534)
                os.setuid(65534)
            return opening(f"sqlite:///{folder}/runs.db", wait)

        assert "permission denied" in in_process(as_nobody)


def test_a_store_is_for_its_owner_alone(tmp_path: Path, wait, world) -> None:
    url = f"sqlite:///{tmp_path}/deep/er/runs.db"

    async def go() -> None:
        async with open_engine(url) as engine:
            spec = program(assign("a"), SUCCESS)
            await engine.start(spec, world, run="r", inputs={}, options={})
            modes = {p.name: p.stat().st_mode & 0o077 for p in (tmp_path / "deep/er").iterdir()}
            assert modes.pop("runs.db") == 0
            assert set(modes.values()) == {0}, modes

    wait(go())


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of two megabytes."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mount = shutil.which("mount")
    if mount is None or os.geteuid() != 0:
        pytest.skip("only root can mount a small disk")
    command = [mount, "-t", "tmpfs", "-o", "size=2m", "tmpfs", str(folder)]
    if subprocess.run(command, capture_output=True, check=False).returncode != 0:
        pytest.skip("no disk can be mounted here")
    yield folder
    subprocess.run(["umount", str(folder)], check=True)


def test_a_full_disk_is_said_and_the_run_goes_on_once_there_is_room(
    small_disk: Path, wait, world
) -> None:
    url = f"sqlite:///{small_disk}/runs.db"
    spec = program(
        assign("begin", RESULT=lit("x" * 60_000)),
        *(assign(f"a{n}", RESULT=text(name("RESULT"), "y")) for n in range(60)),
        AskNode(id="q", question=lit("?"), into="RESULT"),
        SUCCESS,
    )

    async def go() -> None:
        async with open_engine(url) as engine:
            with pytest.raises(RunError) as full:
                await engine.start(spec, world, run="r", inputs={}, options={})
            assert "the disk is full" in full.value.message
            assert "flowc resume" in full.value.help

    async def go_on() -> None:
        async with open_engine(url) as engine:
            outcome = await engine.resume("r", spec, world, answers={})
            assert outcome.status == "paused"
            outcome = await engine.resume("r", spec, world, answers={"": "done"})
            assert (outcome.status, outcome.result) == ("success", "done")

    wait(go())
    subprocess.run(["mount", "-o", "remount,size=32m", str(small_disk)], check=True)
    wait(go_on())


def test_a_crafted_checkpoint_executes_nothing(tmp_path: Path, wait, world) -> None:
    url, proof = f"sqlite:///{tmp_path}/runs.db", tmp_path / "executed"
    spec = program(
        assign("a", RESULT=lit("harmless")), AskNode(id="q", question=lit("?"), into="N")
    )

    async def go() -> None:
        async with open_engine(url) as engine:
            await engine.start(spec, world, run="r", inputs={}, options={})
        call = ormsgpack.packb(("os", "system", f"touch {proof}"))
        poison = ormsgpack.packb(ormsgpack.Ext(0, call))
        assert forge_values(tmp_path / "runs.db", poison, ("RESULT",))
        async with open_engine(url) as engine:
            for look in (engine.history("r"), engine.resume("r", spec, world, answers={"": "x"})):
                with pytest.raises(RunError, match="cannot be read"):
                    await look

    wait(go())
    assert not proof.exists()


def test_records_events_and_requests_are_kept(tmp_path: Path, wait) -> None:
    url = f"sqlite:///{tmp_path}/runs.db"

    async def go() -> None:
        async with open_store(url) as store:
            await store.create(RunRecord(id="r", name="n", file="f.md", inputs={"ü": [1]}))
            with pytest.raises(RunError, match="there is a run `r` already"):
                await store.create(RunRecord(id="r", name="n", file="f.md"))
            events = [RunEvent("node_started", "r", "t", f"n{i}", ("c",), {"i": i}) for i in (1, 2)]
            await store.append_events("r", events)
            await store.append_events("r", [RunEvent("run_finished", "r", "t")])
        async with open_store(url) as store:
            assert (await store.get("r")).inputs == {"ü": [1]}
            assert [e.node for e in await store.events("r")] == ["n1", "n2", ""]
            assert (await store.events("r"))[0] == events[0]
            await store.request("r", "stop")
            assert await store.requests(["r"]) == {"r": "stop"}
            await store.clear_request("r")
            assert await store.requests(["r"]) == {}
            with pytest.raises(RunError, match="there is no run `x`"):
                await store.request("x", "stop")

    wait(go())


def test_a_running_record_without_a_process_is_crashed(tmp_path: Path, wait) -> None:
    url = f"sqlite:///{tmp_path}/runs.db"

    async def go() -> None:
        async with open_store(url) as store:
            await store.create(RunRecord(id="r", name="n", file="f.md", pid=1))
            assert (await store.get("r")).status == "crashed"
            async with store.leases.hold("r"):
                assert (await store.get("r")).status == "running"
                assert [r.status for r in await store.listing.page()] == ["running"]

    wait(go())


def test_a_lease_has_one_holder_even_in_one_process(tmp_path: Path) -> None:
    with lease(tmp_path, "../../etc/passwd"):
        assert is_held(tmp_path, "../../etc/passwd")
        with (
            pytest.raises(RunError, match=f"pid {os.getpid()}"),
            lease(tmp_path, "../../etc/passwd"),
        ):
            pass
    assert not is_held(tmp_path, "../../etc/passwd")
    assert [p.suffix for p in tmp_path.iterdir()] == [".lock"]


def test_a_glance_at_a_run_does_not_keep_another_process_from_taking_it(tmp_path: Path) -> None:
    with lease(tmp_path, "r"):
        pass
    (lock,) = tmp_path.iterdir()
    glance = lock.open("rb")
    fcntl.flock(glance, fcntl.LOCK_SH)
    timer = threading.Timer(0.02, glance.close)
    timer.start()
    with lease(tmp_path, "r"):
        assert is_held(tmp_path, "r")
    timer.join()


class Counting:
    """A database, and how many statements it executed."""

    def __init__(self, db: Database) -> None:
        self.db = db
        self.count = 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self.db, name)

    def for_run(self, run: str) -> Counting:
        return self

    async def put_all(self, writes: Any, *, later: bool = False) -> None:
        self.count += len(writes)
        await self.db.put_all(writes, later=later)


def test_a_batch_of_events_is_one_statement(any_store, wait) -> None:
    events = [RunEvent("node_started", "r", "t", f"n{number}") for number in range(100)]

    async def go() -> None:
        async with open_store(any_store) as opened:
            db: Any = Counting(opened.db)
            store = RunStore(replace(opened.opened, db=db), opened.place, opened.signer)
            await store.append_events("r", events)
            assert [event.node for event in await store.events("r")] == [e.node for e in events]
            assert db.count == 1

    wait(go())


@pytest.mark.parametrize("run", ["", "  ", "a\nb", "\udcff", "-r", "x" * 201])
def test_what_cannot_be_the_id_of_a_run_is_refused(tmp_path: Path, wait, world, run) -> None:
    async def go() -> None:
        async with open_engine(f"sqlite:///{tmp_path}/runs.db") as engine:
            with pytest.raises(RunError, match="cannot be the id of a run"):
                await start(engine, program(SUCCESS), world, run=run)
            with pytest.raises(RunError, match="there is no run"):
                await engine.store.get(run)

    wait(go())


def test_a_store_that_became_read_only_refuses_an_answer_in_words(url, wait, world) -> None:
    async def go() -> None:
        spec = program(AskNode(id="a", question=text("?"), into="RESULT"), SUCCESS)
        async with open_engine(url) as engine:
            assert (await start(engine, spec, world)).status == "paused"
            await engine.journal_db.run("pragma query_only = on")
            with pytest.raises(RunError, match="is read-only"):
                await engine.resume("r", spec, world, answers={"": "x"})
            await engine.journal_db.run("pragma query_only = off")
            assert (await engine.resume("r", spec, world, answers={"": "x"})).result == "x"

    wait(go())


def test_another_process_that_looks_at_a_store_leaves_the_log_of_the_one_at_work(
    tmp_path: Path, wait
) -> None:
    """A raw open and close of the file freed SQLite's locks: the other process took itself for the
    last one, removed the write-ahead log, and neither saw what the other wrote from then on."""
    file = tmp_path / "runs.db"
    look = (
        "import sqlite3, sys; db = sqlite3.connect(sys.argv[1]);"
        "db.execute('insert into requests values (?, ?)', (sys.argv[2], 'pause')); db.commit()"
    )

    async def work() -> list[str]:
        seen: list[str] = []
        async with open_engine(f"sqlite:///{file}") as engine:
            for run in ("first", "second"):
                argv = [sys.executable, "-c", look, str(file), run]
                await asyncio.to_thread(subprocess.run, argv, check=True)
                seen += (await engine.store.requests([run])).values()
        return seen

    assert wait(work()) == ["pause", "pause"]
