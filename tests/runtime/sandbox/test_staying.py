"""A process that stays: what it reaches changes from job to job, and is never more than the job's
files; it gets no other sound than the first and what came of it."""

from __future__ import annotations

import asyncio
import json
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from flowc.runtime.audio.calls.call import check_call
from flowc.runtime.audio.calls.subprocess_call import AudioWorkers, WorkerExit, WorkerJob
from flowc.runtime.sandbox.confinement import Confinement
from flowc.runtime.sandbox.modules import OwnModules
from flowc.runtime.sandbox.staying import StayingProcess
from sounds import tone, write

GUEST = """
import json, os, socket, struct, sys, time

def main():
    line, jobs = socket.socket(fileno=0), 0
    while head := line.recv(5, socket.MSG_WAITALL):
        asked = json.loads(line.recv(struct.unpack("!cI", head)[1], socket.MSG_WAITALL))
        jobs += 1
        came = {"jobs": jobs}
        for name, (place, flags) in asked["door"].items():
            request = json.dumps({"place": place, "flags": flags}).encode()
            line.sendall(struct.pack("!cI", b"O", len(request)) + request)
            said, found, _, _ = socket.recv_fds(line, 4, 1)
            error = struct.unpack("!I", said)[0]
            came[name] = os.strerror(error) if error else os.pread(found[0], 99, 0).decode()
            if asked.get("write") == name:
                came["wrote"] = os.write(found[0], b"new")
        for place in asked.get("names", []):
            try:
                came[place] = open(place).read()
            except OSError as error:
                came[place] = "stopped"
        if asked.get("end"):
            sys.stderr.write("no luck")
            sys.stderr.flush()
            os._exit(3)
        time.sleep(asked.get("sleep", 0))
        data = json.dumps(came).encode()
        size = 1 << 30 if asked.get("long") else len(data)
        kind = b"E" if asked.get("last") else b"A"
        line.sendall(struct.pack("!cI", kind, size) + data)
        if asked.get("last") or asked.get("idle"):
            return
"""
Ask = Callable[..., WorkerExit]


@pytest.fixture
def asking(tmp_path: Path):
    """Does jobs of the guest one after the other: what came of each, and the modules that did."""
    folder = tmp_path / "guest"
    folder.mkdir()
    (folder / "__init__.py").write_text(GUEST)
    for name in ("first", "second", "secret"):
        (tmp_path / name).write_text(name)
    (tmp_path / "link").symlink_to(tmp_path / "secret")
    modules = OwnModules(Confinement(Path("/"), Path("/")), {"guest": str(folder)})

    def job(reads: list[str], writes: list[str] = [], seconds: float = 60, **asked: Any):  # noqa: B006
        asked.setdefault("door", {})
        places = [[tmp_path / name for name in names] for names in (reads, writes)]
        question = json.dumps(asked).encode()
        return WorkerJob("guest", question, (), *places, seconds, leaves=places[1])

    def ask(*jobs: WorkerJob) -> list[dict[str, Any]]:
        async def all_of_them() -> list[dict[str, Any]]:
            try:
                return [json.loads((await modules(one)).output) for one in jobs]
            finally:
                await modules.close()

        return asyncio.run(all_of_them())

    return job, ask, modules


def test_it_opens_what_its_job_names_and_nothing_else(asking, tmp_path):
    job, ask, _ = asking
    door = {
        "read": (str(tmp_path / "first"), os.O_RDONLY),
        "write": (str(tmp_path / "second"), os.O_RDWR),
        "more": (str(tmp_path / "first"), os.O_RDWR),
        "secret": (str(tmp_path / "secret"), os.O_RDONLY),
        "link": (str(tmp_path / "link"), os.O_RDONLY),
        "around": (f"{tmp_path}/guest/../secret", os.O_RDONLY),
        "nul": ("a\0b", os.O_RDONLY),
    }
    reads, writes = ["first", "link"], ["second"]
    asked = {"door": door, "write": "write", "names": [str(tmp_path / "first")]}
    before, after = ask(job(reads, writes, **asked), job(["second"], door={"read": door["read"]}))
    assert (before["read"], before["write"], before["wrote"]) == ("first", "second", 3)
    assert (tmp_path / "second").read_text() == "newond"
    for name in ("more", "secret", "around", "nul"):
        assert before[name] == "Permission denied"
    assert before["link"] == "Too many levels of symbolic links"
    assert before[str(tmp_path / "first")] == "stopped", "files are opened by their names"
    # What the job before could read it can ask for no more.
    assert (after["jobs"], after["read"]) == (2, "Permission denied")


