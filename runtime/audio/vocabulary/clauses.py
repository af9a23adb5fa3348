"""A request as clauses, each with its meaning; or why the offline rules refuse it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from ...errors import Failure
from .complaints import complaint_of
from .parts import alone_text, one_of_several, parts_in
from .patterns import is_number, with_points, words_in
from .remarks import (
    TOLD,
    is_heading,
    is_remark,
    is_told_of,
    may_be_told,
    plain_text,
    points_back,
    simpler,
    told_words,
    values_in,
)
from .rules import BEGINNINGS, FORMAT, GOING_ON, SEPARATORS, TURNS, Fit, Rule, fit_of
from .sentences import adds_nothing, meaning_of, senses_of, verb_of
from .units import SpokenWord

MAX_REQUEST = 4_000
_MOST_WORDS = 12
"""Words of clauses without a comma, which are parted in every way."""
SEE = "`flowc audio vocabulary` lists what they understand; --model provider:name asks a model"
_LIST = "`flowc audio vocabulary` lists what they know"
_COMMA = re.compile(r"([0-9]+),([0-9]+)")
_AT_ONCE = 6
"""Clauses that one phrase may span: "fade in 1 s and out 2 s" are two."""


@dataclass(frozen=True, slots=True)
class Clause:
    """A part of a request, as it was written, and its meaning."""

    text: str
    fit: Fit

    @property
    def part(self) -> str:
        """Return the part of the sound that it speaks of, and that is taken for all of it; "" for
        none. What is laid under the voice changes no voice."""
        tool = self.fit.rule.tool
        words = [] if tool and tool.name == "mix" else [w.text for w in words_in(self.text)]
        return next(iter(parts_in(words)), "")


def read_request(request: str) -> list[Clause]:
    """Return the clauses of a request, in order. Raise `Failure` (refused) that names every word
    that the rules do not know, and the clauses of known words that they cannot read."""
    return _read(request)[0]


def remarks_in(request: str) -> list[str]:
    """Return what is said beside the wishes, and asks for nothing. Raise as `read_request` does."""
    return _read(request)[1]


def _read(request: str) -> tuple[list[Clause], list[str]]:
    if not request.strip():
        raise refusal("the request is empty: nothing is asked for", "say what to do; " + SEE)
    if len(request) > MAX_REQUEST:
        raise refusal(f"the request is longer than {MAX_REQUEST} characters", SEE)
    pieces = _pieces(words_in(plain_text(request)))
    pieces = [one for one in pieces if not adds_nothing([w.text for w in one.words])] or pieces
    found: list[tuple[list[SpokenWord], list[Clause]]] = []
    at = 0
    while at < len(pieces):
        clauses = [clause for _, some in found for clause in some]
        used, own = _clauses_at(request, pieces, at, clauses[-1] if clauses else None)
        found.append(([word for piece in pieces[at : at + used] for word in piece.words], own))
        at += used
    every = [clause for _, some in found for clause in some]
    clauses = [one for one, before in zip(every, [None, *every], strict=False)
               if before is None or not _is_same(one, before)]  # fmt: skip
    remarks: list[str] = []
    wrong: list[str] = []
    for number, (words, own) in enumerate(found):
        if own:
            continue
        text = request[words[0].start : words[-1].end]
        near = [w.text for other, some in found[max(number - 1, 0) : number + 2] if some
                for w in other]  # fmt: skip
        if clauses and is_remark([word.text for word in words], near):
            remarks.append(text)
            continue
        last = clauses[-1] if found[number - 1][1] and number and not wrong else None
        wrong.append((last and _again(last, words, text)) or complaint_of(text, words))
    if wrong:
        if comma := _COMMA.search(with_points(request)):
            wrong.append(f"a comma separates clauses: write `{comma[1]}.{comma[2]}`")
        reasons = "; ".join(wrong)
        raise refusal(f"the offline rules refuse this request: {reasons} ({_LIST})", SEE)
    if not clauses:
        raise refusal("the request asks for nothing", "say what to do; " + SEE)
    _check_parts(clauses)
    return clauses, remarks


def _clauses_at(
    request: str, pieces: list[_Piece], at: int, last: Clause | None
) -> tuple[int, list[Clause]]:
    """Return how many pieces from a place on are read together, and the clauses that they are; none
    where they cannot be read."""
    fit, used = _longest(pieces, at)
    words = [word for piece in pieces[at : at + used] for word in piece.words]
    text = request[words[0].start : words[-1].end]
    if fit is None and last:
        fit, text = _going_on(last, words, text)
    if fit is None and at + 1 < len(pieces):
        fit, text = _coming(pieces[at + 1], words, text)
    if fit and fit.rule.wording.name in _OF_PLACES and is_told_of([w.text for w in words]):
        fit = None
    if fit:
        return used, [Clause(text, fit)]
    if two := _part_shapes(words):
        return used, [_clause_of(request, part, own) for part, own in two]
    if two := _parted(words):
        return used, [_clause_of(request, part, own) for part, own in two]
    for some in simpler(words):
        if own := _read_alone(some):
            return used, [_clause_of(request, some, own)]
        if two := _part_shapes(some):
            return used, [_clause_of(request, part, own) for part, own in two]
    if at + 1 < len(pieces) and (own := _section_before(words, pieces[at + 1].words)):
        joined = [*words, *pieces[at + 1].words]
        return 2, [_clause_of(request, joined, own)]
    for count in (2, 3, 4):
        joined = [word for piece in pieces[at : at + count] for word in piece.words]
        if len(pieces) >= at + count and (own := _pointed_at(pieces[at : at + count])):
            return count, [_clause_of(request, joined, own)]
    if last and _is_rest(last, [word.text for word in words]):
        return used, [last]
    return used, []


_ONCE = frozenset({"loudness_norm", "peak_norm", "limit", "convert"})


def _is_same(one: Clause, before: Clause) -> bool:
    """Tell whether a clause says once more what the one before it says."""
    tool = one.fit.rule.tool
    again = one.fit == before.fit and tool is not None
    return one is before or (again and (tool.name in _ONCE or {*one.fit.arguments} == {"end_s"}))


def _pointed_at(pieces: list[_Piece]) -> Fit | None:
    """Return the meaning of clauses of which the first tells what there is and the last what to do
    with it, where neither can be read alone: "from 45:10 to 45:45 it crackles; take that out"."""
    if any(_read_alone(piece.words) for piece in pieces):
        return None
    *told, wish = [[word.text for word in piece.words] for piece in pieces]
    told = [["and", *one] if piece.before in _AND else one
            for one, piece in zip(told, pieces, strict=False)]  # fmt: skip
    if not points_back(wish) or not _RESTS.isdisjoint(wish) or not may_be_told(told[0]):
        return None
    timed = any(True for one in told for _ in values_in(one))
    for kept in TOLD if timed else TOLD[1:2]:
        known = [word for one in told for word in told_words(one, kept)]
        if known and (fit := meaning_of([*known, *wish])):
            return fit
    return None


def _section_before(told: list[SpokenWord], wish: list[SpokenWord]) -> Fit | None:
    """Return the meaning of a wish that points back to the section of which the clause before it
    tells: "from 0:48 to 1:02 he is far away, raise it by 3 dB there"."""
    before, after = ([word.text for word in words] for words in (told, wish))
    alone = _read_alone(wish)
    if alone is None or not points_back(after) or not may_be_told(before):
        return None
    fit = meaning_of([*told_words(before, TOLD[0]), *after])
    more = (
        fit is not None
        and fit.rule is alone.rule
        and alone.arguments.items() < fit.arguments.items()
    )
    return fit if more else None


_AND = frozenset({"and", "und"})
_GONE = frozenset({"REMOVE", "AWAY", "DROP", "CUT", "OF", "ALL", "TAKE", "SKIP"})
_LEFT_ALONE = frozenset({"lassen", "leave", "alone", "keep", "bleibt"})
_LENGTHS = frozenset({"trim_silence", "time_stretch", "shorten_pauses", "concat", "pad"})
_RESTS = frozenset({"rest", "else", "outside", "übrige", "übrigen", "andere", "anderes", "others"})


def _is_rest(last: Clause, words: list[str]) -> bool:
    """Tell whether words drop what is left beside the section that the clause before keeps."""
    tool, said = last.fit.rule.tool, senses_of(words)
    rest = not _RESTS.isdisjoint(words)
    if tool is None:
        return False
    match tool.name:
        case "clip":
            return (rest and said <= _GONE) or (
                points_back(words) and said <= {"KEEP", "JUST", "WANT"}
            )
        case "cut":
            return rest and said <= {"JOIN", "AND", "TO"}
        case "channels":
            return said <= {"LEFT", "RIGHT", "CHANNEL", "KEEP"} and not _LEFT_ALONE.isdisjoint(
                words
            )
    return bool(said) and said <= {"SAMESPEED", "SAMEPITCH"} and tool.name not in _LENGTHS


_OF_PLACES = frozenset({"left and right"})
"""Wordings that need no verb: "only the left"."""


def _clause_of(request: str, words: list[SpokenWord], fit: Fit) -> Clause:
    return Clause(request[words[0].start : words[-1].end], fit)


def _check_parts(clauses: list[Clause]) -> None:
    """Raise `Failure` (refused) where one part of the sound is set against another."""
    words = [
        (clause.text, w.text) for clause in clauses if clause.part for w in words_in(clause.text)
    ]
    if part := one_of_several([word for _, word in words]):
        why = alone_text(part, next(text for text, word in words if word == part))
        raise refusal(f"the offline rules refuse this request: {why}", SEE)


def _coming(after: _Piece, words: list[SpokenWord], text: str) -> tuple[Fit | None, str]:
    """Return the meaning of a clause with the verb of the next one, and its text with it: "Brummen"
    before "und Rauschen entfernen"."""
    plain = [word.text for word in after.words]
    other = _read_alone(after.words)
    verb = verb_of(plain) if other else ""
    fit = meaning_of([*(word.text for word in words), verb]) if verb else None
    if fit is None or other is None:
        return None, text
    if fit.rule is other.rule and fit.arguments.keys() == other.arguments.keys():
        return None, text
    return fit, f"{text} {verb}"


_WITHS = frozenset({"with", "mit", "plus"})


def _parted(words: list[SpokenWord]) -> list[tuple[list[SpokenWord], Fit]]:
    """Return the two clauses around a "with" that says more than how: "an octave lower with lots of
    reverb"; none where there are not two."""
    for at in range(1, len(words) - 1):
        if words[at].text in _WITHS:
            parts = words[:at], words[at + 1 :]
            one, other = (_read_alone(part) for part in parts)
            if one and other and one.rule is not other.rule:
                return [(parts[0], one), (parts[1], other)]
    return []


