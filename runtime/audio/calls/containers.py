"""CONTAINERS: what each format of a sound file can hold, which libsndfile decides.

Planning, checks of calls and the writing of files look here; a test has libsndfile try all of it.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from flowc.compiler.catalog.audio_effects import BITRATES
from flowc.compiler.catalog.audio_formats import WITH_BITRATE, format_of

from ...errors import Failure
from ...files.programs import find_program


class Rates(NamedTuple):
    """The sample rates that a format can hold: `each`, or all up to `highest`; with `tens` those
    above 65,535 are whole tens."""

    each: tuple[int, ...] = ()
    highest: int = 768_000
    tens: bool = False

    def hold(self, rate: int) -> bool:
        """Tell whether the format can hold a rate."""
        if self.each:
            return rate in self.each
        return rate <= self.highest and not (self.tens and rate > 65_535 and rate % 10)

    def nearest(self, rate: int) -> int:
        """Return the lowest rate that loses nothing of that one, else the highest."""
        above = self.each or (rate, rate + -rate % 10)
        return next((one for one in above if one >= rate and self.hold(one)), self._most)

    @property
    def description(self) -> str:
        """Return all of them in words."""
        if self.each:
            return f"{', '.join(map(str, self.each[:-1]))} or {self.each[-1]} samples a second"
        tens = ", above 65535 whole tens" if self.tens else ""
        return f"at most {self._most} samples a second{tens}"

    @property
    def _most(self) -> int:
        return self.each[-1] if self.each else self.highest


_ALL = Rates()
_PCM = {"PCM_16": _ALL, "PCM_24": _ALL, "PCM_32": _ALL}
_FLAC = Rates(highest=655_350, tens=True)
_OPUS = Rates((8000, 12_000, 16_000, 24_000, 48_000))
_MP3 = Rates((8000, 11_025, 12_000, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000))
_AAC = Rates((8000, 11_025, 12_000, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000, 64_000,
              88_200, 96_000))  # fmt: skip
_MP3_BITS = ((32_000, 32, 320), (16_000, 8, 160), (0, 8, 64))
_AAC_BITS = ((0, 8, 320),)
_OGG_BITS = ((0, 6, 320),)
_AAC_FRAME = 6144, 1024
"""The most bits of a frame of one channel, and its samples (ISO/IEC 14496-3)."""
_USUAL_KBPS = 96
"""Of each channel of an m4a file."""
CODER = "ffmpeg"
"""The program that reads and writes what libsndfile cannot."""
WORDS = {"FLOAT": "32-bit float", "PCM_16": "16 bit", "PCM_24": "24 bit", "PCM_32": "32 bit"}
"""People's words for kinds of samples, where there are any."""


@dataclass(frozen=True, slots=True)
class Container:
    """A format: libsndfile's name of it, how samples may be stored (libsndfile's names, the first
    is usual), how many there can be a second then, and at most how many channels. `bitrates` are
    those to choose from: from a sample rate on, the fewest and the most kilobits a second. With
    `coder` it is ffmpeg that reads and writes it, and libsndfile does not know the name."""

    name: str
    codings: Mapping[str, Rates]
    most_channels: int
    bitrates: tuple[tuple[int, int, int], ...] = ()
    coder: bool = False

    @property
    def subtypes(self) -> tuple[str, ...]:
        """Return how samples may be stored."""
        return tuple(self.codings)

    def why_not(self, subtype: str, rate: int | None, channels: int | None) -> str:
        """Return what of this a file of the format cannot hold, in words that follow "cannot hold";
        "" when it holds all of it. The subtype "" is the usual one; None is unknown, and fits."""
        subtype = subtype or self.subtypes[0]
        if subtype not in self.codings:
            return f"{WORDS.get(subtype, subtype)} samples"
        if channels is not None and channels > self.most_channels:
            return f"{channels} channels"
        if rate is not None and not self.codings[subtype].hold(rate):
            return f"{rate} samples a second"
        return ""


CONTAINERS: dict[str, Container] = {
    "wav": Container("WAV", {"FLOAT": _ALL, **_PCM}, 64),
    "flac": Container("FLAC", {"PCM_24": _FLAC, "PCM_16": _FLAC}, 8),
    "mp3": Container("MP3", {"MPEG_LAYER_III": _MP3}, 2, _MP3_BITS),
    # libvorbis dies of more than 200,000 samples a second.
    "ogg": Container("OGG", {"VORBIS": Rates(highest=200_000), "OPUS": _OPUS}, 64, _OGG_BITS),
    "opus": Container("OGG", {"OPUS": _OPUS}, 64, _OGG_BITS),
    "aiff": Container("AIFF", {"FLOAT": _ALL, **_PCM}, 64),
    "m4a": Container("M4A", {"AAC": _AAC}, 8, _AAC_BITS, coder=True),
}
"""By the format's name, which is the ending of its files."""


