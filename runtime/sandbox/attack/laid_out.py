"""Secrets, servers and a victim, laid out for one attempt, and what became of them."""

from __future__ import annotations

import contextlib
import os
import secrets
import socket
import subprocess
import sys
from pathlib import Path

_SECRETS = {
    "KEY": "home/.ssh/id_rsa",
    "TOKEN": "home/.netrc",
    "SETTINGS": "home/.config/flowc/config.toml",
    "NEIGHBOUR": "neighbour/notes/plan.txt",
    "OUT": "outside/key",
    "STORE": "project/.flowc/runs.db",
    "RUN": "project/.flowc/own/other/notes",
}
_MOST, _MOMENT = 1 << 20, 0.05


class LaidOut:
    """Everything below the folder `top`. `canary` is the text that every secret holds; `mark` a
    number that stands in the command line of what an attempt leaves behind."""

    def __init__(self, top: Path) -> None:
        self.top = top
        self.canary = f"canary-{secrets.token_hex(8)}"
        self.mark = str(10**9 + secrets.randbelow(10**9))
        for name in _SECRETS.values():
            place = top / name
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(f"{self.canary}\n", encoding="ascii")
        self.project, self.home = top / "project", top / "home"
        self._victim = subprocess.Popen(
            [sys.executable, "-I", "-S", "-c", "import time; time.sleep(600)"],
            env={"KEY": self.canary},
            stdin=subprocess.DEVNULL,
            start_new_session=True,
        )
        self._doors = [
            _door(socket.AF_INET, socket.SOCK_STREAM, ("127.0.0.1", 0)),
            _door(socket.AF_INET, socket.SOCK_DGRAM, ("127.0.0.1", 0)),
            _door(socket.AF_UNIX, socket.SOCK_STREAM, str(top / "project/door")),
            _door(socket.AF_UNIX, socket.SOCK_STREAM, str(top / "s")),
        ]
        if sys.platform.startswith("linux"):
            self._doors.append(_door(socket.AF_UNIX, socket.SOCK_STREAM, f"\0{self.mark}"))
        self._before = self._fingerprint()
        self._nice = os.getpriority(os.PRIO_PROCESS, self._victim.pid)

    def names(self) -> dict[str, str]:
        """Return what an attacker knows: all but the canary itself."""
        tcp, udp = (str(door.getsockname()[1]) for door in self._doors[:2])
        return {
            **{name: str(self.top / place) for name, place in _SECRETS.items()},
            "OUTSIDE": str(self.top / "outside"),
            "SOCKET": str(self.top / "s"),
            "TCP": tcp,
            "UDP": udp,
            "MARK": self.mark,
            "VICTIM": str(self._victim.pid),
            "PYTHON": sys.executable,
        }

    def harm(self, output: str) -> str:
        """Return what an attempt with this output did; "" for nothing."""
        if self.canary in output:
            return "a secret was read"
        if "REACHED" in output:
            return "it was let"
        if len(output) > _MOST:
            return "it said without end"
        if any(_was_called(door) for door in self._doors):
            return "a server was reached"
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._victim.wait(_MOMENT)  # a signal takes one
        if self._victim.poll() is not None or _state(self._victim.pid) in "Tt":
            return "another process was ended or stopped"
        if os.getpriority(os.PRIO_PROCESS, self._victim.pid) != self._nice:
            return "another process lost its turns"
        if self._fingerprint() != self._before:
            return "something outside was changed"
        return "it lives on" if _living(self.mark) else ""

    def close(self) -> None:
        """End the victim, the servers, and what an attempt has left."""
        for number in _living(self.mark):
            with contextlib.suppress(ProcessLookupError):
                os.kill(number, 9)
        self._victim.kill()
        self._victim.wait()
        for door in self._doors:
            door.close()

    def _fingerprint(self) -> dict[str, tuple[object, ...]]:
        """Return all that may not change: what lies outside of the project, and the store."""
        found: dict[str, tuple[object, ...]] = {}
        places = [*(self.top / name for name in ("home", "neighbour", "outside"))]
        files = [file for place in places for file in place.rglob("*")]
        for file in (*files, self.top / _SECRETS["STORE"]):
            try:
                info = file.lstat()
                text = file.read_bytes() if file.is_file() else b""
            except OSError:
                found[str(file)] = ()
                continue
            times = info.st_mtime if file.is_file() else 0
            found[str(file)] = (info.st_mode, info.st_uid, times, text)
        return found


def _door(family: int, kind: int, where: tuple[str, int] | str) -> socket.socket:
    door = socket.socket(family, kind)
    door.bind(where)
    if kind == socket.SOCK_STREAM:
        door.listen()
    door.settimeout(0)
    return door


def _was_called(door: socket.socket) -> bool:
    try:
        if door.type == socket.SOCK_DGRAM:
            door.recv(16)
        else:
            door.accept()[0].close()
    except (BlockingIOError, TimeoutError):
        return False
    return True


def _state(number: int) -> str:
    text = Path(f"/proc/{number}/stat").read_text(encoding="ascii", errors="replace")
    return text.rpartition(")")[2].split()[0]


def _living(mark: str) -> list[int]:
    """Return the processes with the mark in their command line."""
    found = []
    for name in os.listdir("/proc"):
        if name.isdigit() and int(name) != os.getpid():
            with contextlib.suppress(OSError):
                if mark.encode() in Path(f"/proc/{name}/cmdline").read_bytes().split(b"\0"):
                    found.append(int(name))
    return found