def _part_shapes(words: list[SpokenWord]) -> list[tuple[list[SpokenWord], Fit]]:
    """Return the clauses that stand there without a comma where each says what the file is to be:
    "16k mono wav", "mono at -19 LUFS". None where they can be parted into others as well."""
    found: list[list[tuple[list[SpokenWord], Fit]]] = []
    for at in range(1, len(words) if len(words) <= _MOST_WORDS else 0):
        one, other = _read_alone(words[:at]), _read_alone(words[at:])
        if one is None or not _is_state(one.rule):
            continue
        if other and _is_state(other.rule):
            found.append([(words[:at], one), (words[at:], other)])
        elif other is None and (rest := _part_shapes(words[at:])):
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


@dataclass(frozen=True, slots=True)
class _Piece:
    """Words between two separators, and the separator before them."""

    before: str
    words: list[SpokenWord]

    @property
    def spelling(self) -> str:
        return "".join(f"{word.text} " for word in self.words)


_ALL_BUT = frozenset({"nothing", "all", "everything", "anything", "nichts", "alles"})
_END = SpokenWord(";", 0, 0)


_LEAST_BEFORE_COLON = 4
_ORDERS = frozenset({"also", "then", "afterwards", "dann", "danach", "anschließend", "finally"})
"""Separators that may stand within a clause as well: "Spitzen danach auf -1 dBFS"."""


