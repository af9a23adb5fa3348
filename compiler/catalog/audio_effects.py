"""The audio tools that change, convert and make sound: one row each."""

from __future__ import annotations

from .audio_expectations import (
    expect_channels,
    expect_drive,
    expect_noise,
    expect_pitch,
    expect_reverb,
    expect_shape,
    expect_shift,
    expect_speed,
    expect_tags,
    expect_turned,
)
from .audio_model import (
    IN_OUT,
    INPUT,
    OUTPUT,
    SUBTYPE,
    AudioTool,
    Json,
    Planning,
    ToolParameter,
    Wording,
    choice,
    number,
)
from .audio_phrases import PHRASES

BITRATES = (32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320)
"""Kilobits a second that may be chosen."""
_FIELDS = {
    "title": "title", "artist": "artist", "album": "album", "date": "date", "genre": "genre",
    "tracknumber": "number of the track", "copyright": "copyright", "comment": "comment",
}  # fmt: skip


def _shape_arguments(said: Json) -> Json:
    """Return the arguments of a phrase; floating-point samples say their bits by themselves."""
    return {name: value for name, value in said.items() if name != "bits"}


def _channel_arguments(said: Json) -> Json:
    """Return the arguments for an order that a phrase has as `2,1`."""
    return {"order": [int(number) for number in str(said["order"]).split(",")]}


