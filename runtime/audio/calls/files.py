"""Sound files: opened, read in blocks and written, each with a clear word when it cannot be.

A block is float32 of shape (frames, channels), full scale 1.0, at most `BLOCK` frames.
"""

from __future__ import annotations

import os
import stat
import struct
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import soundfile

from ...errors import Failure
from ..blocks import Frames
from .call import Unwritable
from .containers import Container, check_fit, container_of

BLOCK = 65_536
"""Frames; with many channels fewer, so that a block stays near a few megabytes."""
_BLOCK_SAMPLES = 8 * BLOCK
_RIFF_LIMIT = 4_000_000_000
_LEAST_RATE, _MAX_RATE = 1000, 768_000
"""Samples a second: a header with fewer makes hours of a few bytes."""
_MP3_UNREAD = 65_536
"""Bytes after the last frame that may be tags."""
_SERIAL = 1
_MIRROR = bytes(int(f"{byte:08b}"[::-1], 2) for byte in range(256))


@dataclass(frozen=True, slots=True)
class Sound:
    """A file that can be read as sound. `path` is as the person wrote it, `place` where it is;
    `known` is the device and the number that the file has to have, where they are known."""

    path: str
    place: str
    rate: int
    channels: int
    frames: int
    format: str
    subtype: str
    known: tuple[int, ...] = ()

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
        size = max(1024, min(BLOCK, _BLOCK_SAMPLES // self.channels))
        opened = _opened(self.path, self.place, self.known)
        with opened as file:
            at = start
            try:
                if start:
                    file.seek(start)
                while at < end:
                    block: Frames = file.read(min(size, end - at), dtype="float32", always_2d=True)
                    if not len(block):
                        raise self._cut_off(at)
                    yield block
                    at += len(block)
                if at == self.frames and self.format == "MP3" and opened.unread() > _MP3_UNREAD:
                    raise self._longer()
            except soundfile.LibsndfileError:
                raise self._cut_off(at) from None

    def _longer(self) -> Failure:
        """Return the failure of a file that goes on. libsndfile estimates the length of an mp3 file
        whose frames differ in size and whose header does not say how many there are, and stops
        there."""
        return Failure(
            f"`{self.path}` goes on after {self.seconds:.2f} s, but does not say how long it is",
            help="write it anew with another program, best as wav or flac",
        )

    def _cut_off(self, at: int) -> Failure:
        says = f"its header says {self.seconds:.2f} s, {at / self.rate:.2f} s could be read"
        return Failure(f"`{self.path}` is cut off or damaged: {says}")

    def _not_numbers(self, block: Frames, at: int) -> Failure:
        rows = ~np.isfinite(block).all(axis=1)
        where = (at + int(np.argmax(rows))) / self.rate
        return Failure(
            f"`{self.path}` holds samples that are not finite numbers, the first at {where:.3f} s",
            help="`flowc audio measure` counts them; write the file anew from its source",
        )


def open_sound(path: str, place: str, known: tuple[int, ...] = ()) -> Sound:
    """Return what a file's header says. Raise `Failure`: missing, a folder, not sound, no
    samples, not the file that is known."""
    with _opened(path, place, known) as file:
        shape = (file.samplerate, file.channels, file.frames)
        sound = Sound(path, place, *shape, str(file.format), str(file.subtype), known)
    if sound.frames <= 0:
        raise Failure(f"`{path}` holds no samples")
    if not _LEAST_RATE <= sound.rate <= _MAX_RATE:
        most = f"from {_LEAST_RATE:,} to {_MAX_RATE:,} can be read"
        raise Failure(f"`{path}` says it has {sound.rate:,} samples a second: {most}")
    return sound


class _opened:
    """A file opened by descriptor: a name could be made a link, and a pipe does not hold us."""

    def __init__(self, path: str, place: str, known: tuple[int, ...]) -> None:
        self._path, self._place, self._known = path, place, known

    def __enter__(self) -> Any:
        try:
            self._number = os.open(self._place, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        except OSError as error:
            raise cannot(self._path, error) from None
        try:
            info = os.fstat(self._number)
            mode = info.st_mode
            if self._known and self._known != (info.st_dev, info.st_ino):
                raise Failure(f"`{self._path}` became another file while it was read", "refused")
            if stat.S_ISDIR(mode):
                raise Failure(f"`{self._path}` is a folder, not a sound file")
            if not stat.S_ISREG(mode):
                raise Failure(f"`{self._path}` is not a regular file")
            self._file = soundfile.SoundFile(self._number, closefd=False)
        except soundfile.LibsndfileError as error:
            os.close(self._number)
            raise _no_sound(self._path, error) from None
        except BaseException:
            os.close(self._number)
            raise
        return self._file

    def unread(self) -> int:
        """Return how many bytes libsndfile has not looked at."""
        return os.fstat(self._number).st_size - os.lseek(self._number, 0, os.SEEK_CUR)

    def __exit__(self, *_: object) -> None:
        self._file.close()
        os.close(self._number)


def cannot(path: str, error: OSError) -> Failure:
    """Return the failure for what the system says of a path."""
    if isinstance(error, FileNotFoundError):
        return Failure(f"`{path}` does not exist")
    return Failure(f"`{path}`: {(error.strerror or str(error)).lower()}")


def _no_sound(path: str, error: soundfile.LibsndfileError) -> Failure:
    why = str(error.error_string).strip().rstrip(".").lower()
    return Failure(
        f"`{path}` cannot be read as sound: {why}",
        help="wav, flac, ogg, opus, mp3 and aiff files can be read",
    )


@dataclass(slots=True)
class WrittenFile:
    """A file that was written: seconds are `frames / rate`, `peak` the highest sample before
    rounding, `clipped` how many samples lay above full scale and were cut there."""

    path: str
    rate: int
    channels: int
    format: str
    subtype: str
    frames: int = 0
    peak: float = 0.0
    clipped: int = 0


def write_sound(
    path: str, place: str, rate: int, channels: int, blocks: Iterable[Frames], subtype: str = ""
) -> WrittenFile:
    """Write blocks into the file at `place`, which exists and is empty, in the container that
    `path` names. Raise `Failure`: a container that cannot hold this, a full disk."""
    container = container_of(path)
    subtype = check_fit(path, subtype, rate, channels)
    done = WrittenFile(path, rate, channels, container.name, subtype)
    disk = _Disk(place)
    try:
        _write_all(disk, container, done, blocks)
    except soundfile.LibsndfileError as error:
        why = str(error.error_string).strip().rstrip(".").lower()
        raise disk.failure(path) or Failure(f"`{path}` cannot be written: {why}") from None
    except AssertionError:
        # soundfile asserts that everything was taken; the disk knows why it was not.
        if failure := disk.failure(path):
            raise failure from None
        raise
    finally:
        disk.close()
    if failure := disk.failure(path):
        raise failure
    if not done.frames:
        raise Failure(f"nothing is left to write into `{path}`")
    _strip_chance(place)
    return done


def _write_all(
    disk: _Disk, container: Container, done: WrittenFile, blocks: Iterable[Frames]
) -> None:
    whole_numbers = done.subtype != "FLOAT"
    file: Any = None
    try:
        for block in blocks:
            if file is None:
                # Only what is really there makes a header: an input that fails leaves none.
                file = soundfile.SoundFile(
                    disk, "w", done.rate, done.channels, done.subtype, format=container.name
                )
            if not len(block):
                continue
            peak = float(np.abs(block).max())
            if not np.isfinite(peak):
                raise Failure(f"samples of `{done.path}` would grow beyond all numbers")
            done.peak = max(done.peak, peak)
            if whole_numbers and peak > 1.0:
                done.clipped += int((np.abs(block) > 1.0).sum())
            if container.name == "WAV" and disk.size > _RIFF_LIMIT:
                raise Failure(f"`{done.path}` would be larger than a wav file can be (4 GB)")
            file.write(_quantize(block, done.subtype))
            done.frames += len(block)
            if disk.error is not None:
                return
    finally:
        if file is not None:
            file.close()


def _quantize(block: Frames, subtype: str) -> Any:
    """Return samples rounded to the nearest step of the file. libsndfile would cut towards minus
    infinity, so that 16 bits would not come back as they were."""
    bits = {"PCM_16": 16, "PCM_24": 24, "PCM_32": 32}.get(subtype)
    if bits is None:
        return block
    top = 2.0 ** (bits - 1)
    steps = np.clip(np.rint(block.astype(np.float64) * top), -top, top - 1)
    if bits == 16:
        return steps.astype(np.int16)
    return (steps * 2.0 ** (32 - bits)).astype(np.int32)


class _Disk:
    """A file for libsndfile that remembers what went wrong, which libsndfile does not say."""

    def __init__(self, place: str) -> None:
        self._number = os.open(place, os.O_RDWR | os.O_TRUNC | os.O_CLOEXEC)
        self.error: OSError | None = None
        self.size = 0

    def write(self, data: Any) -> int:
        """Write all of it, or as much as the disk takes."""
        view, done = memoryview(bytes(data)), 0
        while done < len(view) and self.error is None:
            try:
                done += os.write(self._number, view[done:])
            except OSError as error:
                self.error = error
        self.size += done
        return done

    def read(self, size: int) -> bytes:
        """Read what stands there; libsndfile reads headers again."""
        return os.read(self._number, size)

    def seek(self, offset: int, whence: int = 0) -> int:
        """Move as files do."""
        return os.lseek(self._number, offset, whence)

    def tell(self) -> int:
        """Return the position as files do."""
        return os.lseek(self._number, 0, os.SEEK_CUR)

    def flush(self) -> None:
        """Do nothing: nothing is buffered."""

    def failure(self, path: str) -> Failure | None:
        """Return the failure of the disk, if there was one."""
        if self.error is None:
            return None
        reason = cannot(path, self.error)
        return Unwritable(reason.message, help=reason.help)

    def close(self) -> None:
        """Bring the file to the disk."""
        try:
            os.fsync(self._number)
        except OSError as error:
            self.error = self.error or error
        os.close(self._number)


def _strip_chance(place: str) -> None:
    """Take out what libsndfile writes of clock and chance: the same sound makes the same file.
    Float files carry the time of writing beside their peaks, ogg streams a serial number."""
    with open(place, "r+b") as file:
        head = file.read(12)
        if head[:4] in (b"RIFF", b"FORM"):
            _strip_peak_time(file.fileno(), "<" if head[:4] == b"RIFF" else ">")
        elif head[:4] == b"OggS":
            _strip_ogg_serial(file.fileno())


def _strip_peak_time(number: int, order: str) -> None:
    at = 12
    while len(header := os.pread(number, 8, at)) == 8:
        name, size = header[:4], struct.unpack(f"{order}I", header[4:])[0]
        if name == b"PEAK":
            os.pwrite(number, b"\0\0\0\0", at + 12)
        at += 8 + size + size % 2


def _strip_ogg_serial(number: int) -> None:
    at = 0
    while len(header := os.pread(number, 27, at)) == 27 and header[:4] == b"OggS":
        sizes = os.pread(number, header[26], at + 27)
        page = bytearray(os.pread(number, 27 + len(sizes) + sum(sizes), at))
        page[14:18] = struct.pack("<I", _SERIAL)
        page[22:26] = bytes(4)
        page[22:26] = struct.pack("<I", _checksum(bytes(page)))
        os.pwrite(number, bytes(page), at)
        at += len(page)


def _checksum(page: bytes) -> int:
    """Return Ogg's CRC: that of zlib with every bit mirrored and nothing inverted."""
    mirrored = zlib.crc32(page.translate(_MIRROR), 0xFFFFFFFF) ^ 0xFFFFFFFF
    return int(f"{mirrored:032b}"[::-1], 2)
