"""Runs flowc in processes of its own: in a pipe, in the background, on a terminal."""

from __future__ import annotations

import contextlib
import fcntl
import os
import pty
import select
import signal
import struct
import subprocess
import termios
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from forks import Begun, Forked, as_text, flowc_in
from own_folders import write_record

ROOT = Path(__file__).resolve().parents[2]
PATIENCE = 150.0
"""Seconds after which a test gives up waiting for something that has to happen."""

Done = subprocess.CompletedProcess


def environment(home: Path, **more: str) -> dict[str, str]:
    """Nothing of the developer's own settings or keys; the folders of tests are the user's own."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("FLOWC_", "OPENAI_"))}
    write_record(home)
    path = os.pathsep.join(filter(None, [str(ROOT / ".types"), os.environ.get("PYTHONPATH")]))
    usual = {"PYTHONPATH": path, "PYTHONUTF8": "1", "XDG_CONFIG_HOME": str(home), "COLUMNS": "100"}
    return {**kept, **usual, **more}


class Flowc:
    """flowc in one folder, with a store of its own."""

    def __init__(self, folder: Path, home: Path) -> None:
        self.folder = folder
        self.home = home
        self.started: list[Begun] = []

    def write(self, name: str, text: str) -> Path:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path

    def lines(self, name: str) -> list[str]:
        """The lines of a file that commands append to; [] before the first."""
        path = self.folder / name
        return path.read_text(encoding="utf-8").splitlines() if path.exists() else []

    def __call__(self, *args: str, input: str = "", **env: str) -> Done[str]:
        return as_text(
            flowc_in(self.folder, args, environment(self.home, **env), input.encode(), PATIENCE)
        )

    def begin(self, *args: str, **env: str) -> Begun:
        """In the background, in a process group of its own."""
        process = Begun(self.folder, args, environment(self.home, **env))
        self.started.append(process)
        return process

    def until(self, happened: Callable[[], bool], what: str) -> None:
        """Wait, polling, until something is seen to have happened."""
        deadline = time.monotonic() + PATIENCE
        while not happened():
            if time.monotonic() > deadline:
                pytest.fail(f"waited {PATIENCE:.0f} s in vain: {what}")
            select.select([], [], [], 0.02)

    def read_until(self, process: Begun, text: str) -> str:
        """Read the process's stderr until a line holds the text; what was read."""
        seen = ""
        for line in process.stderr:
            seen += line
            if text in line:
                return seen
        pytest.fail(f"`{text}` never came:\n{seen}")

    def terminal(self, *args: str, **env: str) -> Terminal:
        return Terminal(self.folder, args, environment(self.home, **env))

    def end(self) -> None:
        for process in self.started:
            with process:
                if process.poll() is None:
                    with contextlib.suppress(ProcessLookupError):
                        os.killpg(process.pid, signal.SIGKILL)


class Terminal:
    """A pseudo terminal of 100 columns with a process on it: type, and read the screen."""

    def __init__(self, folder: Path, args: tuple[str, ...], env: dict[str, str]) -> None:
        self.screen = ""
        self.at = 0
        main, other = pty.openpty()
        fcntl.ioctl(other, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 100, 0, 0))
        ends = (other, os.dup(other), os.dup(other))
        self.process = Forked(folder, args, {"NO_COLOR": "1", **env, "TERM": "xterm"}, ends)
        self.main = main

    def expect(self, text: str) -> str:
        """Read until the text appears after what was expected before; what came with it."""
        deadline = time.monotonic() + PATIENCE
        while text not in self.screen[self.at :]:
            if not self._read(deadline - time.monotonic()):
                pytest.fail(f"`{text}` never came; the screen:\n{self.screen}")
        end = self.screen.index(text, self.at) + len(text)
        seen, self.at = self.screen[self.at : end], end
        return seen

    def type(self, keys: str) -> None:
        os.write(self.main, keys.encode())

    def interrupt(self) -> None:
        """Ctrl-C until the process ends, as a person would: Python's line editor does not notice a
        signal that comes between showing its prompt and waiting for keys."""
        for _ in range(6):
            self.type("\x03")
            again = time.monotonic() + PATIENCE / 6
            while time.monotonic() < again:
                if not self._read(0.1) and self.process.poll() is not None:
                    return

    def close(self) -> int:
        """Read the rest; the exit code."""
        deadline = time.monotonic() + PATIENCE
        while self._read(deadline - time.monotonic()):
            pass
        code = self.process.wait(timeout=PATIENCE)
        os.close(self.main)
        return code

    def _read(self, patience: float) -> bool:
        ready, _, _ = select.select([self.main], [], [], max(patience, 0))
        if not ready:
            return False
        try:
            data = os.read(self.main, 65536)
        except OSError:  # the process has closed its end
            return False
        self.screen += data.decode("utf-8", "replace").replace("\r\n", "\n")
        return bool(data)


@pytest.fixture
def flowc(tmp_path: Path) -> Iterator[Flowc]:
    """flowc in an empty folder."""
    folder = tmp_path / "here"
    folder.mkdir()
    tool = Flowc(folder, tmp_path / "home")
    yield tool
    tool.end()
