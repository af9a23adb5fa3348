"""The shell session over one process per command (M39), with real processes."""

from __future__ import annotations

import asyncio
import contextlib
import os
import random
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from flowc.runtime.errors import Failure
from flowc.runtime.sandbox.confinement import Confinement
from flowc.runtime.sandbox.policy import Mode
from flowc.runtime.sandbox.shell import BashShell, ShellLimits, allowed_env, shell_env
from flowc.runtime.services import CommandResult


class Session:
    """Commands one after another, the state carried as the engine carries it."""

    def __init__(
        self,
        folder: Path,
        env: dict[str, str] | None = None,
        mode: Mode = "auto",
        **limits: float,
    ) -> None:
        given = {"PATH": os.environ["PATH"], **(env or {})}
        self.folder = folder
        where = Confinement(folder, folder.parent / "own", workspace=folder, mode=mode)
        self.shell = BashShell(given, where, ShellLimits(**limits))
        self.state = ""

    def run(self, command: str) -> CommandResult:
        result = asyncio.run(self.shell.run(command, self.state, merged=True))
        self.state = result.state
        return result

    def out(self, command: str) -> str:
        return self.run(command).stdout


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "here"
    made.mkdir()
    return made


@pytest.fixture
def session(folder: Path) -> Session:
    return Session(folder)


def asleep(seconds: str) -> list[int]:
    """The processes that sleep for so long: numbers inside a sandbox are not those outside."""
    found = []
    for name in filter(str.isdigit, os.listdir("/proc")):
        with contextlib.suppress(OSError):
            line = Path(f"/proc/{name}/cmdline").read_bytes()
            if line == b"sleep\0" + seconds.encode() + b"\0":
                found.append(int(name))
    return found


def until(true: Callable[[], object]) -> bool:
    """Whether it becomes true, in a time that no working machine needs."""
    deadline = time.monotonic() + 60
    while not true():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.01)
    return True


@pytest.fixture
def nap() -> str:
    """Seconds that nobody else sleeps for."""
    return f"3{random.getrandbits(40)}"


BOTH = pytest.mark.parametrize("mode", ["auto", "off"])
"""In the sandbox, and without one."""


def test_output_of_both_kinds_exit_code_and_time(session):
    result = session.run("echo out; echo err >&2; exit 7")
    assert (result.stdout, result.exit_code, result.timed_out) == ("out\nerr\n", 7, False)
    assert result.seconds > 0
    assert result.command == "echo out; echo err >&2; exit 7"


def test_a_shell_killed_by_a_signal_has_a_negative_exit_code_and_keeps_the_state_before(session):
    session.run("A=1")
    result = session.run("A=2; kill -9 $$")
    assert result.exit_code == -signal.SIGKILL
    assert "its variables are not kept" in result.stdout
    assert session.out("echo $A") == "1\n"


def test_a_failing_command_is_a_result_and_not_a_failure(session):
    assert session.run("false").exit_code == 1
    assert session.run("no-such-program-here").exit_code == 127
    broken = session.run("if then")
    assert broken.exit_code != 0
    assert "syntax error" in broken.stdout


def test_nothing_waits_for_input(session):
    assert session.run('cat; read -r x; echo "rest $?"').stdout == "rest 1\n"


def test_a_command_of_several_lines_and_here_documents(session):
    assert session.out("for i in 1 2; do\n  echo $i\ndone\ncat <<E\n$HOME\nE") == (
        f"1\n2\n{session.folder.parent / 'own'}\n"
    )


def test_bytes_that_are_not_utf8_in_output_and_in_variables(session):
    assert session.out(r"printf 'a\xffb\n'; V=$'a\xffb'") == "a\ufffdb\n"
    assert session.out('printf %s "$V" | od -An -tx1').split() == ["61", "ff", "62"]


def test_a_nul_in_a_command_is_refused(session):
    with pytest.raises(Failure) as caught:
        session.run("echo a\0b")
    assert caught.value.kind == "refused"


