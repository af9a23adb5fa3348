"""Reasons before a polite wish: "Our website takes small files, could you make it an mp3?".

People who begin a wish with "please" or "could you" tell the reason before it. The words of that
reason may be unknown, as long as they set no condition and name no value and no other work.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from flowc.compiler.catalog.audio_formats import SPOKEN

from ..words.circumstances import SCOPES, words_of
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


_FORMATS = frozenset(SPOKEN)
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
    words = _without_errand(_without_places(words, beside.after))
    if not beside.polite or not 3 <= len(words) <= _LONGEST:
        return False
    for_all = words[0] in _FOR and words[1] in _OWNED and beside.tools <= _ON_ALL
    if not (begins(words) or words[0] in _BEGINNINGS or for_all):
        return False
    if words[0] in _SELF and _ASKED.search(" ".join(words)):
        return False  # "I want it"
    words = _ASKED.sub("", " ".join(words)).split()
    bound = not _BINDING.isdisjoint(words) or [*values_in(words)]
    wants = not (WANTED - _ABLE).isdisjoint(words) and not is_intention(words)
    if bound or wants:
        return False
    if not _FORMATS.isdisjoint(words) or beside.after == "gain":
        return False
    if beside.points and beside.after not in _ON_ALL | {""}:
        return False
    if senses_of(words) & {"PART", "SECTION"} or any(
        one in _ONLY and senses_of([two]) & SCOPED for one, two in pairwise(words)
    ):
        return False
    return is_beside([word for word in words if word not in _ONLY | _PLAIN], beside)


_FOR = words_of("for für")
_BEGINNINGS = words_of("1 mal morgen heute hinten vorne vorn überall oft meistens")
"""Words that begin a statement before a polite wish; "one" is read as a number."""
_ENDS = words_of("end ending ends ende schluss start beginning beginnings anfang hinten vorne vorn")
_AT_ENDS = words_of("fade clip pad trim_silence")
_AROUND = words_of("outside draußen")
_UP = {(verb, "up") for verb in words_of("mixed messed mess set picked ended woke showed turned")}


def _without_places(words: Sequence[str], tool: str) -> list[str]:
    """Return the words without the end at which the wish works, and what has nothing to do with a
    sound: "the ending is so abrupt", "there was traffic outside", "we mixed up the cables"."""
    idle = _AROUND | (_ENDS if tool in _AT_ENDS else frozenset())
    pairs = [("", ""), *pairwise(words)]
    kept = [word for word, pair in zip(words, pairs, strict=True) if pair not in _UP]
    return [word for n, word in enumerate(kept) if word not in idle or n == 0]


_WANT_TO = {
    *((who, want, "to") for who in ("i", "we") for want in words_of("want need have plan wish")),
    *((who, "like", "to") for who in ("i'd", "we'd")),
}
_ERRANDS = words_of(
    "send burn share upload post publish show submit email mail play use hand give present"
)
_GERMAN_ERRANDS = words_of(
    "schicken verschicken senden versenden brennen hochladen teilen zeigen vorspielen einreichen "
    "veröffentlichen posten abgeben verschenken"
)


def _without_errand(words: list[str]) -> list[str]:
    """Return the words behind "I want to", where an errand follows: "I want to burn it on a CD"."""
    if tuple(words[:3]) in _WANT_TO and words[3:] and words[3] in _ERRANDS:
        return ["we", *words[3:]]
    german = words[0] in ("ich", "wir") and words[1:2] in (["will"], ["möchte"], ["wollen"])
    if german and words[-1] in _GERMAN_ERRANDS:
        return ["wir", *words[2:]]
    return words


_ASKED = re.compile(
    "(?<=.)(wants|want|needs|need|requires|require|demands|expects|insists on|likes|like|asked for|"
    "asks for|ordered|requested|will|braucht|verlangt|möchte|wollte|mag|bestellte) "
    "(it|this|that|them|es|das)( that way| like that| this way| so| haben| so haben| by [a-z]+)?$"
)
"""How others want it, which the wish behind says."""
_DEMAND = re.compile(
    "(das|so|dies) (verlangt|braucht|will|möchte|wünscht|fordert|mag) "
    "(der|die|das|mein|meine|unser|unsere|ihr|ihre|sein|seine)( [^ ]+){1,3}"
)
_OWNED = words_of("the a an my our their his her mein meine unser unsere der die das ihr ihre")
_MOST = 6


def is_demand(words: Sequence[str], beside: Beside) -> bool:
    """Tell whether words only say that others want it so: "the radio needs it that way", "das
    verlangt das Presswerk"."""
    text = " ".join(words)
    rest = _ASKED.sub("", text).split() if words[0] in _OWNED else [*words]
    asked = len(rest) < len(words) and 2 <= len(rest) <= _MOST
    if not beside.tools or not (asked or _DEMAND.fullmatch(text)) or [*values_in(words)]:
        return False
    named = senses_of(rest if asked else words[2:])
    if not SCOPES.isdisjoint(words):
        return False
    return named <= {"ASIDE", "PERSON", "PHONE", "BROADCAST", "PODCAST", "STREAM", "FILES"}


_ONLY = words_of("only just nur bloß")
_SELF = words_of("i we ich wir it this that es das")
_PLAIN = words_of(
    "can't cannot couldn't not don't doesn't nicht kein keine keinen nie niemand nobody"
)
