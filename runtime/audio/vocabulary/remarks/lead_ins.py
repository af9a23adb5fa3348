"""Reasons before a polite wish: "Our website takes small files, could you make it an mp3?".

Whoever begins a wish with "please" or "could you" says before it why. So of a statement there no
word has to be known, as long as it sets no condition, names no value and no work of another tool.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from ..words.circumstances import words_of
from ..words.sentences import senses_of
from .beside import Beside, is_beside
from .moods import WANTED, begins, is_intention
from .statements import OF_ALL, SCOPED, values_in

_PLEASE = words_of("please bitte")
_ASKING = {
    *((one, "you") for one in words_of("could can would will")),
    *((one, "i") for one in words_of("could can may")),
    *((one, who) for one in words_of("kannst könntest würdest magst") for who in ("du",)),
    *((one, "sie") for one in words_of("können könnten würden")),
    *((one, "ihr") for one in words_of("könnt könntet würdet")),
}
_MARKED = 4
"""Words of a wish of which one is polite."""


def is_polite(words: Sequence[str]) -> bool:
    """Tell whether a wish begins politely: "could you", "schneid bitte"."""
    begin = [word for word in words[:_MARKED] if word not in ("so", "also", "and", "und")]
    return not _PLEASE.isdisjoint([*begin, words[-1]] if words else ()) or any(
        pair in _ASKING for pair in pairwise(begin)
    )


_POINTERS = words_of("it its them that those these him her this es ihn sie das davon dessen diese")


def points(words: Sequence[str]) -> bool:
    """Tell whether a wish has a word that may mean what is spoken of before it."""
    return not _POINTERS.isdisjoint(words)


_LONGEST = 40
_BINDING = words_of(
    "except besides unless until bis außer ausgenommen but aber sondern instead stattdessen rather "
    "lieber apart if falls wenn sofern when whenever while während sobald then dann danach next "
    "afterwards zuerst erst again wieder nochmal twice zweimal also auch stay stays stayed remain "
    "remains bleibt bleiben bleibe keep keeps kept behalten leave leaves lass lassen alone "
    "untouched unverändert unchanged exactly genau least most mindestens höchstens more mehr less "
    "weniger rest same gleich gleiche ignore forget vergiss egal mind mistake actually eigentlich "
    "doch sorry without ohne ab über regarding concerning already schon bereits later später "
    "secret geheim matters matter counts zählt joke joking"
)
"""Words by which a statement may bind the wish behind it to something."""
_ABLE = words_of("can could kann können konnte konnten")
_ON_ALL = OF_ALL | words_of(
    "denoise dehum declick deess leveller compress noise_gate shorten_pauses invert bandpass"
)
"""Tools by which "it" means all of the sound, whatever was spoken of before."""


def is_lead_in(words: Sequence[str], beside: Beside) -> bool:
    """Tell whether words only say why a polite wish at once behind them is uttered."""
    if not beside.polite or not 3 <= len(words) <= _LONGEST or not begins(words):
        return False
    if words[0] in _SELF and _ASKED.search(" ".join(words)):
        return False  # "I want it"
    words = _ASKED.sub("", " ".join(words)).split()
    bound = not _BINDING.isdisjoint(words) or [*values_in(words)]
    wants = not (WANTED - _ABLE).isdisjoint(words) and not is_intention(words)
    if bound or wants:
        return False
    if beside.points and beside.after not in _ON_ALL | {""}:
        return False
    if senses_of(words) & {"PART", "SECTION"} or any(
        one in _ONLY and senses_of([two]) & SCOPED for one, two in pairwise(words)
    ):
        return False
    return is_beside([word for word in words if word not in _ONLY | _PLAIN], beside)


_ASKED = re.compile(
    "(?<=.)(wants|want|needs|need|requires|require|demands|expects|insists on|likes|like|asked for|"
    "asks for|ordered|requested|will|braucht|verlangt|möchte|wollte|mag|bestellte) "
    "(it|this|that|them|es|das)( that way| like that| this way| so| haben| so haben| by [a-z]+)?$"
)
"""How others want it, which the wish behind says."""
_ONLY = words_of("only just nur bloß")
_SELF = words_of("i we ich wir it this that es das")
_PLAIN = words_of(
    "can't cannot couldn't not don't doesn't nicht kein keine keinen nie niemand nobody"
)
