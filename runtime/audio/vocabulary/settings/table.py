"""SETTINGS: what people call the parameters of each tool, in English and German.

A row is a tool, its parameter, the kinds of its value (see `units.UNITS`), names, and phrases in
the language of patterns, where `V` is the value. A name stands before its value or behind it:
"release of 50 ms", "50 ms release".
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from typing import NamedTuple


class Knob(NamedTuple):
    """A parameter of a tool and how it is said."""

    tool: str
    parameter: str
    kinds: str
    names: str = ""
    phrases: tuple[str, ...] = ()


_THRESHOLD = "threshold|thresh|schwelle|schwellwert|schwellenwert"
_RATIO = "ratio|compression ratio|verhältnis|kompressionsverhältnis"
_ATTACK = "attack|att|attack time|attackzeit|attack-zeit|anstiegszeit|ansprechzeit"
_RELEASE = ("release|rel|release time|releasezeit|release-zeit|abklingzeit|rückstellzeit|"
            "ausklingzeit")  # fmt: skip
_LINK = ("link|stereo link|stereo-link|channel link|stereo linking|stereokopplung|kanalkopplung|"
         "kopplung")  # fmt: skip
_CUTOFF = ("cutoff|cutoff frequency|cut-off|cut-off frequency|corner frequency|frequency|"
           "grenzfrequenz|eckfrequenz|frequenz")  # fmt: skip
_SLOPE = "slope|steepness|steilheit|flankensteilheit"
_PER_OCTAVE = ("(per octave|per oct|an octave|/ octave|/ oct|/ oktave|/ okt|pro oktave|pro okt|"
               "je oktave)")  # fmt: skip
_SLOPES = (f"[{_SLOPE}] [of|von|:|=] [just|only|nur] V {_PER_OCTAVE} [{_SLOPE}|slopes]",)
_CEILING = ("ceiling|output ceiling|peak ceiling|true peak ceiling|true-peak ceiling|obergrenze|"
            "decke|true-peak-grenze")  # fmt: skip
_PEAK = ("true peak|true-peak|max true peak|maximum true peak|max. true peak|true peak limit|"
         "true peak maximum")  # fmt: skip
_EDGES = "edges|ends|cuts|cut|edge|joint|joints|join|joins|seam|seams|transition|transitions"
_KANTEN = "kanten|schnittkanten|schnittstellen|schnitte|ränder|nahtstellen|naht|übergänge|enden"
_SOFTEN = (
    f"(soften|smooth|round off) [the|its|both] ({_EDGES}) (with|by|over|for) [a|an] V "
    "[fade|fades|crossfade|ramp|ramps]",
    f"[mach|mache] [die|den|beide] ({_KANTEN}) mit V (weich|weicher|weich machen)",
    f"[mach|mache] [die|den|beide] ({_KANTEN}) (weich|weicher) (mit|über) V",
)
_SOFTENED = ("edge fade|edge fades|soft edges|fades at the edges|kantenblende|kantenblenden|"
             "weiche kanten|weichen kanten")  # fmt: skip
_JOINT = (f"{_SOFTENED}|fade at the joint|fade at the join|fade at the cut|crossfade|crossfades|"
          "cross-fade|crossfade at the joint|übergang|übergänge|"
          "überblendung|überblendungen")  # fmt: skip
_PAUSE = "(pause|pauses|a gap|gap|silence|silent|stille|still|pausen)"
_COUNTS = (
    "[wobei|where|whereby] (anything|everything|whatever is|what is|all|alles|was) "
    f"(under|below|quieter than|unter|leiser als) V (counts as|count as|is|zählt als|gilt als) "
    f"[a|the|eine|die] {_PAUSE}",
    "[wobei|dass] (alles|was) [leiser als|unter] V [ist] als [eine] "
    f"{_PAUSE} (zählt|gilt|gelten soll|zählen soll)",
)
_MOST = "(at most|no more than|not more than|up to|max|maximal|höchstens|maximum)"
_MOVES = "[up or down|in either direction|either way|rauf oder runter|nach oben oder unten]"
_LONG = "maximum length|max length|maximale länge|maximalen länge|maximaler länge|höchstlänge"
_START, _END = "{noise_start_s:s}", "{noise_end_s:s}"
_NOISE = ("(noise profile|noise print|noise sample|noise alone|rauschprofil|rauschprobe|"
          "noise reference)")  # fmt: skip
_BETWEEN = (f"([from|at|von] {_START} TILL {_END}|"
            f"(between|zwischen) {_START} (and|und) {_END})")  # fmt: skip

SETTINGS: tuple[Knob, ...] = (
    Knob("trim_silence", "threshold_dbfs", "dbfs|level", _THRESHOLD, _COUNTS),
    Knob("trim_silence", "keep_s", "span", "margin|padding|rand|puffer|left over",
            ("(keep|leave) V [of] [silence] [there|on each side|on both sides]",
             "lass V [stille] (stehen|übrig)")),
    Knob("clip", "soften_ms", "ms", _SOFTENED, _SOFTEN),
    Knob("cut", "soften_ms", "ms", _JOINT, _SOFTEN),
    Knob("gain", "soften_ms", "ms", _SOFTENED,
            (*_SOFTEN, f"({_KANTEN}) mit V (weich|weicher)")),
    Knob("loudness_norm", "max_true_peak_dbtp", "dbtp|peak", f"{_CEILING}|{_PEAK}"),
    Knob("highpass", "cutoff_hz", "hz", _CUTOFF),
    Knob("highpass", "slope", "db", _SLOPE, _SLOPES),
    Knob("lowpass", "cutoff_hz", "hz", _CUTOFF),
    Knob("lowpass", "slope", "db", _SLOPE, _SLOPES),
    Knob("bandpass", "low_hz", "hz", "lower edge|lower cutoff|lower frequency|low edge|"
            "untere grenze|unterer grenze|untere grenzfrequenz|unterer grenzfrequenz|lower limit"),
    Knob("bandpass", "high_hz", "hz", "upper edge|upper cutoff|upper frequency|high edge|"
            "obere grenze|oberer grenze|obere grenzfrequenz|oberer grenzfrequenz|upper limit"),
    Knob("bandpass", "slope", "db", _SLOPE, _SLOPES),
    Knob("eq", "freq_hz", "hz", "frequency|centre frequency|center frequency|frequenz|"
            "mittenfrequenz|eckfrequenz"),
    Knob("eq", "gain_db", "db", "gain|anhebung"),
    Knob("eq", "q", "bare", "q|q factor|q-factor|q value|güte|gütefaktor|q-faktor|q-wert"),
    Knob("compress", "threshold_db", "dbfs|level", _THRESHOLD),
    Knob("compress", "ratio", "ratio|bare", _RATIO),
    Knob("compress", "attack_ms", "ms", _ATTACK),
    Knob("compress", "release_ms", "ms", _RELEASE),
    Knob("compress", "makeup_db", "db", "makeup|make-up|make up|makeup gain|make-up gain|"
            "make up gain|makeup-gain|make-up-gain|aufholverstärkung|nachverstärkung"),
    Knob("compress", "link_percent", "link", _LINK),
    Knob("limit", "ceiling_dbtp", "ceiling|peak", f"{_CEILING}|{_PEAK}"),
    Knob("limit", "release_ms", "ms", _RELEASE),
    Knob("limit", "lookahead_ms", "ms", "lookahead|look-ahead|look ahead|lookahead time|"
            "vorausschau|vorausschauzeit|lookahead-zeit"),
    Knob("noise_gate", "threshold_db", "dbfs|level", _THRESHOLD),
    Knob("noise_gate", "ratio", "ratio|bare", _RATIO),
    Knob("noise_gate", "attack_ms", "ms", _ATTACK),
    Knob("noise_gate", "release_ms", "ms", _RELEASE),
    Knob("noise_gate", "link_percent", "link", _LINK),
    Knob("dehum", "hz", "hz", "frequency|hum frequency|frequenz|brummfrequenz"),
    Knob("dehum", "harmonics", "bare", "harmonics|notches|harmonische|harmonischen|kerben"),
    Knob("dehum", "depth_db", "db", "depth|notch depth|tiefe|kerbtiefe", ("V (deep|tief)",)),
    Knob("dehum", "width_hz", "hz", "width|notch width|notch bandwidth|breite|kerbbreite",
            ("[with] [notches] V wide", "[mit] [kerben] [von] V (breit|breite)",)),
    Knob("denoise", "reduction_db", "db", "reduction|noise reduction|reduktion|absenkung|"
            "minderung"),
    Knob("denoise", "noise_start_s,noise_end_s", "", "",
            (f"[the|das|ein|a] {_NOISE} [is|ist|liegt] {_BETWEEN}",
             f"[learn|take|get] [the|a] {_NOISE} {_BETWEEN}",
             f"learn (it|the noise|what noise is) {_BETWEEN}",
             f"(lerne|lern) (es|das rauschen) {_BETWEEN}")),
    Knob("declick", "times", "fold", f"sensitivity|empfindlichkeit|{_THRESHOLD}"),
    Knob("declick", "most_ms", "ms", f"{_LONG}|maximum click length|click length|"
            "max click length|klicklänge",
            (f"[clicks|knackser] [of] ({_MOST}|bis zu|von höchstens) V [long|lang|länge]",)),
    Knob("deess", "freq_hz", "hz", "frequency|frequenz|grenzfrequenz|cutoff|corner frequency",
            ("(above|from|ab|über|oberhalb von) V [up|upward|upwards|aufwärts]",)),
    Knob("deess", "threshold_db", "db", _THRESHOLD),
    Knob("deess", "most_db", "db", "reduction|maximum reduction|max reduction|"
            "maximale absenkung|maximaler absenkung|maximalen absenkung|absenkung|reduktion",
            (f"[by|um] {_MOST} V", f"[by|um] V {_MOST}")),
    Knob("shorten_pauses", "longest_s", "span", _LONG),
    Knob("shorten_pauses", "threshold_dbfs", "dbfs|level", _THRESHOLD, _COUNTS),
    Knob("shorten_pauses", "soften_ms", "ms", _JOINT, _SOFTEN),
    Knob("split_silence", "least_s", "span", "minimum length|min length|mindestlänge|"
            "minimum pause|minimum pause length"),
    Knob("split_silence", "threshold_dbfs", "dbfs|level", _THRESHOLD, _COUNTS),
    Knob("leveller", "most_db", "db", "range|maximum|bereich|hub|spanne",
            (f"[by|um] {_MOST} V {_MOVES}", f"[by|um] V {_MOST} {_MOVES}")),
    Knob("leveller", "window_s", "span", "window|window length|fenster|fensterlänge|zeitfenster",
            ("over (stretches|sections|windows|passages) of V",
             "über (abschnitte|strecken|fenster|stücke) von V")),
    Knob("concat", "crossfade_s", "span", "crossfade|cross-fade|überblendung"),
    Knob("mix", "length", "", "", (
        "as long as the (longer|longest) [1|one|file|of both|of them] {length=longest}",
        "so lang wie die (längere|längste) [datei|von beiden] {length=longest}",
        "until both (end|are over) {length=longest}", "bis beide zu ende sind {length=longest}",
        "(no longer than|as long as) (the|my) (voice|recording|speech) {length=first}",
        "so lang wie die (stimme|aufnahme) {length=first}",
        "(stop|end|finish|cut) (it|the music|the file) when (i|the voice|the speech|it) "
        "(stop|stops|end|ends|finish|finishes) {length=first}",
        "(schluss|ende|aus) [,] wenn die (sprache|stimme|aufnahme) (endet|aufhört) {length=first}",
        "[und] (ende|aufhören) mit (meiner|der) (stimme|sprache|aufnahme) {length=first}")),
    Knob("fade", "shape", "", "", (
        "[a|eine|einer|mit] (linear|straight line|straight-line|straight|lineare|linearer|linearen|"
        "lineares) "
        "[curve|curves|kurve|shape] {shape=linear}",
        "[an] (equal power|equal-power|constant power|constant-power) [curve|curves|shape] "
        "{shape=equal_power}")),
    Knob("reverb", "room_size", "share|bare", "room size|roomsize|room-size|raumgröße"),
    Knob("reverb", "wet_level", "share|bare", "wet|wet level|wetness|wet share|mix|share|"
            "hallanteil|anteil|wet-anteil|wet mix"),
    Knob("reverb", "damping", "share|bare", "damping|damp|dämpfung|höhendämpfung"),
    Knob("reverb", "tail_s", "span", "tail|reverb tail|nachklang|hallfahne", (
        "V [of|an] (tail|reverb tail|nachklang|hallfahne) [at the end|am ende]",
        "[let it|let the reverb] ring (out|on) for V [at the end]",
        "[lass ihn|lass den hall] V (nachklingen|ausklingen) [am ende]")),
    Knob("distort", "drive_db", "db", "drive|vorverstärkung|ansteuerung"),
    Knob("distort", "shape", "", "", (
        "(hard clipping|hard-clipping|hartes clipping|hartem clipping|hard shape|hard|hart) "
        "{shape=hard}",
        "(soft clipping|soft-clipping|weiches clipping|weichem clipping|soft|weich) "
        "{shape=soft}")),
    Knob("add_noise", "snr_db", "db", "snr|signal-to-noise ratio|rauschabstand|störabstand"),
    Knob("add_noise", "seed", "bare", "seed|random seed|startwert"),
)  # fmt: skip
BARE_NAMES = tuple(
    sorted({name for one in SETTINGS if "bare" in one.kinds for name in one.names.split("|")})
)
"""Names of settings whose numbers have no unit."""
WEAK = frozenset({"gain", "anhebung", "absenkung", "reduktion", "reduction", "noise reduction"})
"""Names that may be a wish of their own: "boost 3 kHz by 4 dB, gain 2 dB"."""
NAME_ENDS = frozenset(name.split()[-1] for one in SETTINGS for name in one.names.split("|") if name)
"""The last words of the names."""
_GIVE = ("[gib|give|mach|put|add|use|apply|nimm|set|setz|setze] [it|ihr|ihm|them|him|her|me|mir] "
         "[please|bitte] [some|etwas] THE")  # fmt: skip
_ON = "[on it|to it|dazu|drauf|rein|hinzu]"
_AT = "[[,] [AT] {freq_hz:hz}]"
HEADS: tuple[tuple[str, str], ...] = (
    ("high-pass", f"{_GIVE} (high-pass|highpass|high pass|low-cut|low cut|hochpass|"
     f"hochpassfilter) [filter] {_ON} [AT {{cutoff_hz:hz}}] {{slope=24}}"),
    ("low-pass", f"{_GIVE} (low-pass|lowpass|low pass|high-cut|high cut|tiefpass|tiefpassfilter) "
     f"[filter] {_ON} [AT {{cutoff_hz:hz}}] {{slope=24}}"),
    ("band-pass", f"{_GIVE} (band-pass|bandpass|band pass|bandpassfilter) [filter] {_ON} "
     "{slope=24}"),
    ("equaliser", f"{_GIVE} (bell|peak|glocke|bell filter|peak filter|glockenfilter) [eq] "
     f"{_AT} {{type=peak}}"),
    ("equaliser", f"{_GIVE} (low shelf|low-shelf|lowshelf|bass shelf) [filter] "
     f"{_AT} {{type=low_shelf}}"),
    ("equaliser", f"{_GIVE} (high shelf|high-shelf|highshelf|treble shelf) [filter] "
     f"{_AT} {{type=high_shelf}}"),
    ("reverb", f"{_GIVE} (reverb|reverberation|hall|nachhall|raumhall) {_ON}"),
    ("compress", f"{_GIVE} [gentle|light|leichten|sanften] (compressor|compression|kompressor|"
     f"kompression) {_ON}"),
    ("limit", f"{_GIVE} (limiter|brickwall limiter|begrenzer) {_ON}"),
    ("noise gate", f"{_GIVE} (gate|noise gate|noise-gate) {_ON}"),
    ("de-ess", f"{_GIVE} (de-esser|deesser|de-ess) {_ON} {_AT}"),
    ("distort", f"{_GIVE} (distort|distort it|distortion|overdrive|verzerrung|übersteuerung|"
     f"verzerren) {_ON}"),
    ("add noise", "[add|füge|mische] [some|etwas] (white noise|weißes rauschen) "
     "[dazu|hinzu] {color=white}"),
    ("add noise", "[add|füge|mische] [some|etwas] (pink noise|rosa rauschen) "
     "[dazu|hinzu] {color=pink}"),
    ("add noise", "[add|füge|mische] [some|etwas] (brown noise|braunes rauschen) "
     "[dazu|hinzu] {color=brown}"),
)  # fmt: skip
"""Wordings and how their tool is named where only its settings say the rest."""
ASKED: Mapping[str, set[str]] = defaultdict(set, {"distort": {"drive_db"}})
"""What has to be said of a tool that has a default for it: "distort it" alone is not read."""
USUAL = frozenset({
    ("highpass", "slope", 24), ("lowpass", "slope", 24), ("bandpass", "slope", 24),
    ("mix", "length", "first"),
})  # fmt: skip
"""Values of a clause that nobody said: a setting may say another."""
