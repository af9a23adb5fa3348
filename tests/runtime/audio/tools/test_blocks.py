"""A sound in blocks is the same as the sound at once, wherever the blocks end."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sounds
from flowc.runtime.audio.calls.call import TOOLS, check_call
from flowc.runtime.audio.calls.files import open_sound
from flowc.runtime.audio.meters.levels import LevelMeter
from flowc.runtime.audio.meters.loudness import LoudnessMeter
from flowc.runtime.audio.tools.job import Chain, Job
from flowc.runtime.audio.tools.resampling import Resampled
from flowc.runtime.audio.tools.stages import Crossfade, rechannel, through
from flowc.runtime.audio.tools.worker import find_function

RATE = 8000
SIZES = (1, 17, 997, 4096)
VALUES: dict[str, dict[str, Any]] = {
    "gain": {"gain_db": -4},
    "peak_norm": {},
    "loudness_norm": {"target_lufs": -20},
    "highpass": {"cutoff_hz": 100},
    "lowpass": {"cutoff_hz": 2000},
    "bandpass": {"low_hz": 200, "high_hz": 3000},
    "eq": {"bands": [{"type": "peak", "freq_hz": 400, "gain_db": -6}]},
    "compress": {"threshold_db": -30},
    "limit": {"ceiling_dbtp": -15},
    "noise_gate": {"threshold_db": -30},
    "fade": {"in_s": 0.3, "out_s": 0.5},
    "invert": {},
    "distort": {},
    "add_noise": {"snr_db": 20},
    "reverb": {},
    "dehum": {"hz": 50},
    "denoise": {},
    "declick": {},
    "deess": {"freq_hz": 2000},
    "leveller": {"window_s": 0.5},
    "channels": {"order": [2, 1]},
}
WHOLE = {"trim_silence", "clip", "cut", "split", "concat", "mix", "split_silence",
         "shorten_pauses", "convert", "shift", "pad", "reverse", "tag", "synth", "measure",
         "compare", "pitch_shift", "time_stretch"}  # fmt: skip
"""Tools that write by themselves: they read from places in the file, or all of it at once."""


@pytest.fixture(scope="module")
def frames(tmp_path_factory: pytest.TempPathFactory) -> np.ndarray[Any, np.dtype[np.float32]]:
    """Two seconds of something like speech."""
    found = sounds.speech_like(1, RATE)[: 2 * RATE]
    return np.asarray(found, np.float32)


def blocks_of(frames: Any, size: int) -> Iterator[Any]:
    for at in range(0, len(frames), size):
        yield frames[at : at + size]


def stages_of(tool: str, place: Path) -> Any:
    """The stages of a tool, which hold what they have heard, made anew."""
    call = check_call(tool, {"input": "a.wav", "output": "b.wav", **VALUES[tool]})
    chain = find_function(call.tool)(Job(call, {"a.wav": str(place)}, {}, {}))
    assert isinstance(chain, Chain)
    return chain.stages


def test_every_tool_is_here_or_has_no_stages():
    assert set(VALUES) | WHOLE == set(TOOLS)


@pytest.mark.parametrize("tool", VALUES)
def test_a_tool_gives_the_same_in_blocks_of_any_size(tool, frames, tmp_path):
    place = tmp_path / "a.wav"
    sounds.write(place, frames, RATE)
    heard = np.concatenate(list(open_sound("a.wav", str(place)).blocks()))
    whole = np.concatenate(list(through([heard], stages_of(tool, place))))
    assert len(whole) == len(heard)
    for size in SIZES:
        parts = list(through(blocks_of(heard, size), stages_of(tool, place)))
        np.testing.assert_allclose(np.concatenate(parts), whole, atol=2e-6, err_msg=f"{size}")


@pytest.mark.parametrize("size", SIZES)
def test_what_joins_and_changes_the_shape_does_so_too(size, frames):
    line = lambda: [rechannel(frames.shape[1], 1), Resampled(RATE, 11_025, 1)]  # noqa: E731
    whole = np.concatenate(list(through([frames], line())))
    parts = np.concatenate(list(through(blocks_of(frames, size), line())))
    np.testing.assert_allclose(parts, whole, atol=2e-6)
    joined = [
        np.concatenate(list(Crossfade(500).join([blocks_of(frames, n), blocks_of(frames, n)])))
        for n in (len(frames), size)
    ]
    np.testing.assert_allclose(joined[1], joined[0], atol=2e-6)


@pytest.mark.parametrize("size", SIZES)
def test_meters_measure_the_same(size, frames):
    found = []
    for one in (len(frames), size):
        levels, loudness = LevelMeter(RATE, frames.shape[1]), LoudnessMeter(RATE, frames.shape[1])
        for block in blocks_of(frames, one):
            loudness.feed(levels.feed(block))
        loud = loudness.end()
        found.append([loud.integrated, loud.true_peak, *levels.squares, *levels.frames()])
    np.testing.assert_allclose(found[1], found[0], rtol=1e-6)
