"""What goes by is measured on the way, as reading it would, and no file is taken for another."""

from __future__ import annotations

import os

import numpy as np
import pytest
from flowc.runtime.audio.calls.call import check_call
from flowc.runtime.audio.calls.files import UnwrittenSound, open_sound
from flowc.runtime.audio.meters.courses import Both
from flowc.runtime.audio.meters.dynamics import compressor_law
from flowc.runtime.audio.meters.effects import MEASURES, effects_of, needs_of, read_measure
from flowc.runtime.audio.meters.filters import PEAK, band, butterworth
from flowc.runtime.audio.meters.known import (
    Facts,
    Needs,
    SpectrumName,
    Tap,
    facts_of,
    keep,
    levels_of,
)
from flowc.runtime.audio.tags.tags import Tags
from flowc.runtime.audio.tools.job import Chain, Job
from flowc.runtime.audio.tools.worker import find_function
from sounds import speech_like, write

RATE = 16_000
LAW = ("compressor", -20.0, 3.0, 5.0, 100.0)
PLAIN = SpectrumName(3.0)
HIGH = butterworth(80, 24, RATE, low=False)
LOW = butterworth(50, 24, RATE, low=True)
BELL = (band(PEAK, 1000, 3, 10, RATE),)


class Counted:
    """A sound that lies in no file, and how often it was read."""

    def __init__(self, frames, identity):
        self.reads = 0
        self._frames = frames
        shape = RATE, frames.shape[1], len(frames), "WAV", "FLOAT", ()
        self.sound = UnwrittenSound(
            "a.wav", "", *shape, identity, make=self._read, written_tags=Tags()
        )

    def _read(self):
        self.reads += 1
        return iter([self._frames])


def needs():
    return Needs(True, {LAW: lambda: compressor_law(*LAW[1:])}, {PLAIN})


def tapped(frames, block, until=None):
    tap = Tap(needs(), RATE, frames.shape[1], len(frames) / RATE)
    stream = tap.over(frames[at : at + block] for at in range(0, len(frames), block))
    for number, _ in enumerate(stream):
        if number == until:
            return None if tap.facts() is None else "something"
    return tap.facts()


@pytest.mark.parametrize("block", [1000, 4096, 10**9])
def test_a_tap_finds_what_reading_finds(block):
    frames = speech_like(2, RATE)
    found = tapped(frames, block)
    both = Both(*(Counted(frames, ()).sound for _ in range(2)))
    assert np.allclose(found.course, both.levels()[0], rtol=1e-12)
    assert np.allclose(found.spectra[PLAIN].power, both.spectra(3.0)[0].power, rtol=1e-12, atol=0)
    law = both.gains(LAW[0], LAW[1:], compressor_law)
    assert np.allclose(found.gains[LAW], law, atol=1e-9)


def test_a_tap_of_a_part_finds_nothing():
    assert tapped(speech_like(2, RATE), 1000, until=3) is None


def test_what_is_known_is_not_read_again():
    frames = speech_like(2, RATE)
    counted = Counted(frames, ("call", "known-once"))
    keep(counted.sound.identity, tapped(frames, 4096))
    both = Both(counted.sound, counted.sound)
    both.levels(), both.spectra(3.0), both.gains(LAW[0], LAW[1:], compressor_law)
    assert counted.reads == 0
    levels_of(counted.sound), levels_of(counted.sound)
    assert counted.reads == 1


def test_a_file_that_has_the_number_of_one_that_is_gone_is_another():
    keep((1, 2, 100, 5), Facts(course=np.zeros(3)))
    keep((1, 2, 100, 9), Facts(course=np.ones(3)))
    shape = "a.wav", "", RATE, 1, 3, "WAV", "FLOAT", ()
    old, new = (
        UnwrittenSound(*shape, (1, 2, 100, when), make=lambda: iter(()), written_tags=Tags())
        for when in (5, 9)
    )
    assert facts_of(old).course is None
    assert facts_of(new).course is not None


WANTED = {
    "fade_misfit_db(1,1)": Needs(course=True),
    "highpass_misfit_db(80,24)": Needs(spectra={PLAIN, SpectrumName(3.0, HIGH)}),
    "lowpass_misfit_db(50,24)": Needs(spectra={SpectrumName(2.0), SpectrumName(2.0, LOW)}),
    "compress_misfit_db(-20,3,5,100,0)": Needs(laws={LAW: compressor_law}),
    "eq_misfit_db(0,1000,3,10)": Needs(spectra={PLAIN, SpectrumName(3.0, BELL)}),
    "delay_s": Needs(course=True),
    "correlation": Needs(),
    "cut_misfit_db(1,2)": Needs(),
    "tags_misfit(title=x)": Needs(),
}


@pytest.mark.parametrize("measure", WANTED)
def test_a_measure_says_what_it_asks_first(measure):
    like = Counted(speech_like(1, RATE), ()).sound
    found, wanted = needs_of([read_measure(measure)], like), WANTED[measure]
    shape = found.course, found.laws.keys(), found.spectra
    assert shape == (wanted.course, wanted.laws.keys(), wanted.spectra)


def test_a_measure_says_what_it_asks_of_a_sound_that_is_cut_at_full_scale():
    like = Counted(speech_like(1, RATE), ()).sound
    found = needs_of([read_measure("highpass_misfit_db(80,24)")], like, "PCM_16")
    assert found.spectra == {PLAIN, SpectrumName(3.0, HIGH, 1.0)}


def test_every_measure_can_be_asked_what_it_needs():
    like = Counted(speech_like(1, RATE), ()).sound
    needs_of([(name, [1.0] * count) for name in MEASURES for count in range(6)], like)


@pytest.mark.parametrize(
    ("tool", "arguments", "measure"),
    [
        ("highpass", {"cutoff_hz": 200}, "highpass_misfit_db(200,12)"),
        ("compress", {"threshold_db": -30, "ratio": 4}, "compress_misfit_db(-30,4,5,100,0)"),
        ("fade", {"in_s": 1, "out_s": 1}, "fade_misfit_db(1,1)"),
    ],
)
def test_effects_that_were_found_on_the_way_are_those_of_the_files(
    tmp_path, tool, arguments, measure
):
    places = [str(tmp_path / name) for name in ("a.wav", "b.wav", "c.wav", "d.wav")]
    write(places[0], speech_like(2, RATE), RATE, "PCM_16")
    (tmp_path / "b.wav").touch()
    call = check_call(tool, {"input": "a.wav", "output": "b.wav", **arguments})
    job = Job(call, {"a.wav": places[0]}, {"b.wav": places[1]}, {}, "", True, {}, [measure])
    done = find_function(call.tool)(job)
    assert isinstance(done, Chain)
    job.run(done)
    on_the_way = facts_of(open_sound("b.wav", places[1]))
    assert on_the_way.course is not None or on_the_way.spectra
    for one, other in ((places[0], places[2]), (places[1], places[3])):
        with open(one, "rb") as file, open(other, "wb") as copy:
            copy.write(file.read())
        os.utime(other, ns=(1, 1))
    found, read = (
        effects_of(open_sound("a", a), open_sound("b", b), [read_measure(measure)])
        for a, b in (places[:2], places[2:])
    )
    assert found == [pytest.approx(pair, rel=1e-9) for pair in read]
