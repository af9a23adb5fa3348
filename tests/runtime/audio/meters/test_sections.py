"""A section that is not quite the one that was asked for, in a file beside whose length it is
next to nothing."""

from __future__ import annotations

import numpy as np
import pytest
from flowc.runtime.audio.calls.files import open_sound
from flowc.runtime.audio.meters.effects import effects_of
from sounds import noise, write

RATE, SECONDS = 8_000, 120
SAME_DB = -10.0


def misfit(folder, measure, numbers, after):
    before = noise(SECONDS, 0.1, RATE, 1)
    after = after(before)
    places = [
        str(write(folder / name, x, RATE)) for name, x in (("a.wav", before), ("b.wav", after))
    ]
    return effects_of(*(open_sound(one, one) for one in places), [(measure, numbers)])[0][0]


def without(start, end):
    return lambda x: np.concatenate((x[: round(start * RATE)], x[round(end * RATE) :]))


@pytest.mark.parametrize(
    ("start", "end", "is_right"),
    [(10, 12, True), (10.5, 12.5, False), (10, 12.02, False), (9.5, 11.5, False), (60, 62, False)],
)
def test_a_cut_at_another_time_is_not_the_cut_however_long_the_sound(
    start, end, is_right, tmp_path
):
    found = misfit(tmp_path, "cut_misfit_db", [10, 12], without(start, end))
    assert (found <= SAME_DB) is is_right


def test_a_section_in_which_something_else_sounds_for_a_moment_is_not_the_section(tmp_path):
    def dropped(x):
        kept = x[10 * RATE : 110 * RATE].copy()
        kept[50 * RATE : round(50.3 * RATE)] = 0
        return kept

    assert misfit(tmp_path, "section_misfit_db", [10, 110], dropped) > SAME_DB


@pytest.mark.parametrize(
    ("start", "end", "is_right"),
    [(10, 20, True), (10, 20.5, False), (9.5, 20, False), (10.5, 20, False), (10, 19.5, False)],
)
def test_a_level_that_is_moved_for_a_moment_too_long_or_too_short_is_told(
    start, end, is_right, tmp_path
):
    def quieter(x):
        x = x.copy()
        x[round(start * RATE) : round(end * RATE)] *= 10 ** (-6 / 20)
        return x

    found = misfit(tmp_path, "level_misfit_db", [-6, 10, 20], quieter)
    assert (found <= 1.0) is is_right
