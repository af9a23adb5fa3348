"""A shell session made of one bash process per command; what the session knows is carried as text.

The state is code that the shell wrote: it is only ever read by such a shell, never by flowc.
"""

from __future__ import annotations

import asyncio
import fnmatch
import os
import secrets
import stat
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Literal

from ..config.options import default
from ..context import EFFECT_KEY
from ..errors import Failure
from ..event_loops import in_thread
from ..files.programs import find_program
from ..files.tempdirs import Room, make_room
from ..secrets import SECRET_NAMES, forget, looks_secret, redact, secret_values
from ..services import NO_GRANTS, CommandResult, Grants
from .confine import Confined, prepare
from .confinement import Confinement
from .excerpt import Excerpt
from .policy import Level, Limits
from .processes import MARK, Child, Started
from .session_state import moves_since, pack_state, unpack_state

_SCRIPT = Path(__file__).resolve().with_name("session.bash")
_END = b"# flowc:end\n"
_LONGEST_PATH = 8192
_READ_ONLY = "[commands write below $HOME, the run's own folder; --workspace DIR grants another]"
_KEEPER = 1.0
"""Seconds beyond a command's grace in which what keeps it ends it."""


@dataclass(frozen=True, slots=True)
class ShellLimits:
    """The limits of one command: its time and the time without output in seconds (M39), its output
    and the session's state in bytes, and how long it may take to end when it is asked to."""

    seconds: float = default("command_timeout")
    silence: float = default("command_silence")
    output: int = 256 * 1024
    state: int = 1024 * 1024
    grace: float = 1.0


OnOutput = Callable[[bytes], None]
Stop = Literal["", "time", "silence"]


@dataclass(slots=True)
class BashShell:
    """Runs commands with `env` (for a session's first command; later ones have what the session
    kept, and the secrets, which are never kept), confined as the run says."""

    env: Mapping[str, str]
    confined: Confinement
    limits: ShellLimits = field(default_factory=ShellLimits)

    def confinement(self, granted: Grants) -> str:
        """See `services.Shell`."""
        return self.confined.describe(granted)

    async def run(
        self, command: str, state: str, granted: Grants = NO_GRANTS, merged: bool = False
    ) -> CommandResult:
        """Run one command (M39); what there is to say of it stands last in its error output. Raise
        `Failure` when no shell can be started, the session's folder is gone, the sandbox refuses,
        or the command was killed for having taken too many processes or too much of the disk."""
        if "\0" in command:
            raise Failure("a command holds a NUL character", "refused")
        started = time.monotonic()
        excerpts = [Excerpt(self.limits.output) for _ in range(1 if merged else 2)]
        values = secret_values(self.env)
        temporary = await in_thread(lambda: _make_room(command, state), Room.remove)
        try:
            room = temporary.folder
            code, stop, level = await self._run(room, excerpts, granted, state)
            after, note = await in_thread(lambda: self._state_after(room, state, stop, values))
        finally:
            await in_thread(temporary.remove)
        outputs = [redact(excerpt.text(), values) for excerpt in excerpts]
        outputs[-1] = outputs[-1].replace(f"{room / 'command'}: ", "")
        note = note or self._hint(code, outputs[-1], granted, level)
        if stop == "silence":
            note = f"[no output for {self.limits.silence:g} s]"
        elif stop == "time":
            note = f"[stopped after {self.limits.seconds:g} s]"
        if note:
            outputs[-1] = f"{outputs[-1].rstrip()}\n{note}\n".lstrip()
        seconds, stderr = time.monotonic() - started, "" if merged else outputs[1]
        return CommandResult(
            command, code, outputs[0], seconds, stop != "", after, level, stderr, excerpts[0].cut
        )

    async def _run(
        self, room: Path, excerpts: Sequence[Excerpt], granted: Grants, state: str
    ) -> tuple[int, Stop, Level]:
        last = time.monotonic()

        def on_output(excerpt: Excerpt, data: bytes) -> None:
            nonlocal last
            last = time.monotonic()
            excerpt.add(data)

        merged = len(excerpts) == 1
        start, started = await in_thread(lambda: self._start(room, granted, state, merged), _undo)
        child = Child(started, [partial(on_output, excerpt) for excerpt in excerpts])
        try:
            report = await asyncio.to_thread(start.report)
            self.confined.tell("shell", report)
            stop = await self._wait(child, lambda: last)
            code = await child.close()
            _raise_killed(start.kill_reason(), start.policy.bounds)
            return code, stop, report.level
        finally:
            await child.abandon()
            await in_thread(start.close)

    async def _wait(self, child: Child, last: Callable[[], float]) -> Stop:
        """Wait until the command has ended, or has had its time to end when asked. `last` gives the
        moment of its last output."""
        deadline = last() + self.limits.seconds
        stop: Stop = ""
        while not child.ended.is_set() and not stop:
            await _until(child.ended, min(deadline, last() + self.limits.silence))
            stop = self._stop(deadline, last())
        if not stop or child.ended.is_set():
            return ""
        child.terminate()
        await _until(child.ended, time.monotonic() + self.limits.grace + _KEEPER)
        return stop

    def _stop(self, deadline: float, last: float) -> Stop:
        now = time.monotonic()
        if now >= deadline:
            return "time"
        return "silence" if now >= last + self.limits.silence else ""

    def _hint(self, code: int, output: str, granted: Grants, level: Level) -> str:
        """Return a hint for a command that was not allowed to write; "" for other troubles."""
        if code == 0 or level == "off" or self.confined.workspace or granted.workspace:
            return ""
        refusals = ("Read-only file system", "Permission denied")
        return _READ_ONLY if any(words in output for words in refusals) else ""

    def _start(
        self, room: Path, granted: Grants, state: str, merged: bool
    ) -> tuple[Confined, Started]:
        """Start the command. Raise `Failure`."""
        # The command ends with the thread that starts it (PR_SET_PDEATHSIG), which lasts as long
        # as the event loop.
        mark = secrets.token_hex(8)
        start = self._prepare(room, granted, state, mark)
        try:
            folder = self.confined.begin if start.room is None else Path("/")
            return start, Started(start, folder, mark, merged)
        except BaseException as error:
            start.close()
            if not isinstance(error, OSError):
                raise
            raise Failure(f"no shell can be started: {error.strerror or error}") from None

    def _prepare(self, room: Path, granted: Grants, state: str, mark: str) -> Confined:
        """Prepare the command. Raise `Failure`."""
        bash = find_program("bash", self.env.get("PATH", os.defpath))
        if bash is None:
            raise Failure("no shell: bash is not installed", help="install bash")
        begin = self.confined.begin
        if begin != self.confined.own and not begin.is_dir():
            raise Failure(f"the shell's working folder {begin} is gone")
        policy = self.confined.commands(self.env, granted, room)
        bounds = replace(policy.bounds, grace=self.limits.grace)
        policy = replace(policy, reads=(*policy.reads, _SCRIPT), limits=bounds)
        names = [name for name in self.env if looks_secret(name)]
        env = {name: self.env[name] for name in names} if state else dict(self.env)
        env |= {"FLOWC_SECRETS": " ".join(names), "FLOWC_SECRET_NAMES": SECRET_NAMES}
        env[MARK] = mark
        if key := EFFECT_KEY.get():
            env["FLOWC_IDEMPOTENCY_KEY"] = key
        if policy.mode != "off":
            env["FLOWC_OWN"] = str(self.confined.own)
        if state:
            env |= moves_since(state, self.confined.folder, self.confined.own)
        paths = [str(room / name) for name in ("state", "new", "command")]
        return prepare([bash, "--norc", "--noprofile", str(_SCRIPT), *paths], env, policy)

    def _state_after(
        self, room: Path, before: str, stop: Stop, values: tuple[str, ...]
    ) -> tuple[str, str]:
        """Return the session's state after the command, and a note when it is still the old one.
        Copies of secret `values` are taken out of it. Raise `Failure` when its folder is gone."""
        if gone := _read(room / "new.gone", _LONGEST_PATH):
            where = gone.decode("utf-8", "replace")
            raise Failure(f"the shell's working folder {where} is gone")
        if stop:
            return before, ""
        data = _read(room / "new", self.limits.state + 1)
        if len(data) > self.limits.state:
            limit = f"{self.limits.state:,} bytes"
            return before, f"[the shell's variables take more than {limit}: they are not kept]"
        if not data.endswith(_END):
            return before, "[the command replaced or killed its shell: its variables are not kept]"
        kept = forget(data, values)
        return pack_state(kept, self.confined.folder, self.confined.own), ""


