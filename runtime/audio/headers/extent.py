"""Whether a file holds the sound that its header promises, all of it and no other: libsndfile reads
what there is and says nothing."""

from __future__ import annotations

import mmap
import os

from .chunks import MARKS, RIFF, check_chunks, check_coding
from .ogg_pages import MARK, check_pages


def check_extent(path: str, number: int, seconds: float) -> None:
    """Raise `Failure`, with the remedy, where the open file `number` is cut off, goes on behind its
    sound, or holds several; `seconds` can be read of it. `path` is as the person wrote it."""
    with mmap.mmap(number, 0, access=mmap.ACCESS_READ) as data:
        head = data[:4]
        if head == MARK:
            check_pages(path, data, seconds)
        elif head in MARKS:
            check_chunks(path, data, seconds)


def check_readable(path: str, number: int) -> None:
    """Raise `Failure`, with the remedy, where the open file `number` is a wav file in name alone.
    libsndfile reads some of them, and finds their length wrong."""
    if os.pread(number, 4, 0) in RIFF:
        with mmap.mmap(number, 0, access=mmap.ACCESS_READ) as data:
            check_coding(path, data)
