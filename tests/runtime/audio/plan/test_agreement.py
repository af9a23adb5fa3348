"""Numbers of a request that the rules cannot read: a requirement says each as the request does."""

from __future__ import annotations

import pytest
from flowc.runtime.audio.plan.agreement import check_agreement, check_numbers
from flowc.runtime.audio.plan.predicates import parse_predicate
from flowc.runtime.errors import Failure


def told(request, *lines):
    predicates = [parse_predicate(line) for line in lines]
    assert all(predicates)
    try:
        check_numbers(request, predicates)
    except Failure as failure:
        return f"{failure.message}: {failure.help}"
    return ""


@pytest.mark.parametrize(
    ("request_", "line"),
    [
        ("3 dB tamer", "rms_change_db == -3"),
        ("the recording is quieter than the others, 3 dB up", "rms_change_db == 3"),
        ("+3 dB, it was quieter before", "rms_change_db == 3"),
        ("it may last 30 s at most", "duration_s <= 30"),
        ("it must not be longer than 30 s", "duration_s <= 30"),
        ("höchstens 30 s, bitte", "duration_s <= 30"),
        ("its peaks at -1 dBTP", "true_peak_dbtp <= -1"),
        ("begin softly within 200 ms", "fade_misfit_db(0.2,0) <= 1.5"),
        ("20 % slower", "duration_ratio == 1.25"),
    ],
)
def test_what_says_a_number_as_the_request_does_is_taken(request_, line):
    assert told(request_, line) == ""


@pytest.mark.parametrize(
    ("request_", "line", "why"),
    [
        ("3 dB tamer", "rms_change_db <= -3", "write `rms_change_db == -3`"),
        ("3 dB tamer", "rms_change_db != 3", "write `rms_change_db == 3`"),
        ("cut it to 30 s, at most a bit less", "duration_s <= 30", "write `duration_s == 30`"),
        ("a whisper quieter, 3 dB", "rms_change_db == 3", "write `rms_change_db == -3`"),
        ("-3 LU on that", "loudness_change_lu == 3", "write `loudness_change_lu == -3`"),
        ("10 dB tamer", "cut_misfit_db(1,2) <= -10", "`10 dB` of the request is in no"),
    ],
)
def test_a_bound_or_the_other_sign_in_place_of_a_number_is_refused(request_, line, why):
    assert why in told(request_, line)


def test_words_that_make_a_number_a_bound_are_those_beside_it():
    lines = ("duration_s <= 30", "rms_change_db <= -3")
    assert "write `rms_change_db == -3`" in told("at most 30 s, 3 dB tamer", *lines)


def test_a_requirement_without_a_tolerance_of_its_own_cannot_be_as_wide_as_its_value():
    check_agreement(parse_predicate("energy_below_change_db(40) == -12 ± 2"))
    with pytest.raises(Failure, match="too wide"):
        check_agreement(parse_predicate("energy_below_change_db(40) == -12 ± 12"))
