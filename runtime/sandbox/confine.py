"""Starts programs confined.

    start = prepare(["bash", "-c", "make"], env, policy)
    process = start.popen(stdout=subprocess.PIPE)
    report = start.report()  # waits for the launcher: level and layers; raises when it refused
    process.wait()
    start.kill_reason()      # "" or why it was killed: time, processes, disk, files, stopped, …
    start.close()            # removes the private folder

`prepare_python` does the same for a function of a Python module, which runs in the launcher's own
interpreter: nothing is executed, and no second interpreter starts.

A keeper starts, below it a watcher, below that the program. The keeper has the program's
standard streams and ends with its exit code, or by the same signal. SIGTERM to the keeper asks the
program and everything below it to end, and ends it after `grace` seconds; when the keeper is
killed, or the process that started it ends, all of it is. Whatever the program started ends with
it, sessions of their own included.

The program's environment is `env` with a private folder as HOME and TMPDIR; `start.env` is the
launcher's. The exit code 96 means that nothing foreign ran: `report` then raises with the reason.
"""

from __future__ import annotations

import errno
import marshal
import os
import select
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from contextvars import ContextVar
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

from ..errors import Failure, RunError
from ..files.programs import find_program
from ..files.tempdirs import Room, make_room
from ..state.frames import BadFrame, read_literal
from .groups import ControlGroup, Lender, lend
from .jobs import BY_BUBBLEWRAP, ConfinedProgram, make_job
from .policy import LAYERS, Policy, Profile, SandboxReport, decide, level_of, python_reads

REFUSED = 96
"""The exit code of a launcher that started nothing."""
_BOOT = (
    "import gc, sys; gc.disable(); sys.path.insert(0, sys.argv[1]); from launch.start import main; "
    "del sys.path[0]; main(*map(int, sys.argv[2:]))"
)
_FOLDER = Path(__file__).resolve().parent
_PATIENCE = 30.0
_SHORT = (errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.EAGAIN, errno.ENOSPC, errno.EDQUOT)
_LONGEST = 65_536
_TASKS = 4
"""Of a control group for each process: threads count there too. The watcher counts processes."""
_UNREADABLE = "what the sandbox's launcher says cannot be read"


