"""What is known of sounds that were read in this process, so that none is read for it again.

A sound is known by its `identity`, which tells its samples from all others. A `Tap` gathers facts
of one while it goes by on its way to something else.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from math import inf
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ..ahead import ahead, beside
from ..blocks import Frames, Samples
from .filters import Cascade, Sections
from .levels import LevelMeter, Spectrum, SpectrumMeter

if TYPE_CHECKING:
    from ..calls.files import Sound

SECONDS, STEPS = 0.01, 40
"""Of a course of levels: the length of a frame, and how many steps of a quarter of a millisecond it
has."""
_LONG_S = 45.0
"""From here on a sound has enough windows for a spectrum that do not overlap."""
_MOST = 8
_PIECE = 16_384
"""Frames that are looked at together, which bounds the memory."""
Identity = tuple[object, ...]


class Steps(NamedTuple):
    """Some frames of a sound: the level of each (dBFS, all channels), and peak and effective value
    of each step (the highest channel)."""

    levels: Samples
    peaks: Samples
    means: Samples


Law = Callable[[Steps], Samples]
"""Gives the gain in dB of each step, of one part of a sound after the other."""
LawName = tuple[float | str, ...]


class SpectrumName(NamedTuple):
    """Which mean spectrum: its resolution in Hz, the filter that the sound goes through before, and
    the level at which a file cuts what comes out of that."""

    resolution: float
    sections: Sections = ()
    ceiling: float = inf


@dataclass(slots=True)
class Facts:
    """What is known of a sound: levels of 20 ms, the course of its level, dBFS of every 10 ms, the
    gains that laws ask for there, and mean spectra."""

    levels: LevelMeter | None = None
    course: Samples | None = None
    gains: dict[LawName, Samples] = field(default_factory=dict)
    spectra: dict[SpectrumName, Spectrum] = field(default_factory=dict)


@dataclass(slots=True)
class Needs:
    """Which facts are wanted: a course, the gains of laws, spectra."""

    course: bool = False
    laws: dict[LawName, Callable[[], Law]] = field(default_factory=dict)
    spectra: set[SpectrumName] = field(default_factory=set)

    def __bool__(self) -> bool:
        return self.course or bool(self.laws or self.spectra)

    def add(self, other: Needs) -> None:
        """Want what another does as well."""
        self.course |= other.course
        self.laws |= other.laws
        self.spectra |= other.spectra

    def without(self, facts: Facts) -> Needs:
        """Return what is not known yet."""
        laws = {name: law for name, law in self.laws.items() if name not in facts.gains}
        course = self.course and facts.course is None
        return Needs(course, laws, self.spectra - facts.spectra.keys())


_kept: dict[Identity, Facts] = {}


def facts_of(sound: Sound) -> Facts:
    """Return what is known of a sound, to be read and added to."""
    return _facts_by(sound.identity) if sound.identity else Facts()


def keep(identity: Identity, facts: Facts | None) -> None:
    """Keep what was found of the sound of that identity, if anything was."""
    if not identity or facts is None:
        return
    # A file gets the number of one that is gone, and may be as large as that.
    for old in [one for one in _kept if one[:2] == identity[:2] and one != identity]:
        if isinstance(old[0], int):
            del _kept[old]
    known = _facts_by(identity)
    known.course = facts.course if known.course is None else known.course
    known.gains |= facts.gains
    known.spectra |= facts.spectra


def _facts_by(identity: Identity) -> Facts:
    facts = _kept[identity] = _kept.pop(identity, Facts())
    while len(_kept) > _MOST:
        del _kept[next(iter(_kept))]
    return facts


def levels_of(sound: Sound) -> LevelMeter:
    """Return the levels of a whole sound. Raise `Failure` for samples that are not numbers."""
    facts = facts_of(sound)
    if facts.levels is None:
        levels = LevelMeter(sound.rate, sound.channels)
        for block in ahead(sound.blocks()):
            levels.feed(block)
        facts.levels = levels
    return facts.levels


def look_for(needs: Needs, sound: Sound, facts: Facts) -> None:
    """Add what is wanted of a sound to what is known of it, in one pass."""
    tap = Tap(needs, sound.rate, sound.channels, sound.seconds)
    for block in ahead(sound.blocks()):
        tap.feed(block)
    tap.add_to(facts)


class Tap:
    """Gathers facts of blocks of shape (frames, channels) of a sound of about `seconds`."""

    def __init__(self, needs: Needs, rate: int, channels: int, seconds: float) -> None:
        self._rate, self._frames = rate, 0
        self._is_whole = False
        self._overlaps = seconds < _LONG_S
        self._course = (
            _CourseMeter(rate, channels, seconds, needs) if needs.course or needs.laws else None
        )
        self._spectra = {
            name: _SpectrumBehind(name, rate, channels, self._overlaps) for name in needs.spectra
        }

    def feed(self, block: Frames) -> None:
        """Take more frames."""
        self._frames += len(block)
        if self._course is not None:
            self._course.feed(block)
        for meter in self._spectra.values():
            meter.feed(block)

    def over(self, blocks: Iterable[Frames]) -> Iterator[Frames]:
        """Yield the blocks, which are taken beside."""
        with beside(self.feed) as take:
            for block in blocks:
                take(block)
                yield block
        self._is_whole = True

    def facts(self) -> Facts | None:
        """Return what was found; None unless all of the sound went by."""
        if not self._is_whole or not self._frames:
            return None
        self.add_to(facts := Facts())
        return facts

    def add_to(self, facts: Facts) -> None:
        """Add what was found to what is known."""
        if self._course is not None:
            facts.course, gains = self._course.end()
            facts.gains |= gains
        if (self._frames / self._rate < _LONG_S) == self._overlaps:
            facts.spectra |= {name: meter.end() for name, meter in self._spectra.items()}


class _SpectrumBehind:
    """Finds the mean spectrum of what goes by, behind a filter."""

    def __init__(self, name: SpectrumName, rate: int, channels: int, overlaps: bool) -> None:
        self._meter = SpectrumMeter(rate, channels, False, name.resolution, overlaps)
        self._filter = Cascade(name.sections, channels) if name.sections else None
        self._ceiling = name.ceiling

    def feed(self, block: Frames) -> None:
        if self._filter is None:
            self._meter.feed(block)
            return
        for at in range(0, len(block), _PIECE):
            rows = np.array(block[at : at + _PIECE].T, np.float64, order="C")
            self._take(self._filter.feed(rows))

    def end(self) -> Spectrum:
        if self._filter is not None:
            self._take(self._filter.end())
        return self._meter.end()

    def _take(self, rows: Samples) -> None:
        held = np.clip(rows, -self._ceiling, self._ceiling)
        self._meter.feed(held.T.astype(np.float32))


class _Row:
    """Values that come in pieces, with room from the start for as many as are expected: thousands
    of small arrays, or one that grows, would lie between the large ones and keep their place."""

    def __init__(self, expected: int) -> None:
        self._values = np.empty(expected)
        self._count = 0

    def add(self, values: Samples) -> None:
        """Take more of them."""
        end = self._count + len(values)
        if end > len(self._values):
            self._values = np.concatenate((self._values, np.empty(end)))
        self._values[self._count : end] = values
        self._count = end

    def values(self) -> Samples:
        """Return all of them."""
        return self._values[: self._count]


class _CourseMeter:
    """Finds the course of the level, and the gains that laws ask for, weighted by power."""

    def __init__(self, rate: int, channels: int, seconds: float, needs: Needs) -> None:
        self._frame = max(round(rate * SECONDS), STEPS)
        self._rest = np.zeros((0, channels), np.float32)
        self._laws = {name: law() for name, law in needs.laws.items()}
        frames = int(seconds / SECONDS) + 2
        self._gains = {name: _Row(frames) for name in self._laws}
        self._levels = _Row(frames)

    def feed(self, block: Frames) -> None:
        for at in range(0, len(block), _PIECE):
            self._feed(block[at : at + _PIECE])

    def _feed(self, piece: Frames) -> None:
        rest = np.concatenate((self._rest, piece)) if len(self._rest) else piece
        whole = len(rest) // self._frame * self._frame
        if whole:
            rows = rest[:whole].reshape(whole // self._frame, self._frame, -1)
            self._take(rows.astype(np.float64))
        self._rest = rest[whole:].copy()

    def end(self) -> tuple[Samples, dict[LawName, Samples]]:
        """Return both. The last frame may be of fewer samples, which then stand for all of it."""
        if len(self._rest):
            short = self._frame - len(self._rest)
            self._take(np.pad(self._rest, ((0, short), (0, 0)), mode="edge")[None].astype(float))
        gains = {name: row.values() for name, row in self._gains.items()}
        return self._levels.values(), gains

    def _take(self, rows: Samples) -> None:
        """Take frames of shape (frames, samples, channels)."""
        means = np.einsum("fsc,fsc->f", rows, rows) / max(rows[0].size, 1)
        levels = np.asarray(10 * np.log10(np.maximum(means, 1e-20)))
        self._levels.add(levels)
        if not self._laws:
            return
        part = _steps_of(rows, levels)
        power = part.peaks**2 + 1e-20
        sums = power.reshape(-1, STEPS).sum(axis=1)
        for name, law in self._laws.items():
            weighted = (power * 10 ** (law(part) / 10)).reshape(-1, STEPS).sum(axis=1)
            self._gains[name].add(10 * np.log10(weighted / sums))


def _steps_of(rows: Samples, levels: Samples) -> Steps:
    fine = rows.shape[1] // STEPS
    high = np.abs(rows[:, :, 0])
    for channel in range(1, rows.shape[2]):
        np.maximum(high, np.abs(rows[:, :, channel]), out=high)
    steps = high[:, : fine * STEPS].reshape(len(rows) * STEPS, fine)
    means = np.sqrt(np.einsum("sf,sf->s", steps, steps) / fine)
    return Steps(levels, steps.max(axis=1), means)
