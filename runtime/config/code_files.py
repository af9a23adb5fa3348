"""The files of a folder that run once it is trusted, and their digests."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from importlib.machinery import EXTENSION_SUFFIXES, SOURCE_SUFFIXES
from pathlib import Path

from flowc.compiler.source.door import digest_of_file

from ..errors import RunError, reason_of

_IMPORTABLE = (*SOURCE_SUFFIXES, *EXTENSION_SUFFIXES)


def importable_files(folder: Path) -> Iterator[Path]:
    """Yield the files that an `import` finds from a folder, packages without `__init__` and behind
    links too. Compiled caches are not among them: nothing is imported from these."""
    seen: set[str] = set()
    for parent, folders, names in os.walk(folder, followlinks=True):
        real = os.path.realpath(parent)
        folders[:] = [f for f in folders if f.isidentifier() and f != "__pycache__"]
        if real in seen:
            folders.clear()
            continue
        seen.add(real)
        yield from (Path(parent, name) for name in names if name.endswith(_IMPORTABLE))


def digests_of(files: Iterable[Path], folder: Path) -> dict[str, str]:
    """Return SHA-256 (hex) by path from the folder, in order; what is not a file has none. Raise
    `RunError` for a file that cannot be read."""
    real = sorted(file for file in files if file.is_file())
    return {os.path.relpath(file, folder): _digest(file) for file in real}


def _digest(file: Path) -> str:
    try:
        return digest_of_file(file)
    except OSError as error:
        raise RunError(f"`{file}` cannot be read: {reason_of(error)}") from None
