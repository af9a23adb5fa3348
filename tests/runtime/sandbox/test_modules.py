"""Modules of flowc's own in the sandbox: a decoder that hostile sound has taken over gets nowhere.

What it would do then is done here by a module of the test's, started as the audio worker is.
"""

from __future__ import annotations

import asyncio
import json
import os
import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from flowc.compiler.catalog.audio_tools import AUDIO_TOOLS
from flowc.runtime.audio.calls.subprocess_call import WORKER, AudioWorkers, WorkerJob
from flowc.runtime.errors import Failure
from flowc.runtime.sandbox.confine import probe
from flowc.runtime.sandbox.confinement import Confinement
from flowc.runtime.sandbox.modules import OwnModules
from flowc.runtime.sandbox.policy import Mode
from sandbox_hosts import on_machine
from sounds import tone, write

HOSTILE = """
import json, os, signal, socket, subprocess, sys

def main():
    given = json.loads(sys.stdin.buffer.read())
    came = {}
    def attempt(name, act):
        try:
            came[name] = str(act() or "done")
        except OSError as error:
            came[name] = "stopped"
    attempt("read granted", lambda: open(given["granted"]).read())
    attempt("write granted", lambda: open(given["scratch"], "w").write("x"))
    attempt("read", lambda: open(given["secret"]).read())
    attempt("write", lambda: open(given["secret"], "w").write("x"))
    attempt("write granted to read", lambda: open(given["granted"], "w").write("x"))
    attempt("make", lambda: open(given["scratch"] + ".more", "w").write("x"))
    attempt("link", lambda: os.symlink("/etc/passwd", given["scratch"] + ".link"))
    attempt("remove", lambda: os.unlink(given["secret"]))
    attempt("connect", lambda: socket.create_connection(("127.0.0.1", given["port"])))
    attempt("socket", lambda: socket.socket(socket.AF_UNIX))
    attempt("exec", lambda: os.execv("/bin/true", ["true"]))
    attempt("run", lambda: subprocess.run(["/bin/true"]))
    attempt("fork", lambda: os.fork())
    attempt("kill", lambda: os.kill(given["pid"], signal.SIGTERM))
    came["env"] = " ".join(sorted(os.environ))
    print(json.dumps(came))
"""
FREE = ("read granted", "write granted")
HELD = ("read", "write granted to read", "link", "connect", "socket", "exec", "run", "fork", "kill")


@pytest.fixture
def hostile(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., dict[str, Any]]:
    """What a module does that reads and writes one file each."""
    package = tmp_path / "hostile"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "attack.py").write_text(HOSTILE)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setenv("CANARY_TOKEN", "key")
    files = {name: tmp_path / name for name in ("granted", "secret", "scratch")}
    for name, place in files.items():
        place.write_text(name)

    def attack(where: Confinement) -> dict[str, Any]:
        with socket.create_server(("127.0.0.1", 0)) as server:
            asked = {name: str(place) for name, place in files.items()}
            asked |= {"port": server.getsockname()[1], "pid": os.getpid()}
            ended = asyncio.run(
                OwnModules(where, {"hostile": str(package)})(
                    WorkerJob(
                        "hostile.attack",
                        json.dumps(asked).encode(),
                        args=(),
                        reads=[files["granted"]],
                        writes=[files["scratch"]],
                        seconds=60,
                    )
                )
            )
        assert ended.code == 0, ended.complaint
        found: dict[str, Any] = json.loads(ended.output)
        return found

    return attack


STARTING = """
import json, os, subprocess, sys

def main():
    given = json.loads(sys.stdin.buffer.read())
    came = {}
    for name in given["programs"]:
        try:
            came[name] = subprocess.run([name, "hello"], capture_output=True).stdout.decode()
        except OSError:
            came[name] = "stopped"
    read = subprocess.run([given["programs"][0], given["secret"]], capture_output=True)
    came["secret"] = read.stdout.decode()
    came["PATH"] = os.environ["PATH"]
    print(json.dumps(came))
"""


@pytest.mark.parametrize("level", ["full", "strong"])
def test_a_module_starts_the_program_that_is_named_below_its_own_limits(tmp_path, layers, level):
    if level == "strong":
        layers("landlock", "seccomp", "limits", "privileges")
    (tmp_path / "starting").mkdir()
    (tmp_path / "starting/__init__.py").write_text(STARTING)
    (tmp_path / "secret").write_text("secret")
    # Not one program by many names, as those of busybox are.
    cat, other = (Path(os.path.realpath(f"/bin/{name}")) for name in ("cat", "echo"))
    asked = {"programs": [str(cat), str(other)], "secret": str(tmp_path / "secret")}
    module, question = OwnModules(confined(), {"starting": str(tmp_path / "starting")}), asked
    job = WorkerJob("starting", json.dumps(question).encode(), (), [], [], 60, [cat])
    ended = asyncio.run(module(job))
    assert ended.code == 0, ended.complaint
    found = json.loads(ended.output)
    assert found == {str(cat): "", str(other): "stopped", "secret": "", "PATH": str(cat.parent)}


def confined(mode: Mode = "auto", told: Any = lambda data: None) -> Confinement:
    return Confinement(Path("/"), Path("/"), mode=mode, listener=told)


