"""The door through which work on a sound opens files: by their names, or, in a process that stays
for several calls, as descriptors that it asks flowc's own process for."""

from __future__ import annotations

import os
from collections.abc import Callable

Opener = Callable[[str, int], int]
"""Returns the descriptor of a place, opened with flags of `os.open`. Raises OSError."""
_opener: list[Opener] = []


def open_place(place: str, flags: int) -> int:
    """Return the descriptor of a file, as `os.open` does; also what `open` takes as `opener`. Raise
    OSError."""
    return _opener[-1](place, flags) if _opener else os.open(place, flags | os.O_CLOEXEC)


def open_by(opener: Opener) -> None:
    """Open all files by something else from here on."""
    _opener.append(opener)
