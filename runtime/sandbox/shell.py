"""A shell session made of one bash process per command; what the session knows is carried as text.

The state is code that the shell wrote: it is only ever read by such a shell, never by flowc.
"""

from __future__ import annotations

import asyncio
import base64
import secrets
import tempfile
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib.resources import as_file, files
from pathlib import Path
from typing import Literal

from ..errors import Failure
from ..secrets import SECRET_NAMES, forget, looks_secret, redact, secret_values
from ..services import CommandResult
from .excerpt import Excerpt
from .processes import Child

_END = b"# flowc:end\n"
_BASE64 = "base64:"


@dataclass(frozen=True, slots=True)
class Limits:
    """Of one command: its time and the time without output in seconds (M39), its output and the
    session's state in bytes, and how long it may take to end when it is asked to."""

    seconds: float = 600.0
    silence: float = 120.0
    output: int = 256 * 1024
    state: int = 1024 * 1024
    grace: float = 1.0


OnOutput = Callable[[bytes], None]
Stop = Literal["", "time", "silence"]


@dataclass(slots=True)
class BashShell:
    """Runs commands below `folder` with `env` (for a session's first command; later ones have what
    the session kept, and the secrets, which are never kept)."""

    folder: Path
    env: Mapping[str, str]
    limits: Limits = field(default_factory=Limits)

    async def run(self, command: str, state: str) -> CommandResult:
        """One command (M39). Raises `Failure` when no shell can be started, or when the folder that
        the session stands in is gone."""
        if "\0" in command:
            raise Failure("a command holds a NUL character", "refused")
        started = time.monotonic()
        with tempfile.TemporaryDirectory(prefix="flowc-") as folder:
            room = Path(folder)
            (room / "command").write_bytes(command.encode("utf-8", "replace") + b"\n")
            if state:
                (room / "state").write_bytes(_unpack(state))
            kept = Excerpt(self.limits.output)
            code, stop = await self._run(room, kept, fresh=not state)
            if (room / "new.gone").exists():
                gone = (room / "new.gone").read_bytes().decode("utf-8", "replace")
                raise Failure(f"the shell's working folder {gone} is gone")
            values = secret_values(self.env)
            after, note = self._state_after(room, state, stop, values)
        output = redact(kept.text(), values).replace(f"{room / 'command'}: ", "")
        if stop == "silence":
            note = f"[no output for {self.limits.silence:g} s]"
        elif stop == "time":
            note = f"[stopped after {self.limits.seconds:g} s]"
        if note:
            output = f"{output.rstrip()}\n{note}\n".lstrip()
        seconds = time.monotonic() - started
        return CommandResult(command, code, output, seconds, stop != "", after)

    async def _run(self, room: Path, kept: Excerpt, fresh: bool) -> tuple[int, Stop]:
        last = time.monotonic()

        def on_output(data: bytes) -> None:
            nonlocal last
            last = time.monotonic()
            kept.add(data)

        with as_file(files(__package__) / "session.bash") as script:
            child = self._start(script, room, fresh, on_output)
            try:
                deadline = last + self.limits.seconds
                stop: Stop = ""
                while not child.ended.is_set() and not stop:
                    await _until(child.ended, min(deadline, last + self.limits.silence))
                    stop = self._stop(deadline, last)
                if stop and not child.ended.is_set():
                    child.terminate()
                    await _until(child.ended, time.monotonic() + self.limits.grace)
                else:
                    stop = ""
                return await child.close(), stop
            finally:
                child.abandon()

    def _stop(self, deadline: float, last: float) -> Stop:
        now = time.monotonic()
        if now >= deadline:
            return "time"
        return "silence" if now >= last + self.limits.silence else ""

    def _start(self, script: Path, room: Path, fresh: bool, on_output: OnOutput) -> Child:
        names = [name for name in self.env if looks_secret(name)]
        env = dict(self.env) if fresh else {name: self.env[name] for name in names}
        env |= {"FLOWC_SECRETS": " ".join(names), "FLOWC_SECRET_NAMES": SECRET_NAMES}
        paths = [str(room / name) for name in ("state", "new", "command")]
        argv = ["bash", "--norc", "--noprofile", str(script), *paths]
        if not self.folder.is_dir():
            raise Failure(f"the shell's working folder {self.folder} is gone")
        try:
            return Child(argv, self.folder, env, secrets.token_hex(8), on_output)
        except FileNotFoundError:
            raise Failure("no shell: bash is not installed", help="install bash") from None
        except OSError as error:
            raise Failure(f"no shell can be started: {error.strerror or error}") from None

    def _state_after(
        self, room: Path, before: str, stop: Stop, values: tuple[str, ...]
    ) -> tuple[str, str]:
        """The session's state after the command, and a note when it is still the old one. Copies of
        secret `values` are taken out of it."""
        if stop:
            return before, ""
        try:
            with (room / "new").open("rb") as file:
                data = file.read(self.limits.state + 1)
        except OSError:
            data = b""
        if len(data) > self.limits.state:
            limit = f"{self.limits.state:,} bytes"
            return before, f"[the shell's variables take more than {limit}: they are not kept]"
        if not data.endswith(_END):
            return before, "[the command replaced or killed its shell: its variables are not kept]"
        return _pack(forget(data, values)), ""


async def _until(event: asyncio.Event, moment: float) -> None:
    try:
        async with asyncio.timeout(max(0.0, moment - time.monotonic())):
            await event.wait()
    except TimeoutError:
        return


def _pack(data: bytes) -> str:
    """A state as text: variables may hold bytes that are not UTF-8."""
    try:
        return data.decode()
    except UnicodeDecodeError:
        return _BASE64 + base64.b64encode(data).decode()


def _unpack(state: str) -> bytes:
    if state.startswith(_BASE64):
        return base64.b64decode(state.removeprefix(_BASE64))
    return state.encode()
