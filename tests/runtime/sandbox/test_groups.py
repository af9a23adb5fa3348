"""Control groups: the kernel bounds what all processes of a program take together."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from flowc.runtime.sandbox.confine import probe
from flowc.runtime.sandbox.groups import Lender, empty, find_lender, lend
from flowc.runtime.sandbox.policy import MIB, Limits
from sandbox_hosts import on_machine

LENT = pytest.mark.skipif(not lend().lends, reason=f"no control group: {lend().why}")
UNIFIED = Path("/sys/fs/cgroup/unified")
MANY = Limits(total=200 * MIB)
GREEDY = {
    "one process": "x = b'x' * (300 << 20); time.sleep(20)",
    "files in memory": """
held = [os.memfd_create('m') for _ in range(10)]
for number in held:
    os.write(number, b'x' * (32 << 20))
time.sleep(20)
""",
    "many small ones": """
for _ in range(10):
    if not os.fork():
        x = b'x' * (32 << 20)
        time.sleep(20)
time.sleep(20)
""",
}


@pytest.fixture
def alone():
    """Have programs start on a machine that lends no group."""
    offer = probe("shell")
    none = Lender(why="left out")
    with on_machine(dict(offer.active), dict(offer.missing), lend=lambda: none):
        yield


def groups() -> list[Path]:
    """Return the groups of this process that are there."""
    places = set(lend().folders.values())
    return [one for place in places for one in place.glob(f"flowc-{os.getpid()}-*")]


@LENT
@pytest.mark.parametrize("how", GREEDY)
@pytest.mark.parametrize("level", ["full", "bubblewrap", "strong"])
def test_the_kernel_bounds_the_memory_of_all(shell, request, layers, level, how):
    if level == "full" and probe("shell").level != "full":
        pytest.skip("no full sandbox here")
    if level == "bubblewrap":
        request.getfixturevalue("by_bubblewrap")
    if level == "strong":
        layers("limits", "landlock", "seccomp", required=("landlock", "seccomp"))
    done = shell(f'python3 -c "import os, time{os.linesep}{GREEDY[how]}"; sleep 20', limits=MANY)
    assert (done.code, done.why) == (-signal.SIGKILL, "memory"), done.out
    assert "memory of all, processes of all" in done.report.active["limits"]
    assert groups() == []


@LENT
def test_the_kernel_counts_the_memory_where_the_watcher_has_no_limit(shell):
    class Small(Lender):
        def make(self, memory, tasks):
            return lend().make(200 * MIB, tasks)

    offer = probe("shell")
    with on_machine(dict(offer.active), dict(offer.missing), lend=lambda: Small(1)):
        done = shell(f'python3 -c "import time{os.linesep}{GREEDY["one process"]}"')
    assert (done.code, done.why) == (-signal.SIGKILL, "memory"), done.out


@LENT
def test_processes_are_bounded_while_nobody_looks(shell):
    began = time.monotonic()
    done = shell(":(){ :|:& };:; sleep 20", limits=Limits(processes=16))
    assert (done.code, done.why) == (-signal.SIGKILL, "processes"), done.out
    assert time.monotonic() - began < 15
    assert groups() == []


@LENT
def test_usual_work_in_a_group_goes_on(shell):
    work = "for i in $(seq 30); do seq 100000 | sort | tail -1; done; cat /proc/self/cgroup"
    done = shell(work, limits=MANY)
    assert (done.code, done.why) == (0, "")
    assert f"flowc-{os.getpid()}-" in done.out
    assert groups() == []


@LENT
def test_a_program_does_not_leave_its_group(shell):
    """Not by the files of groups, which it does not see, nor by a session of its own."""
    place = lend().folders["memory"]
    leave = f"echo 0 > {place}/cgroup.procs; setsid -f sleep 20; exec cat /proc/self/cgroup"
    done = shell(leave)
    assert f"flowc-{os.getpid()}-" in done.out
    assert groups() == []


@LENT
def test_a_group_that_a_killed_flowc_left_is_removed_by_the_next(tmp_path):
    script = """
