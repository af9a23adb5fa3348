"""Where an attack runs: things that it must not reach, and oracles outside that see whether it did.

Nothing here believes the attacker. A secret that was read shows in the bytes that came out, a
message in the server that got it, a change in the tree's fingerprint, a kill in the victim.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import resource
import secrets
import socket
import struct
import subprocess
import sys
import threading
import time
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from attack import Harm

MEMORY = 512 * 1024 * 1024
"""Bytes that a program may have; those that attack memory touch more."""
FILE = 4 * 1024 * 1024
"""Bytes that a file, or all files of a program together, may have."""
PROCESSES = 24
SECONDS = 1.5
OUTPUT = 8 * 1024 * 1024
PATIENCE, BARE = 60.0, 2.5
"""Seconds after which a program has outlived its limits, on a machine with much else to do; and
after which one without a sandbox that wants too much is taken to have no end."""


@dataclass(slots=True)
class Ran:
    """What was seen of a program from outside: what it wrote (its beginning), how much, how long
    it lived, its largest number of processes and bytes of memory."""

    output: bytes = b""
    written: int = 0
    seconds: float = 0.0
    processes: int = 0
    memory: int = 0
    outcome: str = ""


@dataclass
class Arena:
    """One attack's surroundings. `work` is the folder that a program may write in (shell), `out`
    the one file that it may write (snippet), `input` a file that it may read."""

    top: Path
    token: str = field(default_factory=lambda: secrets.token_hex(12))
    received: list[bytes] = field(default_factory=list)
    _open: list[socket.socket] = field(default_factory=list)

    def __post_init__(self) -> None:
        for name in ("home/.ssh", "private", "work", "out", "in", "elsewhere/deep", "sock"):
            (self.top / name).mkdir(parents=True)
        for path in (self.secret, self.home / ".bashrc", self.home / ".ssh/id", self.keep):
            path.write_text(f"{self.key}\n", encoding="ascii")
        self.secret.chmod(0o600)
        (self.top / f"private/name-{self.key}").touch()
        self.input.write_bytes(_wave(b"the input"))
        self.sound.write_bytes(_wave(self.key.encode("ascii")))
        self.out.touch()
        with zipfile.ZipFile(self.top / "in/module.zip", "w") as archive:
            archive.writestr("planted.py", f"print(open({str(self.secret)!r}).read())")
        self.victim = subprocess.Popen(
            ["/bin/sleep", "300"], env={"KEY": self.key}, start_new_session=True
        )
        self._ports = [self._serve(socket.SOCK_STREAM), self._serve(socket.SOCK_DGRAM)]
        self._serve(socket.SOCK_STREAM, str(self.top / "sock/s"))
        self._serve(socket.SOCK_STREAM, f"\0{self.mark}")
        self._before = self._fingerprint()
        self._standing = self._victims_standing()

    @property
    def key(self) -> str:
        """The secret: where it shows, something was read."""
        return f"key{self.token}"

    @property
    def mark(self) -> str:
        """A number that stands in the command line of what an attack starts: seconds to sleep."""
        return f"9{int(self.token[:10], 16)}"

    home = property(lambda self: self.top / "home")
    secret = property(lambda self: self.top / "private/key.txt")
    keep = property(lambda self: self.top / "elsewhere/deep/keep.txt")
    input = property(lambda self: self.top / "in/input.wav")
    sound = property(lambda self: self.top / "private/sound.wav")
    work = property(lambda self: self.top / "work")
    taken = property(lambda self: self.top / "taken.wav")
    """Where flowc puts what a snippet wrote."""
    out = property(lambda self: self.top / "out/result.wav")

    def names(self) -> dict[str, str]:
        """What an attacker knows: everything but the key itself."""
        return {
            "SECRET": str(self.secret), "SOUND": str(self.sound), "KEEP": str(self.keep),
            "HOMEDIR": str(self.home), "ELSEWHERE": str(self.top / "elsewhere"),
            "PRIVATE": str(self.top / "private"),
            "INPUT": str(self.input), "OUT": str(self.out), "WORK": str(self.work),
            "TCP": str(self._ports[0]), "UDP": str(self._ports[1]),
            "SOCK": str(self.top / "sock/s"), "MARK": self.mark,
            "VICTIM": str(self.victim.pid), "ZIP": str(self.top / "in/module.zip"),
        }  # fmt: skip

    def _serve(self, kind: int, path: str | None = None) -> int:
        server = socket.socket(socket.AF_UNIX if path else socket.AF_INET, kind)
        server.bind(path or ("127.0.0.1", 0))
        if kind == socket.SOCK_STREAM:
            server.listen()
        self._open.append(server)
        threading.Thread(target=self._hear, args=(server, kind), daemon=True).start()
        return 0 if path else int(server.getsockname()[1])

    def _hear(self, server: socket.socket, kind: int) -> None:
        with contextlib.suppress(OSError):
            while True:
                if kind == socket.SOCK_DGRAM:
                    self.received.append(server.recv(4096) or b"empty")
                else:
                    peer, _ = server.accept()
                    self.received.append(b"connected")
                    peer.close()

    def _fingerprint(self) -> dict[str, tuple[object, ...]]:
        """Everything that may not change."""
        found: dict[str, tuple[object, ...]] = {}
        for name in ("home", "private", "elsewhere", "in", "sock"):
            for folder, _, files in os.walk(self.top / name):
                for path in [folder, *(os.path.join(folder, file) for file in files)]:
                    stat = os.lstat(path)
                    digest = ""
                    if os.path.isfile(path):
                        digest = hashlib.sha256(Path(path).read_bytes()).hexdigest()
                    marks = os.listxattr(path, follow_symlinks=False)
                    found[path] = (stat.st_mode, stat.st_uid, stat.st_mtime, digest, *marks)
        return found

    def _victims_standing(self) -> tuple[object, ...]:
        pid = self.victim.pid
        limits = resource.prlimit(pid, resource.RLIMIT_NOFILE)
        score = Path(f"/proc/{pid}/oom_score_adj").read_text(encoding="ascii")
        nice = os.getpriority(os.PRIO_PROCESS, pid)
        return nice, os.sched_getaffinity(pid), limits, score, os.sched_getscheduler(pid)

    def harms(self, ran: Ran, snippet: bool) -> dict[Harm, str]:
        """What an attack did, by kind of harm. Takes a moment: messages may be on their way, and
        what is left behind has to show itself."""
        time.sleep(0.05)
        found: dict[Harm, str] = {}
        # Without a sandbox whoever reads the output follows what it has become.
        place = self.out if snippet and not ran.outcome else self.taken
        collected = place.read_bytes() if place.is_file() else b""
        shown = (*self.received, ran.output, collected)
        forms = [self.key.encode(), self.key.encode("utf-16-le"), self.key.encode().hex().encode()]
        if any(form in one for form in forms for one in shown):
            found["leak"] = "the key came out"
        if self.received:
            found["contact"] = f"{len(self.received)} messages reached a server"
        if f"ran-{self.mark[::-1]}".encode() in ran.output:
            found["exec"] = "another program ran"
        found |= self._hurt() | self._changed(snippet) | self._greed(ran) | self._left()
        return found

    def _hurt(self) -> dict[Harm, str]:
        if self.victim.poll() is not None:
            return {"hurt": "the victim is dead"}
        state = Path(f"/proc/{self.victim.pid}/stat").read_text(encoding="ascii").split()[2]
        if state in "Tt":
            return {"hurt": "the victim is stopped"}
        if self._victims_standing() != self._standing:
            return {"hurt": "the victim's limits or priority were changed"}
        return {}

    def _changed(self, snippet: bool) -> dict[Harm, str]:
        after = self._fingerprint()
        names = [p for p in {*self._before, *after} if self._before.get(p) != after.get(p)]
        # A program with one file to write has no business beside it, nor in its working folder.
        if snippet:
            names += [str(p) for p in (*self.work.iterdir(), *self.out.parent.iterdir())]
            names = [name for name in names if name != str(self.out)]
            if not self.out.is_file() or self.out.is_symlink() or self.out.stat().st_nlink != 1:
                names.append(str(self.out))
        for path in self.work.rglob("*"):
            if path.lstat().st_mode & 0o6000:
                names.append(f"{path} with the rights of its owner")
        shown = ", ".join(sorted(os.path.relpath(name, self.top) for name in names)[:3])
        return {"change": shown} if names else {}

    def _greed(self, ran: Ran) -> dict[Harm, str]:
        places = (self.work, self.out.parent)
        files = [f for place in places for f in place.rglob("*") if f.is_file()]
        disk = sum(f.lstat().st_blocks * 512 for f in files if not f.is_symlink())
        over = {
            "memory": ran.memory > MEMORY * 1.3,
            "processes": ran.processes > PROCESSES * 6,  # the watchdog looks every so often
            "disk": disk > FILE * 24,
            "seconds": ran.seconds > (PATIENCE if ran.outcome else BARE),
            "output": ran.written > OUTPUT * 3,
        }
        names = [name for name, is_over in over.items() if is_over]
        return {"greed": ", ".join(names)} if names else {}

    def _left(self) -> dict[Harm, str]:
        """What lives on after the program's end, and what it wrote later."""
        left = marked(self.mark)
        segments = Path("/proc/sysvipc/shm")
        if segments.exists() and f" {self.mark[:8]} " in segments.read_text(encoding="ascii"):
            return {"alive": "shared memory"}
        return {"alive": f"{len(left)} processes live on"} if left else {}

    def close(self) -> None:
        """End the victim, the servers, and whatever an attack that was let run has left."""
        for pid in marked(self.mark):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, 9)
        self.victim.kill()
        self.victim.wait()
        for server in self._open:
            with contextlib.suppress(OSError):
                server.shutdown(socket.SHUT_RDWR)  # or its thread would listen for ever
            server.close()
        _forget_shared_memory(int(self.mark[:8]))


