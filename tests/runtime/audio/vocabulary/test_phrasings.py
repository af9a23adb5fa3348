"""Everyday language: phrasings that were written before the rules were.

They are split in two halves by a hash of their text. The rules may be mended by the first; of the
second only the counts are looked at, so that they say how well people are understood who say it
in their own way.
"""

from __future__ import annotations

import contextlib
import cProfile
import hashlib
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from flowc.compiler.catalog.audio_formats import format_of
from flowc.runtime.audio.calls.call import AudioCall, check_call, parse_call
from flowc.runtime.audio.plan.contradictions import Shape
from flowc.runtime.audio.plan.planning import Order, complete_plan
from flowc.runtime.audio.vocabulary.requests import code_of, plan_of, required_by
from flowc.runtime.audio.vocabulary.unclear import unclear_part
from flowc.runtime.errors import Failure

FILES = [
    Path(__file__).parent / name
    for name in (
        "phrasings.txt",
        "phrasings_later.txt",
        "phrasings_unseen.txt",
        "phrasings_parts.txt",
        "phrasings_engineer.txt",
        "phrasings_engineer_second.txt",
        "phrasings_people.txt",
        "phrasings_trades.txt",
        "phrasings_sentences.txt",
        "phrasings_typed.txt",
        "phrasings_traps.txt",
        "phrasings_settings.txt",
        "phrasings_reach.txt",
        "phrasings_context.txt",
        "phrasings_reviewer.txt",
        "phrasings_attacks.txt",
        "phrasings_everyday.txt",
    )
]
LEAST = {
    "phrasings_sentences.txt": 0.5,
    "phrasings_typed.txt": 0.65,
    "phrasings_context.txt": 0.38,
    "phrasings_reviewer.txt": 0.6,
    "phrasings_attacks.txt": 0.05,
    "phrasings_everyday.txt": 0.85,
}
"""Of requests in whole sentences fewer are understood than of the others, of which 85 % are."""
Meaning = list[str]


class Phrasing(NamedTuple):
    """What somebody says, the calls that are meant, or a word that the refusal has to name."""

    text: str
    calls: Meaning
    hint: str
    file: str = ""

    @property
    def half(self) -> int:
        return hashlib.sha256(self.text.encode()).digest()[0] % 2


def canonical(call: AudioCall) -> str:
    """The call with what differs from the defaults; of lists every value. What takes away the start
    or the end is the same as what keeps the rest."""
    own = {
        p.name: call.arguments[p.name]
        for p in call.tool.parameters
        if p.kind not in ("input", "output", "pattern") and call.arguments[p.name] != p.default
    }
    same = {("cut", ("end_s",)): ("clip", "start_s"), ("cut", ("start_s",)): ("clip", "end_s")}
    if other := same.get((call.tool.name, tuple(own))):
        return f"{other[0]} {json.dumps({other[1]: next(iter(own.values()))})}"
    return f"{call.tool.name} {json.dumps(own, sort_keys=True)}"


def joined(calls: Meaning) -> Meaning:
    """Calls of which two fades in a row are one."""
    found: Meaning = []
    for call in calls:
        if found and all(one.startswith("fade ") for one in (found[-1], call)):
            both = {**json.loads(found[-1][5:]), **json.loads(call[5:])}
            call = f"fade {json.dumps(both, sort_keys=True)}"
            found.pop()
        found.append(call)
    return found


def meant(text: str) -> Meaning:
    """The calls of a line of the file, without defaults as well."""
    found = []
    for code in text.split("; "):
        if code.startswith("FORMAT("):
            found.append(code.removeprefix("FORMAT(").rstrip(")"))
            continue
        ending = "mp3" if "bitrate" in code else "wav"
        paths = 'output="b.wav"' if "inputs=" in code else f'input="a.wav", output="b.{ending}"'
        if code.startswith("SPLIT("):
            paths = 'input="a.wav", output_pattern="b.wav"'
        head, rest = code.split("(", 1)
        call = parse_call(f"{head}({paths}{', ' if rest != ')' else ''}{rest}")
        found.append(canonical(call))
    return joined(found)