# --- what is kept between commands ---


@pytest.mark.parametrize(
    ("first", "then", "shows"),
    [
        ("mkdir -p 'a b'; cd 'a b'", "basename \"$PWD\"", "a b\n"),
        ("mkdir -p d; cd d", "cd - >/dev/null; ls", "d\n"),
        ("umask 027", "umask", "0027\n"),
        ("X='two  words'", "echo \"$X\"", "two  words\n"),
        ("export X=1", "sh -c 'echo $X'", "1\n"),
        ("declare -i N=2", "N+=3; echo $N", "5\n"),
        ("L=(a 'b c')", "echo \"${#L[@]} ${L[1]}\"", "2 b c\n"),
        ("declare -A M=([k]='v w')", "echo \"${M[k]}\"", "v w\n"),
        ("readonly R=1", "(R=2) 2>/dev/null; echo $R", "1\n"),
        ("X=1; declare -n ref=X", "ref=5; echo $X", "5\n"),
        ("f() { cat <<E\nin $1\nE\n}", "f doc", "in doc\n"),
        ("g() { echo exported; }; export -f g", "bash -c g", "exported\n"),
        ("shopt -s extglob; h() { [[ $1 == @(a|b) ]] && echo yes; }", "h b", "yes\n"),
        ("shopt -s expand_aliases; alias hi='echo hello'", "hi", "hello\n"),
        ("set -o pipefail", "false | true; echo $?", "1\n"),
        ("set -u", "echo $NOTHING; echo unreachable", None),
        ("set -e", "false; echo unreachable", ""),
        ("IFS=:", "v=a:b; echo $v", "a b\n"),
        ("set -- one 'two 2'", "echo \"$2\"", "two 2\n"),
        ("unset HOME", "echo ${HOME-unset}", "unset\n"),
        ("cd() { echo mine; }; printf() { echo mine; }", "builtin pwd >/dev/null; cd", "mine\n"),
    ],
)  # fmt: skip
def test_what_persists_between_commands_m39(session, first, then, shows):
    session.run(first)
    result = session.run(then)
    if shows is None:
        assert "unreachable" not in result.stdout
    else:
        assert result.stdout == shows


@pytest.mark.parametrize(
    "end", ["exit 3", "set -e; false", "if then", "trap 'echo bye' EXIT", "return 2"]
)
def test_the_state_is_kept_however_the_command_ends(session, end):
    session.run("cd /; A=before")
    session.run(f"A=after; cd /usr\n{end}")
    session.run("set +e")
    assert session.out("echo $A $PWD") == "after /usr\n"


def test_an_exit_trap_of_the_command_runs_once_and_does_not_carry_over(session):
    assert session.out("trap 'echo bye' EXIT; echo hi") == "hi\nbye\n"
    assert session.out("echo again") == "again\n"


def test_a_session_goes_on_in_another_process_from_its_text(session):
    session.run("mkdir sub; cd sub; COUNT=41; bump() { COUNT=$((COUNT+1)); }")
    after_resume = Session(session.folder)
    after_resume.state = session.state
    assert after_resume.out("bump; echo $COUNT; basename $PWD") == "42\nsub\n"


# --- what is not kept ---


def test_background_jobs_and_descriptors_do_not_persist(session, nap):
    session.run(f"exec 7>/dev/null; sleep {nap} & true")
    assert not asleep(nap)
    assert session.out("jobs; [ -e /proc/$$/fd/7 ] && echo open; true") == ""


def test_a_command_that_replaces_its_shell_says_that_nothing_is_kept(session):
    session.run("A=1")
    assert "its variables are not kept" in session.out("A=2; exec true")
    assert session.out("echo $A") == "1\n"


def test_a_state_that_grows_too_large_is_not_kept_and_says_so(folder):
    session = Session(folder, state=50_000)
    session.run("A=1")
    result = session.run("A=2; BIG=$(head -c 60000 /dev/zero | tr '\\0' x)")
    assert "take more than 50,000 bytes" in result.stdout
    assert session.out("echo $A") == "1\n"


