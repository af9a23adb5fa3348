"""Starting programs confined, and machines that offer less than this one."""

from __future__ import annotations

import ctypes
import os
import platform
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from flowc.runtime.sandbox import confine, jobs
from flowc.runtime.sandbox.confine import Confined, prepare
from flowc.runtime.sandbox.launch import seccomp
from flowc.runtime.sandbox.policy import Policy, SandboxReport, shell_reads
from sandbox_hosts import on_machine

BUBBLEWRAP = (
    shutil.which("bwrap") is not None
    and subprocess.run(
        ["bwrap", "--unshare-all", "--ro-bind", "/", "/", "true"], check=False, capture_output=True
    ).returncode
    == 0
)
ENV = {"PATH": os.environ["PATH"], "HOME": os.environ.get("HOME", "/")}


@dataclass
class Done:
    code: int
    out: str
    why: str
    report: SandboxReport | None


def popen(start: Confined, **given: Any) -> subprocess.Popen[bytes]:
    """Start it as flowc does."""
    nowhere, pipe = subprocess.DEVNULL, subprocess.PIPE
    return start.popen(stdin=nowhere, stdout=pipe, stderr=subprocess.STDOUT, **given)


class Shell:
    """Runs commands in a workspace."""

    def __init__(self, workspace: Path) -> None:
        self.workspace = workspace

    def start(self, command: str, reads: tuple[Path, ...] = (), **policy: Any) -> Confined:
        reads = (*shell_reads(ENV), *reads)
        granted = Policy(
            "shell", reads=reads, writes=(self.workspace,), cwd=self.workspace, **policy
        )
        return prepare(["bash", "-c", command], ENV, granted)

    def __call__(self, command: str, **policy: Any) -> Done:
        with self.start(command, **policy) as start:
            process = popen(start)
            out = process.communicate(timeout=150)[0].decode()
            report = start.report() if process.returncode != confine.REFUSED else None
            return Done(process.returncode, out, start.kill_reason(), report)


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    workspace = tmp_path / "workspace"
    workspace.mkdir()
    return Shell(workspace)


@pytest.fixture
def layers() -> Iterator[Callable[..., None]]:
    """Have programs start with some of the layers only, and whatever level that makes."""

    def choose(*names: str, required: tuple[str, ...] = ()) -> None:
        def make(*args: Any) -> dict[str, Any]:
            job = jobs.make_job(*args)
            job["namespaces"] = "namespaces" in names
            job["landlock"] = "landlock" in names
            if "no mounts" in names:
                job["binds"] = [("/not/there", "/not/there", False)]
            job["required"] = list(required)
            if "seccomp" not in names:
                job["filters"] = dict.fromkeys(job["filters"], b"")
            if "limits" not in names:
                job["limits"] = []
            return job

        everything: dict[str, str] = dict.fromkeys(
            ("limits", "privileges", "landlock", "seccomp"), "version 7"
        )
        if "bubblewrap" in names:
            everything["namespaces"] = jobs.BY_BUBBLEWRAP
        stack.enter_context(on_machine(everything, {}, make_job=make))

    with ExitStack() as stack:
        yield choose


@pytest.fixture
def by_bubblewrap() -> Iterator[None]:
    """Confine with all layers, those of namespaces and mounts made by bubblewrap."""

    def make(*args: Any) -> dict[str, Any]:
        return jobs.make_job(*args) | {"namespaces": False}

    if not BUBBLEWRAP:
        pytest.skip("no bubblewrap that works here")
    views = dict.fromkeys(("namespaces", "mounts"), jobs.BY_BUBBLEWRAP)
    with on_machine({**confine.probe("shell").active, **views}, {}, make_job=make):
        yield


def forbid_namespaces() -> None:
    """What Docker's default filter does to this process and all below it."""
    libc = ctypes.CDLL(None, use_errno=True)
    made = seccomp._Filter(platform.machine())
    for name in ("unshare", "setns", "mount", "pivot_root", "chroot"):
        made.deny(name)
    made.deny("clone3", 38)
    made.clone(threads_only=False)
    code = made.finish()
    buffer = ctypes.create_string_buffer(code, len(code))

    class Program(ctypes.Structure):
        _fields_ = (("length", ctypes.c_ushort), ("code", ctypes.c_void_p))

    given = Program(len(code) // 8, ctypes.addressof(buffer))
    assert libc.prctl(38, 1, 0, 0, 0) == 0
    assert libc.prctl(22, 2, ctypes.byref(given), 0, 0) == 0


@pytest.fixture
def contained() -> Callable[..., str]:
    """Run a script of Python in a fresh process that may make no namespaces; what it prints."""

    def run(script: str, *args: str) -> str:
        done = subprocess.run(
            [sys.executable, "-c", script, *args],
            preexec_fn=forbid_namespaces,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    return run
