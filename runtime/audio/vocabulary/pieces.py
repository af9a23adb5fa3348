"""A request in pieces between separators, and what they mean alone, together or in two."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from flowc.compiler.catalog.wordings.tags import TAG_WORDS

from .remarks.left_out import left_out
from .remarks.moods import begins, has_verb
from .remarks.shorter import is_heading
from .settings.table import NAME_ENDS
from .words.patterns import is_number
from .words.rules import BEGINNINGS, FORMAT, GOING_ON, SEPARATORS, TURNS, Fit, Rule, fit_of
from .words.sentences import adds_nothing, is_known, meaning_of, senses_of
from .words.units import SpokenWord

_MOST_WORDS = 12
"""Words of clauses without a comma, which are parted in every way."""
_AT_ONCE = 6
"""Clauses that one phrase may span: "fade in 1 s and out 2 s" are two."""


@dataclass(frozen=True, slots=True)
class RequestPiece:
    """Words between two separators, and the separator before them."""

    before: str
    words: list[SpokenWord]

    @property
    def spelling(self) -> str:
        return "".join(f"{word.text} " for word in self.words)


_ALL_BUT = frozenset({"nothing", "all", "everything", "anything", "nichts", "alles"})
AND = frozenset({"and", "und"})
_END = SpokenWord(";", 0, 0)
_LEAST_BEFORE_COLON = 4
_GERMAN = frozenset({"dann", "danach", "anschließend"})
_MOST_BEFORE_ORDER = 4
_BETWEEN = frozenset({"between", "zwischen"})
_ORDERED = frozenset({
    "put", "make", "set", "please", "take", "cut", "remove", "give", "bring", "turn", "lower",
    "raise", "add", "keep", "tighten", "trim", "reduce", "boost", "bitte",
})  # fmt: skip
"""Verbs that follow a "so" that begins a wish."""
_TOWARDS = frozenset({"auf", "um", "mit", "to", "by"})
_NAMED = frozenset({"ratio", "attack", "release", "einem", "einer", "a", "verhältnis"})
_ORDERS = frozenset({"also", "then", "afterwards", "dann", "danach", "anschließend", "finally"})
"""Separators that may stand within a clause as well: "Spitzen danach auf -1 dBFS"."""


_COMMAS = frozenset({"", ",", ":"})
_WANTED = frozenset({"need", "want", "brauche", "brauchen", "möchte", "will", "wollen"})
_ENDS = frozenset({"START", "END"})
_STEPS = frozenset({"then", "dann", "danach", "afterwards", "anschließend", "finally"})
_CUTTING = frozenset({"REMOVE", "CUT", "KEEP", "TAKE", "AWAY", "DROP", "SKIP", "TRIM"})


_NEXT = _STEPS | {"and"}
"""Separators that say more than the comma before them."""


def pieces_in(words: list[SpokenWord]) -> list[RequestPiece]:
    """Return the words between separators, in order, without headings."""
    pieces: list[RequestPiece] = []
    begun, before = False, ""
    current: list[SpokenWord] = []
    ahead = zip([*words, _END], [*words[1:], _END, _END], [*words[2:], *[_END] * 3], strict=False)
    for word, after, behind in ahead:
        openers = GOING_ON if begun else BEGINNINGS
        if word.text in openers and not current and after is not _END and not is_number(after.text):
            continue
        if word.text == "aber" and 0 < len(current) <= _LEAST_BEFORE_COLON and _is_begging(current):
            continue  # "bitte lass aber eine halbe Sekunde stehen"
        turns = word.text in TURNS and not (current and current[-1].text in _ALL_BUT)
        set_to = bool(current) and current[-1].text in NAME_ENDS and is_number(after.text)
        if word.text == ":" and current and not set_to:
            if is_heading([one.text for one in current]):
                current = []
                continue
            if len(current) >= _LEAST_BEFORE_COLON or _is_strange(current):
                pieces.append(RequestPiece(before, current))
                begun, before, current = True, ":", []
                continue
        turns = turns or (word.text == "so" and after.text in _ORDERED)
        within = word.text in SEPARATORS and _is_within(word, current, after, behind)
        within = within and not (_is_joined(before, current, word) or _is_wish(words, word))
        if within and word.text in _GERMAN:
            continue
        if (word.text in SEPARATORS and not within) or turns:
            if current:
                pieces.append(RequestPiece(before, current))
                begun = begun or not is_filling(pieces[-1])
                before, current = "", []
            before = ("," if turns else word.text) if not before or word.text in _NEXT else before
        else:
            current.append(word)
    return [part for piece in pieces for part in _without_last(piece)]


_WITHOUT = frozenset({"without", "ohne"})


def _without_last(piece: RequestPiece) -> list[RequestPiece]:
    """Return a piece, or two where it ends with what is not to be done: "normalise it without
    compressing"."""
    at = next((n for n, word in enumerate(piece.words) if word.text in _WITHOUT), 0)
    if not at or not left_out([word.text for word in piece.words[at:]]):
        return [piece]
    whole, head = read_alone(piece.words), read_alone(piece.words[:at])
    if whole and whole != head:
        return [piece]
    return [RequestPiece(piece.before, piece.words[:at]), RequestPiece(",", piece.words[at:])]