def test_it_goes_on_with_what_it_made_and_gets_no_other_sound(asking):
    job, ask, _ = asking
    jobs = [job(["first"], ["second"]), job(["second"]), job(["first", "second"])]
    jobs += [job(["secret"]), job(["first"]), job([])]
    assert [came["jobs"] for came in ask(*jobs)] == [1, 2, 3, 1, 1, 2]


def test_one_that_was_started_before_there_was_a_job_takes_the_first_and_its_sound_alone(asking):
    job, ask, modules = asking
    early = modules.start(job([]))
    modules.waiting.append(early)
    assert [came["jobs"] for came in ask(job(["first"]), job(["secret"]))] == [1, 1]
    assert early.known == {*job(["first"]).reads}, "it did the first job, and not the second"


def test_two_jobs_at_once_have_two_processes_and_one_stays(asking):
    job, _, modules = asking

    async def both() -> float:
        begin = time.monotonic()
        await asyncio.gather(*(modules(job(["first"], sleep=1)) for _ in range(2)))
        took = time.monotonic() - begin
        assert len(modules.waiting) == 1
        await modules.close()
        return took

    assert asyncio.run(both()) < 1.9


def test_one_that_ends_says_why_and_the_next_job_has_another(asking):
    job, _, modules = asking

    async def end() -> None:
        ended = await modules(job(["first"], end=True))
        assert (ended.code, ended.output, ended.complaint) == (3, b"", b"no luck")
        assert json.loads((await modules(job(["first"]))).output)["jobs"] == 1
        too_long = await modules(job(["first"], long=True))
        assert (too_long.output, too_long.complaint) == (b"", b"it is too long")
        with pytest.raises(TimeoutError):
            await modules(job(["first"], seconds=0.5, sleep=60))
        os.killpg((await _waiting_after(modules, job(["first"])))._process.pid, 9)
        assert json.loads((await modules(job(["first"]))).output)["jobs"] == 1
        await modules.close()

    asyncio.run(end())


async def _waiting_after(modules: OwnModules, job: WorkerJob) -> Any:
    await modules(job)
    return modules.waiting[0]


def test_the_job_after_one_that_was_the_last_has_a_new_process(asking):
    job, ask, modules = asking
    jobs = [job(["first"]), job(["first"], last=True), job(["first"])]
    assert [came["jobs"] for came in ask(*jobs)] == [1, 2, 1]

    async def idle() -> int:
        """It ends after its answer without a word, as one does that has waited for too long."""
        process = await _waiting_after(modules, job(["first"], idle=True))
        await asyncio.to_thread(process._process.wait)
        process.__class__ = _Deaf
        try:
            return json.loads((await modules(job(["first"]))).output)["jobs"]
        finally:
            await modules.close()

    assert asyncio.run(idle()) == 1


class _Deaf(StayingProcess):
    """One whose end is not seen before it gets a job."""

    is_alive = True  # type: ignore[assignment]


def test_a_job_that_nobody_wants_any_more_ends_its_process(asking):
    job, _, modules = asking

    async def cancel() -> None:
        task = asyncio.create_task(modules(job(["first"], sleep=60)))
        await asyncio.sleep(0.5)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asyncio.wait_for(task, 20)
        assert modules.waiting == []

    asyncio.run(cancel())


def test_calls_of_a_sound_have_one_process_and_give_what_they_give_alone(tmp_path):
    write(tmp_path / "a.wav", tone(1))
    write(tmp_path / "other.wav", tone(1))
    calls = [
        check_call("gain", {"input": "a.wav", "output": "b.wav", "gain_db": -3}),
        check_call("tag", {"input": "b.wav", "output": "c.flac", "title": "T"}),
        check_call("gain", {"input": "c.flac", "output": "d.ogg", "gain_db": 1}),
        check_call("measure", {"input": "d.ogg"}),
    ]
    modules = OwnModules(Confinement(Path("/"), Path("/")))
    workers, pids = AudioWorkers(modules), set()

    async def do(stays: bool) -> list[Any]:
        came = []
        for call in calls:
            came.append(await workers.do_call(call, lambda path: tmp_path / path, stays=stays))
            pids.update(one._process.pid for one in modules.waiting)
        came += [(tmp_path / name).read_bytes() for name in ("b.wav", "c.flac", "d.ogg")]
        await workers.close()
        return came

    alone = asyncio.run(do(False))
    assert pids == set()
    assert asyncio.run(do(True)) == alone
    assert len(pids) == 1
