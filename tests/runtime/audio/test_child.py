"""The process of a call: limits, its end, and what workflows may reach."""

from __future__ import annotations

import asyncio
import os
import time
from pathlib import Path

import pytest
from flowc.runtime.audio.calls import check_call
from flowc.runtime.audio.child import AudioLimits, do_call
from flowc.runtime.errors import Failure
from flowc.runtime.roots import Roots
from flowc.runtime.tools.audio import AudioTools
from flowc.runtime.tools.registry import ToolBox
from sounds import noise, tone, write


@pytest.fixture
def slow(tmp_path: Path):
    """A call that takes many seconds."""
    write(tmp_path / "a.wav", noise(300, rate=44_100), 44_100, "PCM_16")
    call = check_call("pitch_shift", {"input": "a.wav", "output": "b.wav", "semitones": 3})
    return lambda limits=None: do_call(call, lambda path: tmp_path / path, limits)


def workers() -> set[str]:
    """Processes of this one that do audio calls."""
    found = set()
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            words = Path(f"/proc/{name}/cmdline").read_bytes().split(b"\0")
        except OSError:
            continue
        if b"flowc.runtime.audio.worker" in words and str(os.getpid()).encode() in words:
            found.add(name)
    return found


def first_worker() -> str:
    """Waits until there is one."""
    while not (found := workers()):
        pass
    return found.pop()


def test_a_call_that_takes_too_long_is_a_time_out_and_leaves_nothing(slow, tmp_path):
    with pytest.raises(Failure) as caught:
        asyncio.run(slow(AudioLimits(seconds=2)))
    assert caught.value.kind == "timeout"
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a.wav"]
    assert workers() == set()


def test_a_cancelled_call_ends_its_process_and_leaves_nothing(slow, tmp_path):
    async def run() -> None:
        task = asyncio.create_task(slow())
        await asyncio.to_thread(first_worker)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    began = time.monotonic()
    asyncio.run(run())
    assert time.monotonic() - began < 20
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a.wav"]
    assert workers() == set()


def test_a_process_that_is_killed_is_said(slow, tmp_path):
    async def run() -> None:
        task = asyncio.create_task(slow())
        os.kill(int(await asyncio.to_thread(first_worker)), 9)
        await task

    with pytest.raises(Failure, match="was killed by signal 9"):
        asyncio.run(run())
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a.wav"]


def test_memory_has_an_end(slow):
    with pytest.raises(Failure):
        asyncio.run(slow(AudioLimits(memory=300 * 1024**2)))


def use(folder: Path, name: str, **args):
    async def once():
        box = ToolBox((AudioTools(Roots(folder)),))
        await box.open()
        try:
            return await box.call(name, args)
        finally:
            await box.close()

    return asyncio.run(once())


def test_workflows_call_audio_tools_below_their_folders(tmp_path):
    write(tmp_path / "a.wav", tone(1))
    said = use(tmp_path, "audio_gain", input="a.wav", output="b.flac", gain_db=-3)
    assert said["output"] == "b.flac"
    found = use(tmp_path, "audio_measure", input="b.flac")
    assert found["integrated_lufs"] == pytest.approx(-26, abs=0.1)
    for args in (
        {"input": "../a.wav", "output": "b.wav"},
        {"input": "a.wav", "output": "/tmp/x.wav"},
    ):
        with pytest.raises(Failure, match="outside the folders of this run"):
            use(tmp_path, "audio_gain", gain_db=1, **args)
    with pytest.raises(Failure, match="arguments of `audio_gain`"):
        use(tmp_path, "audio_gain", input="a.wav", output="b.wav", gain_db=1000)
