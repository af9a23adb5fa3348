"""Settings by their names: every parameter of every effect can be said."""

from __future__ import annotations

import contextlib
import json
import re
from pathlib import Path

import pytest
from flowc.compiler.catalog.audio_model import BAND_PARAMETERS, Planning
from flowc.compiler.catalog.audio_tools import AUDIO_TOOLS
from flowc.runtime.audio.calls.call import parse_call
from flowc.runtime.audio.vocabulary.requests import code_of, plan_of
from flowc.runtime.audio.vocabulary.settings.table import BARE_NAMES, SETTINGS, USUAL, WEAK
from flowc.runtime.audio.vocabulary.words.meanings import MEANINGS
from flowc.runtime.audio.vocabulary.words.rules import rules
from flowc.runtime.errors import Failure

KINDS = ("number", "integer", "choice")
UNSAID = {
    "subtype": "it is said as a step of its own, `16 bit`, for the last file that is written",
}
"""Parameters that have no name beside their tool, and why."""
BASES = {
    "trim_silence": "trim silence",
    "clip": "keep from 0:05 to 0:20",
    "cut": "cut out from 0:05 to 0:08",
    "gain": "lower the level by 6 dB from 0:05 to 0:08",
    "loudness_norm": "normalise to -16 LUFS",
    "highpass": "high-pass",
    "lowpass": "low-pass",
    "bandpass": "band-pass from 300 Hz to 3 kHz",
    "eq": "boost 3 kHz by 4 dB",
    "compress": "compress it",
    "limit": "limiter",
    "noise_gate": "noise gate",
    "dehum": "remove the hum",
    "denoise": "reduce the noise",
    "declick": "remove the clicks",
    "deess": "de-esser",
    "shorten_pauses": "shorten the pauses",
    "split_silence": "split at pauses",
    "leveller": "even out the levels",
    "concat": "append outro.wav",
    "mix": "put music.wav under the voice",
    "fade": "fade out over 3 s",
    "reverb": "reverb",
    "distort": "distortion",
    "add_noise": "add white noise",
}
"""A clause of each tool that leaves its settings open."""
NEEDED = {"highpass": "cutoff 90 Hz", "lowpass": "cutoff 90 Hz", "add_noise": "SNR 30 dB"}
"""What else has to be said."""
SAID = {
    "dbfs|level": ("-33 dB", -33),
    "dbtp|peak": ("-2 dBTP", -2),
    "ceiling|peak": ("-2 dBTP", -2),
    "span": ("1.5 s", 1.5),
    "ms": ("20 ms", 20),
    "hz": ("3.5 kHz", 3500),
    "db": ("6 dB", 6),
    "bare": ("7", 7),
    "ratio|bare": ("6:1", 6),
    "link": ("60 %", 60),
    "fold": ("40 times", 40),
    "share|bare": ("30 %", 0.3),
}
OTHERS = {"dehum hz": ("61 Hz", 61), "dehum width_hz": ("4 Hz", 4), "declick most_ms": ("2 ms", 2),
          "bandpass low_hz": ("300 Hz", 300), "bandpass high_hz": ("3 kHz", 3000),
          "eq freq_hz": ("3 kHz", 3000), "eq gain_db": ("4 dB", 4),
          "deess threshold_db": ("-9 dB", -9), "limit lookahead_ms": ("3 ms", 3)}  # fmt: skip
SLOPE = ("48 dB", 48)


def arguments_of(text: str, tool: str) -> dict[str, object]:
    """The arguments of the one call that a request is."""
    plan = plan_of(text, "a.wav")
    assert len(plan["steps"]) == 1, plan["steps"]
    call = parse_call(code_of(plan["steps"][0]["description"], "a.wav", "b.wav"))
    assert call.tool.name == tool
    return {**call.arguments, **call.arguments.get("bands", [{}])[0]}


def test_every_parameter_of_every_effect_can_be_said():
    by_name = {(name, row.tool) for row in SETTINGS for name in row.parameter.split(",")}
    by_phrase = {
        (name, rule.tool.name)
        for rule in rules()
        if rule.tool
        for pattern in rule.patterns
        for slot in pattern.slots
        for name in slot.names
    }
    tools = {rule.wording.name: rule.tool.name for rule in rules() if rule.tool}
    by_senses = {
        (name, tools.get(wording))
        for wording, values, _, _ in MEANINGS
        for slot in re.findall(r"[{][+-]?([a-z_,]+)", values)
        for name in slot.split(",")
    }
    missing = [
        f"{tool.name} {one.name}"
        for tool in AUDIO_TOOLS
        if isinstance(tool.planning, Planning)
        for one in (*tool.parameters, *(BAND_PARAMETERS if tool.name == "eq" else ()))
        if one.kind in KINDS and (one.name, tool.name) not in by_name | by_phrase | by_senses
        if one.name not in UNSAID
    ]
    assert missing == []


