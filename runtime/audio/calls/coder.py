"""The program ffmpeg, which reads and writes what libsndfile cannot: sound in files of MPEG-4.

It is a process below the one that does a call, in the same sandbox, with fixed arguments: no shell,
no protocol but files and pipes, and a name of a file behind `file:`, which makes it nothing else.
Samples go through a pipe, a block at a time.
"""

from __future__ import annotations

import os
import resource
import struct
import subprocess
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO

import numpy as np
from flowc.compiler.catalog.audio_formats import format_of

from ...errors import Failure
from ..blocks import Frames
from ..headers.speakers import speakers_in_mpeg_4
from ..tags.mp4 import read_track
from .call import Unwritable
from .containers import CODER, coders_for

_QUIET = ("-nostdin", "-hide_banner", "-loglevel", "error")
_SAFE = ("-protocol_whitelist", "file,pipe", "-f", "mov")
_SOUND = ("-map", "0:a:0", "-c:a", "pcm_f32be", "-f", "au", "pipe:1")
_SAME = ("-map_metadata", "-1", "-fflags", "+bitexact", "-flags:a", "+bitexact")
"""Keeps the time of day and the version of the program out of a file."""
_MEMORY = 1024**3
"""Bytes of address space of the program."""
_HEADER = struct.Struct(">4s5I")
_SHORT = 100
"""The part of a second that a decoder may leave out at the end, where lengths are rounded."""
_PATIENCE = 10.0
FULL = {"No space left on device", "Disk quota exceeded", "File too large"}


class DecodedFile:
    """A file of MPEG-4 that is open for reading, as `soundfile.SoundFile` is. `place` is its name,
    `number` the file itself."""

    format = "M4A"

    def __init__(self, path: str, place: str, number: int) -> None:
        if format_of(path) != "m4a":
            raise Failure(f"`{path}` is an m4a file by its content", help="let its name end so")
        with os.fdopen(os.dup(number), "rb") as file:
            track = read_track(file)
        if track is None or not track.seconds:
            raise Failure(f"`{path}` cannot be read as sound: it has none, or is damaged")
        words = (*_QUIET, "-xerror", *_SAFE, "-i", f"file:{place}", *_SOUND)
        program = coders_for([path])[0]
        self._process = _start(program, words, subprocess.DEVNULL, subprocess.PIPE)
        try:
            self.samplerate, self.channels = self._shape(path)
        except BaseException:
            self.close()
            raise
        self.subtype = track.codec
        self.frames = round(track.seconds * self.samplerate)
        self._at = 0

    def seek(self, frame: int) -> None:
        """Go on at a frame further on. All before it is decoded: AAC makes some of the noise by
        chance, which would be another one from there."""
        while self._at < frame and len(self._decode(min(frame - self._at, self.samplerate))):
            continue

    def read(self, frames: int, dtype: str = "float32", always_2d: bool = True) -> Frames:
        """Return the next frames, none behind the end; the last few may be missing in the file."""
        found = self._decode(frames)
        missing = min(frames, self.frames - self._at)
        if not len(found) and 0 < missing <= self.samplerate // _SHORT:
            self._at += missing
            return np.zeros((missing, self.channels), np.float32)
        return found

    def close(self) -> None:
        """End the program."""
        _end(self._process, self._process.stdout)

    def _decode(self, frames: int) -> Frames:
        assert self._process.stdout is not None
        data = self._process.stdout.read(frames * self.channels * 4)
        whole = len(data) // (self.channels * 4)
        self._at += whole
        samples = np.frombuffer(data, ">f4", whole * self.channels).astype(np.float32)
        return samples.reshape(whole, self.channels)

    def _shape(self, path: str) -> tuple[int, int]:
        """Return samples a second and channels, which the program says first."""
        assert self._process.stdout is not None
        head = self._process.stdout.read(_HEADER.size)
        if len(head) < _HEADER.size:
            raise Failure(f"`{path}` cannot be read as sound: {CODER} does not decode it")
        _, begin, _, _, rate, channels = _HEADER.unpack(head)
        self._process.stdout.read(begin - _HEADER.size)
        return int(rate), int(channels)


class EncodedFile:
    """A file of MPEG-4 that is written, as `soundfile.SoundFile` writes: the existing file `place`
    with so many kilobits a second, its channels for `speakers` where it can have those."""

    def __init__(
        self, path: str, place: str, rate: int, channels: int, kbps: int, speakers: int = 0
    ) -> None:
        self._path = path
        self._closed = False
        self._failure: Failure | None = None
        layout = speakers_in_mpeg_4(speakers, channels)
        # What the program takes so many channels for differs from what wav files have them for.
        places = ("-channel_layout", f"0x{layout:X}") if layout else ()
        sound = ("-f", "f32le", "-ar", str(rate), "-ac", str(channels), *places, "-i", "pipe:0")
        coded = ("-c:a", "aac", "-b:a", f"{kbps}k", "-threads", "1")
        # Without -xerror it ends with 0 on a disk that is full.
        words = (*_QUIET, "-xerror", "-y", *sound, *coded, *_SAME, "-f", "ipod", f"file:{place}")
        program = coders_for([path])[0]
        self._process = _start(program, words, subprocess.PIPE, subprocess.DEVNULL)

    def write(self, block: Frames) -> None:
        """Write a block. Raise `Failure` when the program has given up."""
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(np.ascontiguousarray(block, "<f4").data)
        except BrokenPipeError:
            self.close()

    def close(self) -> None:
        """Finish the file. Raise `Failure` when that cannot be, and the same when called again."""
        if not self._closed:
            self._closed, self._failure = True, self._finish()
        if self._failure is not None:
            raise self._failure

    def _finish(self) -> Failure | None:
        assert self._process.stdin is not None
        assert self._process.stderr is not None
        with suppress(BrokenPipeError):
            self._process.stdin.close()
        said = self._process.stderr.read().decode("utf-8", "replace").strip()
        code = self._process.wait()
        if full := next((why for why in FULL if why in said), ""):
            return Unwritable(f"`{self._path}`: {full.lower()}")
        if code == 0:
            return None
        lines = said.splitlines() or ["it said nothing"]
        return Failure(f"`{self._path}` cannot be written: {CODER}: {lines[-1]}")


def _start(program: Path, words: Sequence[str], stdin: int, stdout: int) -> subprocess.Popen[bytes]:
    errors = subprocess.PIPE if stdin == subprocess.PIPE else subprocess.DEVNULL
    try:
        return subprocess.Popen(
            (str(program), *words),
            stdin=stdin,
            stdout=stdout,
            stderr=errors,
            env={"LC_ALL": "C"},
            restore_signals=False,  # a pipe or a file that takes no more is an error, not an end
            preexec_fn=_limit,
        )
    except (OSError, subprocess.SubprocessError) as error:
        raise Failure(f"{CODER} cannot be started: {error}") from None


def _limit() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))


def _end(process: subprocess.Popen[bytes], pipe: IO[bytes] | None) -> None:
    """Close a pipe, by which a program sees that it is done, and wait for its end."""
    if pipe is not None:
        with suppress(BrokenPipeError):
            pipe.close()
    try:
        process.wait(_PATIENCE)
    except subprocess.TimeoutExpired:
        with suppress(PermissionError):  # in the sandbox it ends with this process
            process.kill()
