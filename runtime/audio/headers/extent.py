"""Whether a file holds the sound that its header promises, all of it and no other: libsndfile reads
what there is and says nothing."""

from __future__ import annotations

from .chunks import MARKS, RIFF, check_chunks, check_coding
from .file_bytes import FileBytes
from .ogg_pages import MARK, check_pages
from .other_kinds import CAF, KINDS, check_caf, check_other


def check_extent(path: str, number: int, seconds: float) -> None:
    """Raise `Failure`, with the remedy, where the open file `number` is cut off, goes on behind its
    sound, or holds several; `seconds` can be read of it. `path` is as the person wrote it."""
    data = FileBytes(number)
    head = data[0:4]
    if head == MARK:
        check_pages(path, data, seconds)
    elif head in MARKS:
        check_chunks(path, data, seconds)
    elif head in KINDS:
        check_other(path, data, seconds)


def check_readable(path: str, number: int) -> None:
    """Raise `Failure`, with the remedy, where the open file `number` is a wav file in name alone,
    which libsndfile may read with a wrong length, or a CAF file that it refuses for its length."""
    data = FileBytes(number)
    if data[0:4] in RIFF:
        check_coding(path, data)
    elif data[0:4] == CAF:
        check_caf(path, data)