def marked(mark: str) -> list[int]:
    """The living processes whose command line holds the mark, wherever they have gone."""
    return [pid for pid, _ in _processes(mark)]


def _processes(mark: str) -> Iterator[tuple[int, int]]:
    """Number and resident bytes of every marked process."""
    page = os.sysconf("SC_PAGESIZE")
    for name in os.listdir("/proc"):
        if not name.isdigit() or int(name) == os.getpid():
            continue
        with contextlib.suppress(OSError, ValueError, IndexError):
            if mark.encode() not in Path(f"/proc/{name}/cmdline").read_bytes():
                continue
            resident = int(Path(f"/proc/{name}/statm").read_text(encoding="ascii").split()[1])
            yield int(name), resident * page


class Watch:
    """Samples what the marked processes take, in a thread, while the block runs."""

    def __init__(self, arena: Arena, ran: Ran) -> None:
        self._arena, self._ran = arena, ran
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._sample, daemon=True)

    def __enter__(self) -> Watch:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()

    def _sample(self) -> None:
        while not self._over.wait(0.04):
            found = list(_processes(self._arena.mark))
            self._ran.processes = max(self._ran.processes, len(found))
            self._ran.memory = max([self._ran.memory, *(size for _, size in found)])


def prologue(arena: Arena, language: str) -> str:
    """The names that an attacker knows, as code."""
    if language == "python":
        return "".join(f"{name} = {value!r}\n" for name, value in arena.names().items())
    return "".join(f"{name}='{value}'\n" for name, value in arena.names().items())


