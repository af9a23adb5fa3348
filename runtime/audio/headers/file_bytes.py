"""The bytes of an open file, a few at a time: a map of all of it would count as memory of the
process, which is bounded."""

from __future__ import annotations

import os


class FileBytes:
    """The bytes of the open file `number` by their places: a slice from 0 on, without a step, is
    read; behind the end there are none."""

    def __init__(self, number: int) -> None:
        self._number = number
        self._size = os.fstat(number).st_size

    def __len__(self) -> int:
        return self._size

    def __getitem__(self, place: slice) -> bytes:
        end = min(place.stop, self._size)
        return os.pread(self._number, max(end - place.start, 0), place.start)
