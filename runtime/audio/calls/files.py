"""Sound files: opened and read in blocks, with a clear word when they cannot be.

A block is float32 of shape (frames, channels), full scale 1.0, at most `BLOCK` frames.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, BinaryIO, TypeVar

import numpy as np
import soundfile
from flowc.compiler.catalog.audio_formats import FORMATS

from ...errors import Failure
from ..blocks import Frames
from ..door import open_place
from ..headers.extent import check_extent, check_readable
from ..headers.speakers import order_of, speakers_of
from ..tags.mp4 import MARK
from ..tags.tags import Tags, read_tags
from .coder import DecodedFile
from .containers import CONTAINERS
from .mp3_frames import Mp3WithLength, with_length

Found = TypeVar("Found")

BLOCK = 65_536
"""Frames; with many channels fewer, so that a block stays near a few megabytes. A quarter of it
would hold 4 MB less, and measuring would take half as long again."""
_BLOCK_SAMPLES = 8 * BLOCK
_SAME = {"WAVEX": "WAV", "RF64": "WAV"}
"""Kinds of wav files that people do not tell apart."""
_LEAST_RATE, _MAX_RATE = 1000, 768_000
"""Samples a second: a header with fewer makes hours of a few bytes."""
_CHOSEN = [one.name for one in CONTAINERS.values() if one.bitrates]
_MP3_BEFORE = 32 * 1152
"""Frames that are read before the first one that counts: a frame of an mp3 file may have bits in up
to 511 bytes before it, which are many frames where there are few bits."""


class ForwardFile(soundfile.SoundFile):  # type: ignore[misc]
    """A file that is read on from where it is. What soundfile holds to be seekable, it seeks after
    every read, and a decoder of mp3 that seeks has lost what the next frame needs: up to 2,000
    samples are wrong."""

    def seekable(self) -> bool:
        """Return False: `seek` can be called all the same."""
        return False


@dataclass(frozen=True, slots=True)
class Sound:
    """A file that can be read as sound. `path` is as the person wrote it, `place` where it is;
    `known` is the device and the number that the file has to have, where they are known; `identity`
    tells its samples from all others, () where nothing does; `speakers` are those that its header
    names for its channels, as the bits of wav files, 0 where it names none."""

    path: str
    place: str
    rate: int
    channels: int
    frames: int
    format: str
    subtype: str
    known: tuple[int, ...] = ()
    identity: tuple[object, ...] = field(default=(), compare=False)
    speakers: int = field(default=0, compare=False)

    @property
    def seconds(self) -> float:
        """Return its length."""
        return self.frames / self.rate

    def blocks(self, start: int = 0, end: int | None = None) -> Iterator[Frames]:
        """Yield the frames from `start` to before `end`. Raise `Failure` for samples that are not
        finite numbers, and when there are fewer frames than the header says."""
        at = start
        for block in self.raw_blocks(start, end):
            if not np.isfinite(block).all():
                raise self._not_numbers(block, at)
            yield block
            at += len(block)

    def raw_blocks(self, start: int = 0, end: int | None = None) -> Iterator[Frames]:
        """Yield the same frames, whatever their values are."""
        end = self.frames if end is None else min(end, self.frames)
        size = self._block
        opened = _opened(self.path, self.place, self.known)
        with opened as file:
            at = start
            order = opened.order(self.subtype, self.channels)
            try:
                if start:
                    early = min(start, _MP3_BEFORE) if self.format == "MP3" else 0
                    file.seek(start - early)
                    if early:
                        file.read(early, dtype="float32", always_2d=True)
                while at < end:
                    block: Frames = file.read(min(size, end - at), dtype="float32", always_2d=True)
                    if not len(block):
                        raise self._cut_off(at, opened.is_counted)
                    yield np.ascontiguousarray(block[:, order]) if order else block
                    at += len(block)
            except soundfile.LibsndfileError:
                raise self._cut_off(at, opened.is_counted) from None

    @property
    def _block(self) -> int:
        """Return how many frames a block has, but for the last."""
        return max(1024, min(BLOCK, _BLOCK_SAMPLES // self.channels))

    def tags(self) -> Tags:
        """Return its title, artist and so on."""
        return self.look_into(read_tags)

    def look_into(self, work: Callable[[BinaryIO], Found]) -> Found:
        """Return what some work finds in the bytes of its file."""
        opened = _opened(self.path, self.place, self.known, as_sound=False)
        with opened, opened.raw() as file:
            return work(file)

    @property
    def bitrate(self) -> int | None:
        """Return the kilobits a second of a format that has them to choose."""
        return self.tags().bitrate if self.format in _CHOSEN else None

    def _cut_off(self, at: int, is_counted: bool) -> Failure:
        said = "its frames come to" if is_counted else "its header says"
        says = f"{said} {self.seconds:.2f} s, {at / self.rate:.2f} s could be read"
        what = "damaged" if is_counted else "cut off or damaged"
        return Failure(f"`{self.path}` is {what}: {says}")

    def _not_numbers(self, block: Frames, at: int) -> Failure:
        rows = ~np.isfinite(block).all(axis=1)
        where = (at + int(np.argmax(rows))) / self.rate
        return Failure(
            f"`{self.path}` holds samples that are not finite numbers, the first at {where:.3f} s",
            help="`flowc audio measure` counts them; write the file anew from its source",
        )


@dataclass(frozen=True, slots=True)
class UnwrittenSound(Sound):
    """A sound that lies in no file: `make` begins to make it, each time that it is read. It comes
    in the blocks in which it would come out of a file."""

    make: Callable[[], Iterator[Frames]] = field(kw_only=True)
    written_tags: Tags = field(kw_only=True, compare=False)

    def raw_blocks(self, start: int = 0, end: int | None = None) -> Iterator[Frames]:
        """Yield the frames from `start` to before `end`."""
        end = self.frames if end is None else min(end, self.frames)
        whole: Frames | None = None
        at = count = 0
        for made in self.make():
            block = made[max(start - at, 0) : max(end - at, 0)]
            at += len(made)
            while len(block):
                if whole is None:  # a new one each time, for those that read may keep it
                    whole = np.empty((self._block, self.channels), np.float32)
                some = block[: len(whole) - count]
                whole[count : count + len(some)] = some
                block, count = block[len(some) :], count + len(some)
                if count == len(whole):
                    yield whole
                    whole, count = None, 0
            if at >= end:
                break
        if whole is not None:
            yield whole[:count]

    def tags(self) -> Tags:
        """Return what its file would say."""
        return self.written_tags


def open_sound(path: str, place: str, known: tuple[int, ...] = ()) -> Sound:
    """Return what a file's header says. Raise `Failure`: missing, a folder, not sound, no
    samples, not all of them or others behind them, not the file that is known."""
    opened = _opened(path, place, known)
    with opened as file:
        shape = (file.samplerate, file.channels, file.frames)
        name = _SAME.get(file.format, str(file.format))
        subtype, speakers = str(file.subtype), opened.speakers(name, file.channels)
        sound = Sound(path, place, *shape, name, subtype, known, opened.identity, speakers)
        opened.check(sound.seconds if sound.frames > 0 and sound.rate > 0 else 0.0)
    if sound.frames <= 0:
        raise Failure(f"`{path}` holds no samples")
    if not _LEAST_RATE <= sound.rate <= _MAX_RATE:
        most = f"from {_LEAST_RATE:,} to {_MAX_RATE:,} can be read"
        raise Failure(f"`{path}` says it has {sound.rate:,} samples a second: {most}")
    return sound


class _opened:
    """A file opened by descriptor: a name could be made a link, and a pipe does not hold us."""

    def __init__(
        self, path: str, place: str, known: tuple[int, ...], as_sound: bool = True
    ) -> None:
        self._path, self._place, self._known = path, place, known
        self._as_sound = as_sound
        self._counted: Mp3WithLength | None = None

    def __enter__(self) -> Any:
        try:
            self._number = open_place(self._place, os.O_RDONLY | os.O_NONBLOCK)
        except OSError as error:
            raise cannot(self._path, error) from None
        try:
            info = os.fstat(self._number)
            mode = info.st_mode
            self.identity = (info.st_dev, info.st_ino, info.st_size, info.st_mtime_ns)
            if self._known and self._known != (info.st_dev, info.st_ino):
                raise Failure(f"`{self._path}` became another file while it was read", "refused")
            if stat.S_ISDIR(mode):
                raise Failure(f"`{self._path}` is a folder, not a sound file")
            if not stat.S_ISREG(mode):
                raise Failure(f"`{self._path}` is not a regular file")
            self._file = self._sound() if self._as_sound else None
        except soundfile.LibsndfileError as error:
            os.close(self._number)
            raise _no_sound(self._path, error) from None
        except BaseException:
            os.close(self._number)
            raise
        return self._file

    def _sound(self) -> ForwardFile | DecodedFile:
        if os.pread(self._number, 8, 0)[4:] == MARK:
            return DecodedFile(self._path, self._place, self._number)
        check_readable(self._path, self._number)
        self._counted = with_length(self._number, self._path)
        return ForwardFile(self._counted or self._number, closefd=False)

    def raw(self) -> BinaryIO:
        """Return the bytes of the file, to be closed by the caller."""
        file = os.fdopen(os.dup(self._number), "rb")
        file.seek(0)
        return file

    def check(self, seconds: float) -> None:
        """Raise `Failure` unless the file holds what its header says, and nothing else."""
        check_extent(self._path, self._number, seconds)

    def speakers(self, container: str, channels: int) -> int:
        """Return the speakers that the file names, 0 for none."""
        return speakers_of(self._number, container, channels)

    def order(self, subtype: str, channels: int) -> tuple[int, ...]:
        """Return where in the file each channel is, in the order of wav files; () for that one."""
        return order_of(self._number, subtype, channels)

    @property
    def is_counted(self) -> bool:
        """Tell whether the length is not what the file says, but that of the frames found."""
        return self._counted is not None

    def __exit__(self, *_: object) -> None:
        if self._file is not None:
            self._file.close()
        os.close(self._number)


def cannot(path: str, error: OSError) -> Failure:
    """Return the failure for what the system says of a path."""
    if isinstance(error, FileNotFoundError) and "\ufffd" in path:  # as a listing spells it
        why = f"the name `{path}` is not UTF-8 where it has `\ufffd`"
        return Failure(f"{why}: rename the file, with `mv`")
    if isinstance(error, FileNotFoundError):
        help = "`flowc run batch -i pattern=…` edits each of several files" if "*" in path else ""
        return Failure(f"`{path}` does not exist", help=help)
    return Failure(f"`{path}`: {(error.strerror or str(error)).lower()}")


def _no_sound(path: str, error: soundfile.LibsndfileError) -> Failure:
    why = str(error.error_string).strip().rstrip(".").lower()
    return Failure(
        f"`{path}` cannot be read as sound: {why}",
        help=f"{', '.join(FORMATS[:-1])} and {FORMATS[-1]} files can be read",
    )