def _undo(both: tuple[Confined, Started]) -> None:
    """End a command that nobody waits for."""
    start, started = both
    started.end()
    start.close()


def _make_room(command: str, state: str) -> Room:
    """Return a private folder with the command and the session's state."""
    room = make_room()
    try:
        (room.folder / "command").write_bytes(command.encode("utf-8", "replace") + b"\n")
        if state:
            (room.folder / "state").write_bytes(unpack_state(state))
    except BaseException:
        room.remove()
        raise
    return room


async def _until(event: asyncio.Event, moment: float) -> None:
    try:
        async with asyncio.timeout(max(0.0, moment - time.monotonic())):
            await event.wait()
    except TimeoutError:
        return


def _raise_killed(why: str, bounds: Limits) -> None:
    """Raise `Failure` for a command that was killed for what it took."""
    if why == "processes":
        raise Failure(f"the command was killed: it had more than {bounds.processes} processes")
    if why == "memory":
        megabytes = bounds.total // (1024 * 1024)
        raise Failure(f"the command was killed: its processes took more than {megabytes:,} MB")
    if why == "files":
        raise Failure(f"the command was killed: it made more than {bounds.files:,} files")
    if why == "disk":
        megabytes = bounds.disk // (1024 * 1024)
        raise Failure(f"the command was killed: it wrote more than {megabytes:,} MB")


def _read(path: Path, most: int) -> bytes:
    """Return at most that many bytes of a file. A command may have put something else in its place:
    a link to what flowc can read and the command cannot, or a pipe that never ends."""
    try:
        number = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return b""
    with open(number, "rb") as file:
        info = os.fstat(number)
        return file.read(most) if stat.S_ISREG(info.st_mode) and info.st_nlink == 1 else b""


PASSED = frozenset(
    {"PATH", "HOME", "LANG", "LANGUAGE", "LC_ALL", "LC_CTYPE", "LOGNAME", "SHELL", "TERM", "TMPDIR"}
    | {"TZ", "USER"}
)
"""Passed to every command."""


def allowed_env(env: Mapping[str, str], allowed: tuple[str, ...]) -> dict[str, str]:
    """Return the variables that the configuration allows by name or pattern (`CI_*`). A name that
    looks like a secret must be listed exactly (M21)."""
    exact = frozenset(allowed)
    return {
        name: value
        for name, value in env.items()
        if name in exact
        or (not looks_secret(name) and any(fnmatch.fnmatchcase(name, p) for p in allowed))
    }


def shell_env(env: Mapping[str, str], allowed: tuple[str, ...]) -> dict[str, str]:
    """Return the environment of a session's first command (M39)."""
    basic = {name: env[name] for name in sorted(PASSED & env.keys())}
    return {"PATH": "/usr/local/bin:/usr/bin:/bin", **basic, **allowed_env(env, allowed)}
