"""The shell session over one process per command (M39), with real processes."""

from __future__ import annotations

import asyncio
import os
import resource
import select
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from flowc.runtime.errors import Failure
from flowc.runtime.sandbox.environment import allowed_env, shell_env
from flowc.runtime.sandbox.excerpt import Excerpt
from flowc.runtime.sandbox.shell import BashShell, Limits
from flowc.runtime.services import CommandResult


class Session:
    """Commands one after another, the state carried as the engine carries it."""

    def __init__(self, folder: Path, env: dict[str, str] | None = None, **limits: float) -> None:
        given = {"PATH": os.environ["PATH"], "HOME": str(folder), **(env or {})}
        self.shell = BashShell(folder, given, Limits(**limits))
        self.state = ""

    def run(self, command: str) -> CommandResult:
        result = asyncio.run(self.shell.run(command, self.state))
        self.state = result.state
        return result

    def out(self, command: str) -> str:
        return self.run(command).output


@pytest.fixture
def session(tmp_path: Path) -> Session:
    return Session(tmp_path)


def alive(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state not in "ZX"


# --- one command ---


def test_output_of_both_kinds_exit_code_and_time(session):
    result = session.run("echo out; echo err >&2; exit 7")
    assert (result.output, result.exit_code, result.timed_out) == ("out\nerr\n", 7, False)
    assert 0 < result.seconds < 10
    assert result.command == "echo out; echo err >&2; exit 7"


def test_a_shell_killed_by_a_signal_has_a_negative_exit_code_and_keeps_the_state_before(session):
    session.run("A=1")
    result = session.run("A=2; kill -9 $$")
    assert result.exit_code == -signal.SIGKILL
    assert "its variables are not kept" in result.output
    assert session.out("echo $A") == "1\n"


def test_a_failing_command_is_a_result_and_not_a_failure(session):
    assert session.run("false").exit_code == 1
    assert session.run("no-such-program-here").exit_code == 127
    broken = session.run("if then")
    assert broken.exit_code != 0
    assert "syntax error" in broken.output


def test_nothing_waits_for_input(session):
    assert session.run('cat; read -r x; echo "rest $?"').output == "rest 1\n"


def test_a_command_of_several_lines_and_here_documents(session):
    assert session.out("for i in 1 2; do\n  echo $i\ndone\ncat <<E\n$HOME\nE") == (
        f"1\n2\n{session.shell.folder}\n"
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
        assert "unreachable" not in result.output
    else:
        assert result.output == shows


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
    after_resume = Session(session.shell.folder)
    after_resume.state = session.state
    assert after_resume.out("bump; echo $COUNT; basename $PWD") == "42\nsub\n"


# --- what is not kept ---


def test_background_jobs_and_descriptors_do_not_persist(session):
    session.run("exec 7>/dev/null; sleep 300 & echo $! > pid")
    pid = int((session.shell.folder / "pid").read_text())
    assert not alive(pid)
    assert session.out("jobs; [ -e /proc/$$/fd/7 ] && echo open; true") == ""


def test_a_command_that_replaces_its_shell_says_that_nothing_is_kept(session):
    session.run("A=1")
    assert "its variables are not kept" in session.out("A=2; exec true")
    assert session.out("echo $A") == "1\n"


def test_a_state_that_grows_too_large_is_not_kept_and_says_so(tmp_path):
    session = Session(tmp_path, state=50_000)
    session.run("A=1")
    result = session.run("A=2; BIG=$(head -c 60000 /dev/zero | tr '\\0' x)")
    assert "take more than 50,000 bytes" in result.output
    assert session.out("echo $A") == "1\n"


def test_a_working_folder_that_vanished_fails_the_step(session):
    session.run("mkdir gone; cd gone")
    (session.shell.folder / "gone").rmdir()
    with pytest.raises(Failure, match=r"working folder .*gone is gone"):
        session.run("touch ran-anyway")
    assert list(session.shell.folder.iterdir()) == []


def test_a_start_folder_that_is_not_there_fails_the_step(tmp_path):
    with pytest.raises(Failure, match="working folder"):
        Session(tmp_path / "nowhere").run("true")


def test_without_bash_the_failure_says_so(tmp_path):
    with pytest.raises(Failure, match="bash is not installed"):
        Session(tmp_path, {"PATH": str(tmp_path)}).run("true")


# --- secrets ---


def test_secret_looking_names_are_never_passed_nor_kept_m39(tmp_path):
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
    session = Session(tmp_path)
    session.run("MY_TOKEN=abc; export db_password=abc; GIT_AUTHOR_NAME=me")
    assert session.out("echo [$MY_TOKEN$db_password] $GIT_AUTHOR_NAME") == "[] me\n"
    assert "abc" not in session.state


def test_a_secret_listed_by_its_exact_name_is_passed_and_its_value_kept_nowhere(tmp_path):
    host = {"DEPLOY_TOKEN": "s3cret-value", "OTHER_TOKEN": "x"}
    env = allowed_env(host, ("DEPLOY_TOKEN",))
    assert env == {"DEPLOY_TOKEN": "s3cret-value"}
    session = Session(tmp_path, env)
    first = session.run("COPY=$DEPLOY_TOKEN; echo it is $DEPLOY_TOKEN, ${#DEPLOY_TOKEN} long")
    assert first.output == "it is [redacted], 12 long\n"
    assert "s3cret-value" not in first.state
    assert session.out("echo ${#DEPLOY_TOKEN} long") == "12 long\n"


@pytest.mark.parametrize("value", ['quo"te$d`x\\y', "plain-value"])
@pytest.mark.parametrize("more", ["", r"; RAW=$'\xff'"])
def test_a_copy_of_a_secret_is_not_kept_however_it_is_written(tmp_path, value, more):
    session = Session(tmp_path, {"DEPLOY_TOKEN": value})
    session.run(f"COPY=$DEPLOY_TOKEN; OTHER=1{more}")
    assert session.out('echo "[$COPY]$OTHER"') == "[]1\n"


@pytest.mark.parametrize(
    "name", ["MY_TOKEN", "API_KEY", "AWS_SECRET_ACCESS_KEY", "PGPASSWORD", "GH_PAT", "DATABASE_URL"]
)
def test_names_that_look_like_secrets(name):
    assert allowed_env({name: "1"}, ("*",)) == {}


@pytest.mark.parametrize("name", ["PATH", "PATTERN", "AUTHOR", "MONITOR", "COMPASS_X", "TERM"])
def test_names_that_do_not(name):
    assert allowed_env({name: "1"}, ("*",)) == {name: "1"}


def test_what_flowc_tells_its_shell_is_not_in_the_commands_environment(session):
    assert session.out("env | grep -c FLOWC_SECRET; set | grep -c '^FLOWC_SECRET'") == "0\n0\n"


def test_messages_of_the_shell_do_not_show_our_files(session):
    assert session.out("no-such-program") == "line 1: no-such-program: command not found\n"


# --- limits ---


def test_the_time_limit_kills_the_whole_group(tmp_path):
    session = Session(tmp_path, seconds=0.4, grace=0.2)
    result = session.run("sleep 300 & echo $! > a; (trap '' TERM; sleep 300) & echo $! > b; wait")
    assert result.timed_out
    assert result.seconds < 5
    assert result.exit_code < 0
    for name in ("a", "b"):
        assert not alive(int((tmp_path / name).read_text()))


def test_a_child_that_left_the_group_is_killed_as_well(tmp_path):
    session = Session(tmp_path, seconds=0.4, grace=0.2)
    session.run("setsid sh -c 'echo $$ > pid; exec sleep 300' & wait")
    assert not alive(int((tmp_path / "pid").read_text()))
    session.run("setsid sh -c 'echo $$ > pid2; exec sleep 300' & while [ ! -s pid2 ]; do :; done")
    assert not alive(int((tmp_path / "pid2").read_text()))


def test_the_limit_without_output_is_its_own(tmp_path):
    session = Session(tmp_path, seconds=30, silence=0.4, grace=0.2)
    result = session.run("for i in 1 2 3 4 5 6; do echo $i; sleep 0.1; done; sleep 300")
    assert result.timed_out
    assert result.output == "1\n2\n3\n4\n5\n6\n[no output for 0.4 s]\n"
    assert result.seconds < 10


def test_a_time_out_keeps_the_state_before(tmp_path):
    session = Session(tmp_path, seconds=0.5, grace=0.2)
    session.run("A=1")
    session.run("A=2; sleep 300")
    assert session.out("echo $A") == "1\n"


def test_cancelling_kills_the_command_too(tmp_path):
    os.mkfifo(tmp_path / "pid")

    async def cancelled() -> int:
        shell = Session(tmp_path).shell
        running = asyncio.create_task(shell.run("echo $$ > pid; exec sleep 300", ""))
        pid = int(await asyncio.to_thread((tmp_path / "pid").read_text))
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running
        return pid

    assert not alive(asyncio.run(asyncio.wait_for(cancelled(), 20)))


RUNNER = """
import asyncio, sys
from pathlib import Path
from flowc.runtime.sandbox.shell import BashShell
shell = BashShell(Path(sys.argv[1]), {"PATH": sys.argv[2]})
asyncio.run(shell.run("sleep 300 & echo $$ $! > pids; wait", ""))
"""


def test_a_command_does_not_outlive_flowc_that_was_killed(tmp_path):
    os.mkfifo(tmp_path / "pids")
    runner = subprocess.Popen([sys.executable, "-c", RUNNER, tmp_path, os.environ["PATH"]])
    pids = [int(pid) for pid in (tmp_path / "pids").read_text().split()]
    watched = [os.pidfd_open(pid) for pid in pids]
    assert all(map(alive, pids))
    runner.kill()
    runner.wait()
    for descriptor in watched:
        assert select.select([descriptor], [], [], 20)[0], "it still runs"
        os.close(descriptor)


def test_nothing_of_flowc_is_left_running_after_a_command(session):
    session.run("true")
    children = Path(f"/proc/{os.getpid()}/task/{os.getpid()}/children").read_text().split()
    assert not [
        pid for pid in children if b"flowc-guard" in Path(f"/proc/{pid}/cmdline").read_bytes()
    ]


def test_a_gigabyte_of_output_stays_in_bounded_memory(tmp_path):
    session = Session(tmp_path, output=100_000)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    result = session.run("echo first; head -c 1000000000 /dev/zero | tr '\\0' x; echo; echo last")
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    assert result.output.startswith("first\nxxx")
    assert result.output.endswith("xxx\nlast\n")
    assert "bytes cut" in result.output
    assert len(result.output) < 101_000
    assert grown < 100_000, "kilobytes"


def test_several_sessions_run_beside_each_other(tmp_path):
    async def both() -> float:
        shell = Session(tmp_path).shell
        started = time.monotonic()
        results = await asyncio.gather(*(shell.run("sleep 0.5; echo $$", "") for _ in range(4)))
        assert len({result.output for result in results}) == 4
        return time.monotonic() - started

    assert asyncio.run(both()) < 1.9


# --- the excerpt ---


def test_an_excerpt_shows_both_ends_and_counts_what_is_missing():
    excerpt = Excerpt(10)
    for piece in (b"01234", b"5678", b"9abcdefgh", b"ij"):
        excerpt.add(piece)
    assert excerpt.text() == "01234\n[… 10 bytes cut …]\nfghij"


def test_an_excerpt_never_shows_half_a_character():
    excerpt = Excerpt(10)
    excerpt.add("äöüäöüäöü".encode())
    text = excerpt.text()
    assert "\ufffd" not in text
    assert text.startswith("äö\n[…")
    assert text.endswith("…]\nöü")


def test_an_excerpt_of_little_is_the_whole():
    excerpt = Excerpt(10)
    excerpt.add(b"0123456789")
    assert excerpt.text() == "0123456789"