def _is_joined(before: str, current: list[SpokenWord], word: SpokenWord) -> bool:
    """Tell whether words before a word of order go on with those before an "and": "am Anfang und
    Ende wegschneiden dann"."""
    order = senses_of([one.text for one in current[:1]]) & {"NORM"}
    return before in AND and word.text in _STEPS and not order


def _is_of_its_own(fit: Fit, whole: Fit) -> bool:
    """Tell whether the last piece asks for what the whole does not: the peaks of a loudness are of
    it."""
    names = {one.rule.tool.name if one.rule.tool else "" for one in (fit, whole)}
    return len(names) > 1 and "limit" not in names and fit.rule.wording is not FORMAT


def _is_side(fit: Fit) -> bool:
    return fit.rule.tool is not None and fit.rule.tool.name == "channels"


def _is_wish(words: list[SpokenWord], word: SpokenWord) -> bool:
    """Tell whether a word of order is followed by a wish with its verb at the end: "dann auf -16
    LUFS normalisieren"."""
    behind = words[words.index(word) + 1 :]
    stop = next((n for n, one in enumerate(behind) if one.text in SEPARATORS), len(behind))
    wish = behind[:stop]
    ends = len(wish) > _LEAST_BEFORE_COLON - 1 and wish[-1].text.endswith(("en", "ern"))
    return word.text in _STEPS and ends and read_alone(wish) is not None


def _is_begging(words: list[SpokenWord]) -> bool:
    """Tell whether words only begin a wish: "bitte lass"."""
    return {word.text for word in words} <= {"bitte", "lass", "lasst", "mach", "kannst", "du"}


def _is_strange(words: list[SpokenWord]) -> bool:
    """Tell whether nobody knows some of the words before a colon, and none is a number or a tag."""
    plain = [word.text for word in words]
    named = TAG_WORDS.isdisjoint(plain) and not any(map(is_number, plain))
    return named and not all(map(is_known, plain))


def is_filling(piece: RequestPiece) -> bool:
    """Tell whether a piece says nothing: "many thanks", but not "let me listen"."""
    words = [word.text for word in piece.words]
    if words[0] in _ADDRESSES and len(words) <= _MOST_BEFORE_ORDER and not _is_asking(words[1:]):
        return True  # "dear team"
    if words[0] in _PLACED and len(words) > 1:
        return False  # "during the speech"
    said = [word for word in words if not adds_nothing([word])]
    if said == ["right"] and piece.before not in AND:  # "cut the first 10 s, right?", "ok right"
        return True
    return adds_nothing(words) and not read_alone(piece.words)


_PLACED = frozenset({
    "during", "only", "between", "while", "nur", "nach", "während", "zwischen", "after", "before",
})  # fmt: skip
_ADDRESSES = frozenset({"dear", "liebe", "lieber", "liebes", "hochverehrte"})


def _is_asking(words: list[str]) -> bool:
    return not senses_of(words) <= {"PERSON", "ASIDE"} or any(map(is_number, words))


def _is_within(
    word: SpokenWord, current: list[SpokenWord], after: SpokenWord, behind: SpokenWord
) -> bool:
    """Tell whether a word of order stands within a clause, whose verb or object is still to come:
    "Spitzen danach auf -1 dBFS", "normalisieren Sie dann den Pegel auf -3 dBFS"."""
    if word.text in AND and not _BETWEEN.isdisjoint(one.text for one in current[-4:]):
        return True
    if word.text not in _ORDERS or not current:
        return False
    if after.text in _TOWARDS and (is_number(behind.text) or behind.text in _NAMED):
        return True  # "begrenze die Spitzen danach auf -2 dB"
    if word.text not in _GERMAN:
        return len(current) == 1 and not read_alone(current)
    verb = senses_of([one.text for one in current]) == {"NORM"}
    return len(current) <= _MOST_BEFORE_ORDER and (verb or not read_alone(current))