class Confined:
    """A program that is about to start, or has started. See the module's text."""

    def __init__(self, argv: Sequence[str], env: Mapping[str, str], policy: Policy) -> None:
        self.policy = policy
        self.argv = tuple(argv)
        self.env = dict(env)
        self.group: ControlGroup | None = None
        self._room: Room | None = None
        self._given: tuple[int, ...] = ()
        self._read = -1
        self._buffer = b""
        self._messages: list[dict[str, Any]] = []

    @property
    def room(self) -> Path | None:
        """Return the private folder; None when nothing is confined."""
        return self._room.folder if self._room else None

    @property
    def pass_fds(self) -> tuple[int, ...]:
        """Return what the launcher inherits."""
        return (*self._given, *(self.group.descriptors if self.group else ()))

    def load(self, job: dict[str, Any], room: Room) -> None:
        """Have the launcher do this job."""
        self._room = room
        number = os.memfd_create("flowc-job", os.MFD_CLOEXEC)
        try:
            os.write(number, marshal.dumps(job | {"again": _launcher()}))
            self._read, write = os.pipe2(os.O_CLOEXEC)
        except BaseException:
            os.close(number)
            raise
        os.set_blocking(self._read, False)
        self.argv = (*_launcher(), str(number), str(write))
        # A function that runs in the launcher's interpreter does the same each time.
        self.env = {"LC_ALL": "C.UTF-8", "PYTHONHASHSEED": "0"}
        self._given = (number, write)

    def popen(self, cwd: str | Path = "/", **streams: Any) -> subprocess.Popen[bytes]:
        """Start the program in a session of its own, with streams as `subprocess.Popen` takes them;
        without a pipe's buffer. Raise OSError."""
        try:
            process = subprocess.Popen(
                self.argv,
                env=self.env,
                cwd=cwd,
                pass_fds=self.pass_fds,
                start_new_session=True,
                bufsize=0,
                **streams,
            )
        finally:
            self.release()
        self.join(process.pid)
        return process

    def join(self, number: int) -> None:
        """Move the launcher, a process that was just started with `pass_fds`, into its control
        group, where there is one; it waits for that. Its interpreter starts meanwhile."""
        if self.group:
            self.group.join(number)

    def release(self) -> None:
        """Close what only the launcher needs now. May be called twice."""
        for number in self._given:
            os.close(number)
        self._given = ()

    def report(self, patience: float = _PATIENCE) -> SandboxReport:
        """Return what the launcher says, at most after `patience` seconds. Raise `Failure` (kind
        refused) with the reason when it did not start the program."""
        if self.room is None:
            return SandboxReport("off", {}, {}, True)
        deadline = time.monotonic() + patience
        while not self._messages and self._receive(max(0.0, deadline - time.monotonic())):
            continue
        silent = {"refused": "the launcher said nothing"}
        message: dict[str, Any] = self._messages[0] if self._messages else silent
        if "report" not in message:  # one that was killed at once says no more than its end
            why = message.get("refused", silent["refused"])
            raise Failure(f"the sandbox refused to start: {why}", "refused")
        facts = message["report"]
        level = level_of(facts["active"], self.policy.profile)
        return SandboxReport(level, facts["active"], facts["missing"], self.policy.network)

    def kill_reason(self) -> str:
        """Return why the program was killed: "time", "processes", "memory", "disk", "files",
        "stopped" (it was asked to end and did not) or "parent"; "" when it ended by itself. Call it
        when the keeper has ended. Raise `Failure` when the program could not be executed."""
        while self._receive(0.0):
            continue
        for message in self._messages:
            if "unstarted" in message:
                raise Failure(f"it cannot be started: {message['unstarted']}")
        ends = [message["end"]["why"] for message in self._messages if "end" in message]
        if ends:
            return str(ends[-1])
        return self.group.exceeded_limit() if self.group else ""

    def close(self) -> None:
        """Remove the private folder. May be called twice."""
        self.release()
        if self._read >= 0:
            os.close(self._read)
            self._read = -1
        if self.group is not None:
            self.group.close()
        if self._room is not None:
            self._room.remove()

    def __enter__(self) -> Confined:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _receive(self, seconds: float) -> bool:
        """Take what the launcher has said; False when it will say nothing more, or not in time."""
        if self._read < 0:
            return False
        poll = select.poll()
        poll.register(self._read, select.POLLIN)
        if not poll.poll(seconds * 1000):
            return False
        data = os.read(self._read, _LONGEST)
        self._buffer += data
        *lines, self._buffer = self._buffer.split(b"\n")
        if len(self._buffer) > _LONGEST:
            raise Failure(_UNREADABLE, "refused")
        try:
            self._messages += [read_literal(line, _LONGEST) for line in lines]
        except BadFrame as bad:
            raise Failure(f"{_UNREADABLE}: {bad}", "refused") from None
        return bool(data)


def prepare(argv: Sequence[str], env: Mapping[str, str], policy: Policy) -> Confined:
    """Return how to start a program under a policy. Raise `Failure` (kind refused) when the level
    of this machine is not what the policy's mode asks for, or a path of it is missing."""
    return _prepare(ConfinedProgram(tuple(argv), env), policy)


def prepare_python(
    entry: str,
    args: Sequence[str],
    path: Sequence[Path],
    env: Mapping[str, str],
    policy: Policy,
) -> Confined:
    """Return the same for the function `entry` ("module:function"), called without arguments in a
    fresh process with `path` before the standard library and `args` in sys.argv. The folders of
    `path` may be read."""
    policy = replace(policy, reads=(*policy.reads, *path))
    if policy.mode == "off":
        module, _, function = entry.partition(":")
        code = f"import sys; from {module} import {function} as f; sys.argv[0] = '{module}'; f()"
        modules = os.pathsep.join(str(folder) for folder in path)
        argv = (_interpreter(), "-s", "-S", "-P", "-c", code, *args)
        return Confined(argv, {**env, "PYTHONPATH": modules}, policy)
    folders = tuple(map(str, path))
    return _prepare(ConfinedProgram((entry, *args), env, entry, folders), policy)


def probe(profile: Profile = "shell") -> SandboxReport:
    """Return what this machine confines a profile by: tried with a real start, once for each
    process. Raise `RunError` when there is no room to try it now."""
    active, missing = SANDBOX_HOST.get().try_layers(profile)
    return SandboxReport(level_of(active, profile), active, missing)


