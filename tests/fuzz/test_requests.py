"""Requests for sound, damaged and joined: each is planned, and the plan agrees with itself, or
refused; of two wishes none is lost in the other."""

from __future__ import annotations

from pathlib import Path

import pytest
from flowc.compiler.catalog.audio_formats import format_of
from flowc.runtime.audio.plan.contradictions import Shape
from flowc.runtime.audio.plan.planning import Order, complete_plan
from flowc.runtime.audio.vocabulary.clauses import read_request
from flowc.runtime.audio.vocabulary.requests import plan_of, required_by
from flowc.runtime.audio.vocabulary.words.rules import known_words
from flowc.runtime.errors import Failure
from hypothesis import example, given
from hypothesis import strategies as st

pytestmark = pytest.mark.fuzz

FOLDER = Path(__file__).parents[1] / "runtime" / "audio" / "vocabulary"
SAID = sorted(
    line
    for file in FOLDER.glob("phrasings*.txt")
    for line in file.read_text("utf-8").splitlines()
    if line and not line.startswith(("# ", "= ", "? "))
)
ODD = [
    *(",", ".", ";", ":", "-", "–", "…", "%", "(", ")", '"', "'", "`", "“", "/", "\n", "\t", "k"),
    *("0", "-0", "00:00", "0:99", "1e9", "9" * 400, "1/0", "1:0", "½", "²", "٣", "１２", "\u200b"),
    *("a.wav", "../x.wav", "title:", "dB", "Hz", ":1", "minus", "million million", "but", "don't"),
    *("no", "only", "the drums", "nur", "ohne", "aber", "\U0001f600", "\u2028", "\ud800"),
]
BETWEEN = [". ", ", then ", "; ", ", and ", "\n", " and then ", ", ", ", danach "]
MERGED = {"limit", "peak_norm", "convert"}
"""Tools that say a part of what another one does: "-14 LUFS, peaks at most -1 dBTP"."""
LEVELS = {"eq", "denoise", "deess"}
"""Tools whose decibels may be said after them: "less treble, take 4 dB off"."""
WORDS = st.one_of(st.sampled_from(sorted(known_words())), st.sampled_from(ODD), st.text(max_size=4))


@st.composite
def requests(draw: st.DrawFn) -> str:
    """Draw a request that people wrote, with words put in, left out, or in another order."""
    words = draw(st.sampled_from(SAID)).split(" ")
    for _ in range(draw(st.integers(0, 3))):
        at = draw(st.integers(0, len(words)))
        match draw(st.sampled_from(["put", "put", "leave out", "glue", "order"])):
            case "put":
                words.insert(at, draw(WORDS))
            case "leave out":
                del words[at : at + 1]
            case "glue" if at < len(words):
                words[at] += draw(WORDS)
            case _:
                words = draw(st.permutations(words))
    return " ".join(words)


@given(st.one_of(requests(), st.lists(WORDS, max_size=9).map(" ".join)))
@example("louder by " + "9" * 400 + " dB")
@example("cut out from 0 s to " + "9" * 400 + " s")
@example("remove the hum. in one go")
@example("remove the hum, too far")
def test_a_request_is_planned_or_refused(request_):
    sound = Shape(44_100, 2)
    try:
        plan = plan_of(request_, "a.wav", "", sound)
    except Failure:
        return
    if format_of(f"a.{plan['format']}") == "m4a":
        return  # which needs a program that need not be here
    required = required_by(request_, "a.wav", "", sound)
    order = Order("audio_1_abcd1234", "a.wav", "", sound, request_, required)
    assert complete_plan(plan, order)["problem"] == ""


def tools(text: str) -> set[str]:
    """Name the tools that a request asks for; none where it is refused."""
    try:
        clauses = read_request(text)
    except Failure:
        return set()
    return {one.fit.rule.tool.name if one.fit.rule.tool else "export" for one in clauses}


@given(st.sampled_from(SAID), st.sampled_from(BETWEEN), st.sampled_from(SAID))
@example("lower the song by 3 dB", ". ", "erase 10 to 12 seconds")
@example("get rid of the rumble", ", then ", "48 kHz")
@example("2.5 dB less volume", " and then ", "just the part between 0:30 and 1:30")
@example("strip silence", ", then ", "vorne und hinten eine Sekunde blenden")
def test_of_two_wishes_none_is_lost_in_the_other(one, between, other):
    apart = [tools(one), tools(other)]
    together = tools(one.rstrip(".!?") + between + other)
    if all(apart) and together:
        merged = MERGED | ({"gain"} if together & LEVELS else set())
        assert apart[0] | apart[1] <= together | merged
        assert together <= apart[0] | apart[1]
