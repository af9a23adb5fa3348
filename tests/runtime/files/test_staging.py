"""What a killed writer leaves beside its output is taken away, what is being written never is."""

from __future__ import annotations

import asyncio
import os
import tempfile
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from flowc.runtime.audio.calls.call import check_call
from flowc.runtime.audio.calls.subprocess_call import AudioWorkers, WorkerExit, WorkerJob
from flowc.runtime.cli.authoring.check import rewrite_file
from flowc.runtime.cli.delivery import deliver
from flowc.runtime.files.roots import Roots
from flowc.runtime.files.staging import PREFIX, file_beside, replacing, sweep
from flowc.runtime.sandbox.generated.snippet import _place
from killing import Killed, in_process, kill_me

TOLD = b'{"result": {}}'


def left(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir() if path.name.startswith(".flowc-"))


def call(folder: Path, during: Callable[[], Awaitable[None]], output: str = "b.wav") -> Any:
    """A call whose worker does only this."""

    async def process(job: WorkerJob) -> WorkerExit:
        job.writes[0].write_text(output)
        await during()
        return WorkerExit(0, TOLD, b"")

    asked = check_call("gain", {"input": "a.wav", "output": output, "gain_db": 1})
    return AudioWorkers(process).do_call(asked, lambda path: folder / path)


async def nothing() -> None: ...


async def death() -> None:
    kill_me()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Where a call was killed."""
    (tmp_path / "a.wav").write_text("sound")
    with pytest.raises(Killed):
        in_process(lambda: asyncio.run(call(tmp_path, death)))
    assert len(left(tmp_path)) == 1
    return tmp_path


def test_the_next_call_takes_away_what_a_killed_one_left(folder):
    asyncio.run(call(folder, nothing))
    assert left(folder) == []
    assert (folder / "b.wav").read_text() == "b.wav"


def test_what_another_call_is_writing_stays(folder):
    """Also one of the same process: of two steps of a workflow, or two runs in one service."""

    async def second() -> None:
        await call(folder, nothing, "c.wav")
        assert len(left(folder)) == 1, "the one of the call that is under way"

    asyncio.run(call(folder, second))
    assert left(folder) == []
    assert (folder / "b.wav").read_text() == "b.wav"
    assert (folder / "c.wav").read_text() == "c.wav"


def write_in(folder: Path, data: bytes) -> None:
    """Put what a snippet made in its place."""
    source = os.memfd_create("made")
    os.write(source, data)
    _place(source, folder / "new")
    os.close(source)


WRITERS: dict[str, Callable[[Path, bytes], object]] = {
    "tool": lambda folder, data: Roots(folder).write_text("new", data.decode()),
    "snippet": write_in,
    "delivery": lambda folder, data: deliver(folder / "new", data),
    "rewriting": lambda folder, data: rewrite_file(str(folder / "new"), data.decode()),
}


@pytest.mark.parametrize("writer", WRITERS)
def test_every_writer_cleans_up_after_killed_ones_and_nobody_else(tmp_path, monkeypatch, writer):
    new, write = tmp_path / "new", WRITERS[writer]
    new.write_text("old")
    new.chmod(0o640)
    with monkeypatch.context() as patch:
        patch.setattr(os, "replace", lambda *given: kill_me())
        with pytest.raises(Killed):
            in_process(lambda: write(tmp_path, b"half"))
    (abandoned,) = left(tmp_path)
    with file_beside(new) as held:
        assert left(tmp_path) == [held.name], "made by a writer, so that the rest is gone"
        (tmp_path / abandoned).write_text("back again")
        write(tmp_path, b"whole")
        assert left(tmp_path) == [held.name]
    assert left(tmp_path) == []
    assert new.read_bytes() == b"whole"
    assert new.stat().st_mode & 0o777 == 0o640


def test_one_that_fails_halfway_leaves_what_was_there(tmp_path):
    (tmp_path / "a").write_text("old")

    def fail() -> None:
        with replacing(tmp_path / "a") as file:
            file.write(b"half")
            raise OSError("no space left")

    with pytest.raises(OSError, match="no space left"):
        fail()
    assert left(tmp_path) == []
    assert (tmp_path / "a").read_text() == "old"


def test_the_scratch_file_that_was_made_a_link_leads_nowhere_else(tmp_path):
    """Who else writes into the folder may exchange it: what the link leads to stays as it is."""
    (tmp_path / "secret").write_text("secret")
    (tmp_path / "secret").chmod(0o600)
    with replacing(tmp_path / "a") as file:
        (scratch,) = left(tmp_path)
        (tmp_path / scratch).unlink()
        (tmp_path / scratch).symlink_to("secret")
        file.write(b"mine")
    assert (tmp_path / "secret").read_text() == "secret"
    assert (tmp_path / "secret").stat().st_mode & 0o777 == 0o600


def test_what_another_process_is_writing_stays(tmp_path):
    with file_beside(tmp_path / "b.wav") as held:
        in_process(lambda: sweep(str(tmp_path)))
        assert held.exists()
        held.rename(tmp_path / "b.wav")
    assert (tmp_path / "b.wav").exists()


def test_one_that_was_swept_between_its_making_and_its_lock_is_made_anew(tmp_path, monkeypatch):
    made, real = [], tempfile.mkstemp

    def made_and_swept(**given: Any) -> tuple[int, str]:
        found = real(**given)
        if not made:
            sweep(str(tmp_path))
            assert left(tmp_path) == []
        made.append(found[1])
        return found

    monkeypatch.setattr(tempfile, "mkstemp", made_and_swept)
    with file_beside(tmp_path / "b.wav") as held:
        assert held.exists()
    assert len(made) == 2


def test_what_is_no_file_of_ours_stays(tmp_path):
    os.mkfifo(tmp_path / f"{PREFIX}pipe")
    (tmp_path / f"{PREFIX}folder").mkdir()
    (tmp_path / f"{PREFIX}link").symlink_to("mine")
    (tmp_path / ".flowc-mine").write_text("another's")
    sweep(str(tmp_path))
    assert len(left(tmp_path)) == 4
    sweep(str(tmp_path / "nowhere"))