def test_a_working_folder_that_vanished_fails_the_step(session):
    session.run("mkdir gone; cd gone")
    (session.folder / "gone").rmdir()
    with pytest.raises(Failure, match=r"working folder .*gone is gone"):
        session.run("touch ran-anyway")
    assert list(session.folder.iterdir()) == []


def test_a_start_folder_that_is_not_there_fails_the_step(folder):
    with pytest.raises(Failure, match="working folder"):
        Session(folder / "nowhere").run("true")


def test_without_bash_the_failure_says_so(folder):
    with pytest.raises(Failure, match="bash is not installed"):
        Session(folder, {"PATH": str(folder)}).run("true")


# --- secrets ---


def test_secret_looking_names_are_never_passed_nor_kept_m39(folder):
    host = {
        "PATH": os.environ["PATH"],
        "LANG": "C.UTF-8",
        "OPENAI_API_KEY": "sk-1",
        "DB_PASSWORD": "hunter2",
        "EDITOR": "vi",
        "CI_JOB": "7",
        "CI_TOKEN": "t",
    }
    assert shell_env(host, ("CI_*",)) == {
        "PATH": os.environ["PATH"],
        "LANG": "C.UTF-8",
        "CI_JOB": "7",
    }
    session = Session(folder)
    session.run("MY_TOKEN=abc; export db_password=abc; GIT_AUTHOR_NAME=me")
    assert session.out("echo [$MY_TOKEN$db_password] $GIT_AUTHOR_NAME") == "[] me\n"
    assert "abc" not in session.state


def test_a_secret_listed_by_its_exact_name_is_passed_and_its_value_kept_nowhere(folder):
    host = {"DEPLOY_TOKEN": "s3cret-value", "OTHER_TOKEN": "x"}
    env = allowed_env(host, ("DEPLOY_TOKEN",))
    assert env == {"DEPLOY_TOKEN": "s3cret-value"}
    session = Session(folder, env)
    first = session.run("COPY=$DEPLOY_TOKEN; echo it is $DEPLOY_TOKEN, ${#DEPLOY_TOKEN} long")
    assert first.stdout == "it is [redacted], 12 long\n"
    assert "s3cret-value" not in first.state
    assert session.out("echo ${#DEPLOY_TOKEN} long") == "12 long\n"


@pytest.mark.parametrize("value", ['quo"te$d`x\\y', "plain-value"])
@pytest.mark.parametrize("more", ["", r"; RAW=$'\xff'"])
def test_a_copy_of_a_secret_is_not_kept_however_it_is_written(folder, value, more):
    session = Session(folder, {"DEPLOY_TOKEN": value})
    session.run(f"COPY=$DEPLOY_TOKEN; OTHER=1{more}")
    assert session.out('echo "[$COPY]$OTHER"') == "[]1\n"


def test_what_flowc_tells_its_shell_is_not_in_the_commands_environment(session):
    assert session.out("env | grep -c FLOWC_SECRET; set | grep -c '^FLOWC_SECRET'") == "0\n0\n"


def test_messages_of_the_shell_do_not_show_our_files(session):
    assert session.out("no-such-program") == "line 1: no-such-program: command not found\n"


# --- limits ---


@BOTH
def test_the_time_limit_kills_the_whole_group(folder, nap, mode):
    session = Session(folder, mode=mode, seconds=0.6, grace=0.2)
    result = session.run(f"sleep {nap} & (trap '' TERM; sleep {nap}) & wait")
    assert result.timed_out
    assert result.exit_code < 0
    assert not asleep(nap)