def longest_fit(pieces: list[RequestPiece], at: int) -> tuple[Fit | None, int]:
    """Return the rule that fits the most pieces from `at` on, and how many; one piece when none
    does."""
    joined = [pieces[at].spelling]
    for piece in pieces[at + 1 : at + _AT_ONCE]:
        joined.append(f"{joined[-1]}{piece.before} {piece.spelling}")
    for count in range(len(joined), 0, -1):
        clause = joined[count - 1]
        fit = fit_of(clause)
        if fit is None:
            fit = meaning_of(clause.split())
            if fit and count > 1 and not _are_one(fit, pieces[at : at + count]):
                fit = None
            if fit and count > 1 and _is_begun(pieces[at + count - 1 : at + count + 1]):
                fit = None
        if fit is not None:
            return fit, count
    return None, 1


def _are_one(whole: Fit, pieces: list[RequestPiece]) -> bool:
    """Tell whether pieces are one wish, and not some of their own: the first of them is said more
    exactly by the others."""
    if any(piece.before in _STEPS for piece in pieces[1:]):
        return False  # "strip the silence, then at both ends a fade"
    first, *others = [read_alone(piece.words) for piece in pieces]
    stops = [piece.before in STOPS for piece in pieces[1:]]
    if any(stop and other for stop, other in zip(stops, others, strict=True)):
        return False  # "I want to use it. Cut off the last 20 s"
    if any(map(_is_plus, pieces)) and any(others[-1:]):
        return False  # "+3 dB, less bass"
    if whole.rule.wording.name not in _WITH_PLUS and any(_is_plus(piece) for piece in pieces[1:]):
        return False  # "denoise, +2 dB"
    if any(stop and _is_edge(piece) for stop, piece in zip(stops, pieces[1:], strict=True)):
        return False  # "trim the silence. At the end, export as mp3"
    equalised = whole.rule.wording.name == "equaliser" and others[-1]
    if equalised and senses_of([word.text for word in pieces[0].words]) & _LEVELS:
        return False  # "make it louder, bass +3 dB"
    shaped = whole.rule.wording.name in ("high-pass", "low-pass")
    if shaped and any(_is_more(piece) for piece in pieces[1:]):
        return False  # "high-pass at 80 Hz, more presence"
    if any(other and _differs(other, whole) for other in others):
        return False
    rules = {other.rule.wording.name for other in others if other}
    mixes = first is not None and first.rule.tool is not None and first.rule.tool.name == "mix"
    levels = any(_is_level(other) for other in others) and not mixes
    if first and levels and rules - {first.rule.wording.name}:
        return False  # "remove the noise and make it 3 dB quieter"
    if first and first.rule is not whole.rule:
        return False  # "4 dB quieter, there is noise, remove it"
    if _is_section_level(whole) and any(map(_is_cut_out, pieces[1:])):
        return False  # "3 dB quieter, take out 0:10 to 0:12"
    told = [one.text for one in pieces[0].words]
    if _is_side(whole) and others and begins(told) and has_verb(told):
        return False  # "The voice comes from the left, could you make it mono?"
    if others and others[-1] and _is_of_its_own(others[-1], whole):
        return False  # "invert the phase, reverse it"
    if first is None or not all(others):
        return True
    if not _is_taken(whole):
        return False  # "compress 3:1, 8 dB down" has no threshold of 8 dBFS
    return not (_is_shape(whole.rule) or any(_is_conversion(one) for one in others))


STOPS = frozenset({".", "!", "?", ";"})
"""Separators that end a sentence."""


_LEVELS = frozenset({"LOUDER", "QUIETER"})
_WITH_PLUS = frozenset({"gain", "equaliser"})


def _is_plus(piece: RequestPiece) -> bool:
    return piece.words[0].text[0] == "+"


def _is_edge(piece: RequestPiece) -> bool:
    said = senses_of([word.text for word in piece.words])
    placed = piece.words[0].text in _PLACED | {"in", "im", "on"}
    return placed or said <= {"START", "END", "BEFORE", "AFTER", "IN", "AT"}


def _is_more(piece: RequestPiece) -> bool:
    return bool(senses_of([word.text for word in piece.words]) & {"MORE", "LESS"})


def _differs(fit: Fit, whole: Fit) -> bool:
    """Tell whether a piece has another number than the whole: "I want it, cut the last 10 s"."""
    own = {name: value for name, value in fit.arguments.items() if name in ("start_s", "end_s")}
    return fit.rule.tool is whole.rule.tool and not own.items() <= whole.arguments.items()


def _is_level(fit: Fit | None) -> bool:
    return fit is not None and fit.rule.wording.name == "gain"


