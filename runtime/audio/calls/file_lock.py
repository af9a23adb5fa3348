"""One run at a time writes a file: who is going to write it has a claim on it until it has ended.

A claim is a lock of the kernel and no file: on the folder, one byte far behind its end, whose place
is a digest of the file's name. It ends with the process, however that ends, and leaves nothing. A
folder cannot be opened for writing, which an exclusive lock asks for: so each takes a shared one,
and then looks whether an exclusive one would be refused.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import random
import struct
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path

from .call import Unwritable

_FLOCK = "hhqqi4x"
"""`struct flock`: type, whence, start, length, process (0 for locks of an open file)."""
_TRIES = 6
"""Looks: two that begin at one moment see each other, and wait for a different time each."""


@dataclass(frozen=True, slots=True)
class Claims:
    """The claims of one run, by the real path of the file."""

    _held: dict[str, int] = field(default_factory=dict)

    def hold(self, place: Path, shown: str) -> None:
        """Claim a file, which need not exist; a second time does nothing. Raise `Unwritable` when
        another run has it. In a folder that is not there, or knows no locks, nothing is claimed."""
        real = os.path.realpath(place)
        if real in self._held:
            return
        try:
            folder = os.open(os.path.dirname(real), os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        except OSError:
            return
        if _claim(folder, os.path.basename(real)):
            self._held[real] = folder
            return
        os.close(folder)
        raise Unwritable(
            f"`{shown}` is being written by another run",
            help="name another file, or wait until that run has ended: `flowc runs` lists them",
        )

    def release(self) -> None:
        """Give all of them up."""
        while self._held:
            os.close(self._held.popitem()[1])


def _claim(folder: int, name: str) -> bool:
    """Claim the file of that name; return False when another has it. Where there are no locks
    nobody has."""
    if not sys.platform.startswith("linux"):  # others have no such locks, or of another shape
        return True
    digest = hashlib.sha256(os.fsencode(name)).digest()
    byte = int.from_bytes(digest[:8], "big") >> 2
    for left in reversed(range(_TRIES)):
        try:
            _ask(folder, fcntl.F_OFD_SETLK, fcntl.F_RDLCK, byte)
            if _ask(folder, fcntl.F_OFD_GETLK, fcntl.F_WRLCK, byte) == fcntl.F_UNLCK:
                return True
            _ask(folder, fcntl.F_OFD_SETLK, fcntl.F_UNLCK, byte)
        except OSError:
            return True
        if left:
            time.sleep(random.uniform(0.002, 0.02))
    return False


def _ask(folder: int, how: int, kind: int, byte: int) -> int:
    """Return what the kernel says of a lock of that kind on one byte. Raise OSError."""
    answer = fcntl.fcntl(folder, how, struct.pack(_FLOCK, kind, os.SEEK_SET, byte, 1, 0))
    return int(struct.unpack(_FLOCK, answer)[0])
