"""What killed processes leave behind goes, and nothing that somebody uses."""

from __future__ import annotations

import errno
import fcntl
import os
import tempfile
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from flowc.runtime.db import file_lease as leases
from flowc.runtime.db.database import create_tables
from flowc.runtime.db.file_lease import is_held
from flowc.runtime.engine.engine import open_engine
from flowc.runtime.files import tempdirs as rooms
from flowc.runtime.files.tempdirs import PREFIX, left_behind, make_room, sweep
from flowc.runtime.service.api.idempotency import SCHEMA
from flowc.runtime.store.cleanup import KEPT, Swept
from flowc.runtime.store.cleanup import sweep as sweep_store
from killing import Killed, in_process, kill_me
from leases import lease
from specs import counting
from worlds import start


@pytest.fixture(autouse=True)
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder for temporary files of the test's own."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


def test_the_folder_of_a_killed_process_goes_and_that_of_a_living_one_stays(temporary) -> None:
    make_room().remove()  # so that no later one sweeps

    def dies() -> None:
        room = make_room()
        (room.folder / "deep").mkdir()
        (room.folder / "deep" / "file").write_text("left")
        (room.folder / "deep").chmod(0)
        kill_me()

    with pytest.raises(Killed):
        in_process(dies)
    (left,) = temporary.iterdir()
    for name in ("flowc-notes", "somebody"):
        (temporary / name).mkdir()
    (temporary / f"{PREFIX}link").symlink_to(temporary / "somebody")
    with make_room() as room:
        assert left_behind() == [left]
        assert sweep() == [left]
        assert left_behind() == []
        assert (left.exists(), room.folder.exists()) == (False, True)
    assert {path.name for path in temporary.iterdir()} == {
        "flowc-notes",
        "somebody",
        f"{PREFIX}link",
    }


def test_the_next_process_that_needs_a_folder_removes_what_was_left(temporary) -> None:
    with pytest.raises(Killed):
        in_process(lambda: make_room() and kill_me())
    (left,) = temporary.iterdir()

    def lives() -> bool:
        with make_room():
            return left.exists()

    assert in_process(lives) is False
    assert list(temporary.iterdir()) == []


def test_a_folder_that_is_swept_before_it_is_held_is_made_again(temporary, monkeypatch) -> None:
    made = tempfile.mkdtemp
    swept: list[Path] = []

    def slow(prefix: str) -> str:
        folder = made(prefix=prefix)
        if not swept:
            swept.extend(sweep())
        return folder

    make_room().remove()  # so that no later one sweeps
    monkeypatch.setattr(tempfile, "mkdtemp", slow)
    with make_room() as room:
        assert swept != [room.folder]
        assert [room.folder.exists(), swept[0].exists()] == [True, False]
        assert left_behind() == []


def test_leases_of_nobody_go_and_those_of_runs_stay(any_store, wait, world) -> None:
    async def go() -> None:
        async with open_engine(any_store) as engine:
            store = engine.store
            await start(engine, counting(), world)
            for name in ("service-gone", "also-gone"):
                async with store.leases.hold(name):
                    pass
            async with store.leases.hold("service-here"):
                counted = await sweep_store(store, dry_run=True)
                assert counted == await sweep_store(store) == Swept(leases=2)
                assert await sweep_store(store) == Swept()
                assert await store.leases.held_among(["service-here"]) == {"service-here"}
            assert (await engine.resume("r", counting(), world, answers={"": "x"})).result == "x"

    wait(go())


def test_a_lease_that_is_swept_while_it_is_taken_has_one_holder(tmp_path, monkeypatch) -> None:
    opened = os.open
    swept: list[Any] = []

    def slow(path: Any, *how: Any, **where: Any) -> int:
        descriptor = opened(path, *how, **where)
        if not swept and str(path).endswith(".lock"):
            swept.append(None)  # the sweep opens it too
            swept[:] = [leases._sweep(tmp_path / Path(path).name, dry_run=False)]
        return descriptor

    monkeypatch.setattr(os, "open", slow)
    with lease(tmp_path, "r"):
        assert swept == [True]
        assert is_held(tmp_path, "r")


def test_answers_of_idempotency_keys_are_kept_for_a_week(any_store, wait) -> None:
    now = datetime(2030, 1, 10, 12, tzinfo=UTC)
    ages = {"fresh": timedelta(), "week": KEPT, "old": KEPT + timedelta(seconds=1)}

    async def go() -> None:
        async with open_engine(any_store) as engine:
            db = engine.store.db
            assert (await sweep_store(engine.store, now)).keys == 0
            await create_tables(db, SCHEMA)
            for key, age in ages.items():
                row = ("me", key, "digest", 200, "{}", (now - age).isoformat())
                await db.run("insert into service_idempotency values (?, ?, ?, ?, ?, ?)", row)
            assert (await sweep_store(engine.store, now, dry_run=True)).keys == 1
            assert (await sweep_store(engine.store, now)).keys == 1
            kept = await db.rows("select key from service_idempotency order by key")
            assert kept == [("fresh",), ("week",)]

    wait(go())


@pytest.mark.parametrize("number", [errno.EMFILE, errno.ENOLCK])
def test_a_room_that_cannot_be_held_is_an_error_and_leaves_nothing(monkeypatch, number) -> None:
    def refuse(*_: Any) -> None:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(fcntl, "flock", refuse)
    with pytest.raises(OSError, match=os.strerror(number)):
        rooms.make_room()
    assert list(Path(tempfile.gettempdir()).iterdir()) == []