def _is_begun(pieces: list[RequestPiece]) -> bool:
    """Tell whether the first of two pieces begins what the second says: "at the start and at the
    end" says where a fade is, not where the silence was that was spoken of before."""
    words = [[word.text for word in piece.words] for piece in pieces]
    places = [senses_of(one) for one in (words[0], words[-1][:1])]
    return len(pieces) == 2 and pieces[1].before in AND and all(some & _ENDS for some in places)


def _is_taken(fit: Fit) -> bool:
    """Tell whether the tool takes the numbers of a meaning."""
    parameters = fit.rule.tool.parameters if fit.rule.tool else ()
    ranges = {one.name: (one.low, one.high) for one in parameters}
    numbers = {n: v for n, v in fit.arguments.items() if isinstance(v, int | float) and n in ranges}
    return all(ranges[n][0] <= v <= ranges[n][1] for n, v in numbers.items())


def _is_conversion(fit: Fit | None) -> bool:
    return fit is not None and fit.rule.tool is not None and fit.rule.tool.name == "convert"


def _is_section_level(fit: Fit) -> bool:
    """Tell whether a meaning is a level of a section."""
    return not {"start_s", "end_s"}.isdisjoint(fit.arguments) and "gain_db" in fit.arguments


def _is_cut_out(piece: RequestPiece) -> bool:
    """Tell whether a piece says what happens to a section, not where something else happens."""
    words = [word.text for word in piece.words]
    wanted = not _WANTED.isdisjoint(words) or not senses_of(words).isdisjoint(_CUTTING)
    return piece.before not in _COMMAS or wanted


def read_alone(words: list[SpokenWord]) -> Fit | None:
    """Return the meaning of words as one clause; None without one."""
    plain = [word.text for word in words]
    return fit_of("".join(f"{word} " for word in plain)) or meaning_of(plain)


_WITHS = frozenset({"with", "mit", "plus"})
_AS = frozenset({"as", "als"})


def clauses_beside_with(words: list[SpokenWord]) -> list[tuple[list[SpokenWord], Fit]]:
    """Return the two clauses around a "with" that says more than how: "an octave lower with lots of
    reverb"; none where there are not two."""
    for at in range(1, len(words) - 1 if len(words) <= 2 * _MOST_WORDS else 0):
        if words[at].text in _WITHS | _AS:
            named = words[at].text in _AS
            parts = words[:at], words[at + (0 if named else 1) :]
            one, other = (read_alone(part) for part in parts)
            joins = one and one.rule.tool and one.rule.tool.name in ("concat", "mix")
            fits = other is not None and (not named or other.rule.wording is FORMAT)
            section = one and not named and _is_section_level(one)
            if one and other and fits and not joins and not section and one.rule is not other.rule:
                return [(parts[0], one), (parts[1], other)]
    return []


def shapes_in(words: list[SpokenWord]) -> list[tuple[list[SpokenWord], Fit]]:
    """Return the clauses that stand there without a comma where each says what the file is to be:
    "16k mono wav", "mono at -19 LUFS". None where they can be parted into others as well."""
    found: list[list[tuple[list[SpokenWord], Fit]]] = []
    for at in range(1, len(words) if len(words) <= _MOST_WORDS else 0):
        one, other = read_alone(words[:at]), read_alone(words[at:])
        if one is None or not _is_state(one.rule) or one.rule.wording.name == "limit":
            continue
        if other and _is_state(other.rule):
            found.append([(words[:at], one), (words[at:], other)])
        elif other is None and (rest := shapes_in(words[at:])):
            found.append([(words[:at], one), *rest])
    said = [_said_by(fit for _, fit in parts) for parts in found]
    if not said or None in said or said != [said[0]] * len(said):
        return []
    fewest = min(found, key=len)
    if all_of_it := _one_of(fit for _, fit in fewest):
        return [(words, all_of_it)]
    return fewest


def _said_by(fits: Iterable[Fit]) -> dict[str, object] | None:
    """Return the arguments of several clauses together; None where two differ in one."""
    said: dict[str, object] = {}
    for fit in fits:
        if any(said.setdefault(name, value) != value for name, value in fit.arguments.items()):
            return None
    return said


def _one_of(fits: Iterable[Fit]) -> Fit | None:
    """Return the one that says all that the others say, as in "-14 LUFS for Spotify"."""
    fullest, *others = sorted(fits, key=lambda fit: -len(fit.arguments))
    same = all(
        fit.rule is fullest.rule and fit.arguments.items() <= fullest.arguments.items()
        for fit in others
    )
    return fullest if same else None


def _is_state(rule: Rule) -> bool:
    """Tell whether a rule says what the file is to be, in its shape or its level."""
    return _is_shape(rule) or rule.wording.order == "sets level"


def _is_shape(rule: Rule) -> bool:
    return rule.wording is FORMAT or rule.wording.order in ("before level", "last")
