"""The files of a folder that run once it is trusted, and their digests."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from importlib.machinery import EXTENSION_SUFFIXES, SOURCE_SUFFIXES
from pathlib import Path

from flowc.compiler.source.door import TooLarge, digest_of_file, walk

from ..errors import RunError, reason_of

_IMPORTABLE = (*SOURCE_SUFFIXES, *EXTENSION_SUFFIXES)
MOST_FILES, MOST_ENTRIES, MOST_BYTES = 20_000, 500_000, 1 << 30
"""How much is looked at before it is said that nobody can: files that may be imported, everything
among which they are looked for, and what the files hold. This takes seconds."""


@dataclass(frozen=True, slots=True)
class OwnCode:
    """The folder in which the Python functions of its settings are found. `files` are the SHA-256
    (hex) of what may be imported from it, by path in it, as it was granted; None: whatever lies
    there."""

    folder: str
    files: Mapping[str, str] | None = None


def importable_files(
    folder: Path, most: int = MOST_FILES, most_entries: int = MOST_ENTRIES
) -> Iterator[Path]:
    """Yield the files that an `import` finds from a folder, packages without `__init__` and behind
    links too. Compiled caches are not among them: nothing is imported from these. Raise `RunError`
    for a folder that is too large to be looked at."""
    seen: set[tuple[int, int]] = set()
    left, left_entries = most, most_entries
    for parent, folders, names in walk(folder, follow=True):
        left_entries -= len(folders) + len(names)
        folders[:] = [f for f in folders if f.isidentifier() and f != "__pycache__"]
        place = _identity(parent)
        if place is None or place in seen:
            folders.clear()
            continue
        seen.add(place)
        found = [Path(parent, name) for name in names if name.endswith(_IMPORTABLE)]
        left -= len(found)
        if left < 0:
            raise _too_large(folder, f"more than {most:,} files that Python may import")
        if left_entries < 0:
            raise _too_large(folder, f"more than {most_entries:,} files and folders")
        yield from found


def _identity(folder: str) -> tuple[int, int] | None:
    """Return the device and inode of a folder; None where it is gone."""
    try:
        report = os.stat(folder)
    except OSError:
        return None
    return report.st_dev, report.st_ino


def _too_large(folder: Path, held: str) -> RunError:
    return RunError(
        f"`{folder}` holds {held}: that is too much to trust it by its content",
        help="put what is not its code elsewhere; where the folder is yours, `flowc trust` trusts"
        " it whatever lies there: see docs/trust.md",
    )


def changed_files(files: Mapping[str, str], folder: Path) -> list[str]:
    """Return the names of files in a folder that have another SHA-256 (hex) by now. Raise
    `RunError` for a file that cannot be read."""
    now = digests_of((folder / name for name in files), folder)
    return [name for name, sha in files.items() if now.get(name) != sha]


def digests_of(files: Iterable[Path], folder: Path) -> dict[str, str]:
    """Return SHA-256 (hex) by path from the folder, in order; what is not a file has none. Raise
    `RunError` for a file that cannot be read, and for more than can be looked at."""
    left, digests = MOST_BYTES, {}
    for file in sorted(file for file in files if file.is_file()):
        try:
            digest, size = digest_of_file(file, left)
        except TooLarge:
            raise _too_large(folder, f"more than {MOST_BYTES:,} bytes in files of code") from None
        except OSError as error:
            raise RunError(f"`{file}` cannot be read: {reason_of(error)}") from None
        left -= size
        digests[os.path.relpath(file, folder)] = digest
    return digests
