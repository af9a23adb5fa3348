"""The process of a call: limits, its end, and what workflows may reach."""

from __future__ import annotations

import asyncio
import os
import subprocess
import time
from functools import partial
from pathlib import Path

import pytest
from flowc.runtime.audio.calls.call import check_call
from flowc.runtime.audio.calls.subprocess_call import AudioLimits, AudioWorkers
from flowc.runtime.errors import Failure
from flowc.runtime.files.roots import Roots
from flowc.runtime.sandbox.confinement import Confinement
from flowc.runtime.sandbox.modules import OwnModules
from flowc.runtime.tools.audio import AudioTools
from flowc.runtime.tools.registry import ToolBox
from sounds import noise, tone, write


@pytest.fixture
def slow(tmp_path: Path):
    """A call that takes many seconds."""
    write(tmp_path / "a.wav", noise(300, rate=44_100), 44_100, "PCM_16")
    call = check_call("pitch_shift", {"input": "a.wav", "output": "b.wav", "semitones": 3})
    return lambda limits=None: audio_workers(limits).do_call(call, lambda path: tmp_path / path)


def audio_workers(limits: AudioLimits | None = None) -> AudioWorkers:
    where = Confinement(Path("/"), Path("/"))
    return AudioWorkers(OwnModules(where), limits or AudioLimits())


def below() -> list[int]:
    """The processes below this one, the deepest last: keeper, watcher, worker."""
    listed = subprocess.run(["ps", "-eo", "pid=,ppid="], capture_output=True, text=True)
    parents = [tuple(map(int, line.split())) for line in listed.stdout.splitlines()]
    found, front = [], [os.getpid()]
    while front:
        front = [pid for pid, parent in parents if parent in front and pid != os.getpid()]
        found += front
    return [pid for pid in found if _command(pid)]


def _command(pid: int) -> bytes:
    try:
        words = Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""
    return words if b"launch.start" in words else b""


def worker() -> int:
    """Waits until there is one that works."""
    while len(found := below()) < 3:
        time.sleep(0.01)
    return found[-1]


def gone() -> bool:
    """Waits until no process is left: the kernel ends what is below a process after it."""
    deadline = time.monotonic() + 60
    while below() and time.monotonic() < deadline:
        time.sleep(0.01)
    return not below()


def test_a_call_that_takes_too_long_is_a_time_out_and_leaves_nothing(slow, tmp_path):
    with pytest.raises(Failure) as caught:
        asyncio.run(slow(AudioLimits(seconds=2)))
    assert caught.value.kind == "timeout"
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a.wav"]
    assert gone()


def test_a_cancelled_call_ends_its_process_and_leaves_nothing(slow, tmp_path):
    async def run() -> None:
        task = asyncio.create_task(slow())
        await asyncio.to_thread(worker)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(run())
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a.wav"]
    assert gone()


def _ticks(pid: int) -> int:
    """The hundredths of a second that a process has worked."""
    try:
        return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[11])
    except OSError:
        return 0


def kill_one(which: int = -1) -> None:
    """Kills the process of a call, or what started it (`which` is 0), when it has worked for a
    while, and waits for the end of those around it."""
    while _ticks(worker()) < 30:
        time.sleep(0.01)
    there = below()
    os.kill(there[which], 9)
    while not set(there).isdisjoint(below()):
        time.sleep(0.01)


def test_a_process_that_is_killed_twice_is_said(slow, tmp_path):
    async def run() -> None:
        task = asyncio.create_task(slow())
        for _ in range(2):
            await asyncio.to_thread(kill_one)
        await task

    with pytest.raises(Failure, match="was killed by signal 9"):
        asyncio.run(run())
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a.wav"]


@pytest.mark.parametrize("stays", [False, True])
def test_a_call_whose_process_is_killed_is_done_by_another(stays, tmp_path):
    write(tmp_path / "a.wav", noise(60, rate=44_100), 44_100, "PCM_16")

    async def made(name: str, kills: bool) -> bytes:
        arguments = {"input": "a.wav", "output": name, "semitones": 3}
        call, workers = check_call("pitch_shift", arguments), audio_workers()
        task = asyncio.create_task(workers.do_call(call, lambda p: tmp_path / p, stays=stays))
        if kills:
            await asyncio.to_thread(kill_one)
        await task
        await workers.close()
        return (tmp_path / name).read_bytes()

    assert asyncio.run(made("b.wav", True)) == asyncio.run(made("c.wav", False))
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a.wav", "b.wav", "c.wav"]


def test_memory_has_an_end(slow):
    with pytest.raises(Failure):
        asyncio.run(slow(AudioLimits(memory=300 * 1024**2)))


def use(folder: Path, name: str, **args):
    async def once():
        box = ToolBox((AudioTools(Roots(folder), audio_workers()),))
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


def test_the_launcher_is_not_outlived_by_the_worker(slow, tmp_path):
    """What flowc started is killed: the worker, two processes below it, ends all the same."""

    async def run() -> None:
        task = asyncio.create_task(slow())
        await asyncio.wait_for(asyncio.to_thread(kill_one, 0), 60)
        task.cancel()
        with pytest.raises((Failure, asyncio.CancelledError)):
            await task

    asyncio.run(run())
    assert gone()


@pytest.mark.parametrize("there", ["", "mine", "its own"])
def test_a_further_part_takes_the_place_of_no_other_file(there, tmp_path):
    """A call that was killed before anybody took note of its end is done again."""
    write(tmp_path / "a.wav", noise(2, rate=44_100), 44_100, "PCM_16")
    call = check_call("split", {"input": "a.wav", "output_pattern": "b.wav", "points_s": [1]})
    work = partial(audio_workers().do_call, call, lambda path: tmp_path / path)
    if there == "its own":
        asyncio.run(work())
    part = tmp_path / "b-2.wav"
    if there == "mine":
        part.write_text("mine")
        with pytest.raises(Failure, match=r"`b-2\.wav` is there already"):
            asyncio.run(work())
        assert (part.read_text(), (tmp_path / "b.wav").exists()) == ("mine", False)
        asyncio.run(work(mine=["b-2.wav"]))
    else:
        asyncio.run(work())
    assert part.stat().st_size > 80_000
