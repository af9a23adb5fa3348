"""The formats of sound files that the audio tools read and write, by the endings of their names."""

from __future__ import annotations

import os

FORMATS = ("wav", "flac", "mp3", "ogg", "opus", "aiff", "m4a")
"""By name, which is the ending of such files."""


_SAME = {"aif": "aiff", "mp4": "m4a", "m4b": "m4a"}
SPOKEN = {**{name: name for name in FORMATS}, "aac": "m4a"}
"""Formats by the words that people have for them."""
WITH_BITRATE = ("mp3", "ogg", "opus", "m4a")
"""Those that have a bitrate to choose."""
WITH_LOSS = WITH_BITRATE
"""Those that hold what is heard of a sound, not its samples."""
ENDINGS = (*FORMATS, *_SAME)
"""All endings of such files."""


def format_of(path: str) -> str:
    """Return the format that a path's ending says: `aiff` for `a.AIF`; "" for another ending."""
    ending = os.path.splitext(path)[1].lower().removeprefix(".")
    ending = _SAME.get(ending, ending)
    return ending if ending in FORMATS else ""