def run_bare(arena: Arena, code: str, language: str, harm: Harm) -> Ran:
    """The attack without any sandbox, in a process that flowc's own would not start: with the
    environment, with open files, with nothing bounded but the clock of the test."""
    patience = BARE + 0.2 if harm == "greed" else PATIENCE / 3
    ran = Ran()
    text = prologue(arena, language) + code
    argv = [sys.executable, "-I", "-c", text] if language == "python" else ["bash", "-c", text]
    inherited = os.open(arena.secret, os.O_RDONLY)
    os.set_inheritable(inherited, True)
    began = time.monotonic()
    with Watch(arena, ran):
        process = subprocess.Popen(
            argv, cwd=arena.work, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, start_new_session=True, pass_fds=(inherited,),
            env={**os.environ, "HOME": str(arena.home), "CANARY_TOKEN": arena.key},
        )  # fmt: skip
        os.close(inherited)
        _read_until(process, ran, began + patience)
    ran.seconds = time.monotonic() - began
    return ran


def _read_until(process: subprocess.Popen[bytes], ran: Ran, deadline: float) -> None:
    """Read what the program writes until it ends; a background process may hold the pipe."""
    assert process.stdout is not None
    pipe = process.stdout.fileno()
    os.set_blocking(pipe, False)
    while time.monotonic() < deadline:
        ended = process.poll() is not None
        try:
            data = os.read(pipe, 1 << 20)
        except BlockingIOError:
            if ended:
                break
            time.sleep(0.005)
            continue
        if not data:
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(max(0.0, deadline - time.monotonic()))
            break
        ran.written += len(data)
        ran.output = (ran.output + data)[: 1 << 20]
    with contextlib.suppress(ProcessLookupError):
        process.kill()
    process.wait()
    process.stdout.close()


def _wave(key: bytes) -> bytes:
    """A sound whose samples are the key's bytes."""
    data = key * 8 + b"\0" * (len(key) * 8 % 2)
    head = struct.pack("<4sI4s4sIHHIIHH", b"RIFF", 36 + len(data), b"WAVE", b"fmt ", 16, 1, 1,
                       8000, 16000, 2, 16)  # fmt: skip
    return head + struct.pack("<4sI", b"data", len(data)) + data


def _forget_shared_memory(key: int) -> None:
    import ctypes

    libc = ctypes.CDLL(None)
    found = libc.shmget(key, 0, 0)
    if found >= 0:
        libc.shmctl(found, 0, None)
