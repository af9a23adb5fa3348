"""What each format holds: the table against libsndfile, and calls and plans against the table."""

from __future__ import annotations

import faulthandler
import io
import os
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
import soundfile
from flowc.compiler.catalog.audio_formats import FORMATS
from flowc.compiler.catalog.audio_model import SUBTYPES
from flowc.runtime.audio.calls.call import parse_call
from flowc.runtime.audio.calls.containers import CONTAINERS
from flowc.runtime.audio.plan.contradictions import Shape, unheld
from flowc.runtime.audio.plan.planning import Order, complete_plan
from flowc.runtime.errors import Failure

RATES = (
    1, 3999, 4000, 8000, 8001, 11_025, 12_000, 16_000, 22_050, 24_000, 32_000, 37_800, 44_100,
    48_000, 64_000, 65_535, 65_537, 65_540, 88_200, 96_000, 176_400, 192_000, 199_999, 200_000,
    200_010, 250_000, 352_800, 384_000, 655_350, 655_360, 768_000,
)  # fmt: skip
CHANNELS = (1, 2, 3, 5, 6, 8, 9, 64)


def shapes() -> Iterator[tuple[int, int]]:
    yield from ((rate, 1) for rate in RATES)
    yield from ((rate, channels) for rate in (44_100, 48_000) for channels in CHANNELS)


def keeps(container: str, subtype: str, rate: int, channels: int) -> bool:
    """Whether libsndfile writes such a file and reads the same from it."""
    file = io.BytesIO()
    sound = np.full((4096, channels), 0.25, np.float32)
    try:
        with soundfile.SoundFile(file, "w", rate, channels, subtype, format=container) as out:
            out.write(sound)
        file.seek(0)
        with soundfile.SoundFile(file) as back:
            shape = back.format, back.subtype, back.samplerate, back.channels, back.frames
    except (soundfile.LibsndfileError, ValueError):
        return False
    return bool(shape == (container, subtype, rate, channels, len(sound)))


def keeps_alone(*given: Any) -> bool:
    """The same in a process of its own, which libvorbis may end."""
    child = os.fork()
    if child == 0:
        faulthandler.disable()
        os._exit(0 if keeps(*given) else 1)
    return os.waitpid(child, 0)[1] == 0


def test_the_compiler_knows_every_format():
    assert (*CONTAINERS,) == FORMATS


@pytest.mark.parametrize("subtype", SUBTYPES)
@pytest.mark.parametrize("kind", [kind for kind, one in CONTAINERS.items() if not one.coder])
def test_the_table_says_what_libsndfile_does(kind, subtype):
    container = CONTAINERS[kind]
    for rate, channels in shapes():
        told = container.why_not(subtype, rate, channels) == ""
        if kind == "opus" and subtype != "OPUS":
            assert not told, "libsndfile goes by the container, people go by the ending"
            continue
        there = keeps_alone if subtype == "VORBIS" and rate > 192_000 else keeps
        assert told == there(container.name, subtype, rate, channels), (rate, channels)


@pytest.mark.parametrize(
    ("code", "says", "helps"),
    [
        ("o.mp3|subtype='PCM_16'", "`o.mp3` cannot hold 16 bit samples", "write wav, flac, aiff"),
        ("o.flac|subtype='PCM_32'", "cannot hold 32 bit samples", "write wav, aiff"),
        ("o.ogg|subtype='FLOAT'", "cannot hold 32-bit float samples", "takes VORBIS, OPUS; or"),
        ("o.opus|sample_rate_hz=44100", "cannot hold 44100 samples", "16000, 24000 or 48000"),
        ("o.ogg|subtype='OPUS', sample_rate_hz=44100", "cannot hold 44100 samples", "CONVERT"),
        ("o.ogg|sample_rate_hz=384000", "cannot hold 384000 samples", "at most 200000 samples"),
        (
            "o.mp3|sample_rate_hz=96000",
            "cannot hold 96000 samples",
            "write wav, flac, ogg, aiff, m4a",
        ),
        ("o.flac|sample_rate_hz=96001", "cannot hold 96001 samples", "above 65535 whole tens"),
        ("o.m4a|sample_rate_hz=37800", "cannot hold 37800 samples", "44100, 48000"),
        ("o.wma|channels=1", "`o.wma` ends in `.wma`", ".wav, .flac, .mp3, .ogg, .opus, .aiff"),
    ],
)
def test_a_call_that_no_file_of_its_name_can_hold_is_refused_unread(code, says, helps):
    output, _, rest = code.partition("|")
    with pytest.raises(Failure) as caught:
        parse_call(f"CONVERT(input='in.wav', output='{output}', {rest})")
    assert says in caught.value.message
    assert helps in caught.value.help