def read_phrasings() -> list[Phrasing]:
    phrasings: list[Phrasing] = []
    calls: Meaning = []
    hint = ""
    lines = ((file.name, line) for file in FILES
             for line in file.read_text(encoding="utf-8").splitlines())  # fmt: skip
    for name, line in lines:
        if line.startswith("= "):
            calls, hint = meant(line[2:]), ""
        elif line.startswith("? "):
            calls, hint = [], line[2:]
        elif not line.startswith("#"):
            phrasings.append(Phrasing(line, calls, hint, name if name in LEAST else ""))
    return phrasings


ALL = read_phrasings()


def understood(text: str) -> Meaning:
    """The calls that the rules make of a request. Raise `Failure`."""
    plan = plan_of(text, "a.wav")
    found = []
    for step in plan["steps"]:
        code = code_of(step["description"], "a.wav", f"b.{plan['format']}")
        found.append(canonical(parse_call(code)))
    if plan["format"] != "wav":
        found = [one for one in found if one != canonical(check_call("convert", PATHS))]
        found.append(plan["format"])
    return joined(found)


PATHS: dict[str, Any] = {"input": "a.wav", "output": "b.wav"}


class Count(NamedTuple):
    """Of requests with a meaning those that are right, refused and wrong; of those without one
    how many are refused with the right hint, and how many have another or are done."""

    right: list[Phrasing]
    refused: list[Phrasing]
    wrong: list[Phrasing]
    hinted: list[Phrasing]
    unhinted: list[Phrasing]


def names(hint: str, refusal: str) -> bool:
    """Whether a refusal names what it has to: anything, nothing at all, or one of the hints."""
    if hint == "-":
        return "near it is" not in refusal
    return hint == "." or any(one in refusal for one in hint.split("|"))


def count(half: int, file: str) -> Count:
    counts = Count([], [], [], [], [])
    for one in (p for p in ALL if p.half == half and p.file == file):
        try:
            calls = understood(one.text)
        except Failure as failure:
            named = names(one.hint, f"{failure.message} {failure.help}")
            (counts.refused if one.calls else counts.hinted if named else counts.unhinted).append(
                one
            )
            continue
        (counts.right if calls == one.calls else counts.wrong).append(one)
    return counts


@pytest.mark.parametrize("file", ["", *LEAST])
@pytest.mark.parametrize("half", [0, 1])
def test_phrasings_are_understood_or_refused_with_the_nearest(half, file):
    found = count(half, file)
    asked = len(found.right) + len(found.refused) + len(found.wrong)
    silent = len(found.hinted) + len(found.unhinted)
    print(f"half {half} {file}: {len(found.right)} of {asked} right, {len(found.wrong)} wrong, "
          f"{len(found.hinted)} of {silent} refusals name the nearest")  # fmt: skip
    assert [one.text for one in found.wrong] == []
    assert len(found.right) >= LEAST.get(file, 0.85) * asked
    assert len(found.hinted) >= 0.9 * silent


SIGNS: dict[str, Callable[[str], str]] = {
    "a full stop": lambda text: text.rstrip(".!?") + ".",
    "a call": lambda text: text.rstrip(".!?") + "!",
    "thanks": lambda text: text.rstrip(".!?") + ". Thanks!",
    "a greeting": lambda text: "Hi, " + text,
    "wide blanks": lambda text: "  " + text.replace(" ", "  ") + " \n",
    "blanks that do not break": lambda text: text.replace(" ", "\u00a0"),
    "a minus sign": lambda text: text.replace(" -", " \u2212"),
    "an apostrophe": lambda text: text.replace("'", "\u2019"),
    "another apostrophe": lambda text: text.replace("'", "\u00b4"),
}


@pytest.mark.parametrize("sign", SIGNS)
def test_signs_do_not_change_what_is_meant(sign):
    other = {}
    for one in ALL[:: 1 if sign.endswith("apostrophe") else 7]:
        text = SIGNS[sign](one.text)
        if text == one.text or '"' in text:
            continue
        with contextlib.suppress(Failure):
            before = understood(one.text)
            try:
                after = understood(text)
            except Failure as failure:
                after = [failure.message]
            if after != before:
                other[text] = after
    assert other == {}