def _pieces(words: list[SpokenWord]) -> list[_Piece]:
    pieces: list[_Piece] = []
    before = ""
    current: list[SpokenWord] = []
    for word, after in zip([*words, _END], [*words[1:], _END, _END], strict=True):
        openers = GOING_ON if pieces else BEGINNINGS
        if word.text in openers and not current and after is not _END and not is_number(after.text):
            continue
        turns = word.text in TURNS and not (current and current[-1].text in _ALL_BUT)
        if word.text == ":" and current:
            if is_heading([one.text for one in current]):
                current = []
                continue
            if len(current) >= _LEAST_BEFORE_COLON:
                pieces.append(_Piece(before, current))
                before, current = ",", []
                continue
        goes_on = word.text in _ORDERS and len(current) == 1 and not _read_alone(current)
        if (word.text in SEPARATORS and not goes_on) or turns:
            if current:
                pieces.append(_Piece(before, current))
                before, current = "", []
            before = ("," if turns else word.text) if not before or word.text == "and" else before
        else:
            current.append(word)
    return pieces


def _longest(pieces: list[_Piece], at: int) -> tuple[Fit | None, int]:
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
            alone = [_read_alone(piece.words) for piece in pieces[at : at + count]]
            if count > 1 and fit and all(alone) and not _goes_on(fit, alone[0]):
                fit = None  # each of them means something of its own
        if fit is not None:
            return fit, count
    return None, 1


def _goes_on(whole: Fit, first: Fit | None) -> bool:
    """Tell whether clauses together say more exactly what the first of them says."""
    return first is not None and whole.rule is first.rule and not _is_shape(whole.rule)


def _read_alone(words: list[SpokenWord]) -> Fit | None:
    plain = [word.text for word in words]
    return fit_of("".join(f"{word} " for word in plain)) or meaning_of(plain)


def _going_on(last: Clause, words: list[SpokenWord], text: str) -> tuple[Fit | None, str]:
    """Return the meaning of a clause with the verb of the one before, and its text with it: "the
    noise" after "remove the hum"."""
    verb = verb_of([word.text for word in words_in(last.text)])
    fit = meaning_of([verb, *(word.text for word in words)]) if verb else None
    if fit is None or fit.rule is last.fit.rule:
        return None, text
    return fit, f"{verb} {text}"


def _again(last: Clause, words: list[SpokenWord], text: str) -> str:
    """Return what is wrong with words that only repeat the end of the clause before them: `to -14
    LUFS` after `normalise to -16 LUFS`; "" for others."""
    before = [word.text for word in words_in(last.text)]
    if words[0].text not in before:
        return ""
    whole = [*before[: before.index(words[0].text)], *(word.text for word in words)]
    fit = fit_of("".join(f"{word} " for word in whole))
    if fit is None or fit.rule is not last.fit.rule:
        return ""
    return f"`{last.text}` and `{text}` contradict each other: ask for one of them"


def refusal(text: str, help: str) -> Failure:
    """Return the failure of a request that the rules do not take, with what helps."""
    return Failure(text, "refused", help=help)
