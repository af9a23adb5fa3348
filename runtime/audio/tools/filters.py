"""Butterworth filters and bands of an equaliser, in float64: in float32 a filter of 40 Hz is off by
as much as -70 dB."""

from __future__ import annotations

from itertools import chain

import numpy as np
from flowc.compiler.catalog.audio_model import BAND_TYPES

from ...errors import Failure
from ..blocks import Frames, Samples
from ..calls.files import Sound
from ..meters.filters import Cascade, Sections, band, butterworth
from .job import Chain, Job

_NYQUIST = 0.49
"""Of the sample rate: as far as filters go."""
_PIECE = 16_384
"""Frames that are filtered together, whatever the blocks: so the last bit is always the same."""


class Filter:
    """A stage that sends all channels through sections."""

    def __init__(self, sections: Sections, channels: int) -> None:
        self._sections = Cascade(sections, channels)
        self._wait = np.zeros((0, channels), np.float32)

    def feed(self, block: Frames) -> Frames:
        """Return what is ready: whole pieces."""
        wait = np.concatenate((self._wait, block)) if len(self._wait) else block
        whole = len(wait) // _PIECE * _PIECE
        done = np.empty((whole, wait.shape[1]), np.float32)
        for at in range(0, whole, _PIECE):
            done[at : at + _PIECE] = self._filter(wait[at : at + _PIECE])
        self._wait = wait[whole:].copy()
        return done

    def end(self) -> Frames:
        """Return the rest."""
        rest = np.concatenate((self._filter(self._wait), self._sections.end().T))
        return np.asarray(rest, np.float32)

    def _filter(self, piece: Frames) -> Samples:
        return self._sections.feed(np.array(piece.T, np.float64, order="C")).T


def highpass(job: Job) -> Chain:
    """Apply a Butterworth filter, -3 dB at the cutoff."""
    return _filter(job, cutoff_hz=False)


def lowpass(job: Job) -> Chain:
    """Apply a Butterworth filter, -3 dB at the cutoff."""
    return _filter(job, cutoff_hz=True)


def bandpass(job: Job) -> Chain:
    """Apply two Butterworth filters, each -3 dB at its cutoff."""
    return _filter(job, low_hz=False, high_hz=True)


def _filter(job: Job, **low: bool) -> Chain:
    """Return a filter for each parameter that is a cutoff: a low-pass, or a high-pass."""
    sound, values = job.input, job.values
    _check_nyquist(sound, **{name: values[name] for name in low})
    rate, slope = sound.rate, values["slope"]
    designs = (butterworth(values[name], slope, rate, low=is_low) for name, is_low in low.items())
    return Chain([Filter(tuple(chain.from_iterable(designs)), sound.channels)])


def eq(job: Job) -> Chain:
    """Apply peaks and shelves, one after the other."""
    sound, bands = job.input, job.values["bands"]
    for one in bands:
        _check_nyquist(sound, freq_hz=one["freq_hz"])
    sections = (
        band(BAND_TYPES.index(one["type"]), one["freq_hz"], one["gain_db"], one["q"], sound.rate)
        for one in bands
    )
    return Chain([Filter(tuple(sections), sound.channels)])


def _check_nyquist(sound: Sound, **cutoffs: float) -> None:
    """Raise `Failure` for a frequency that the sample rate does not have."""
    for name, hz in cutoffs.items():
        most = _NYQUIST * sound.rate
        if hz > most:
            raise Failure(
                f"`{name}` is {hz:g} Hz, but `{sound.path}` has {sound.rate} samples a second",
                help=f"it can be at most {most:.0f} Hz there (0.49 of the sample rate)",
            )
