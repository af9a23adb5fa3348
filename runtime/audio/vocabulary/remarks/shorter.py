"""A clause without what leads on to it, without its reason, its heading or its purpose."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from flowc.compiler.catalog.wordings.tags import TAG_WORDS

from ..words.circumstances import SCOPES, words_of
from ..words.patterns import is_number, sounds_in
from ..words.sentences import is_known, senses_of
from ..words.units import SpokenWord
from .beside import Beside
from .contexts import is_context, is_reason
from .moods import begins
from .statements import LEADS, NEGATIONS, WISHES, values_in

_TRAILS = (
    ("after", "that"), ("after", "it"), ("on", "top"), ("as", "well"), ("afterwards",), ("danach",),
    ("dahinter",), ("too",), ("then",), ("please",), ("bitte",), ("dann",), ("dazu",),
)  # fmt: skip
_LONGEST_HEADING = 6
_LONGEST = 40


def is_heading(words: Sequence[str]) -> bool:
    """Tell whether words before a colon only say what the rest is about."""
    if any(map(sounds_in, words)):
        return False  # "b.wav: denoise"
    return (
        len(words) <= _LONGEST_HEADING
        and senses_of(words) <= {"ASIDE", "WITH", "OF", "EQ", "PART"}
        and all(map(is_known, words))
        and TAG_WORDS.isdisjoint(words)
        and _NO_TITLES.isdisjoint(words)
        and not any(map(is_number, words))
    ) or (tuple(words[:2]) in _PREPARING and len(words) <= _LONGEST_HEADING)


_PREPARING = {
    ("tidy", "up"), ("clean", "up"), ("sort", "out"), ("fix", "up"), ("please", "tidy"),
    ("please", "clean"), ("bitte", "bearbeiten"), ("please", "polish"), ("please", "prepare"),
    ("tags", "setzen"), ("set", "tags"), ("set", "metadata"), ("metadaten", "setzen"),
    ("in", "1"),
}  # fmt: skip
_NO_TITLES = words_of(
    "week woche zweite second andere next nächste tomorrow morgen gestern yesterday avoid "
    "verboten forbidden banned prohibited tabu taboo done already erledigt fertig skip ignore "
    "later später todo unwanted unerwünscht unnötig unnecessary needless alternative "
    "alternatively optional optionally maybe perhaps vielleicht eventuell either oder or draft "
    "old alt before vorher earlier früher previously bisher example beispiel wrong falsch undo "
    "was wurde currently aktuell now jetzt history quote zitat said sagte question frage someone "
    "if falls wenn unless except außer instead statt sonst else once bereits schon leave lass "
    "keep stop halt don't dont otherwise joke scherz spaß only nur warning achtung careful "
    "vorsicht lieber rather other"
)
_ARTICLES = words_of("for für a an ein eine my our mein unser the this das dieses")
_PARTICIPLE = re.compile(r"\w*ge\w{2,}(?:t|en)|\w{3,}ed")


def _is_likeness(words: Sequence[str]) -> bool:
    """Tell whether words say what the sound is to be like, and nothing more: "like a robot"."""
    at = next(n for n, word in enumerate(words) if word in _LIKE)
    named = not {"a", "an", "the", "ein", "eine", "einen"}.isdisjoint(words[at + 1 : at + 2])
    behind = words[at + 2 :]
    more = not (NEGATIONS | WISHES | SCOPES | _FURTHER).isdisjoint(behind)
    plain = senses_of(behind) <= {"ASIDE", "PERSON", "PHONE", "BROADCAST"}
    asks = not {"would", "i'd", "we'd", "möchte", "hätte"}.isdisjoint(words[:at])
    return named and plain and not more and not asks and not any(map(is_number, words))


_FURTHER = words_of("that with at in der die das mit im am who which")
_OF_CHARACTER = words_of("bandpass lowpass highpass eq distort reverb")
_LIKE = words_of("like wie")
_LONGEST_NAME = 3
_OTHER_EFFECTS = words_of(
    "echo echoes delay flanger phaser tremolo vibrato autotune with mit effekt"
)
_OF_EFFECTS = frozenset({"ASIDE", "PERSON", "PART", "BROADCAST", "OF", "*"})
"""What the name of an effect may be of: "old radio effect", "monster voice"."""


def is_title(words: Sequence[str], tools: frozenset[str]) -> bool:
    """Tell whether words before a colon name what the rest is about, though nobody knows them; not
    beside a level, which may be that of what they name. What the sound is to be like is said by the
    rest: "like a walkie-talkie: band-pass from 500 Hz to 5 kHz"."""
    if any(map(sounds_in, words)):
        return False
    plain = senses_of(words) <= {"ASIDE", "WITH", "OF", "EQ", "PART", "PERSON", "STEM", "IN"}
    told = any(word in _NO_TITLES or _PARTICIPLE.fullmatch(word) for word in words)
    asks = told or not (NEGATIONS | WISHES | SCOPES | TAG_WORDS).isdisjoint(words)
    short = len(words) <= _LONGEST_HEADING and not any(map(is_number, words))
    if tools and tools <= _OF_CHARACTER and not _LIKE.isdisjoint(words) and not told:
        return _is_likeness(words)
    named = bool(tools) and tools <= _OF_CHARACTER | {"pitch_shift", "gain", "add_noise"}
    if named and tools & _OF_CHARACTER and short and not asks and len(words) <= _LONGEST_NAME:
        return senses_of(words) <= _OF_EFFECTS and _OTHER_EFFECTS.isdisjoint(words)
    told = words[0] in _ARTICLES or bool(senses_of(words) & {"ASIDE", "EQ"})
    other = not _OTHER_EFFECTS.isdisjoint(words)
    return told and plain and short and not (asks or other) and not tools & {"gain", "fade"}


def simpler(words: list[SpokenWord]) -> Iterator[list[SpokenWord]]:
    """Yield the same clause without what leads on to it, without its reason, its heading; from more
    words to fewer."""
    seen = {len(words)}
    if len(words) > _LONGEST:
        return
    for some in (words, [*_after_heading(words)]):
        bare = _without_ends(some)
        for one in (bare, _without_reason(bare), _without_event(bare)):
            if one and len(one) not in seen:
                seen.add(len(one))
                yield one


def _without_ends(words: list[SpokenWord]) -> list[SpokenWord]:
    start, end = 0, len(words)
    while start < end - 1 and words[start].text in LEADS:
        start += 1
    cut = True
    while cut:
        cut = False
        for trail in _TRAILS:
            last = tuple(word.text for word in words[max(start, end - len(trail)) : end])
            if last == trail and end - len(trail) > start:
                end, cut = end - len(trail), True
    return words[start:end]


_TREATED = frozenset({"NOISE", "HUM", "DENOISE", "SHARP", "DEESS", "EVEN", "COMPRESS", "TREBLE"})


def _tools_of(texts: Sequence[str]) -> frozenset[str]:
    """Return a tool that changes how a sound is, where words ask for one of them; whichever it
    is but one that turns it round, in which the start is spoken of."""
    treated = not {"hz", "khz", "hertz"}.isdisjoint(texts) or senses_of(texts) & _TREATED
    if senses_of(texts) & {"BACKWARDS"}:
        return frozenset({"reverse"})
    return frozenset({"eq"}) if treated else frozenset()


def _without_reason(words: list[SpokenWord]) -> list[SpokenWord]:
    """Return the words before "because", "so that" and the like, where a reason follows."""
    texts = [word.text for word in words]
    for at in range(1, len(texts)):
        if is_reason(texts[at:], Beside(texts[:at], _tools_of(texts[:at]), "")):
            return words[:at]
    return words


_WHERE = words_of("where wo")
_TAKING = frozenset({"REMOVE", "CUT", "MUTE", "DROP", "AWAY", "SILENCE"})


def _without_event(words: list[SpokenWord]) -> list[SpokenWord]:
    """Return the words before "where the phone rings", which say what is in the section that goes
    from a time to another."""
    texts = [word.text for word in words]
    at = next((n for n, text in enumerate(texts) if text in _WHERE), 0)
    told, behind = texts[:at], texts[at + 1 :]
    section = len([*values_in(told)]) == 2 and not senses_of(told).isdisjoint(_TAKING)
    plain = len(behind) >= 2 and not any(map(is_number, behind))
    asks = not (NEGATIONS | WISHES).isdisjoint(behind)
    return words[:at] if section and plain and not asks and begins(behind) else words


def _after_heading(words: list[SpokenWord]) -> list[SpokenWord]:
    """Return the words after the first colon, where a heading or a remark stands before it."""
    texts = [word.text for word in words]
    for at, text in enumerate(texts):
        if text != ":" or not at:
            continue
        behind = texts[at + 1 :]
        if is_heading(texts[:at]) or is_context(texts[:at], Beside(behind, _tools_of(behind), "")):
            return words[at + 1 :]
    return words
