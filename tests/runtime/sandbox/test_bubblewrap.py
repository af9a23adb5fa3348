"""Where bubblewrap alone may make namespaces it holds and does the same as flowc's own."""

from __future__ import annotations

import os
import signal
import socket
import stat
from collections.abc import Callable
from pathlib import Path

import pytest
from flowc.runtime.errors import Failure
from flowc.runtime.files.granted import open_granted
from flowc.runtime.sandbox.confine import probe
from flowc.runtime.sandbox.policy import Limits

from .conftest import Shell, popen
from .test_confine import until

pytestmark = [
    pytest.mark.skipif(probe("shell").level == "weak", reason="no sandbox here"),
    pytest.mark.usefixtures("by_bubblewrap"),
]


def test_the_view_is_the_same(shell: Shell, tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("canary")
    done = shell(
        f"cat {tmp_path}/secret; kill -0 {os.getpid()} && echo reached; echo bad > /usr/new;"
        "echo kept > note; cat <(echo piped); exit 7"
    )
    assert done.code == 7, done
    assert done.report is not None
    assert done.report.level == "full"
    assert done.report.active["mounts"] == "by bubblewrap"
    assert "canary" not in done.out
    assert "reached" not in done.out
    assert "piped" in done.out
    assert (shell.workspace / "note").read_text() == "kept\n"


def test_devices_of_the_machine_keep_their_modes(shell: Shell) -> None:
    """Bubblewrap binds them as they are, and root owns them."""
    before = stat.S_IMODE(os.stat("/dev/null").st_mode)
    done = shell("chmod 600 /dev/null; chown 1 /dev/null; echo still > /dev/null && echo written")
    try:
        assert stat.S_IMODE(os.stat("/dev/null").st_mode) == before
        assert os.stat("/dev/null").st_uid == 0
    finally:
        os.chmod("/dev/null", before)
        os.chown("/dev/null", 0, -1)
    assert "written" in done.out


@pytest.mark.parametrize("end", [os.kill, os.killpg])
def test_who_is_asked_to_end_may_do_so_in_time(
    shell: Shell, end: Callable[[int, int], None]
) -> None:
    """A tool's server is asked by the group of its processes, which bubblewrap is in."""
    command = 'trap "echo bye; exit 3" TERM; echo > ready; while :; do sleep 0.05; done'
    with shell.start(command, limits=Limits(grace=60)) as start:
        process = popen(start)
        assert until((shell.workspace / "ready").exists)
        end(process.pid, signal.SIGTERM)
        out = process.communicate(timeout=150)[0]
        assert (process.returncode, out[-4:], start.kill_reason()) == (3, b"bye\n", "")


def test_who_does_not_end_when_asked_is_ended(shell: Shell) -> None:
    with shell.start('trap "" TERM; echo > ready; sleep 30', limits=Limits(grace=0.2)) as start:
        process = popen(start)
        assert until((shell.workspace / "ready").exists)
        process.terminate()
        assert (process.wait(60), start.kill_reason()) == (-9, "stopped")


def test_what_is_read_below_proc_and_dev_is_that_of_the_program(shell: Shell) -> None:
    command = "head -c 4 /proc/cpuinfo; ls /dev/fd | wc -l"
    with shell.start(command, reads=(Path("/proc/cpuinfo"), Path("/dev/fd"))) as start:
        process = popen(start)
        assert process.communicate(timeout=60)[0]
        assert process.returncode == 0


@pytest.mark.parametrize(
    ("command", "why"),
    [
        (":(){ :|:& };:; sleep 20", "processes"),
        ("for n in $(seq 400); do head -c 1000000 /dev/zero > f$n; done; sleep 20", "disk"),
        ("i=0; while [ $i -lt 5000 ]; do i=$((i+1)); : > f$i; done; sleep 20", "files"),
        ("sleep 20", "time"),
    ],
)
def test_what_is_bounded_is_bounded_there_too(shell: Shell, command: str, why: str) -> None:
    bounds = Limits(seconds=10.0, processes=50, disk=20 << 20, files=1000)
    if why == "time":
        bounds = Limits(seconds=0.3)
    done = shell(command, limits=bounds)
    assert (done.code, done.why) == (-9, why) or "fork" in done.out


def test_a_unix_socket_in_the_workspace_is_out_of_reach(shell: Shell) -> None:
    with socket.socket(socket.AF_UNIX) as door:
        door.bind(str(shell.workspace / "door"))
        door.listen()
        done = shell("python3 -c 'import socket; socket.socket(1).connect(\"door\")'")
    assert "PermissionError" in done.out or "Address family not supported" in done.out


def test_another_folder_than_the_granted_one_is_refused(shell: Shell, tmp_path: Path) -> None:
    """Bubblewrap binds by name: what it has bound is compared before the program begins."""
    folder, other = tmp_path / "granted", tmp_path / "other"
    folder.mkdir()
    other.mkdir()
    (other / "secret").write_text("canary")
    held = open_granted(folder)
    with shell.start("cat note", reads=(folder,), held=(held,)) as start:
        folder.rename(tmp_path / "away")
        other.rename(folder)
        process = popen(start)
        assert process.communicate(timeout=60)[0] == b""
        assert process.returncode == 96
        with pytest.raises(Failure, match="no longer the folder that was granted"):
            start.report()
