"""Sound files as they are written: whole, with their tags, the same bytes for the same sound."""

from __future__ import annotations

import os
import struct
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import soundfile

from ...errors import Failure
from ..blocks import Frames
from ..door import open_place
from ..headers.speakers import inverse_of, order_in, write_speakers
from ..tags.comments import number_pages
from ..tags.tags import Tags, add_blocks, set_fields
from .call import Unwritable
from .coder import EncodedFile
from .compression import coding_of, level_gain
from .containers import Container, check_fit, container_of, usual_bitrate
from .files import cannot
from .mp3_frames import say_length
from .word_length import Rounding

RIFF_LIMIT = 4_000_000_000
"""Bytes of a wav or aiff file, whose header has 32 bits for them."""
_BOUNDED = ("WAV", "AIFF")
"""Containers whose headers have 32 bits for the size."""
_BYTES = {"PCM_16": 2, "PCM_24": 3}
_PLAIN = 2
"""Channels, of which nobody asks what they are for."""
NO_TAGS = Tags()
_SERIAL = struct.pack("<I", 1)


@dataclass(slots=True)
class WrittenFile:
    """A file that was written: seconds are `frames / rate`, `peak` the highest sample before
    rounding, `above` how many samples lay above full scale in a format of whole numbers, which cuts
    them there, or a lossy one."""

    path: str
    rate: int
    channels: int
    format: str
    subtype: str
    frames: int = 0
    peak: float = 0.0
    above: int = 0


@dataclass(frozen=True, slots=True)
class FileShape:
    """The shape of a file to write: samples a second, channels, how samples are stored ("" for the
    usual way), whether they are rounded with noise, about how many frames there will be, its
    kilobits a second where the format has them to choose, 0 for the usual, and the speakers that
    its channels are for, as the bits of wav files, 0 for unknown."""

    rate: int
    channels: int
    subtype: str = ""
    dither: bool = True
    frames: int = 0
    bitrate: int = 0
    speakers: int = 0


def check_size(path: str, shape: FileShape, limit: int = RIFF_LIMIT) -> None:
    """Raise `Failure` where `shape.frames` are too many for a file of that name: one of aiff holds
    at most `limit` bytes. Wav files become RF64."""
    name = container_of(path).name
    subtype = check_fit(path, shape.subtype, shape.rate, shape.channels)
    if name == "AIFF" and shape.frames * shape.channels * _BYTES.get(subtype, 4) > limit:
        raise _too_large(path, name)


def _too_large(path: str, container: str) -> Failure:
    kind = "an aiff" if container == "AIFF" else "a wav"
    help = "write a wav or flac file, or fewer bits or channels" if container == "AIFF" else ""
    return Failure(f"`{path}` would be larger than {kind} file can be (4 GB)", help=help)


def write_sound(
    path: str,
    place: str,
    shape: FileShape,
    blocks: Iterable[Frames],
    tags: Tags = NO_TAGS,
    riff_limit: int = RIFF_LIMIT,
) -> WrittenFile:
    """Write blocks into the file at `place`, which exists and is empty, in the container that
    `path` names. A wav file that gets larger than `riff_limit` bytes is one of RF64. Raise
    `Failure`: a container that cannot hold this, as an aiff file more than that; a full disk."""
    container = container_of(path)
    subtype = check_fit(path, shape.subtype, shape.rate, shape.channels)
    done = WrittenFile(path, shape.rate, shape.channels, container.name, subtype)
    disk = _Disk(place)
    large = shape.frames * shape.channels * _BYTES.get(subtype, 4) > riff_limit
    writer = _Writer(disk, container, done, tags, Rounding(subtype, shape.dither))
    writer.bitrate, writer.speakers = shape.bitrate, shape.speakers
    writer.limit = 0 if large and container.name == "WAV" else riff_limit
    try:
        writer.write(blocks)
    except soundfile.LibsndfileError as error:
        raise disk.failure(path) or coder_failure(done, shape.bitrate, error) from None
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
    try:
        if container.name == "MP3":
            say_length(place, done.frames)
        add_blocks(place, container.name, tags)
        write_speakers(place, container.name, shape.channels, shape.speakers)
        _strip_chance(place)
    except OSError as error:
        reason = cannot(path, error)
        raise Unwritable(reason.message, help=reason.help) from None
    return done


