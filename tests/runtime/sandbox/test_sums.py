"""What all processes of a program take together: files without a name, and very many files."""

from __future__ import annotations

import os
import time

import pytest
from flowc.runtime.sandbox.confine import probe
from flowc.runtime.sandbox.launch import sums
from flowc.runtime.sandbox.policy import MIB, Limits

pytestmark = pytest.mark.skipif(probe("shell").level == "weak", reason="no sandbox here")


HOARDS = {
    "removed files that are open": """
import os, time
held = []
for n in range(30):
    held.append(os.open(f'gone{n}', os.O_CREAT | os.O_RDWR))
    os.unlink(f'gone{n}')
    os.write(held[-1], b'x' * (4 << 20))
time.sleep(30)
""",
    "files in memory": """
import os, time
held = [os.memfd_create('m') for _ in range(30)]
for number in held:
    os.write(number, b'x' * (4 << 20))
time.sleep(30)
""",
    "shared pages": """
import mmap, time
held = [mmap.mmap(-1, 4 << 20) for _ in range(30)]
for one in held:
    one.write(b'x' * (4 << 20))
time.sleep(30)
""",
}


@pytest.mark.parametrize("how", HOARDS)
@pytest.mark.parametrize("level", ["full", "strong"])
def test_what_has_no_name_counts_too(shell, layers, level, how):
    if level == "full" and probe("shell").level != "full":
        pytest.skip("no full sandbox here")
    if level == "strong":
        layers("limits", "landlock", "seccomp", required=("landlock", "seccomp"))
    began = time.monotonic()
    done = shell(f'python3 -c "{HOARDS[how]}"', limits=Limits(disk=40 * MIB))
    assert (done.code, done.why) == (-9, "disk"), done.out
    assert time.monotonic() - began < 25


def test_files_are_counted_however_small(shell):
    command = "i=0; while :; do i=$((i+1)); : > f$i; done"
    done = shell(command, limits=Limits(files=3000, seconds=60))
    assert (done.code, done.why) == (-9, "files"), done.out
    assert len(list(shell.workspace.iterdir())) < 60_000


def test_usual_work_with_removed_files_and_shared_memory_goes_on(shell):
    code = "import mmap, tempfile; f = tempfile.TemporaryFile(); f.write(bytes(1 << 20))"
    done = shell(f'for i in $(seq 20); do python3 -c "{code}"; done', limits=Limits(disk=20 * MIB))
    assert (done.code, done.why) == (0, "")


def test_a_process_that_ends_while_it_is_looked_at_counts_for_nothing(tmp_path):
    (tmp_path / "7").mkdir()
    (tmp_path / "7/status").write_text("Name:\tx\nRssAnon:\t  2048 kB\nVmSwap:\t 1024 kB\n")
    (tmp_path / "8").mkdir()
    (tmp_path / "8/status").write_text("RssAnon:\t  4096 kB\n")
    (tmp_path / "8/smaps_rollup").write_text("Pss:\t 9 kB\nPss_Anon:\t 1000 kB\nSwapPss:\t 24 kB\n")
    proc = os.open(tmp_path, os.O_RDONLY)
    try:
        assert sums.own_memory([7, 8, 9], proc, 7 * MIB) == 7 * MIB
        assert sums.own_memory([7, 8, 9], proc, 7 * MIB - 1) == MIB
    finally:
        os.close(proc)


FORKS = """
import os, time
shared = b'x' * {shared}
for n in range(8):
    if not os.fork():
        own = b'x' * {own}
        time.sleep(3)
        os._exit(0)
time.sleep(4)
"""


@pytest.mark.parametrize("level", ["full", "strong"])
@pytest.mark.parametrize(
    ("shared", "own", "ends"), [(1, 40 * MIB, (-9, "memory")), (60 * MIB, 4 * MIB, (0, ""))]
)
def test_memory_of_all_processes_is_added_up(shell, layers, level, shared, own, ends):
    """What a fork shares with its parent is there once."""
    if level == "full" and probe("shell").level != "full":
        pytest.skip("no full sandbox here")
    if level == "strong":
        layers("limits", "landlock", "seccomp", required=("landlock", "seccomp"))
    code = FORKS.format(shared=shared, own=own)
    done = shell(f'python3 -c "{code}"', limits=Limits(total=200 * MIB))
    assert (done.code, done.why) == ends, done.out
