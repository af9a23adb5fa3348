"""What people say around a wish: what asks for nothing is a remark, and a wish never is."""

from __future__ import annotations

import pytest
from flowc.compiler.catalog.audio_tools import AUDIO_TOOLS
from flowc.compiler.catalog.wordings.left_out import KEPT, LEFT_OUT, tools_by_words
from flowc.runtime.audio.vocabulary.clauses import read_request, remarks_in
from flowc.runtime.audio.vocabulary.requests import plan_of
from flowc.runtime.errors import Failure

REMARKS = (
    ("the doorbell rang there, take out 12:34 to 12:47", "the doorbell rang there"),
    ("My mouth was dry that day, remove the mouth clicks", "My mouth was dry that day"),
    ("export mp3, we perform on friday", "we perform on friday"),
    ("slow it down by 10 %, so the students can follow", "so the students can follow"),
    ("viele unserer Gäste sind älter, um 5 % verlangsamen", "viele unserer Gäste sind älter"),
)  # fmt: skip


@pytest.mark.parametrize(("request_", "remark"), REMARKS)
def test_a_remark_is_named_in_the_plan_and_nothing_is_done_for_it(request_, remark):

    assert remarks_in(request_) == [remark]
    assert len(read_request(request_)) == 1
    said = f"`{remark}` is taken for a remark: nothing is done for it"
    assert said in plan_of(request_, "a.wav")["constraints"]


@pytest.mark.parametrize(
    "wish",
    [
        "it sounds muffled",
        "the voice is muddy",
        "the vocals need more sparkle",
        "make it pop",
        "I'd love a warmer tone",
        "den Applaus entfernen",
        "the applause should go",
        "the drums are too loud",
        "there is a hum",
        "you can't understand the guest",
        "but not the first minute",
        "everything except the chorus",
        "jazz it up",
        "my voice is quieter than the music",
        "the last 3 seconds are noisy",
    ],
)
def test_a_wish_or_a_complaint_is_not_a_remark(wish):
    for request in (f"{wish}, export mp3", f"export mp3, {wish}", f"mono. {wish}"):
        with pytest.raises(Failure):
            read_request(request)


@pytest.mark.parametrize("verb", ["mute", "keep", "remove", "cut off"])
def test_the_last_0_seconds_are_not_all_of_it(verb):
    with pytest.raises(Failure):
        plan_of(f"{verb} the last 0 seconds", "a.wav")


def test_a_wish_points_back_to_what_a_clause_tells():
    (cut,) = read_request("From 45:10 to 45:45 somebody sneezes, please take that out")
    assert cut.fit.arguments == {"start_s": 2710, "end_s": 2745}
    (gain,) = read_request("Between 0:48 and 1:02 he is far away, raise it by 3 dB there")
    assert gain.fit.arguments == {"gain_db": 3, "start_s": 48, "end_s": 62}
    (clip,) = read_request("Die ersten anderthalb Minuten reichen, den Rest bitte weglassen")
    assert clip.fit.arguments == {"end_s": 90}


def test_what_is_dropped_beside_a_section_that_is_kept_is_not_a_second_wish():
    (clip,) = read_request("keep what's between 1:15 and 2:00, throw the rest away")
    assert clip.fit.arguments == {"start_s": 75, "end_s": 120}


@pytest.mark.parametrize(
    "request_",
    [
        "normalise to -16 LUFS, but don't compress it",
        "normalise to -16 LUFS without compressing",
        "kein Kompressor und kein Gate, nur auf -16 LUFS normalisieren",
    ],
)
def test_what_is_not_to_be_done_is_a_constraint(request_):
    plan = plan_of(request_, "a.wav")
    assert len(plan["steps"]) == 1
    assert plan["constraints"][-1].endswith("is kept: no step does it")


def test_every_word_of_what_is_left_out_names_tools_of_the_catalogue():
    known = {tool.name: {one.name for one in tool.parameters} for tool in AUDIO_TOOLS}
    for tools in tools_by_words((*LEFT_OUT, *KEPT)).values():
        for tool, _, parameter in (one.partition(".") for one in tools):
            assert tool in known, tool
            assert not parameter or parameter in known[tool], parameter