def coder_failure(done: WrittenFile, kbps: int, error: soundfile.LibsndfileError) -> Failure:
    """Return the failure of a coder. Of those of other libraries libsndfile has no words."""
    why = str(error.error_string).strip().strip("().").lower()
    if "garbled" in why or "bug in libsndfile" in why:
        why = "its coder refuses this shape of sound"
    channels = f"{done.channels} channel{'s' * (done.channels != 1)}"
    bits = f" of {kbps} kbit/s" if kbps else ""
    return Failure(
        f"`{done.path}` cannot be written: {why} ({done.rate} samples a second, {channels}{bits})",
        help="CONVERT the sample rate or the channels, or ask for another bitrate or format",
    )


@dataclass(slots=True)
class _Writer:
    """Writes blocks into a file. `limit` is how many bytes a wav file may have; 0 makes it RF64.
    `bitrate` is that of a format which has one to choose; 0 is the usual one. `speakers` are those
    of `FileShape`."""

    disk: _Disk
    container: Container
    done: WrittenFile
    tags: Tags
    rounding: Rounding
    limit: int = RIFF_LIMIT
    bitrate: int = 0
    speakers: int = 0

    def write(self, blocks: Iterable[Frames]) -> None:
        """Write all of them, as far as the disk takes them."""
        file: soundfile.SoundFile | EncodedFile | None = None
        try:
            for block in blocks:
                if file is None:
                    # Only what is really there makes a header: an input that fails leaves none.
                    file = self._begin()
                if len(block):
                    self._add(file, block)
                if self.disk.error is not None:
                    return
        finally:
            if file is not None:
                file.close()

    def _begin(self) -> soundfile.SoundFile | EncodedFile:
        done, name = self.done, self.container.name if self.limit else "RF64"
        if name == "WAV" and self.speakers and done.channels > _PLAIN:
            name = "WAVEX"  # the only kind of wav file that names speakers
        shape = done.rate, done.channels
        if self.container.coder:
            kbps = self.bitrate or usual_bitrate(done.path, *shape)
            return EncodedFile(done.path, self.disk.place, *shape, kbps, self.speakers)
        coding: dict[str, object] = {}
        if self.bitrate and self.container.bitrates:
            coding = coding_of(done.path, self.bitrate, *shape, done.subtype)
        file = soundfile.SoundFile(self.disk, "w", *shape, done.subtype, format=name, **coding)
        set_fields(file, self.container.name, self.tags)
        return file

    def _add(self, file: soundfile.SoundFile | EncodedFile, block: Frames) -> None:
        done = self.done
        peak = float(np.abs(block).max())
        if not np.isfinite(peak):
            raise Failure(f"samples of `{done.path}` would grow beyond all numbers")
        done.peak = max(done.peak, peak)
        if done.subtype != "FLOAT" and peak > 1.0:
            done.above += int((np.abs(block) > 1.0).sum())
        if self.container.name in _BOUNDED and self.limit and self.disk.size > self.limit:
            raise _too_large(done.path, self.container.name)
        if order := inverse_of(order_in(done.subtype, done.channels)):
            block = block[:, order]
        gain = level_gain(done.subtype, self.bitrate)
        file.write(self.rounding.apply(block) if gain == 1.0 else block * np.float32(gain))
        done.frames += len(block)


class _Disk:
    """A file for libsndfile that remembers what went wrong, which libsndfile does not say."""

    def __init__(self, place: str) -> None:
        self.place = place
        self._number = open_place(place, os.O_RDWR | os.O_TRUNC)
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
    Float files carry the time of writing beside their peaks, ogg streams a serial number; pages of
    these are numbered and summed up anew."""
    with open(place, "r+b", opener=open_place) as file:
        head = file.read(12)
        if head[:4] in (b"RIFF", b"RF64", b"FORM"):
            _strip_peak_time(file.fileno(), ">" if head[:4] == b"FORM" else "<")
        elif head[:4] == b"OggS":
            number_pages(file.fileno(), _SERIAL)


def _strip_peak_time(number: int, order: str) -> None:
    at = 12
    while len(header := os.pread(number, 8, at)) == 8:
        name, size = header[:4], struct.unpack(f"{order}I", header[4:])[0]
        if name == b"PEAK":
            os.pwrite(number, b"\0\0\0\0", at + 12)
        at += 8 + size + size % 2