@BOTH
@pytest.mark.parametrize("command", ["setsid sleep {}", "env -i setsid -f /bin/sleep {}; wait"])
def test_a_child_that_left_the_group_is_killed_as_well(folder, nap, mode, command):
    if mode == "off" and "env -i" in command:
        pytest.skip("without a sandbox nothing says that it is ours")
    session = Session(folder, mode=mode, seconds=0.6, grace=0.2)
    session.run(f"{command.format(nap)} & wait")
    assert not asleep(nap)
    session.run(f"{command.format(nap)} & sleep 0.1")
    assert not asleep(nap)


def test_the_limit_without_output_is_its_own(folder):
    session = Session(folder, seconds=600, silence=0.5, grace=0.2)
    for _ in range(5):  # on a busy machine half a second may pass between two lines as well
        result = session.run("for i in 1 2 3 4 5 6; do echo $i; sleep 0.1; done; sleep 700")
        assert result.timed_out
        if "6" in result.stdout:
            break
    assert result.stdout == "1\n2\n3\n4\n5\n6\n[no output for 0.5 s]\n"


def test_a_time_out_keeps_the_state_before(folder):
    session, hasty = Session(folder), Session(folder, seconds=0.5, grace=0.2)
    hasty.state = session.run("A=1").state
    assert hasty.run("A=2; sleep 300").timed_out
    session.state = hasty.state
    assert session.out("echo $A") == "1\n"


@BOTH
def test_cancelling_kills_the_command_too(folder, nap, mode):
    async def cancelled() -> None:
        shell = Session(folder, mode=mode).shell
        running = asyncio.create_task(shell.run(f"exec sleep {nap}", ""))
        assert await asyncio.to_thread(until, lambda: asleep(nap))
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running

    asyncio.run(cancelled())
    assert not asleep(nap)


RUNNER = """
import asyncio, sys
from pathlib import Path
from flowc.runtime.sandbox.confinement import Confinement
from flowc.runtime.sandbox.shell import BashShell
folder, path, mode, nap = sys.argv[1:]
where = Confinement(Path(folder), Path(folder, "own"), mode=mode)
asyncio.run(BashShell({"PATH": path}, where).run(f"sleep {nap} & setsid sleep {nap} & wait", ""))
"""


@BOTH
def test_a_command_does_not_outlive_flowc_that_was_killed(folder, nap, mode):
    given = (folder, os.environ["PATH"], mode, nap)
    runner = subprocess.Popen([sys.executable, "-c", RUNNER, *map(str, given)])
    try:
        assert until(lambda: len(asleep(nap)) == 2), "it has not begun"
    finally:
        runner.kill()
        runner.wait()
    # Without a sandbox what left the session stays.
    assert until(lambda: len(asleep(nap)) == (1 if mode == "off" else 0)), "it still runs"
    for left in asleep(nap):
        os.kill(left, signal.SIGKILL)


def test_nothing_of_flowc_is_left_running_after_a_command(session):
    session.run("true")
    children = Path(f"/proc/{os.getpid()}/task/{os.getpid()}/children").read_text().split()
    assert not [
        pid for pid in children if b"flowc-guard" in Path(f"/proc/{pid}/cmdline").read_bytes()
    ]


def test_a_gigabyte_of_output_stays_in_bounded_memory(folder):
    session = Session(folder, output=100_000)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    result = session.run("echo first; head -c 1000000000 /dev/zero | tr '\\0' x; echo; echo last")
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    assert result.stdout.startswith("first\nxxx")
    assert result.stdout.endswith("xxx\nlast\n")
    assert "bytes cut" in result.stdout
    assert len(result.stdout) < 101_000
    assert grown < 100_000, "kilobytes"


def test_several_sessions_run_beside_each_other(folder):
    everybody = "touch at-$RANDOM$RANDOM; until [ $(ls | wc -l) -ge 4 ]; do sleep 0.02; done"

    async def at_once() -> set[str]:
        shell = Session(folder).shell
        runs = (shell.run(f"{everybody}; echo $TMPDIR$RANDOM", "") for _ in range(4))
        return {result.stdout for result in await asyncio.gather(*runs) if not result.timed_out}

    assert len(asyncio.run(at_once())) == 4
