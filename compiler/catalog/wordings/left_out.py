"""What a request may say that is not to be done, and the tools that would do it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

NOT = (
    "don't dont not never no without nicht kein keine keinen keinem keiner ohne keinesfalls skip "
    "nichts nothing"
)
"""Words that leave out what stands beside them."""

BESIDE = (
    "do please bitte and but it this that one on the a any anything to sound file recording "
    "audio track thing i we want need like would ich wir will wollen möchte möchten brauche "
    "am an brauchen soll sollen should must muss es das die den der dem diesmal bloß aber "
    "dabei daran was etwas aufnahme datei ton sich dass auf fall auch jetzt noch use using "
    "apply applying put add adding any verwenden benutzen anwenden mach machen draufmachen "
    "drauf drauflegen hinzufügen zu or oder and und"
)
"""Words that say nothing more about it."""

_PROPERTIES = (
    ("pitch|key|tonhöhe|tonart", "pitch_shift"),
    ("speed|tempo|geschwindigkeit|pace", "time_stretch"),
)
_STAYS = "same unchanged unverändert gleich bleiben bleibt beibehalten lassen"
KEPT: tuple[tuple[str, str], ...] = (
    *((f"keep {one}|keeping {one}|same {one}", tools)
      for words, tools in _PROPERTIES for one in words.split("|")),
    *((f"{one} {stays}|{stays} {one}", tools)
      for words, tools in _PROPERTIES for one in words.split("|") for stays in _STAYS.split()),
)  # fmt: skip
"""What is kept, in such words, and the tools that would change it."""

_LEVELS = (
    "gain peak_norm loudness_norm compress leveller limit fade distort mix noise_gate eq reverb "
    "add_noise"
)
_LENGTHS = (
    "time_stretch clip cut trim_silence concat pad shorten_pauses split split_silence mix reverb"
)
_CHANGE = (
    "change changing changes touch touching alter altering affect affecting ändern verändern "
    "ändert verändert anfassen"
)

LEFT_OUT: tuple[tuple[str, str], ...] = (
    ("compress|compression|compressor|compressing|komprimieren|komprimier|komprimiere|kompression|"
     "kompressor", "compress"),
    ("limit|limiter|limiting|limitieren|limitier|limitiere|begrenzer", "limit loudness_norm"),
    ("gate|gating|noise gate|noise-gate|gaten", "noise_gate"),
    ("normalise|normalize|normalising|normalizing|normalisation|normalization|normalisieren|"
     "normalisier|normalisiere|normalisierung", "loudness_norm peak_norm"),
    ("fade in|fade-in|fading in|einblenden|einblendung|fade-in", "fade.in_s"),
    ("fade out|fade-out|fading out|ausblenden|ausblendung", "fade.out_s"),
    ("fade|fades|fading|blende|blenden|überblendung", "fade concat.crossfade_s"),
    ("eq|equaliser|equalizer|equalise|equalize|entzerren", "eq"),
    ("denoise|denoising|noise reduction|noise-reduction|entrauschen|rauschunterdrückung",
     "denoise"),
    ("de-ess|deess|de-esser|deesser|de-essing", "deess"),
    ("add reverb|adding reverb|add echo|hall hinzufügen|hall drauflegen", "reverb"),
    ("remove clicks|remove crackle|knistern entfernen|knacken entfernen|klicks entfernen|declick|"
     "remove crackles|remove crackling", "declick"),
    ("remove hum|brummen entfernen|dehum", "dehum"),
    ("remove noise|remove hiss|rauschen entfernen", "denoise"),
    ("shorten pauses|remove pauses|shorten gaps|cut pauses|pausen kürzen|pausen entfernen|"
     "pausen rausschneiden", "shorten_pauses"),
    ("trim silence|remove silence|trim|trimming|stille entfernen", "trim_silence clip cut"),
    ("distort|distortion|verzerren|verzerrung", "distort"),
    ("faster|slower|schneller|langsamer|faster slower", "time_stretch"),
    ("higher|lower pitch|höher|higher pitch", "pitch_shift"),
    ("chipmunk effect|chipmunk voice|chipmunk|chipmunks|mickey mouse|micky maus|mickymaus",
     "pitch_shift"),
    *((f"{verb} pitch|pitch {verb}|key {verb}|{verb} key|tonhöhe {verb}|tonart {verb}",
       "pitch_shift") for verb in _CHANGE.split()),
    *((f"{verb} speed|{verb} tempo|speed {verb}|tempo {verb}|geschwindigkeit {verb}",
       "time_stretch") for verb in _CHANGE.split()),
    *((f"{verb} length|{verb} duration|länge {verb}|dauer {verb}|gesamtlänge {verb}", _LENGTHS)
      for verb in _CHANGE.split()),
    ("shorten|make shorter|make longer|making shorter|making longer|kürzen|kürzer machen|"
     "länger machen", _LENGTHS),
    *((f"{verb} level|{verb} volume|{verb} loudness|{verb} levels|pegel {verb}|lautstärke {verb}",
       _LEVELS) for verb in _CHANGE.split()),
)  # fmt: skip
"""What is left out, in words that stand beside nothing but those above, and the tools that may not
be in the plan beside it; behind a point the parameter that they may not set. "No reverb" is none of
them, as it may be the reverb of the recording."""


def tools_by_words(rows: Sequence[tuple[str, str]]) -> Mapping[str, frozenset[str]]:
    """Return the tools of rows such as `LEFT_OUT` by their words."""
    return {words: frozenset(tools.split()) for row, tools in rows for words in row.split("|")}
