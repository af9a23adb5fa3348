"""The audio tools that measure, cut and join: one row each."""

from __future__ import annotations

from .audio_expectations import (
    expect_clip,
    expect_cut,
    expect_fade,
    expect_join,
    expect_mix,
    expect_pad,
    expect_reversed,
    expect_trim,
)
from .audio_model import (
    DBFS,
    IN_OUT,
    INPUT,
    INPUTS,
    MAX_EFFECTS,
    MAX_INPUTS,
    OUTPUT,
    PARTS,
    SECTION,
    SUBTYPE,
    Arguments,
    AudioTool,
    Json,
    Planning,
    ToolParameter,
    Wording,
    choice,
    number,
    section_arguments,
)
from .audio_phrases import PHRASES
from .wordings.joins import join_arguments, mix_arguments, point_arguments

_MEASURES = "it writes no file; QA measures each step by itself"
_SILENCE = number("silence_dbfs", DBFS, -120, 0, "below this, 20 ms are silent", -50)
_MOST_PARTS = 100
_SOFTEN = number("soften_ms", "ms", 0, 1000, "how long a fade there is where sound is cut", 3)


def _expect_points(a: Arguments) -> list[Json]:
    """The first part is the sound up to the first point."""
    return expect_clip({"start_s": 0, "end_s": a["points_s"][0]})


CUTTING: tuple[AudioTool, ...] = (
    AudioTool(
        "measure", "whole:measure",
        "Measure a file: loudness, peaks, levels, silence, clipping, where the energy lies.",
        (INPUT,
         _SILENCE,
         ToolParameter("parts", "texts", f"of {', '.join(PARTS)}; None for all, [] for the header",
                       high=len(PARTS), default=None, optional=True)),
        _MEASURES,
        effect="pure",
    ),
    AudioTool(
        "compare", "whole:compare",
        "Measure two files and give the differences, b minus a; or effects, and nothing else.",
        (ToolParameter("a", "input", "the file before"),
         ToolParameter("b", "input", "the file after"),
         _SILENCE,
         ToolParameter("effects", "texts", "measures of the effect, such as fade_misfit_db(0,3)",
                       high=MAX_EFFECTS, default=None, optional=True),
         ToolParameter("others", "inputs", "further files that these measures name", low=1,
                       high=MAX_INPUTS, default=None, optional=True)),
        _MEASURES,
        effect="pure",
    ),
    AudioTool(
        "trim_silence", "cutting:trim_silence",
        "Cut silence off the ends.",
        (*IN_OUT,
         number("threshold_dbfs", DBFS, -120, 0, "below this, 20 ms are silent", -50),
         number("keep_s", "s", 0, 10, "silence that is left", 0.05),
         choice("edges", ("both", "start", "end"), "which ends", "both")),
        Planning((Wording("trim silence", "Trim silence", "trim silence",
                          PHRASES["trim silence"], "below -50 dBFS, 0.05 s stay"),),
            sets=lambda a: {
                f"silence at the {edge}": "threshold_dbfs"
                for edge in ("start", "end") if a["edges"] in ("both", edge)
            }),
        expects=expect_trim,
    ),
    AudioTool(
        "clip", "cutting:clip",
        "Keep one section of a file.",
        (*IN_OUT, *SECTION, _SOFTEN),
        Planning((Wording("clip", "Keep a section", "keep from 0:05 to 0:20", PHRASES["clip"]),),
            sets={"the start": "start_s", "the end": "end_s"}, builds=section_arguments),
        expects=expect_clip,
    ),
    AudioTool(
        "cut", "cutting:cut",
        "Take one section out and join what is left.",
        (*IN_OUT, *SECTION, _SOFTEN),
        Planning((Wording("cut", "Cut a section out", "cut out from 0:05 to 0:08",
                          PHRASES["cut"]),), builds=section_arguments),
        expects=expect_cut,
    ),
    AudioTool(
        "split", "cutting:split",
        "Cut a file at points into numbered files.",
        (INPUT,
         ToolParameter("output_pattern", "pattern",
                       "the files written, such as part-{n}.wav; a.wav means a.wav, a-2.wav and "
                       "so on"),
         SUBTYPE,
         ToolParameter("points_s", "numbers", "where it is cut, ascending", "s", 0, 14_400)),
        Planning((Wording("points", "Split at points", "split at 5:00 and 10:00",
                          PHRASES["points"], order="parts"),),
            builds=point_arguments, sets={"the points to split at": "points_s"}),
        expects=_expect_points, most_parts=_MOST_PARTS,
    ),
    AudioTool(
        "concat", "cutting:concat",
        "One file after the other.",
        (INPUTS, OUTPUT, SUBTYPE, number("crossfade_s", "s", 0, 30, "how far they overlap", 0)),
        Planning((Wording("join", "Join", "append outro.wav", PHRASES["join"]),),
            changes_level=True, builds=join_arguments),
        expects=expect_join,
    ),
    AudioTool(
        "mix", "whole:mix",
        "Several files at once. Levels add up: nothing is turned down.",
        (INPUTS,
         OUTPUT,
         SUBTYPE,
         ToolParameter("offsets_s", "numbers", "when each begins", "s", 0, 14_400, None, (),
                       True),
         ToolParameter("gains_db", "numbers", "gain of each", "dB", -60, 40, None, (), True),
         number("below_db", "dB", -20, 60,
                "how far the mean level of each further file lies below that of the first", None),
         choice("length", ("longest", "first"), "how long it gets", "longest")),
        Planning((Wording("mix", "Mix", "put music.wav under the voice 12 dB lower",
                          PHRASES["mix"], "as loud as it is; what is put under the voice lies "
                          "12 dB below it and ends with it"),),
            changes_level=True, builds=mix_arguments),
        expects=expect_mix,
    ),
    AudioTool(
        "fade", "chains:fade",
        "Fade in at the start, out at the end.",
        (*IN_OUT,
         number("in_s", "s", 0, 600, "length of the fade in", 0),
         number("out_s", "s", 0, 600, "length of the fade out", 0),
         choice("shape", ("equal_power", "linear"), "the curve", "equal_power")),
        Planning((Wording("fade", "Fade", "fade in 0.5 s and out 2 s", PHRASES["fade"]),),
            sets={"the fade in": "in_s", "the fade out": "out_s"}),
        expects=expect_fade,
    ),
    AudioTool(
        "pad", "whole:pad",
        "Add silence before and behind the sound.",
        (*IN_OUT,
         number("start_s", "s", 0, 14_400, "how much before it", 0),
         number("end_s", "s", 0, 14_400, "how much behind it", 0)),
        Planning((Wording("padding", "Add silence", "add 2 s of silence at the end",
                          PHRASES["padding"]),)),
        expects=expect_pad,
    ),
    AudioTool(
        "reverse", "whole:reverse",
        "Play it backwards.",
        IN_OUT,
        Planning((Wording("backwards", "Reverse", "reverse it", PHRASES["backwards"]),)),
        expects=expect_reversed,
    ),
)  # fmt: skip
