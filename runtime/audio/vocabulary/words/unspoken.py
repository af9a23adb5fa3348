"""Tools that a plan may use only where a word of the request asks for them, whoever plans."""

from __future__ import annotations

from .circumstances import words_of
from .patterns import is_number, words_in
from .sentences import is_known, senses_of

_ASKED_BY: tuple[tuple[str, frozenset[str]], ...] = (
    ("channels", frozenset({
        "LEFT", "RIGHT", "CHANNEL", "SWAP", "FLIP", "MONO", "STEREO", "BOTH", "SIDE", "EACH",
        "MUTE",
    })),
    ("reverse", frozenset({"BACKWARDS", "FLIP"})),
    ("invert", frozenset({"PHASE", "FLIP", "SWAP"})),
    ("shift", frozenset({"DELAY", "PHASE"})),
)  # fmt: skip
"""The tools that no taste and no fault asks for, and the senses of which one has to be said."""
_ASKED_IN_WORDS = {
    "channels": words_of("ear ears ohr ohren pan panning speaker speakers lautsprecher one-sided"),
    "reverse": words_of("reversed rewind end ende spiegeln spiegle"),
    "invert": words_of("cancel cancels mirror out-of-phase gegenphasig phasengleich"),
    "shift": words_of(
        "earlier früher sync synchron synchronise align aligned alignment late early lip-sync "
        "lippensynchron versatz versetzt"
    ),
}
"""Words without such a sense by which people ask for them all the same."""
_KNOWN_SHARE = 0.6
"""Of fewer known words the request may be in another language, in which it may say anything."""


def unspoken_tools(request: str) -> frozenset[str]:
    """Return the tools of those above that nothing in a request speaks of; none for a request of
    which the rules know too few words. A number alone says nothing."""
    words = [word.text for word in words_in(request)]
    spoken = [word for word in words if word[0].isalpha() and not is_number(word)]
    known = sum(map(is_known, spoken))
    if not spoken or known < _KNOWN_SHARE * len(spoken):
        return frozenset()
    said = senses_of(words)
    return frozenset(
        tool
        for tool, senses in _ASKED_BY
        if said.isdisjoint(senses) and _ASKED_IN_WORDS[tool].isdisjoint(words)
    )
