"""Wishes that refer to what was told before: "from 45:10 to 45:45 it crackles; take that out"."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from .meant import Neighbourhood, is_meant
from .pieces import AND, RequestPiece, read_alone
from .remarks.moods import has_verb
from .remarks.names import may_be_named, without_names
from .remarks.pointers import TIMES, TOLD, may_be_told, points_back, told_words
from .remarks.shorter import simpler
from .remarks.statements import HARMLESS, values_in
from .words.circumstances import words_of
from .words.patterns import is_number, words_in
from .words.rules import Fit
from .words.sentences import is_known, meaning_of, senses_of, verb_of
from .words.units import SpokenWord

RESTS = frozenset({"rest", "else", "outside", "übrige", "übrigen", "andere", "anderes", "others"})
_OF_REST = {("the", "rest"): "it", ("den", "rest"): "es", ("what's", "left"): "it"}


def of_the_rest(words: list[SpokenWord], last: Fit) -> list[SpokenWord]:
    """Return the words with "it" for what a cut leaves: "cut out 0:10 to 0:20, the rest 2 dB
    louder"; none where nothing is cut away."""
    said, name = last.arguments, last.rule.tool.name if last.rule.tool else ""
    away = name == "cut" or (name == "clip" and len({"start_s", "end_s"} & {*said}) == 1)
    kept = name == "clip" and said.get("end_s", -1) > 0
    for at, (one, two) in enumerate(pairwise(words)):
        if away and not kept and (it := _OF_REST.get((one.text, two.text))):
            return [*words[:at], SpokenWord(it, one.start, two.end), *words[at + 2 :]]
    return []


_MENDS = frozenset({
    "fix", "repair", "clean", "cleaning", "filter", "trim", "shorten", "tighten", "reparier",
    "repariere", "reparieren", "bereinige", "bereinigen", "säubern", "befreien", "kürze", "kürzen",
})  # fmt: skip
"""Verbs of who wants a fault mended, and not the section gone in which it is."""


_PEOPLE = words_of("he she they i we er wir ich")
_WANTING = words_of("want need brauche brauchen möchte möchten will wollen like")


def meaning_behind(pieces: list[RequestPiece]) -> Fit | None:
    """Return the meaning of clauses of which the first tells what there is and the last what to do
    with it, where neither can be read alone: "from 45:10 to 45:45 it crackles; take that out"."""
    if any(read_alone(piece.words) for piece in pieces):
        return None
    *told, wish = [[word.text for word in piece.words] for piece in pieces]
    wish = [word.text for word in next(iter(simpler(pieces[-1].words)), pieces[-1].words)]
    told = [["and", *one] if piece.before in AND else one
            for one, piece in zip(told, pieces, strict=False)]  # fmt: skip
    wanted = senses_of(wish)
    if not points_back(wish) or not RESTS.isdisjoint(wish):
        return None
    if "EVEN" not in wanted and not may_be_told(told[0]):
        return None
    if any(
        "WANT" in senses_of(one) or not _WANTING.isdisjoint(one) for one in told
    ) and not wanted & {"KEEP", "JUST"}:
        return None
    if "KEEP" in wanted and "JUST" not in wanted:
        return None
    if "JUST" in wanted and not all(
        is_known(word) for one in told for word in one if word.isalpha()
    ):
        return None
    timed = any(True for one in told for _ in values_in(one))
    if wanted & {"FILTER"} and [*values_in(told[0])]:
        return None
    if any(one[0] in _PEOPLE or senses_of(one[:3]) & {"PERSON", "STEM"} for one in told) and not (
        [*values_in(told[0])]
    ):
        return None  # "she hums along; remove that"
    clocks = sum(":" in word for one in told for word in values_in(one)) > 1
    if "EVEN" in wanted and (fit := meaning_of([*_levels_in(told), *wish])):
        return fit
    for kept in ((TIMES,) if clocks else ()) + (TOLD if timed else TOLD[1:2]):
        parts = [told_words(one, kept, _beside(wanted) if clocks else frozenset()) for one in told]
        if any(not part and [*values_in(one)] for part, one in zip(parts, told, strict=True)):
            continue
        known = [word for part in parts for word in part]
        fit = meaning_of([*known, *wish]) if known else None
        section = fit is not None and not {"start_s", "end_s"}.isdisjoint(fit.arguments)
        if fit and not (section and not _MENDS.isdisjoint(wish)):
            return fit
    return None


_LEVELS = frozenset({"LOUD", "QUIET", "TOOLOUD", "TOOQUIET", "VOICES", "LEVEL", "DYNAMICS"})


_SOFT = words_of(
    "whisper whispers mumble mumbles mumbling murmur murmurs flüstere flüstert flüstern nuschelt "
    "nuscheln quiet leise softly softer hauche haucht"
)
_STRONG = words_of(
    "shout shouts scream screams yell yells schreie schreit schreien brüllt brüllen loud laut "
    "lauter loudly louder"
)


def _levels_in(told: Sequence[Sequence[str]]) -> list[str]:
    """Return the words for levels of what was told, which nothing else was said of."""
    said = frozenset().union(*(senses_of(one) for one in told))
    if said - _LEVELS - HARMLESS:
        return []
    plain = {word for one in told for word in one}
    if plain & _SOFT and plain & _STRONG:
        return ["quiet", "loud"]
    return [word for one in told for word in one if senses_of([word]) & _LEVELS]


def _beside(wanted: frozenset[str]) -> frozenset[str]:
    """Return what may be told of a section between two times, to which a wish points."""
    more = _OF_SECTION if "SECTION" in wanted else frozenset()
    gone = wanted & {"CUT", "REMOVE", "MUTE"} and not wanted & {"FILTER", "DOWN", "LESS"}
    return more | {"PAUSES", "SILENCE"} if gone else more


