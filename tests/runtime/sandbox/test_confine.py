"""Programs under a policy, with real processes and the layers that this machine has."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest
from flowc.runtime.errors import Failure
from flowc.runtime.sandbox.confine import prepare, prepare_python, probe
from flowc.runtime.sandbox.policy import MIB, Limits, Policy, python_reads

from .conftest import BUBBLEWRAP, ENV, popen

pytestmark = pytest.mark.skipif(
    probe("shell").level == "weak", reason=f"no sandbox here: {dict(probe('shell').missing)}"
)


def until(true, seconds: float = 60.0) -> bool:
    deadline = time.monotonic() + seconds
    while not true() and time.monotonic() < deadline:
        time.sleep(0.02)
    return bool(true())


def test_a_command_has_its_workspace_and_private_folders(shell):
    done = shell('pwd; echo kept > note; echo "$HOME" > "$TMPDIR/x"; cat "$TMPDIR/x"')
    home = done.out.splitlines()[1]
    assert done.out.splitlines()[0] == str(shell.workspace)
    assert (shell.workspace / "note").read_text() == "kept\n"
    assert home != ENV["HOME"]
    assert not Path(home).exists()


@pytest.mark.parametrize(("command", "code"), [("exit 7", 7), ("kill -SEGV $$", -11)])
def test_the_exit_code_is_the_programs_own(shell, command, code):
    assert shell(command).code == code


def test_a_program_that_is_not_there_is_a_failure(shell):
    with prepare(["no-such-program"], ENV, Policy("shell")) as start:
        popen(start).wait(60)
        with pytest.raises(Failure, match="no-such-program"):
            start.kill_reason()


def test_the_report_is_known_while_the_program_runs_and_cannot_be_added_to(shell):
    forge = "for n in $(seq 3 60); do echo '{\"report\": 1}' >&$n; done 2>/dev/null;"
    forge += "until [ -e go ]; do sleep 0.02; done"
    with shell.start(forge) as start:
        process = popen(start)
        report = start.report()
        assert process.poll() is None
        (shell.workspace / "go").touch()
        process.wait(60)
        assert (start.kill_reason(), start.report()) == ("", report)
        assert [list(message) for message in start._messages] == [["report"], ["end"]]
    assert report.level == probe("shell").level
    assert report.text.startswith(report.level)


def test_nothing_outside_is_read_or_written(shell, tmp_path):
    secret = tmp_path / "secret"
    secret.write_text("canary")
    done = shell(f"cat {secret}; echo bad > {secret}; echo bad > {tmp_path}/new; rm -f {secret}")
    assert "canary" not in done.out
    assert secret.read_text() == "canary"
    assert sorted(p.name for p in tmp_path.iterdir()) == ["secret", "workspace"]


def test_the_environment_of_flowc_is_out_of_reach(shell, monkeypatch):
    monkeypatch.setenv("CANARY_KEY", "canary-value")
    done = shell(f"env; cat /proc/*/environ /proc/{os.getpid()}/environ | tr '\\0' '\\n'")
    assert "canary-value" not in done.out


def test_what_left_the_session_ends_with_the_program(shell):
    shell(
        "setsid sh -c 'echo > begun; sleep 0.5; echo late > late' & until [ -e begun ]; do :; done"
    )
    time.sleep(0.7)
    assert not (shell.workspace / "late").exists()


def test_too_many_processes_end_it(shell):
    done = shell(":(){ :|:& };:; sleep 20", limits=Limits(processes=50))
    assert (done.code, done.why) == (-9, "processes") or "fork" in done.out


def test_the_kernel_bounds_the_processes_of_a_namespace(shell):
    done = shell("cat /proc/sys/kernel/pid_max", limits=Limits(processes=50))
    release = tuple(int(part) for part in os.uname().release.split(".")[:2])
    if release >= (6, 14) and done.report.level == "full":
        assert done.out == "700\n"
    elif release >= (6, 14):
        pytest.skip("no namespace here")


def test_who_bounds_the_program_runs_before_it(shell):
    command = "sleep 30 & cut -d' ' -f40,41,19 /proc/$!/stat; echo > ready; wait"
    with shell.start(command) as start:
        process = popen(start)
        assert until((shell.workspace / "ready").exists)
        keeper = os.sched_getscheduler(process.pid), os.getpriority(0, process.pid)
        process.kill()
        own = os.sched_getscheduler(0), os.getpriority(0, 0)
        assert process.communicate(timeout=150)[0].split() == [b"%d" % own[1], b"0", b"%d" % own[0]]
    may = "import os; os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))"
    tried = subprocess.run([sys.executable, "-c", may], capture_output=True, check=False)
    if tried.returncode == 0:
        assert keeper[0] == os.SCHED_FIFO


@pytest.mark.parametrize(
    "attempt",
    [
        "os.sched_setscheduler(1, os.SCHED_OTHER, os.sched_param(0))",
        "os.setpriority(os.PRIO_PROCESS, 1, 19)",
        "os.setpriority(os.PRIO_USER, 0, 19)",
        "os.sched_setaffinity(1, {0})",
        "__import__('resource').prlimit(1, 7, (0, 0))",
        "os.chmod('/dev/null', 0o666)",
    ],
)
def test_what_bounds_a_program_is_out_of_its_reach(shell, attempt):
    if probe("shell").level != "full" and "null" in attempt and os.geteuid() == 0:
        pytest.skip("no view of files here")
    done = shell(f'python3 -c "import os; {attempt}"; echo code $?; echo still > /dev/null')
    assert "code 1" in done.out
    assert "Error" in done.out


def test_a_program_may_bound_itself_by_its_number(shell):
    code = "import os; os.sched_setaffinity(os.getpid(), {0}); print(os.sched_getaffinity(0))"
    done = shell(f"python3 -c '{code}'")
    if done.report.level == "full":
        assert done.out == "{0}\n"


def test_what_is_read_below_proc_is_that_of_the_program(shell):
    done = shell(
        "cat /proc/cpuinfo | head -c 4; ls /dev/fd | wc -l",
        reads=(Path("/proc/cpuinfo"), Path("/dev/fd")),
    )
    assert done.code == 0
    assert done.out


def test_a_folder_is_named_by_a_way_around(shell, tmp_path):
    (tmp_path / "there").mkdir()
    (tmp_path / "there" / "note").write_text("read")
    way = shell.workspace / ".." / "there"
    assert shell(f"cat {way}/note", reads=(way, way / ".." / "there")).out == "read"


def test_home_is_empty_whatever_is_shown(shell):
    assert shell('ls -A ~; rm -rf ~/* && cd && echo "$PWD" | wc -l').out == "1\n"


def test_too_much_time_ends_it(shell):
    done = shell("sleep 30", limits=Limits(seconds=0.5))
    assert (done.code, done.why) == (-9, "time")


@pytest.mark.parametrize("place", [".", '"$TMPDIR"'])
def test_too_much_in_many_files_ends_it(shell, place):
    command = f"cd {place}; for n in $(seq 400); do head -c 1000000 /dev/zero > f$n; done; sleep 20"
    done = shell(command, limits=Limits(disk=20 * MIB))
    assert (done.code, done.why) == (-9, "disk")


def test_who_is_asked_to_end_may_do_so_in_time(shell):
    command = 'trap "echo bye; exit 3" TERM; echo ready > ready; while :; do sleep 0.05; done'
    with shell.start(command, limits=Limits(grace=60)) as start:
        process = popen(start)
        assert until((shell.workspace / "ready").exists)
        process.terminate()
        out = process.communicate(timeout=150)[0]
        assert (process.returncode, out[-4:], start.kill_reason()) == (3, b"bye\n", "")


def test_who_does_not_end_when_asked_is_ended(shell):
    command = 'trap "" TERM; echo ready > ready; sleep 30'
    with shell.start(command, limits=Limits(grace=0.2)) as start:
        process = popen(start)
        assert until((shell.workspace / "ready").exists)
        process.terminate()
        assert process.wait(60) == -9
        assert start.kill_reason() == "stopped"


BEAT = "setsid bash -c 'while :; do echo beat >> beats; sleep 0.05; done' & wait"


def stands_still(shell) -> bool:
    beats = shell.workspace / "beats"
    before = beats.stat().st_size
    time.sleep(0.5)
    return beats.stat().st_size == before


@pytest.mark.parametrize("by", ["namespaces", "bubblewrap", "nothing"])
def test_killing_the_keeper_ends_everything(shell, layers, by):
    if by == "bubblewrap" and not BUBBLEWRAP:
        pytest.skip("no bubblewrap that works here")
    layers("landlock", "seccomp", "limits", by)
    with shell.start(BEAT) as start:
        process = popen(start)
        assert until((shell.workspace / "beats").exists)
        process.kill()
        process.wait(60)
        assert until(lambda: stands_still(shell))


START = """
import sys
from pathlib import Path
from tests_sandbox import popen, Shell
start = Shell(Path(sys.argv[1])).start(sys.argv[2])
popen(start).wait()
"""


def test_everything_ends_with_flowc_however_that_ends(shell):
    conftest = Path(__file__).with_name("conftest.py")
    script = START.replace("tests_sandbox", "conftest")
    env = {**os.environ, "PYTHONPATH": os.pathsep.join([str(conftest.parent), *sys.path])}
    flowc = subprocess.Popen([sys.executable, "-c", script, shell.workspace, BEAT], env=env)
    assert until((shell.workspace / "beats").exists)
    flowc.send_signal(signal.SIGKILL)
    flowc.wait()
    assert until(lambda: stands_still(shell))


def test_a_folder_that_is_not_there_cannot_be_granted(tmp_path):
    with pytest.raises(Failure, match="not there") as refused:
        prepare(["true"], ENV, Policy("shell", writes=(tmp_path / "none",)))
    assert refused.value.kind == "refused"
    with pytest.raises(Failure, match="not a file"):
        prepare(["true"], ENV, Policy("snippet", writes=(tmp_path,)))


def test_links_are_made_only_where_they_are_granted(shell):
    assert "denied" in shell("ln -s /etc/passwd link").out
    assert shell("ln -s note link && readlink link", symlinks=True).out == "note\n"


def test_the_network_is_open_only_when_it_is_granted(shell):
    command = f"{sys._base_executable} -c 'import socket; print(socket.socket().family)'"
    assert "not supported" in shell(command).out
    done = shell(command, network=True)
    assert done.out.strip() in ("AddressFamily.AF_INET", "2")
    assert done.report.network
    assert "network open" in done.report.text


PROGRAM = """
import os, sys
def main():
    print(os.getcwd() == os.environ["TMPDIR"], sys.argv[1:], "site" in sys.modules)
    try:
        os.fork()
    except PermissionError:
        print("no fork")
    try:
        os.execv("/bin/true", ["true"])
    except PermissionError:
        print("no exec")
    raise SystemExit(5)