def a_file(kind: str) -> str:
    """Return `a wav file`, `an mp3 file`."""
    return f"{'a' if kind in ('wav', 'flac') else 'an'} {kind} file"


def container_of(path: str) -> Container:
    """Return the container that a path's ending says. Raise `Failure` for another one."""
    if kind := format_of(path):
        return CONTAINERS[kind]
    ending = os.path.splitext(path)[1]
    what = f"ends in `{ending}`" if ending else "has no ending"
    kinds = ", ".join(f".{kind}" for kind in CONTAINERS)
    raise Failure(f"`{path}` {what}: the ending says the format", help=f"use one of {kinds}")


def check_fit(path: str, subtype: str, rate: int | None = None, channels: int | None = None) -> str:
    """Return the subtype, or the usual one for "". Raise `Failure` with the remedy when a file of
    that name cannot hold such samples; None is unknown, and fits."""
    container = container_of(path)
    if why := container.why_not(subtype, rate, channels):
        help = remedy(container, subtype, rate, channels)
        raise Failure(f"`{path}` cannot hold {why}", help=help)
    return subtype or container.subtypes[0]


def check_bitrate(path: str, kbps: int | None, rate: int | None, channels: int = 2) -> None:
    """Raise `Failure` when a file of that name cannot have so many kilobits a second."""
    if kbps is None:
        return
    if not container_of(path).bitrates:
        only = f"only {', '.join(WITH_BITRATE[:-1])} and {WITH_BITRATE[-1]} files have one"
        raise Failure(f"`{path}` has no `bitrate_kbps` to choose", help=only)
    _, most = _bounds(path, rate or 48_000, channels)
    if kbps > most:
        fits = max((one for one in BITRATES if one <= most), default=BITRATES[0])
        help = f"ask for {fits}, or CONVERT to 32000 samples a second or more"
        kind = a_file(format_of(path))
        raise Failure(f"{kind} of {rate} samples a second has at most {most} kbit/s", help=help)


def compression_of(path: str, kbps: int, rate: int) -> float:
    """Return the share of compression, 0 to 1, by which libsndfile knows an mp3 file's bitrate."""
    least, most = _bounds(path, rate, 2)
    return min(max((most - kbps) / (most - least), 0.0), 1.0)


def usual_bitrate(path: str, rate: int, channels: int) -> int:
    """Return the kilobits a second of a file for which nobody asked for any."""
    return min(_USUAL_KBPS * channels, _aac_most(rate, channels))


def bitrate_like(kbps: int) -> int:
    """Return the bitrate that keeps what a file had: the nearest, or the next above it."""
    near = min(BITRATES, key=lambda one: abs(one - kbps))
    if abs(near - kbps) <= 0.03 * kbps:
        return near
    return next((one for one in BITRATES if one >= kbps), BITRATES[-1])


def _bounds(path: str, rate: int, channels: int) -> tuple[int, int]:
    container = container_of(path)
    _, least, most = next(row for row in container.bitrates if rate >= row[0])
    return least, min(most, _aac_most(rate, channels)) if container.coder else most


def _aac_most(rate: int, channels: int) -> int:
    bits, samples = _AAC_FRAME
    return bits * rate * channels // samples // 1000


def remedy(container: Container, subtype: str, rate: int | None, channels: int | None) -> str:
    """Return what would fit in place of what a container cannot hold."""
    rates = container.codings.get(subtype or container.subtypes[0])
    if rates is None:
        first = f"its format takes {', '.join(container.subtypes)}"
    elif channels is not None and channels > container.most_channels:
        first = f"CONVERT first; its format takes at most {container.most_channels}"
    else:
        first = f"CONVERT first; its format takes {rates.description}"
    others = holding(subtype, rate, channels)
    return f"{first}; or write {', '.join(others)}" if others else first


def holding(subtype: str, rate: int | None, channels: int | None) -> list[str]:
    """Return the formats that hold this; the subtype "" is the usual one."""
    return [kind for kind, one in CONTAINERS.items() if not one.why_not(subtype, rate, channels)]


def coders_for(paths: Iterable[str]) -> tuple[Path, ...]:
    """Return the programs that files of these names need. Raise `Failure` when one is missing."""
    for path in paths:
        kind = format_of(path)
        if kind and CONTAINERS[kind].coder:
            program = find_program(CODER)
            if program is None:
                what = f"`{path}` is {a_file(kind)}: that needs the program {CODER}"
                help = f"install {CODER}; `flowc doctor` says whether it is found"
                raise Failure(f"{what}, which is not there", help=help)
            return (Path(program),)
    return ()