_OF_SECTION = frozenset({
    "STEM", "PERSON", "PART", "TOOQUIET", "TOOLOUD", "QUIET", "LOUD", "VOICES",
})  # fmt: skip


def meaning_with_names(pieces: list[RequestPiece], around: Neighbourhood) -> Fit | None:
    """Return the meaning of pieces that are one clause with a name in it: "just keep the vows, 3:10
    till 7:45"; None where one of them is a clause of its own."""
    first, *others = pieces
    parted = any(piece.before not in _JOINING for piece in others)
    if parted or any(read_alone(piece.words) for piece in others):
        return None
    words = list(first.words)
    for piece in others:
        at = piece.words[0].start
        words += [SpokenWord(piece.before, at, at)] if piece.before in AND else []
        words += piece.words
    for some, names in without_names(words):
        plain = [word.text for word in some]
        whole = read_alone(some)
        if whole and may_be_named(whole, plain, names) and is_meant(whole, plain, around):
            return whole
    return None


_JOINING = AND | {","}


def section_before(told: list[SpokenWord], wish: list[SpokenWord]) -> Fit | None:
    """Return the meaning of a wish that points back to the section of which the clause before it
    tells: "from 0:48 to 1:02 he is far away, raise it by 3 dB there"."""
    before, after = ([word.text for word in words] for words in (told, wish))
    alone = read_alone(wish)
    if alone is None or not points_back(after) or not may_be_told(before):
        return None
    fit = meaning_of([*told_words(before, TOLD[0]), *after])
    more = (
        fit is not None
        and fit.rule is alone.rule
        and alone.arguments.items() < fit.arguments.items()
        and fit.arguments.keys() - alone.arguments.keys() <= {"start_s", "end_s"}
    )
    return fit if more else None


_ECHOES = words_of(
    "umwandeln konvertieren einpegeln mein kapitel entsprechend accordingly that way so passend "
    "this it das es ihn sie diese dieser datei file aus mach mache make do add convert wandle um "
    "prepare bring set setz stell stelle ein ändere change export save speichere kannst du can "
    "could you please bitte mir me for für to auf und and in like die der den meine my our "
    "unsere aufnahme recording hinzu an dazu daraus"
)


def echoes(words: Sequence[str]) -> bool:
    """Tell whether words only ask for what was said before them: "make it so, please"."""
    pointing = not _SUCH.isdisjoint(words)
    return pointing and len(words) <= _MOST_ECHOED and _ECHOES.issuperset(words)


_SUCH = words_of("entsprechend accordingly so that way passend das")
_MOST_ECHOED = 9


def meaning_by_next_verb(
    after: RequestPiece, words: list[SpokenWord], text: str
) -> tuple[Fit | None, str]:
    """Return the meaning of a clause with the verb of the next one, and its text with it: "Brummen"
    before "und Rauschen entfernen"."""
    plain, own = ([word.text for word in some] for some in (after.words, words))
    other = read_alone(after.words)
    if after.before not in AND | {","} or has_verb(own) or own[0] in ("it", "es"):
        return None, text  # "the hum is fine, remove the clicks", "it hums, turn it down"
    verb = verb_of(plain) if other else ""
    if senses_of([verb]) & {"UP", "DOWN"} and not any(map(is_number, own)):
        return None, text
    if any(word[0] == "+" for word in own):
        return None, text  # "+3 dB and lower the bass"
    fit = meaning_of([*(word.text for word in words), verb]) if verb else None
    if fit is None or other is None:
        return None, text
    if fit.rule is other.rule and fit.arguments.keys() == other.arguments.keys():
        return None, text
    placing = fit.rule.tool is not None and fit.rule.tool.name in _PLACING
    if after.before not in AND and placing and fit.rule.tool is not other.rule.tool:
        return None, text  # "from 1:00 to 2:00, remove the hum"
    return fit, f"{text} {verb}"


_FILTERS = frozenset({"high-pass", "low-pass"})
_PLACING = frozenset({"clip", "cut", "gain", "channels", "highpass", "lowpass", "bandpass"})


def meaning_by_last_verb(
    last: Fit, before: str, words: list[SpokenWord], text: str
) -> tuple[Fit | None, str]:
    """Return the meaning of a clause with the verb of the one before, and its text with it: "the
    noise" after "remove the hum"."""
    verb = verb_of([word.text for word in words_in(before)])
    if any(word.text[0] in "+-" and is_number(word.text) for word in words):
        return None, text  # "reduce the noise by 18 dB, treble +4 dB"
    fit = meaning_of([verb, *(word.text for word in words)]) if verb else None
    again = fit is not None and ("inputs" in fit.arguments or _is_next_section(fit, last))
    if fit is None or (fit.rule is last.rule and not again):
        return None, text
    if fit.rule.tool and fit.rule.tool.name == "clip":
        return None, text  # "silence at the start away, 2 s at the end"
    if last.rule.wording.name == "equaliser" and fit.rule.wording.name in _FILTERS:
        return None, text  # "take 6 dB off below 150 Hz and above 8 kHz"
    return fit, f"{verb} {text}"


def _is_next_section(fit: Fit, last: Fit) -> bool:
    """Tell whether what is cut out or muted lies behind the section before it: "remove 0:10 to 0:15
    and 1:00 to 1:08"."""
    times = (last.arguments.get("end_s"), *map(fit.arguments.get, ("start_s", "end_s")))
    numbers = [one for one in times if isinstance(one, int | float) and one > 0]
    told = len(numbers) == len(times) and fit.rule.wording.name in ("cut", "mute")
    return told and numbers == sorted(numbers)
