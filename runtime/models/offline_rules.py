"""The offline vocabulary: what a clause of a request may say, and which call of which tool it is.

A clause fits a phrase as a whole or not at all, so a word that no phrase knows is never passed
over: "do not compress" is no compression. Nothing here is a language model.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from ..audio.calls.containers import FORMATS
from .offline_patterns import Pattern, pattern

NAME = "offline-rules/1"
Values = Mapping[str, float]
Arguments = dict[str, Any]
Build = Callable[[Values], Arguments | None]
"""The arguments that the values of a phrase are; None when they contradict its words."""
SEPARATORS = frozenset({",", ";", ".", "!", "and", "then", "afterwards", "finally"})
"""What stands between clauses; some phrases hold an "and" of their own."""
_IT = "[it|this|everything|all|the (file|audio|sound|recording|track|whole)]"


class Phrase(NamedTuple):
    """A pattern, and the arguments that its values are."""

    text: str
    arguments: Build

    @property
    def pattern(self) -> Pattern:
        """The phrase as it is matched: "please" may stand before it."""
        return pattern(f"[please] {self.text.replace('IT', _IT)}")


@dataclass(frozen=True, slots=True)
class Rule:
    """A tool with the phrases that mean it. Without a tool: `format` is the ending of the result,
    `person` a step that a person does."""

    name: str
    title: str
    tool: str | None
    phrases: tuple[Phrase, ...]
    example: str
    default: str = ""


def _given(**constants: Any) -> Build:
    return lambda values: {**constants}


def _named(**slots: str) -> Callable[[Values], Arguments]:
    """Arguments that are values of the phrase; those that it leaves out are left out."""
    return lambda v: {key: _plain(v[slot]) for key, slot in slots.items() if slot in v}


def _plain(value: float) -> float | int:
    return int(value) if value == int(value) else round(value, 6)


def _filtered(**slots: str) -> Build:
    """A filter: steep enough to be measured, unless the phrase says how steep."""
    return lambda v: {"slope": 24, **_named(**slots)(v)}


def _rumble(v: Values) -> Arguments:
    return {"cutoff_hz": _plain(v.get("hz", 80)), "slope": 24}


def _downwards(slot: str, name: str) -> Build:
    """ "Lower by 3" and "lower by -3" mean the same."""
    return lambda v: {name: -abs(_plain(v[slot]))}


def _upwards(slot: str, name: str) -> Build:
    """ "Louder by -3" contradicts itself."""
    return lambda v: {name: _plain(v[slot])} if v[slot] > 0 else None


def _faster(v: Values) -> Arguments | None:
    rate = v["times"] if "times" in v else 1 + v["percent"] / 100
    return {"rate": _plain(rate)} if rate > 1 else None


def _slower(v: Values) -> Arguments | None:
    rate = 1 / v["times"] if v.get("times") else 1 - v.get("percent", 100) / 100
    return {"rate": _plain(rate)} if 0 < rate < 1 else None


def _both(v: Values) -> Arguments:
    return {"in_s": _plain(v["s"]), "out_s": _plain(v.get("s2", v["s"]))}


def _bits(v: Values) -> Arguments:
    return {"subtype": f"PCM_{v['bit']:g}"}


_SILENCE = "(trim|remove|cut|strip) [off] [the|all] silence"
_ENDS = "(at|from|off) (both ends|[the] (start|beginning) and [the] end)"
_BELOW = "[(below|under) {dbfs}] [keep {s}]"
_TRIM = _named(threshold_dbfs="dbfs", keep_s="s")
_AT_MOST = "[of|at|to|below] [at most] {dbtp}"
_PEAK = f"[[and|with|at|,] [a] [maximum] [true peak|peak|peaks] {_AT_MOST}]"
_PEAK_ALONE = f"(and|with|,) [a] [maximum] (true peak|peak|peaks) {_AT_MOST}"
_LEVEL = "(volume|level|gain)"
_GAIN = "[by] {db}"

RULES: tuple[Rule, ...] = (
    Rule("trim silence", "Trim silence", "trim_silence", (
        Phrase(f"{_SILENCE} [{_ENDS}] {_BELOW}", _TRIM),
        Phrase(f"{_SILENCE} (at|from|off) [the] (start|beginning) {_BELOW}",
               lambda v: {**_TRIM(v), "edges": "start"}),
        Phrase(f"{_SILENCE} (at|from|off) [the] end {_BELOW}",
               lambda v: {**_TRIM(v), "edges": "end"}),
    ), "trim silence", "below -50 dBFS, 0.05 s stay"),
    Rule("clip", "Cut a section", "clip", (
        Phrase("(keep|clip|take|cut out) [only] [the section] from {s} to {s2}",
               _named(start_s="s", end_s="s2")),
        Phrase("(keep|clip|take) [only] [the] first {s}", _named(end_s="s")),
        Phrase("(cut|drop|remove|skip) [off] [the] first {s}", _named(start_s="s")),
        Phrase("(cut|drop|remove) [off] [everything] after {s}", _named(end_s="s")),
    ), "keep from 0:05 to 0:20"),
    Rule("high-pass", "High-pass", "highpass", (
        Phrase("[apply] [a] (high-pass|highpass|high pass|low-cut|low cut) [filter] IT "
               "[at|above|from] {hz} [with {db} per octave]",
               _filtered(cutoff_hz="hz", slope="db")),
        Phrase("(remove|cut|reduce|filter out) [the] [low] rumble [(below|under) {hz}]", _rumble),
        Phrase("(remove|cut|filter out) everything (below|under) {hz}", _filtered(cutoff_hz="hz")),
    ), "high-pass at 80 Hz", "24 dB per octave; rumble lies below 80 Hz"),
    Rule("low-pass", "Low-pass", "lowpass", (
        Phrase("[apply] [a] (low-pass|lowpass|low pass|high-cut|high cut) [filter] IT "
               "[at|below|from] {hz} [with {db} per octave]",
               _filtered(cutoff_hz="hz", slope="db")),
        Phrase("(remove|cut|reduce|filter out) [the] hiss above {hz}", _filtered(cutoff_hz="hz")),
        Phrase("(remove|cut|filter out) everything above {hz}", _filtered(cutoff_hz="hz")),
    ), "low-pass at 8 kHz", "24 dB per octave"),
    Rule("band-pass", "Band-pass", "bandpass", (
        Phrase("[apply] [a] (band-pass|bandpass|band pass) [filter] [from|between] {hz} (to|and|-) "
               "{hz2}", _filtered(low_hz="hz", high_hz="hz2")),
    ), "band-pass from 300 Hz to 3 kHz", "24 dB per octave"),
    Rule("noise gate", "Gate the noise", "noise_gate", (
        Phrase("[apply] [a] (gate|noise-gate|noise gate) [the noise] [at|below] [{dbfs}]",
               _named(threshold_db="dbfs")),
    ), "noise gate at -50 dB", "-50 dBFS, 10:1"),
    Rule("compress", "Compress", "compress", (
        Phrase("compress IT [by|with|at] [{ratio}] [(at|above|from) {dbfs}] "
               "[with {db} [of] (makeup|make-up) [gain]]",
               _named(ratio="ratio", threshold_db="dbfs", makeup_db="db")),
    ), "compress 3:1 at -20 dB", "3:1 above -20 dBFS"),
    Rule("loudness", "Set the loudness", "loudness_norm", (
        Phrase(f"(normalise|normalize) IT [the|its] [loudness] to {{lufs}} {_PEAK}",
               _named(target_lufs="lufs", max_true_peak_dbtp="dbtp")),
        # A level alone, "to -14 dB", may be meant as a loudness or as a peak.
        Phrase(f"(normalise|normalize) IT [the|its] [loudness] [{_PEAK_ALONE}]",
               _named(max_true_peak_dbtp="dbtp")),
        Phrase(f"(bring|set) (it|the loudness|its loudness) to {{lufs}} {_PEAK}",
               _named(target_lufs="lufs", max_true_peak_dbtp="dbtp")),
    ), "normalise to -16 LUFS and -1 dBTP", "-16 LUFS, no true peak above -1 dBTP"),
    Rule("peak level", "Set the peak", "peak_norm", (
        Phrase("(normalise|normalize) [the] (peak|peaks) to {dbfs}", _named(target_dbfs="dbfs")),
    ), "normalise the peak to -3 dBFS"),
    Rule("limit", "Limit", "limit", (
        Phrase("limit IT [the] [peaks|true peaks] [to|at] [{dbtp}]", _named(ceiling_dbtp="dbtp")),
    ), "limit peaks to -1 dBTP", "-1 dBTP"),
    Rule("fade", "Fade", "fade", (
        Phrase("[a] (fade in|fade-in) [of|over|for] {s}", _named(in_s="s")),
        Phrase("[a] (fade out|fade-out) [of|over|for] {s}", _named(out_s="s")),
        Phrase("fade in and out [of|over|for] {s}", _both),
        Phrase("fade in [of|over|for] {s} and [fade] out [of|over|for] {s2}", _both),
    ), "fade in 0.5 s and out 2 s"),
    Rule("pitch", "Shift the pitch", "pitch_shift", (
        Phrase("(raise|increase|shift up|transpose up) [the|its] pitch [by] {semitones}",
               _upwards("semitones", "semitones")),
        Phrase("(lower|reduce|decrease) [the|its] pitch [by] {semitones}",
               _downwards("semitones", "semitones")),
        Phrase("pitch (up|higher) [by] {semitones}", _upwards("semitones", "semitones")),
        Phrase("pitch (down|lower) [by] {semitones}", _downwards("semitones", "semitones")),
    ), "lower the pitch by 3 semitones"),
    Rule("speed", "Change the speed", "time_stretch", (
        Phrase("(speed IT up|speed up) [by] ({percent}|{times})", _faster),
        Phrase("(slow IT down|slow down) [by] ({percent}|{times})", _slower),
        Phrase("(make it|play it) {percent} faster", _faster),
        Phrase("(make it|play it) {percent} slower", _slower),
    ), "speed up by 10 %"),
    Rule("gain", "Change the level", "gain", (
        Phrase(f"[make it] louder {_GAIN}", _upwards("db", "gain_db")),
        Phrase(f"[make it] (quieter|softer) {_GAIN}", _downwards("db", "gain_db")),
        Phrase("make it {db} louder", _upwards("db", "gain_db")),
        Phrase("make it {db} (quieter|softer)", _downwards("db", "gain_db")),
        Phrase(f"turn it up {_GAIN}", _upwards("db", "gain_db")),
        Phrase(f"turn it down {_GAIN}", _downwards("db", "gain_db")),
        Phrase(f"(raise|increase|boost|turn up) (it|[the] {_LEVEL}) {_GAIN}",
               _upwards("db", "gain_db")),
        Phrase(f"(lower|reduce|decrease|turn down) (it|[the] {_LEVEL}) {_GAIN}",
               _downwards("db", "gain_db")),
        Phrase("[apply] [a] gain [of] {db}", _named(gain_db="db")),
    ), "louder by 6 dB"),
    Rule("reverb", "Add reverb", "reverb", (
        Phrase("add [some] (reverb|reverberation)", _given()),
        Phrase("add a little (reverb|reverberation)", _given(wet_level=0.1)),
        Phrase("add (a lot of|much) (reverb|reverberation)", _given(wet_level=0.4)),
    ), "add a little reverb", "a share of 0.2; a little 0.1, a lot 0.4"),
    Rule("distort", "Distort", "distort", (
        Phrase("(distort|overdrive) IT [by] {db}", _named(drive_db="db")),
    ), "distort by 12 dB"),
    Rule("polarity", "Invert the polarity", "invert", (
        Phrase("(invert|flip|turn round) [the] (polarity|phase)", _given()),
    ), "invert the polarity"),
    Rule("channels", "Set the channels", "convert", (
        Phrase("[(convert|mix down|downmix|make) IT] [to|in] mono", _given(channels=1)),
        Phrase("[(convert|mix down|downmix|make) IT] [to|in] stereo", _given(channels=2)),
    ), "mono"),
    Rule("sample rate", "Set the sample rate", "convert", (
        Phrase("(resample|convert) IT [to] {hz}", _named(sample_rate_hz="hz")),
        Phrase("[set] [the|a] sample rate [of|to] {hz}", _named(sample_rate_hz="hz")),
    ), "resample to 48 kHz"),
    Rule("sample format", "Set the sample format", "convert", (
        Phrase("[convert] [to] {bit}", _bits),
    ), "16 bit"),
    Rule("file format", "Export", None, tuple(
        Phrase(f"[(export|save|write|convert|encode) IT] [as|to|in] [a|an] {name} [file]",
               _given(format=name)) for name in FORMATS
    ), "export flac", "wav"),
    Rule("listening", "Listen", None, (
        Phrase("(let me|wait until i) (listen|review) [to it|it]", _given(person=True)),
        Phrase("(wait|pause) for (me|a person|my review)", _given(person=True)),
    ), "let me listen"),
)  # fmt: skip


class Fit(NamedTuple):
    """What a clause says: by which rule, with which arguments."""

    rule: Rule
    arguments: Arguments


def fits(clause: str) -> Iterator[Fit]:
    """Every rule with a phrase that fits a clause as `offline_patterns.spelled` gives it."""
    for rule in RULES:
        for phrase in rule.phrases:
            values = phrase.pattern.match(clause)
            arguments = None if values is None else phrase.arguments(values)
            if arguments is not None:
                yield Fit(rule, arguments)
                break


@functools.cache
def known_words() -> frozenset[str]:
    """Every word of every phrase, units and what separates clauses among them."""
    return frozenset().union(SEPARATORS, *(words for _, words in _spoken()))


def nearest_example(words: Collection[str]) -> str:
    """The example of the rule that says most of these words, of which one that few rules say counts
    for more; "" when it shares only what many say, such as units."""
    spoken, asked = _spoken(), {*words}

    def shared(rule: Rule, own: frozenset[str]) -> float:
        known = sum(1 / sum(word in other for _, other in spoken) for word in own & asked)
        return known + len(asked & {*rule.example.split()}) / 100

    rule, own = max(spoken, key=lambda one: shared(*one))
    return rule.example if shared(rule, own) > _TELLING else ""


_TELLING = 0.3
"""A word that three rules have in common."""


@functools.cache
def _spoken() -> tuple[tuple[Rule, frozenset[str]], ...]:
    """The rules, each with the words of its phrases."""
    return tuple(
        (rule, frozenset().union(*(phrase.pattern.words for phrase in rule.phrases)))
        for rule in RULES
    )


def vocabulary_rows() -> Iterator[dict[str, Any]]:
    """Every rule as data: name, tool, default, example and patterns."""
    for rule in RULES:
        yield {
            "name": rule.name,
            "tool": rule.tool,
            "default": rule.default,
            "example": rule.example,
            "patterns": [_shown(phrase.text) for phrase in rule.phrases],
        }


def _shown(text: str) -> str:
    return " ".join(text.replace("IT", "[it]").split())