def test_calls_that_fit_are_fine():
    for rest in ("o.flac', subtype='PCM_16'", "o.opus', sample_rate_hz=48000", "o.AIF'"):
        assert parse_call(f"CONVERT(input='in.wav', output='{rest})")


def lost(kind: str, sound: Shape, *rest: str) -> tuple[int | None, str, str] | None:
    calls = [parse_call(f"CONVERT(input='a.wav', output='b.wav', {one})") for one in rest]
    return unheld(calls, kind, sound)


def test_a_chain_that_the_format_cannot_hold_is_told_with_its_place_and_a_remedy():
    cd, cinema = Shape(44_100, 2), Shape(48_000, 6)
    assert lost("mp3", cd) is None
    assert lost("opus", cd, "sample_rate_hz=48000") is None
    assert lost("opus", Shape()) is None
    place, why, help = lost("mp3", cd, "channels=1", "subtype='PCM_16'") or (0, "", "")
    assert (place, why) == (1, "an mp3 file cannot hold 16 bit samples")
    assert help == "export one of wav, flac, aiff"
    place, why, help = lost("opus", cd) or (0, "", "")
    assert (place, why) == (None, "an opus file cannot hold 44100 samples a second")
    assert help == "add `resample to 48000 Hz`, or export one of wav, flac, mp3, ogg, aiff, m4a"
    place, why, help = lost("mp3", cd, "sample_rate_hz=96000") or (1, "", "")
    assert (place, why) == (0, "an mp3 file cannot hold 96000 samples a second")
    assert help.startswith("ask for `resample to 48000 Hz`, or export one of wav, flac, ogg")
    place, why, help = lost("mp3", cinema) or (0, "", "")
    assert (place, why) == (None, "an mp3 file cannot hold 6 channels")
    assert help == "add `stereo`, or export one of wav, flac, ogg, opus, aiff, m4a"


@pytest.mark.parametrize(
    ("kind", "metric", "value", "says"),
    [
        ("mp3", "subtype", "PCM_16", "an mp3 file, which cannot hold 16 bit samples"),
        ("opus", "sample_rate_hz", 44_100, "an opus file, which cannot hold 44100 samples"),
        ("flac", "channels", 9, "a flac file, which cannot hold 9 channels"),
        ("opus", "format", "OPUS", "an opus file measures as OGG"),
        ("opus", "channels", 1, "such as `sample_rate_hz == 48000`"),
    ],
)
def test_a_models_plan_that_the_format_cannot_hold_goes_back(kind, metric, value, says):
    requirement = {"text": "x", "metric": metric, "op": "==", "value": value}
    step = {"title": "Export", "description": "export"}
    plan = {"goal": "g", "requirements": [requirement], "steps": [step], "format": kind}
    found = complete_plan(plan, Order("a_b", "in.wav", "", Shape(44_100, 2)))
    assert says in found["problem"]
    plan["requirements"] = [{**requirement, "metric": "sample_rate_hz", "value": 48_000}]
    assert complete_plan(plan, Order("a_b", "in.wav", "", Shape(44_100, 2)))["problem"] == ""
