"""Small files that are kept to save time: each read whole and replaced at once, the oldest removed.

Losing one costs nothing but time, so a disk that is full or may not be written is not a fault, and
of two processes that write one file the later one wins.
"""

from __future__ import annotations

import contextlib
import os
import tempfile
from dataclasses import dataclass
from pathlib import Path

from flowc.compiler.source.door import read_file


@dataclass(frozen=True, slots=True)
class KeptFiles:
    """A folder of such files, together at most `most` bytes."""

    folder: Path
    most: int

    def read(self, name: str) -> bytes | None:
        """Return what is kept under a name."""
        try:
            return read_file(self.folder / name, self.most)
        except OSError:
            return None

    def write(self, name: str, data: bytes) -> None:
        """Keep this under a name, in the place of what was kept; drop the oldest for it."""
        if len(data) > self.most:
            return
        with contextlib.suppress(OSError):
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._make_room(name, len(data))
            number, scratch = tempfile.mkstemp(dir=self.folder)
            try:
                with open(number, "wb") as file:
                    file.write(data)
                os.replace(scratch, self.folder / name)
            except BaseException:
                with contextlib.suppress(OSError):
                    os.unlink(scratch)
                raise

    def _make_room(self, name: str, size: int) -> None:
        """Remove the oldest files until one of this size fits; those of writers that were killed
        are among them."""
        with os.scandir(self.folder) as entries:
            found = [(e.stat(follow_symlinks=False), e) for e in entries if e.name != name]
        found.sort(key=lambda pair: pair[0].st_mtime_ns)
        used = sum(status.st_size for status, _ in found)
        for status, entry in found:
            if used + size <= self.most:
                return
            with contextlib.suppress(OSError):
                os.unlink(entry.path)
            used -= status.st_size