@pytest.mark.parametrize("level", ["full", "strong"])
def test_a_module_reaches_its_files_and_nothing_else(hostile, layers, tmp_path, level):
    if level == "strong":
        layers("landlock", "seccomp", "limits", "privileges")
    elif probe("snippet").level != "full":
        pytest.skip("no full sandbox here")
    told: list[dict[str, Any]] = []
    came = hostile(confined(told=told.append))
    assert {name: came[name] for name in HELD} == dict.fromkeys(HELD, "stopped")
    assert [came[name] for name in FREE] == ["granted", "1"]
    assert "CANARY_TOKEN" not in came["env"]
    # At full it has a folder for temporary files of its own, in which it may do as it likes.
    assert (tmp_path / "secret").read_text() == "secret"
    assert (tmp_path / "granted").read_text() == "granted"
    assert {p.name for p in tmp_path.iterdir()} == {"granted", "secret", "scratch", "hostile"}
    assert [(one["profile"], one["level"]) for one in told] == [("snippet", level)]


def test_the_attacks_succeed_where_a_person_wants_no_sandbox(hostile, tmp_path):
    source = tmp_path / "hostile/attack.py"
    ending = ('"exec"', '"fork"', '"kill"')  # these would end the module, or the test
    lines = [one for one in source.read_text().splitlines() if not any(e in one for e in ending)]
    source.write_text("\n".join(lines))
    told: list[dict[str, Any]] = []
    came = hostile(confined("off", told.append))
    assert "stopped" not in came.values()
    assert not (tmp_path / "secret").exists()
    assert [one["level"] for one in told] == ["off"]


def test_a_weak_sandbox_is_refused_before_anything_is_started(hostile):
    for mode in ("auto", "strict"):
        with (
            on_machine({"limits": ""}, {"landlock": "none"}),
            pytest.raises(Failure, match="landlock") as caught,
        ):
            hostile(confined(mode))
        assert caught.value.kind == "refused"


def test_strict_takes_only_what_is_full(hostile, layers):
    layers("landlock", "seccomp", "limits", "privileges")
    with pytest.raises(Failure, match="strict"):
        hostile(confined("strict"))


def test_the_audio_worker_reads_no_file_that_its_call_did_not_name(tmp_path):
    """Asked for another place than the one it was granted, it finds nothing there."""
    for name in ("granted.wav", "secret.wav"):
        write(tmp_path / name, tone(0.2))
    asked: dict[str, Any] = {
        "tool": "measure",
        "arguments": {"input": "a.wav", "silence_dbfs": -50.0},
        "reads": {"a.wav": str(tmp_path / "granted.wav")},
        "known": {},
        "writes": {},
    }
    workers = AudioWorkers(OwnModules(confined()))
    found = asyncio.run(workers.ask(WORKER, asked, [tmp_path / "granted.wav"]))
    assert found["duration_s"] == pytest.approx(0.2)
    asked["reads"] = {"a.wav": str(tmp_path / "secret.wav")}
    with pytest.raises(Failure, match=r"does not exist|permission denied"):
        asyncio.run(workers.ask(WORKER, asked, [tmp_path / "granted.wav"]))


def test_a_module_that_ends_in_an_exception_says_it(hostile, tmp_path):
    source = tmp_path / "hostile/attack.py"
    source.write_text("def main():\n    raise ValueError('no luck')\n")
    with pytest.raises(AssertionError, match="no luck"):
        hostile(confined())


def test_a_module_that_says_things_without_end_takes_no_memory_here(hostile, tmp_path):
    source = tmp_path / "hostile/attack.py"
    source.write_text(
        "import sys\ndef main():\n    for n in range(200):\n"
        "        sys.stdout.write('x' * 65536)\n        sys.stderr.write('y' * 65536)\n"
        "    sys.stdout.write('told')\n    sys.stderr.write('complaint')\n"
    )
    ended = asyncio.run(
        OwnModules(confined(), {"hostile": str(source.parent)}, most=1_000_000)(
            WorkerJob("hostile.attack", b" " * 1_000_000, args=(), reads=[], writes=[], seconds=60)
        )
    )
    assert (len(ended.output), len(ended.complaint)) == (1_000_001, 1_000_001)
    assert (ended.output[-5:], ended.complaint[-10:]) == (b"xtold", b"ycomplaint")


def test_the_byte_code_of_all_that_a_worker_imports_is_kept():
    """What is confined cannot write it: it is either below runtime/audio, which the start compiles,
    or imported by the process that starts it."""
    worker = "import flowc.runtime.audio.tools.worker\n" + "".join(
        f"import flowc.runtime.audio.tools.{tool.function.partition(':')[0]}\n"
        for tool in AUDIO_TOOLS
    )
    ours, theirs = (_imported(code) for code in ("import flowc.runtime.sandbox.modules", worker))
    assert len(theirs) > 40
    assert {name for name in theirs - ours if not name.startswith("flowc.runtime.audio")} == set()


def _imported(code: str) -> set[str]:
    show = "import sys\nprint(*(name for name in sys.modules if name.startswith('flowc.')))"
    done = subprocess.run(
        [sys.executable, "-c", f"{code}\n{show}"], capture_output=True, text=True, check=True
    )
    return set(done.stdout.split())
