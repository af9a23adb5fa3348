"""Test signals, synthesised: something like speech and something like music. Always the same.

Both stand over a hum of 30 Hz, with a second of silence before and two after.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from ..blocks import Frames, Samples
from ..calls.files import BLOCK

RATE, CHANNELS = 44_100, 2
BEFORE_S, AFTER_S = 1.0, 2.0
"""Silence at the ends; a signal is that much longer than what is to be heard."""
_CHORDS = ((220.0, 277.18, 329.63), (146.83, 220.0, 293.66), (164.81, 246.94, 329.63))
_BEAT_S = 0.5


def signal(kind: str, seconds: float) -> Iterator[Frames]:
    """Yield the blocks of a signal that lasts `seconds` in all, two channels at 44.1 kHz."""
    first, total = round(BEFORE_S * RATE), round(seconds * RATE)
    last = total - round(AFTER_S * RATE)
    random = np.random.Generator(np.random.PCG64(30))
    for at in range(0, total, BLOCK):
        places = np.arange(at, min(at + BLOCK, total))
        noise = random.standard_normal(len(places))
        time = (places - first) / RATE
        sounding = (places >= first) & (places < last)
        hum = 0.05 * np.sin(2 * np.pi * 30 * time)
        wave = _KINDS[kind](time, noise) + np.stack((hum, hum))
        yield (wave * sounding).T.astype(np.float32)


def _speech(time: Samples, noise: Samples) -> Samples:
    """Return syllables of a voice whose pitch goes up and down, and hisses between them."""
    phase = 2 * np.pi * (120 * time - 20 / (2 * np.pi * 0.4) * np.cos(2 * np.pi * 0.4 * time))
    buzz = sum((np.sin(n * phase) / n for n in range(1, 20)), np.zeros_like(time))
    syllables = np.sqrt(np.clip(np.sin(2 * np.pi * 3.1 * time), 0, 1))
    hiss = 0.1 * noise * (np.sin(2 * np.pi * 1.7 * time) > 0.8)
    mono = 0.1 * (buzz * syllables + hiss)
    return np.stack((mono, mono))


def _music(time: Samples, noise: Samples) -> Samples:
    """Return plucked chords to the left and right of a bass, and a beat."""
    beat = np.floor(time / _BEAT_S)
    since = time - beat * _BEAT_S
    decay = np.exp(-4 * since) * np.minimum(since / 0.004, 1)
    chord = (beat // 4 % len(_CHORDS)).astype(int)
    sides = []
    for shift in (1.0, 1.003):
        notes = np.zeros_like(time)
        for note in range(3):
            hz = np.array([c[note] for c in _CHORDS])[chord] * shift
            turns = 2 * np.pi * hz * since
            notes += sum((np.sin(k * turns) / k**1.5 for k in range(1, 6)), np.zeros_like(time))
        bass = np.array([c[0] for c in _CHORDS])[chord] / 4
        low = np.sin(2 * np.pi * bass * since) * np.exp(-2 * since)
        drum = noise * np.exp(-60 * since) * (beat % 2)
        sides.append(0.07 * notes * decay + 0.2 * low + 0.08 * drum)
    return np.stack(sides)


_KINDS: dict[str, Callable[[Samples, Samples], Samples]] = {"speech": _speech, "music": _music}
