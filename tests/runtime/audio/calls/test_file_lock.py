"""One run at a time writes a result; a claim is gone with its process and leaves nothing."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from flowc.runtime.audio.calls.call import Unwritable
from flowc.runtime.audio.calls.file_lock import Claims
from flowc.runtime.audio.calls.subprocess_call import AudioWorkers
from flowc.runtime.errors import Failure
from flowc.runtime.files.roots import Roots
from flowc.runtime.tools.audio import AudioTools


@pytest.fixture
def claims() -> Iterator[Claims]:
    made = Claims()
    yield made
    made.release()


def refused(place: Path) -> bool:
    """Whether another run, of this process or of another, cannot write the file."""
    other = Claims()
    try:
        other.hold(place, place.name)
    except Unwritable as failure:
        return failure.message == f"`{place.name}` is being written by another run"
    finally:
        other.release()
    return False


def test_a_file_is_one_runs_until_it_gives_it_up(claims, tmp_path):
    claims.hold(tmp_path / "a.wav", "a.wav")
    claims.hold(tmp_path / "a.wav", "a.wav")
    assert refused(tmp_path / "a.wav")
    assert not refused(tmp_path / "b.wav")
    (tmp_path / "a.wav").write_text("the file itself has nothing to do with it")
    assert refused(tmp_path / "a.wav")
    claims.release()
    assert not refused(tmp_path / "a.wav")


def test_a_link_leads_to_the_file_that_is_claimed(claims, tmp_path):
    (tmp_path / "x").mkdir()
    (tmp_path / "x/link.wav").symlink_to("../a.wav")
    claims.hold(tmp_path / "a.wav", "a.wav")
    assert refused(tmp_path / "x/link.wav")
    assert refused(tmp_path / "x/../a.wav")


def test_a_claim_of_another_process_holds_until_that_is_killed(tmp_path):
    ready, tell = os.pipe()
    child = os.fork()
    if child == 0:
        Claims().hold(tmp_path / "a.wav", "a.wav")
        os.write(tell, b"!")
        signal.pause()
    assert os.read(ready, 1) == b"!"
    assert refused(tmp_path / "a.wav")
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    assert not refused(tmp_path / "a.wav")
    assert [*tmp_path.iterdir()] == []


def test_a_folder_that_is_not_there_is_nobodys(claims, tmp_path):
    claims.hold(tmp_path / "none/a.wav", "a.wav")


def never(*args: Any, **given: Any) -> Any:
    raise AssertionError("something was executed")


def test_the_second_run_with_one_output_is_refused_before_anything_is_done(tmp_path):
    (tmp_path / "in.wav").write_text("sound")
    one, other = (AudioTools(Roots(tmp_path), AudioWorkers(never)) for _ in range(2))
    given = {"input": "in.wav", "output": "out.flac"}
    asyncio.run(one.call("audio_places", given))
    with pytest.raises(Failure, match=r"`out\.flac` is being written by another run"):
        asyncio.run(other.call("audio_places", given))
    asyncio.run(other.call("audio_places", {**given, "output": "other.flac"}))
    step = {"code": "GAIN()", "input": "in.wav", "output": "out.flac"}
    with pytest.raises(Failure, match="by another run"):
        asyncio.run(other.call("audio_execute", step))
    asyncio.run(one.close())
    asyncio.run(other.call("audio_places", given))
    asyncio.run(other.close())