def test_what_is_understood_can_be_planned():
    """Every requirement that the rules write agrees with its own words, and no number is lost."""
    sound = Shape(44_100, 2)
    problems = {}
    for one in ALL:
        try:
            plan = plan_of(one.text, "a.wav", "", sound)
        except Failure:
            continue
        if format_of(f"a.{plan['format']}") == "m4a" and not shutil.which("ffmpeg"):
            continue
        required = required_by(one.text, "a.wav", "", sound)
        order = Order("audio_1_abcd1234", "a.wav", "", sound, one.text, required)
        if problem := complete_plan(plan, order)["problem"]:
            problems[one.text] = problem
    assert problems == {}


def test_there_are_enough_of_them_and_none_is_said_twice():
    assert len(ALL) >= 300
    assert len({one.text for one in ALL}) == len(ALL)


def test_a_long_request_without_a_comma_is_refused_and_not_parted_in_every_way():
    with pytest.raises(Failure, match="only known words"):
        plan_of("16k mono wav 24 bit 48k flac " * 130, "a.wav")
    assert understood("16k mono flac") == [
        'convert {"sample_rate_hz": 16000}',
        'convert {"channels": 1}',
        "flac",
    ]


@pytest.mark.timeout(20)
@pytest.mark.parametrize("part", ["ab 1 ", "cut 1 ", "start 1 ", "first 1, 3 db ", "cut 1 so it "])
def test_a_long_request_is_searched_at_once_for_what_is_unclear(part):
    assert unclear_part((part * 800)[:4000]) is None


@pytest.mark.parametrize("unit", ["min", "minutes 30 seconds", "h", "m30s", "s", "dB louder", "Hz"])
def test_a_number_of_hundreds_of_digits_is_refused(unit):
    with pytest.raises(Failure):
        plan_of(f"cut the first {'9' * 400} {unit}, mono", "a.wav")


def test_a_request_that_no_file_can_hold_is_refused():
    with pytest.raises(Failure, match="half a character"):
        plan_of("title: \ud800, mono", "a.wav")


def test_a_part_that_is_taken_for_all_of_the_sound_is_named_in_the_plan():
    told = plan_of("high-pass at 80 Hz, fade out the music over 2 s", "a.wav")["constraints"]
    assert told[1:] == ["`music` is taken for all of the sound: no part can be changed alone"]
    under = "put music.wav under the voice 12 dB lower, high-pass at 80 Hz"
    assert plan_of(under, "a.wav")["constraints"] == told[:1]


def test_what_a_sound_has_already_is_not_a_step_unless_it_is_all_that_is_asked():
    plan = plan_of("mono, 44.1 kHz, normalise to -17 LUFS", "a.wav", "", Shape(44_100, 1))
    assert [step["description"] for step in plan["steps"]] == ["normalise to -17 LUFS"]
    assert plan["constraints"][1:] == [
        "`mono` is so already: no step does it",
        "`44.1 kHz` is so already: no step does it",
    ]
    for sound in (Shape(48_000, 2), Shape()):
        assert len(plan_of("mono, 44.1 kHz, -17 LUFS", "a.wav", "", sound)["steps"]) == 3
    alone = plan_of("mono", "a.wav", "", Shape(44_100, 1))
    assert [step["description"] for step in alone["steps"]] == ["mono"]


def test_a_request_is_read_once():
    """A run plans by its request, checks the plan by it and reviews the result by it."""
    request = "high-pass at 77 Hz, compress 3.3:1, normalise to -17 LUFS and -2 dBTP, export flac"
    understood("mono")  # which loads the vocabulary

    def calls() -> int:
        profile = cProfile.Profile()
        profile.runcall(plan_of, request, "a.wav")
        return sum(entry.callcount for entry in profile.getstats())

    first, again = calls(), calls()
    assert again < first / 3
