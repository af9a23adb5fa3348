"""Whether words say what is, or ask about it, and so do not ask for it."""

from __future__ import annotations

from collections.abc import Sequence

from ..words.circumstances import words_of
from ..words.sentences import senses_of
from .statements import STATES, WISHES

_QUOTES = '"“„«»'


def is_assertion(words: Sequence[str]) -> bool:
    """Tell whether words say what was done or how the sound is, or ask about it, and so do not ask
    for it: "I cut the first 10 s", "it is 16 bit", "is it mono?"."""
    if tuple(words[:2]) in _ASKING or (words[0] in _PERSONS and words[1:2] in _OWNING):
        return words[2:3] != ["to"]
    if _is_fact(words):
        return True
    if not WISHES.isdisjoint(words) or any(word[0] in _QUOTES for word in words):
        return False
    if words[0] in _QUESTIONS or not _ORIGINS.isdisjoint(words):
        return True
    if words[-1] in ("enough", "plenty"):
        return False
    does = words[0] in _PERSONS and len(words) > 1
    kept = senses_of(words) & (_COMPLAINTS | _WORK)
    return does or (not kept and not STATES.isdisjoint(words[:6]))


_FACTS = words_of(
    "sounds klingt stops stoppt has had shows show peaks measures reads ends fades starts begins "
    "came comes lasts runs is hat hatte zeigt misst liegt kam endet beginnt dauert steht zeigen "
    "liegen"
)
_OF_FACTS = words_of(
    "it this that es das the my our file original meter die der mein unser recording aufnahme "
    "datei hinten vorne da am"
)
_ORDERING = words_of(
    "please bitte should must needs need soll sollte muss to zu can could would kann könnte want "
    "möchte will brauche weg raus away"
)
_DOING = words_of(
    "normalises normalizes converts makes turns does macht regelt normalisiert wandelt dreht will"
)
_PEAKING = words_of("it file recording track song this that")


def _is_fact(words: Sequence[str]) -> bool:
    """Tell whether words say what a sound has or shows: "the original has -9 LUFS"."""
    if (
        senses_of(words[:1]) & {"STREAM", "PODCAST", "BROADCAST"}
        and words[1:2]
        and (words[1] in _DOING)
    ):
        return True  # "YouTube normalises it anyway"
    at = next((n for n, word in enumerate(words[:6]) if word in _FACTS), 0)
    if words[at] == "peaks" and words[at - 1] not in _PEAKING:
        return False
    named = any(word[0] in _QUOTES for word in words)
    told = at > 0 and not named and words[0] in _OF_FACTS and _ORDERING.isdisjoint(words)
    said = senses_of(words)
    free = {"STOP", "FADE", "FADEOUT", "MUTE", "LAY"} | ({"MUCH"} if "REVERB" in said else set())
    return told and said.isdisjoint((_COMPLAINTS | _WORK) - free)


_ASKING = {
    *((one, who) for one in ("do", "does", "did") for who in ("i", "we", "you", "it")),
    ("should", "i"), ("should", "we"), ("soll", "ich"), ("sollen", "wir"), ("has", "the"),
    ("has", "it"), ("have", "you"), ("hast", "du"), ("could", "it"), ("muss", "ich"),
}  # fmt: skip
"""How questions begin."""
_OWNING = (["have"], ["had"], ["habe"], ["haben"], ["hatte"], ["hatten"])
_PERSONS = words_of("i we he she they you ich wir er ihr du")
_QUESTIONS = words_of("is are do does did was were ist sind hat what why how who which warum wieso")
_ORIGINS = words_of("recorded aufgenommen taped filmed rang rings klingelt klingelte")
_WORK = frozenset({
    "REMOVE", "CUT", "TRIM", "SPLIT", "DROP", "AWAY", "FILTER", "SAVE", "CONVERT", "LAY",
    "JOIN", "KEEP", "MUTE", "SWAP", "FADE", "FADEIN", "FADEOUT", "EVEN", "STOP", "SKIP", "ATTACH",
})  # fmt: skip
"""Senses of what is to be done."""
_COMPLAINTS = frozenset({
    "TOOQUIET", "TOOLOUD", "MUCH", "HUM", "NOISE", "CLICKS", "SHARP", "HARSH", "RUMBLE", "PAUSES",
    "BASS", "TREBLE", "NOT", "NOTHING", "MOST",
})  # fmt: skip
"""Senses of complaints, which do ask for something."""