"""


def test_a_python_function_runs_in_the_launcher_and_starts_nothing(tmp_path):
    (tmp_path / "program.py").write_text(PROGRAM)
    policy = Policy("snippet", python_reads())
    with prepare_python("program:main", ("a", "b"), (tmp_path,), {}, policy) as start:
        process = popen(start)
        out = process.communicate(timeout=150)[0].decode()
    assert out == "True ['a', 'b'] False\nno fork\nno exec\n"
    assert process.returncode == 5


def test_a_program_in_the_snippet_profile_starts_no_other(tmp_path):
    python = os.path.realpath(sys._base_executable)
    code = "import os\ntry:\n  os.execv('/bin/true', ['true'])\nexcept OSError as e: print(e.errno)"
    policy = Policy("snippet", (*python_reads(), Path(python)))
    with prepare([python, "-I", "-S", "-c", code], {}, policy) as start:
        out = popen(start).communicate(timeout=150)[0].decode()
    assert out in ("13\n", "2\n"), out


def test_off_confines_nothing_and_says_so(shell):
    policy = Policy("shell", mode="off")
    with prepare(["sh", "-c", "exit 4"], ENV, policy) as start:
        process = popen(start)
        assert process.wait(60) == 4
        assert start.report().level == "off"
        assert start.kill_reason() == ""


CALL = """python3 -c "
import socket
socket.socketpair()[0].close()
peer = socket.socket(socket.AF_UNIX)
peer.connect('door')
print('reached')
" """


@pytest.mark.parametrize("level", ["full", "strong"])
@pytest.mark.parametrize("network", [False, True])
def test_sockets_in_the_workspace_follow_the_network(shell, layers, level, network, monkeypatch):
    """Without mounts nobody can say which sockets a program finds, so there it never has any."""
    if level == "full":
        if probe("shell").level != "full":
            pytest.skip("no full sandbox here")
    else:
        layers("limits", "landlock", "seccomp", required=("landlock", "seccomp"))
    monkeypatch.chdir(shell.workspace)  # a socket's name is short
    with socket.socket(socket.AF_UNIX) as door:
        door.bind("door")
        door.listen()
        done = shell(CALL, network=network)
    assert ("reached" in done.out) == (network and level == "full"), done.out
    assert "reached" in done.out or "not supported" in done.out