EFFECTS: tuple[AudioTool, ...] = (
    AudioTool(
        "reverb", "plugins:reverb",
        "Add reverberation (an algorithm, not the model of a room).",
        (*IN_OUT,
         number("room_size", "0 to 1", 0, 1, "how long it rings", 0.4),
         number("wet_level", "0 to 1", 0, 1, "its share; the rest is the sound itself", 0.2),
         number("damping", "0 to 1", 0, 1, "how soon high tones fade", 0.5),
         number("tail_s", "s", 0, 30, "how much longer the file gets", 0)),
        Planning((Wording("reverb", "Add reverb", "add a little reverb",
                          PHRASES["reverb"], "a share of 0.2; a little 0.1, a lot 0.4"),),
            changes_level=True, sets={"the share of reverb": "wet_level"}),
        most_channels=2,
        expects=expect_reverb,
    ),
    AudioTool(
        "pitch_shift", "plugins:pitch_shift",
        "Higher or lower at the same speed.",
        (*IN_OUT, number("semitones", "semitones", -24, 24, "12 is an octave up")),
        Planning((Wording("pitch", "Shift the pitch", "lower the pitch by 3 semitones",
                          PHRASES["pitch"]),),
            changes_level=True, moves=("the shift", "semitones", 0.0)),
        streams=False, most_minutes=10, most_channels=8,
        expects=expect_pitch,
    ),
    AudioTool(
        "time_stretch", "plugins:time_stretch",
        "Faster or slower at the same pitch.",
        (*IN_OUT, number("rate", "times", 0.25, 4, "1.25 is faster: 60 s become 48 s")),
        Planning((Wording("speed", "Change the speed", "speed up by 10 %", PHRASES["speed"]),),
            changes_level=True, moves=("the change", "rate", 1.0)),
        streams=False, most_minutes=10, most_channels=8,
        expects=expect_speed,
    ),
    AudioTool(
        "add_noise", "chains:add_noise",
        "Add noise at a distance from the signal; the same seed gives the same noise.",
        (*IN_OUT,
         number("snr_db", "dB", -40, 120, "signal above noise"),
         choice("color", ("white", "pink", "brown"), "its spectrum", "white"),
         ToolParameter("seed", "integer", "which noise", "", 0, 2**32 - 1, 0)),
        Planning((Wording("add noise", "Add noise", "add noise 40 dB below", PHRASES["add noise"],
                          "white"),), changes_level=True),
        expects=expect_noise,
    ),
    AudioTool(
        "convert", "whole:convert",
        "Another sample rate, number of channels or sample format; the ending is the container.",
        (INPUT,
         OUTPUT,
         ToolParameter("sample_rate_hz", "integer", "None keeps it", "Hz", 4000, 384_000, None,
                       optional=True),
         ToolParameter("channels", "integer", "1 or 2; None keeps them", "", 1, 2, None,
                       optional=True),
         SUBTYPE,
         choice("bitrate_kbps", BITRATES, "of an mp3, ogg, opus or m4a file; None keeps it", None,
                "kbit/s"),
         ToolParameter("dither", "flag", "noise of one step before 16 and 24 bits", default=True)),
        Planning(
            (
                Wording("channels", "Set the channels", "mono",
                        PHRASES["channels"], order="before level"),
                Wording("sample rate", "Set the sample rate", "resample to 48 kHz",
                        PHRASES["sample rate"], order="before level"),
                Wording("sample format", "Set the sample format", "16 bit",
                        PHRASES["sample format"], order="last"),
                Wording("bitrate", "Set the bitrate", "export mp3 at 128 kbit/s",
                        PHRASES["bitrate"], order="last"),
            ),
            builds=_shape_arguments,
            sets={"the number of channels": "channels", "the sample rate": "sample_rate_hz",
                  "the sample format": "subtype", "the bitrate": "bitrate_kbps"}),
        expects=expect_shape,
    ),
    AudioTool(
        "channels", "chains:channels",
        "Choose channels: one of them, both swapped, one on both sides.",
        (*IN_OUT,
         ToolParameter("order", "numbers",
                       "which channel of the input each channel of the output is, 0 for silence: "
                       "[2, 1] swaps left and right", "", 0, 64)),
        Planning((Wording("left and right", "Choose channels", "swap left and right",
                          PHRASES["left and right"], "one channel makes a mono file",
                          "before level"),),
            changes_level=True, sets={"the channels": "order"}, builds=_channel_arguments),
        expects=expect_channels,
    ),
    AudioTool(
        "distort", "chains:distort",
        "Overdrive: amplify, then bend (soft) or cut (hard) at full scale.",
        (*IN_OUT,
         number("drive_db", "dB", 0, 60, "gain before", 12),
         choice("shape", ("soft", "hard"), "how it clips", "soft")),
        Planning((Wording("distort", "Distort", "distort by 12 dB", PHRASES["distort"]),),
            changes_level=True),
        expects=expect_drive,
    ),
    AudioTool(
        "shift", "whole:shift",
        "Move the sound later or, negative, earlier; the length stays.",
        (*IN_OUT,
         number("offset_s", "s", -14_400, 14_400, "positive is later"),
         ToolParameter("wrap", "flag", "what falls off one end comes in at the other",
                       default=False)),
        Planning((Wording("delay", "Delay", "delay it by 0.5 s", PHRASES["delay"]),)),
        expects=expect_shift,
    ),
    AudioTool(
        "invert", "chains:invert",
        "Turn the polarity round.",
        IN_OUT,
        Planning((Wording("polarity", "Invert the polarity", "invert the polarity",
                          PHRASES["polarity"]),)),
        expects=expect_turned,
    ),
    AudioTool(
        "tag", "whole:tag",
        "Set the tags of a file; its samples stay.",
        (*IN_OUT, *(
            ToolParameter(name, "text", f"the {about}; None keeps it, an empty text takes it away",
                          default=None, optional=True)
            for name, about in _FIELDS.items()
        )),
        Planning((Wording("tags", "Set the tags", 'title "Name"', PHRASES["tags"]),),
            sets={f"the {about}": name for name, about in _FIELDS.items()}),
        expects=expect_tags,
    ),
    AudioTool(
        "synth", "whole:synth",
        "Make a test signal: something like speech or music over a hum, silence at its ends.",
        (OUTPUT,
         choice("kind", ("speech", "music"), "what it is like", "speech"),
         number("duration_s", "s", 4, 14_400, "how long it is, silence included", 10)),
        "it reads no file",
    ),
)  # fmt: skip
