"""How something is done: what is not to change with it, and that the rest stays as it is."""

from __future__ import annotations

import re
from collections.abc import Sequence

_WHO = ("es", "er", "sie", "das", "das ganze", "die stimme", "der ton", "die aufnahme", "das lied",
        "die musik", "alles")  # fmt: skip
_MANY = ("sie", "die stimmen", "die stimme")
_HOW = ("it getting", "it becoming", "it sounding", "making it", "making it sound", "getting",
        "the voice getting")  # fmt: skip


def _without(german: str, english: str) -> str:
    """Return the ways to say that something does not become like that."""
    ways = [
        way
        for how in german.split()
        for way in (
            *(f"ohne dass {who} {how} {verb}" for who in _WHO for verb in ("wird", "klingt")),
            *(f"ohne dass {who} {how} werden" for who in _MANY),
        )
    ]
    ways += [f"without {way} {how}" for how in english.split() for way in _HOW]
    return "|".join(dict.fromkeys(ways))


def _ways_to_stay(nouns: str) -> str:
    """Return the ways to say that one of these stays as it is."""
    ways = [
        f"{article}{noun} {stays}"
        for article in ("", "das ", "die ", "the ", "den ")
        for noun in nouns.split()
        for stays in _STAYS
    ]
    ways += [f"gleiche {noun}" for noun in nouns.split()]
    ways += [
        f"{verb} {noun} {way}"
        for verb, kept in (
            ("leave the", "as it is|alone|the same"),
            ("lass die", _SO),
            ("lass das", _SO),
        )
        for noun in nouns.split()
        for way in kept.split("|")
    ]
    return "|".join(ways)


_SO = "gleich|wie sie ist|wie es ist|unverändert|so"
_STAYS = (
    "unverändert", "bleibt", "bleibt gleich", "soll bleiben", "soll gleich bleiben",
    "muss gleich bleiben", "soll erhalten bleiben", "darf sich nicht ändern", "bleibt wie es ist",
    "unchanged", "stays", "should stay the same", "stays the same", "should stay",
)  # fmt: skip
SAME_PITCH = (
    _without("tiefer höher", "deeper higher")
    + "|"
    + _ways_to_stay("tonhöhe stimmlage pitch")
    + "|without touching the pitch|without touching pitch|don't touch the pitch|"
    "without messing with the pitch|without messing up the pitch|ohne die tonhöhe anzufassen|"
    "ohne an der tonhöhe zu drehen|tonhöhe wie gehabt|bei unveränderter tonhöhe|"
    "with no change in pitch|with no change of pitch|without any pitch change"
)
"""Ways to say that the pitch stays."""
SAME_SPEED = (
    _without("schneller langsamer länger kürzer", "faster slower longer shorter")
    + "|"
    + _ways_to_stay("länge dauer gesamtlänge spieldauer tempo geschwindigkeit speed length")
    + "|without touching the speed|without touching the tempo|bei unverändertem tempo|"
    "with no change in speed|with no change in tempo|ohne das tempo anzufassen|tempo wie gehabt"
)
"""Ways to say that the speed stays."""
NOT_CLIPPED = (
    "so that it doesn't clip|so it doesn't clip|so that it does not clip|so that nothing clips|"
    "so nothing clips|without clipping|without any clipping|without it clipping|"
    "without making it clip|without letting it clip|damit nichts übersteuert|"
    "damit es nicht übersteuert|ohne dass es übersteuert|ohne dass etwas übersteuert|"
    "ohne dass was übersteuert|ohne zu übersteuern|ohne übersteuern|ohne übersteuerung|"
    "so dass nichts übersteuert|sodass nichts übersteuert"
)
"""What holds for every result."""
NOTHING_ELSE = (
    "sonst nichts ändern|sonst nichts verändern|nichts anderes ändern|ansonsten nichts ändern|"
    "sonst nichts anfassen|change nothing else|don't change anything else|"
    "do not change anything else|without changing anything else|don't touch anything else"
)
"""What holds for every wish."""
_REST = r"(?:the rest|everything else|all else|the remainder)"
_REST_DE = r"(?:den rest|der rest|alles andere|alles übrige|das übrige)"
_AS_IS = r"(?:as it is|as is|alone|unchanged|untouched|as it was|the same)"
_AS_IS_DE = r"(?:so|unverändert|in ruhe|wie (?:es|er) ist|so wie (?:es|er) ist)"
_LEFT = re.compile(
    rf"(?:please )?(?:leave|keep) {_REST} {_AS_IS}"
    rf"|{_REST} (?:stays|remains|should stay|should remain) {_AS_IS}"
    rf"|(?:bitte )?(?:lass|lasse) (?:bitte )?{_REST_DE} {_AS_IS_DE}"
    rf"|{_REST_DE} (?:bitte )?{_AS_IS_DE} (?:lassen|belassen|bleiben)"
    rf"|{_REST_DE} (?:bleibt|soll|sollte) {_AS_IS_DE}(?: bleiben)?"
)


def leaves_rest(words: Sequence[str]) -> bool:
    """Tell whether words say that all else stays as it is: "leave the rest alone"."""
    return _LEFT.fullmatch(" ".join(words)) is not None