import os, sys
from flowc.runtime.sandbox.groups import lend
group = lend().make(1 << 30, 64)
print(*group.folders, sep="\\n", flush=True)
os.kill(os.getpid(), 9)
"""
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, timeout=60, check=False
    )
    left = [Path(line) for line in done.stdout.splitlines()]
    assert done.returncode == -signal.SIGKILL
    assert left
    assert all(folder.is_dir() for folder in left)
    lend().tidy()
    assert not any(folder.is_dir() for folder in left)


@LENT
def test_a_launcher_that_cannot_join_goes_on_without(shell):
    class Gone(Lender):
        def make(self, memory, tasks):
            group = lend().make(memory, tasks)
            for folder in group.folders:
                folder.rmdir()
            return group

    offer = probe("shell")
    with on_machine(dict(offer.active), dict(offer.missing), lend=lambda: Gone(1)):
        done = shell("echo fine")
    assert (done.code, done.out, done.why) == (0, "fine\n", "")
    assert "memory of all" not in done.report.active["limits"]


def test_the_watcher_bounds_the_memory_where_no_group_is_lent(shell, alone):
    done = shell(f'python3 -c "import time{os.linesep}{GREEDY["one process"]}"', limits=MANY)
    assert (done.code, done.why) == (-signal.SIGKILL, "memory"), done.out
    assert "memory of all" not in done.report.active["limits"]


def machine(folder: Path, group: str, mounts: str) -> Path:
    """Return a /proc/self that says this."""
    folder.mkdir()
    (folder / "cgroup").write_text(group)
    (folder / "mountinfo").write_text(mounts)
    return folder


def version_2(folder: Path, controllers: str, enabled: str = "") -> Path:
    """Return a folder as a group of version 2 has it."""
    folder.mkdir(parents=True)
    (folder / "cgroup.controllers").write_text(controllers)
    (folder / "cgroup.subtree_control").write_text(enabled)
    (folder / "cgroup.procs").write_text("")
    return folder


@pytest.mark.parametrize(
    ("group", "mounts", "why"),
    [
        ("", "", "no group of flowc's own may be written"),
        (
            "5:pids:/a\n4:memory:/a\n",
            "30 20 0:1 / /sys/fs/cgroup/memory ro - cgroup cgroup ro,memory\n",
            "no group of flowc's own may be written",
        ),
        (
            "0::/user.slice/x.scope\n",
            "30 20 0:1 / {here}/tree rw - cgroup2 cgroup2 rw\n",
            "no group was delegated to flowc; try `systemd-run --user --scope -p Delegate=yes`",
        ),
    ],
)
def test_a_machine_that_lends_none_says_why(tmp_path, group, mounts, why):
    version_2(tmp_path / "tree/user.slice/x.scope", "cpu memory pids")
    lender = find_lender(machine(tmp_path / "self", group, mounts.format(here=tmp_path)), "")
    assert (lender.lends, lender.why) == (False, why)


@pytest.mark.parametrize(
    ("name", "controllers", "why"),
    [
        ("tree", "cpu io", "{here}/tree has no controllers of memory and pids"),
        (
            "gone",
            "memory pids",
            "no group can be made: {here}/gone is not the folder of a control group of version 2",
        ),
    ],
)
def test_a_folder_that_a_person_names_is_judged(tmp_path, name, controllers, why):
    version_2(tmp_path / "tree", controllers)
    lender = find_lender(tmp_path, str(tmp_path / name))
    assert (lender.lends, lender.why) == (False, why.format(here=tmp_path))


@pytest.mark.parametrize("below", ["", "/main"])
def test_a_delegated_group_is_found_from_itself_and_from_a_child(tmp_path, below):
    """As systemd marks it, with the service's processes in the group or in a child of it."""
    service = version_2(tmp_path / "tree/flowc.service", "memory pids io", "memory pids io")
    version_2(service / "main", "memory pids")
    try:
        os.setxattr(service, "user.delegate", b"1")
    except OSError:
        pytest.skip("no attributes of files here")
    mounts = f"30 20 0:1 / {tmp_path}/tree rw - cgroup2 cgroup2 rw\n"
    proc = machine(tmp_path / "self", f"0::/flowc.service{below}\n", mounts)
    # The folder is none of the kernel's, so what is tried in it fails, at the first file.
    assert find_lender(proc, "").why == "no group can be made: No such file or directory"
    assert not list(service.glob("flowc-*"))


@pytest.mark.skipif(not os.access(UNIFIED, os.W_OK), reason="no tree of groups of version 2")
def test_a_group_that_processes_stand_in_is_emptied_so_that_it_bounds_children():
    controllers = (UNIFIED / "cgroup.controllers").read_text().split()
    if not controllers:
        pytest.skip("all controllers are those of version 1 here")
    own = UNIFIED / f"test-{os.getpid()}"
    own.mkdir()
    process = subprocess.Popen(["sleep", "60"])
    try:
        (UNIFIED / "cgroup.subtree_control").write_text(f"+{controllers[0]}")
        (own / "cgroup.procs").write_text(str(process.pid))
        with pytest.raises(OSError, match="busy"):
            (own / "cgroup.subtree_control").write_text(f"+{controllers[0]}")
        empty(own)
        (own / "cgroup.subtree_control").write_text(f"+{controllers[0]}")
        assert (own / "flowc-own/cgroup.procs").read_text().split() == [str(process.pid)]
    finally:
        process.kill()
        process.wait()
        for folder in (own / "flowc-own", own):
            if folder.is_dir():
                folder.rmdir()
        (UNIFIED / "cgroup.subtree_control").write_text(f"-{controllers[0]}")
