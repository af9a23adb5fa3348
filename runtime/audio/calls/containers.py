"""CONTAINERS: what each format of a sound file can hold, which libsndfile decides.

Planning, checks of calls and the writing of files look here; a test has libsndfile try all of it.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from ...errors import Failure


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
WORDS = {"FLOAT": "32-bit float", "PCM_16": "16 bit", "PCM_24": "24 bit", "PCM_32": "32 bit"}
"""People's words for kinds of samples, where there are any."""


@dataclass(frozen=True, slots=True)
class Container:
    """A format: libsndfile's name of it, how samples may be stored (libsndfile's names, the first
    is usual), how many there can be a second then, and at most how many channels."""

    name: str
    codings: Mapping[str, Rates]
    most_channels: int

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
    "mp3": Container("MP3", {"MPEG_LAYER_III": _MP3}, 2),
    # libvorbis dies of more than 200,000 samples a second.
    "ogg": Container("OGG", {"VORBIS": Rates(highest=200_000), "OPUS": _OPUS}, 64),
    "opus": Container("OGG", {"OPUS": _OPUS}, 64),
    "aiff": Container("AIFF", {"FLOAT": _ALL, **_PCM}, 64),
}
"""By the format's name, which is the ending of its files."""
FORMATS = tuple(CONTAINERS)


def format_of(path: str) -> str:
    """Return the format that a path's ending says: `aiff` for `a.AIF`; "" for another ending."""
    ending = os.path.splitext(path)[1].lower().removeprefix(".")
    ending = "aiff" if ending == "aif" else ending
    return ending if ending in CONTAINERS else ""


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