def test_the_table_names_tools_and_parameters_that_there_are():
    known = {(tool.name, one.name) for tool in AUDIO_TOOLS for one in tool.parameters}
    known |= {("eq", one.name) for one in BAND_PARAMETERS}
    rows = {(row.tool, name) for row in SETTINGS for name in row.parameter.split(",")}
    assert rows | {(tool, name) for tool, name, _ in USUAL} <= known
    assert {row.tool for row in SETTINGS} == {*BASES}


def wrong_names(tool: str) -> list[tuple[str, object]]:
    """Requests with a setting by one of its names that are not read as they are meant."""
    wrong: list[tuple[str, object]] = []
    for row in SETTINGS:
        if row.tool != tool or not row.names:
            continue
        value, meant = OTHERS.get(f"{tool} {row.parameter}", SAID[row.kinds])
        value, meant = SLOPE if row.parameter == "slope" else (value, meant)
        more = NEEDED.get(tool, "")
        more = f", {more}" if more and not more.lower().startswith(row.names[:3]) else ""
        for name in row.names.split("|"):
            for said in (f"{name} {value}", f"{name} of {value}", f"{value} {name}",
                         f"{value} of {name}", f"{name}: {value}"):  # fmt: skip
                behind = [] if name in WEAK else [f"{BASES[tool]}{more}, {said}"]
                for text in (*behind, f"{BASES[tool]} with {said}{more}"):
                    try:
                        found = arguments_of(text, tool)[row.parameter]
                    except (Failure, AssertionError) as error:
                        found = str(error)[:150]
                    if found != meant:
                        wrong.append((text, found))
    return wrong


@pytest.mark.parametrize("tool", BASES)
def test_every_name_is_read_before_and_behind_its_value(tool):
    assert wrong_names(tool) == []


@pytest.mark.parametrize("name", BARE_NAMES)
def test_a_comma_in_a_number_behind_a_name_is_a_decimal_comma(name):
    row = next(row for row in SETTINGS if name in row.names.split("|") and "bare" in row.kinds)
    more = NEEDED.get(row.tool, "")
    text = f"{BASES[row.tool]}, {name} 0,7, {more}"
    try:
        said = plan_of(text, "a.wav")["goal"]
    except Failure as failure:
        said = failure.message
    assert f"{name} 0,7" in said
    assert "they do not know" not in said


NEGATIONS = ("not", "never", "without", "no", "nicht", "ohne", "drums", "xyzzy")


@pytest.mark.parametrize("word", NEGATIONS)
def test_a_word_that_says_no_is_never_passed_over(word):
    lines = Path(__file__).with_name("phrasings_settings.txt").read_text("utf-8").splitlines()
    read = []
    for line in [one for one in lines if one and one[0] not in "#=?"][NEGATIONS.index(word) :: 9]:
        words = line.split()
        for at in range(len(words) + 1):
            text = " ".join([*words[:at], word, *words[at:]])
            with contextlib.suppress(Failure):
                plan_of(text, "a.wav")
                read.append(text)
    assert read == []


def test_a_setting_belongs_to_the_clause_at_once_before_it():
    both = "compress it 4:1, release 80 ms, noise gate at -50 dB, release 200 ms"
    steps = [step["description"] for step in plan_of(both, "a.wav")["steps"]]
    assert steps == ["compress it 4:1, release 80 ms", "noise gate at -50 dB, release 200 ms"]
    with pytest.raises(Failure, match="200 ms release"):
        plan_of("compress it 4:1, high-pass at 80 Hz, 200 ms release", "a.wav")


def test_two_values_of_one_setting_are_named():
    with pytest.raises(Failure) as caught:
        plan_of("compress it with ratio 4:1, attack 5 ms, ratio 2:1", "a.wav")
    assert "`ratio 4:1` and `ratio 2:1` contradict each other" in caught.value.message
    assert json.dumps(caught.value.help) == '"ask for one of them"'
