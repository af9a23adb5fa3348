"""Small files beside a store, which are the store's own: never those that a link leads to.

A store may have come with somebody's folder. Its lock files are cut short and written over, so one
that is a link, also a hard one, would be a way to write over any file of the user's.
"""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path

from flowc.compiler.source.door import open_folder


def open_own_file(file: Path, flags: int) -> int:
    """Open a file in its folder, made for the user alone where `flags` say so. Raise OSError, also
    where it or the folder is a link, or it has another name elsewhere."""
    folder = open_folder(file.parent)
    try:
        kept = flags | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
        descriptor = os.open(file.name, kept, 0o600, dir_fd=folder)
    finally:
        os.close(folder)
    info = os.fstat(descriptor)
    if not stat.S_ISREG(info.st_mode) or info.st_nlink > 1:
        os.close(descriptor)
        raise OSError(errno.EMLINK, f"{file.name} is not a file of its own", str(file))
    return descriptor