@cache
def try_layers(profile: Profile) -> tuple[dict[str, str], dict[str, str]]:
    """Return the layers of a trial, and why others are missing: with bubblewrap where namespaces
    cannot be made without."""
    if not sys.platform.startswith("linux"):
        return {}, dict.fromkeys(LAYERS, f"known on Linux only, not on {sys.platform}")
    active, missing = _trial(profile, "")
    program = find_program("bwrap")
    if "namespaces" in active or not program:
        return active, missing
    caged = _trial(profile, program)
    if "mounts" in caged[0]:
        return caged
    return active, {**missing, "namespaces": f"{missing['namespaces']}; nor by bubblewrap"}


def _trial(profile: Profile, bubblewrap: str) -> tuple[dict[str, str], dict[str, str]]:
    program = ConfinedProgram((), {}, "launch.start:nothing", (str(_FOLDER),))
    try:
        with _load(program, Policy(profile), (), bubblewrap) as trial:
            nowhere = subprocess.DEVNULL
            trial.popen(stdin=nowhere, stdout=nowhere, stderr=nowhere).wait()
            report = trial.report()
    except OSError as error:
        if error.errno in _SHORT:  # of now, and nothing that the machine offers
            raise RunError(
                f"the sandbox could not be tried: {(error.strerror or str(error)).lower()}",
                help="make room for it, then try again",
            ) from None
        return {}, dict.fromkeys(LAYERS, f"the trial failed: {error}")
    except Failure as error:
        return {}, dict.fromkeys(LAYERS, f"the trial failed: {error}")
    return dict(report.active), dict(report.missing)


def _prepare(program: ConfinedProgram, policy: Policy) -> Confined:
    if policy.mode == "off":
        return Confined(program.argv, program.env, policy)
    try:
        offer = probe(policy.profile)
        decide(policy.mode, offer)
        caged = offer.active.get("namespaces") == BY_BUBBLEWRAP
        bubblewrap = (find_program("bwrap") or "") if caged else ""
        return _load(program, policy, tuple(offer.active), bubblewrap)
    except RunError as error:
        raise Failure(error.message, "refused", help=error.help) from None
    except OSError as error:
        reason = f"{error.filename or 'a private folder'}: {error.strerror}"
        raise Failure(f"the sandbox cannot be set up: {reason}", "refused") from None


def _load(
    program: ConfinedProgram, policy: Policy, required: tuple[str, ...], bubblewrap: str
) -> Confined:
    """Return a start with its folders and its job. Raise OSError."""
    room = make_room()
    start = Confined(program.argv, program.env, policy)
    try:
        job = SANDBOX_HOST.get().make_job(program, policy, room.folder, required)
        job["bubblewrap"], job["launcher"] = bubblewrap, []
        if bubblewrap:
            own = (Path(_interpreter()), _FOLDER / "launch", *python_reads())
            job["launcher"] = list(dict.fromkeys(os.path.realpath(path) for path in own))
        start.group = _make_group(job["watch"])
        job["group"] = start.group and start.group.job
        start.load(job, room)
    except BaseException:
        start.close()
        room.remove()
        raise
    return start


def _make_group(watch: Mapping[str, Any]) -> ControlGroup | None:
    """Return a control group for a program that may have several processes, where the machine lends
    one. Without it the watcher adds up all the same."""
    lender = SANDBOX_HOST.get().lend()
    if not lender.lends or not watch["processes"]:
        return None
    try:
        return lender.make(watch["memory"], watch["processes"] * _TASKS)
    except OSError:
        return None


@dataclass(frozen=True, slots=True)
class SandboxHost:
    """The layers of the machine, the launcher's job there, and the control groups it lends."""

    try_layers: Callable[[Profile], tuple[dict[str, str], dict[str, str]]] = try_layers
    make_job: Callable[[ConfinedProgram, Policy, Path, tuple[str, ...]], dict[str, Any]] = make_job
    lend: Callable[[], Lender] = lend


_HERE = SandboxHost()
SANDBOX_HOST: ContextVar[SandboxHost] = ContextVar("flowc_sandbox_host", default=_HERE)
"""The machine that programs start on."""


def _launcher() -> list[str]:
    return [_interpreter(), "-s", "-S", "-P", "-c", _BOOT, str(_FOLDER)]


def _interpreter() -> str:
    """Return the interpreter itself: a virtual environment's needs site packages to find its
    library."""
    base: str = getattr(sys, "_base_executable", "") or sys.executable
    return os.path.realpath(base)
