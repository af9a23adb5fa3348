"""Parts of a sound that people name, the voice and the music: none can be changed alone.

One of them, where nothing is set against it, is all of the sound: "fade out the music" is said of a
file that is music. Where both are named each would be changed alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from .sentences import senses_of

_MUSIC = ("music", "musik")


def parts_in(words: Iterable[str]) -> list[str]:
    """Return the words for a part of a sound, one for each part."""
    parts = [word for word in words if "PART" in senses_of([word])]
    voice = (word for word in parts if not word.startswith(_MUSIC))
    music = (word for word in parts if word.startswith(_MUSIC))
    found = (next(voice, ""), next(music, ""))
    return [word for word in found if word]


def one_of_several(words: Sequence[str]) -> str:
    """Return the part that is set against another, or against the rest; "" without one."""
    parts = parts_in(words)
    if len(parts) > 1 or (parts and "JUST" in senses_of(words)):
        return parts[0]
    return ""


def alone_text(part: str, text: str) -> str:
    """Return why a part of the sound cannot be changed."""
    return f"`{part}` in `{text}` is a part of the sound, and only all of it can be changed"
