"""How many effects of a run were finished, told outside of its SQLite file.

A file whose write-ahead log is lost, or an older copy of it, opens like any other: what was done
since is not in it, and would be done again without a word. A number beside the file tells, with the
file's own number on its disk, which a copy does not have. It is written without waiting for the
disk, after each finished effect: it may be too low, as after a power failure or a kill, and then
says nothing. Without it, or where it is another file's, a run that has finished effects is asked
about once. Whatever is wrong with it, at most a question more is asked.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
from dataclasses import dataclass, field
from pathlib import Path

from .own_files import open_own_file

SUFFIX = ".done"
"""Of the file of a run, beside its lock."""


LOST = "the store is an older copy, or has lost its log (-wal): effects that were finished are gone"
GONE = "effects of the run that were finished are gone from the store"
COPIED = "the store may be a copy: effects may have been finished since that it does not know of"


@dataclass(slots=True)
class _Count:
    """Effects that the store has, and that it was told to have had; whether nothing is told of this
    file, before it has one effect more."""

    finished: int
    told: int
    unknown: bool = False


@dataclass(frozen=True, slots=True)
class HighWater:
    """The numbers of the runs of one store. Without a folder (in memory, in PostgreSQL) they stand
    in the store itself, where a row that is gone is missed all the same."""

    folder: Path | None = None
    store: Path = Path()
    """The file of the store, where there is a folder."""
    counts: dict[str, _Count] = field(default_factory=dict)

    @property
    def is_outside(self) -> bool:
        """Whether the numbers stand outside of the store."""
        return self.folder is not None

    def begin(self, run: str, finished: int, counted: int = 0) -> None:
        """Take note that the store has `finished` effects of a run, of those that it `counted`."""
        told, is_own = self._read(run) if self.is_outside else (counted, True)
        unknown = not is_own and finished > 0
        count = self.counts[run] = _Count(finished, told, unknown)
        # Also a 0: what a person says of an effect in doubt is not counted, and may be the first.
        if not unknown and (count.finished > count.told or (not is_own and not told)):
            self._tell(run, count)

    def add(self, run: str) -> None:
        """Take note that one more is kept in the store."""
        count = self.counts.get(run)
        if count is not None:
            count.finished += 1
            count.unknown = False
            if count.finished > count.told:
                self._tell(run, count)

    def doubt(self, run: str) -> str:
        """Return why the store may have fewer than there were; "" where it has them all."""
        count = self.counts.get(run)
        if count is None:
            return ""
        if count.finished < count.told:
            return LOST if self.is_outside else GONE
        return COPIED * count.unknown

    def renew(self, run: str) -> None:
        """Begin anew for a run of this name, whose effects may be counted already. The number of an
        earlier one goes with that run: one that is still there is of a run that the file has lost.
        """
        count = self.counts.get(run)
        if self.lost_effects(run) > (count.finished if count else 0):
            return
        self.forget(run)
        if count is not None:
            self.counts[run] = _Count(count.finished, count.finished)
            self._tell(run, self.counts[run])

    def lost_effects(self, run: str) -> int:
        """Return how many effects of a run that is not in the file were finished."""
        return self._read(run)[0]

    def forget(self, *runs: str) -> None:
        """Delete the numbers of runs that are forgotten."""
        for run in runs:
            self.counts.pop(run, None)
            with contextlib.suppress(OSError):
                if self.folder is not None:
                    os.unlink(self._file(self.folder, run))

    def _read(self, run: str) -> tuple[int, bool]:
        """Return the number, and whether it is this file's."""
        with contextlib.suppress(OSError, ValueError):
            if self.folder is not None:
                file = open_own_file(self._file(self.folder, run), os.O_RDONLY)
                try:
                    told, store = map(int, os.pread(file, 100, 0).split())
                finally:
                    os.close(file)
                return told, store == self._own()
        return 0, False

    def _own(self) -> int:
        return os.stat(self.store).st_ino

    def _tell(self, run: str, count: _Count) -> None:
        count.told = count.finished
        if self.folder is None:
            return
        with contextlib.suppress(OSError):
            file = open_own_file(self._file(self.folder, run), os.O_WRONLY | os.O_CREAT)
            try:
                os.pwrite(file, b"%020d %020d" % (count.told, self._own()), 0)
            finally:
                os.close(file)

    def _file(self, folder: Path, run: str) -> Path:
        return folder / f"{stem_of(run)}{SUFFIX}"


def forget_all(folder: Path | None) -> None:
    """Delete the numbers of a store that was deleted: another one is made in its place. Raise
    OSError."""
    if folder is not None and folder.is_dir() and not folder.is_symlink():
        for file in folder.glob(f"*{SUFFIX}"):
            file.unlink(missing_ok=True)


def stem_of(run: str) -> str:
    """Return what the files of a run are called, a digest: an id may hold any character."""
    return hashlib.sha256(run.encode("utf-8", "surrogatepass")).hexdigest()[:32]
