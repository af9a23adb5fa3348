"""A request as clauses, each with its meaning; or why the offline rules refuse it."""

from __future__ import annotations

import functools
import re
from itertools import pairwise

from ...errors import Failure
from .details.manners import leaves_rest
from .earlier import in_order, is_left_open, with_earlier
from .findings import Clause, ReadPart, remarks_beside
from .meant import TAKING, Neighbourhood, is_bare_tag, is_meant, is_of_all
from .misfits import is_behind_section
from .peeling import with_settings
from .pieces import (
    RequestPiece,
    clauses_beside_with,
    is_filling,
    longest_fit,
    pieces_in,
    read_alone,
    shapes_in,
)
from .references import (
    RESTS,
    meaning_behind,
    meaning_by_last_verb,
    meaning_by_next_verb,
    meaning_with_names,
    of_the_rest,
    section_before,
)
from .remarks.names import AT_LAST, may_be_named, wish_at_last, wish_of_asker, without_names
from .remarks.pointers import points_back
from .remarks.shorter import simpler
from .remarks.signs import plain_text
from .unclear import half_character, unclear_name, unclear_part
from .words.patterns import is_number, with_points, words_in
from .words.rules import Fit
from .words.sentences import (
    alone_text,
    is_known,
    one_of_several,
    senses_of,
)
from .words.umlauts import with_umlauts
from .words.units import SpokenWord

MAX_REQUEST = 4_000
SEE = "`flowc audio vocabulary` lists what they understand; --model provider:name asks a model"
_LIST = "`flowc audio vocabulary` lists what they know"
_COMMA = re.compile(r"([0-9]+),([0-9]+)")


def read_request(request: str) -> list[Clause]:
    """Return the clauses of a request, in order. Raise `Failure` (refused) that names every word
    that the rules do not know, and the clauses of known words that they cannot read."""
    return [*_read(request)[0]]


def remarks_in(request: str) -> list[str]:
    """Return what is said beside the wishes, and asks for nothing. Raise as `read_request` does."""
    return [*_read(request)[1]]


@functools.lru_cache(maxsize=64)
def _read(request: str) -> tuple[list[Clause], list[str]]:
    """Return clauses and remarks. A run reads its request and the steps of it again and again."""
    if not request.strip():
        raise refusal("the request is empty: nothing is asked for", "say what to do; " + SEE)
    if len(request) > MAX_REQUEST:
        raise refusal(f"the request is longer than {MAX_REQUEST} characters", SEE)
    if broken := half_character(request):
        raise refusal(*broken)
    request = _BLANKS.sub(" ", request)
    pieces = pieces_in(with_umlauts(words_in(plain_text(request))))
    if unclear := unclear_part(request) or unclear_name(request, pieces):
        raise refusal(*unclear)
    pieces = with_earlier([one for one in pieces if not is_filling(one)] or pieces)
    found: list[ReadPart] = []
    at = 0
    while at < len(pieces):
        so_far = [clause for one in found for clause in one.clauses]
        used, own = _clauses_at(request, pieces, at, so_far[-1] if so_far else None)
        words = [word for piece in pieces[at : at + used] for word in piece.words]
        found.append(ReadPart(pieces[at].before, words, own))
        at += used
    if behind := is_left_open(found):
        raise refusal(f"`{behind}` may be done before the others or after them", _IN_ORDER)
    clauses: list[Clause] = []
    for clause in in_order(found):
        same = [
            other
            for other in _since_join(clauses)
            if _is_same(clause, other) and (other is clauses[-1] or _is_told(clause, other))
        ]
        if any(other.is_complaint or _is_less_exact(other, clause) for other in same):
            clauses = [other for other in clauses if other not in same]
            same = []
        if not same:
            clauses.append(clause)
    remarks, wrong = remarks_beside(request, found, clauses)
    if wrong:
        if comma := _COMMA.search(with_points(request)):
            wrong.append(f"a comma separates clauses: write `{comma[1]}.{comma[2]}`")
        reasons = "; ".join(wrong)
        raise refusal(f"the offline rules refuse this request: {reasons} ({_LIST})", SEE)
    if not clauses:
        raise refusal("the request asks for nothing", "say what to do; " + SEE)
    _check_parts(clauses)
    _check_twice(clauses)
    return clauses, remarks


_IN_ORDER = "say all of it in the order in which it is done"
_BLANKS = re.compile(r"[^\S\n]+")
_MORE_THAN_ONCE = frozenset(
    {"again", "back", "nochmal", "nochmals", "twice", "zweimal", "wieder", "limit"}
)


_BARELY = frozenset({"eq", "distort", "reverb"})
"""Tools that are named first and said exactly then: "distort it, soft clip 6 dB"."""


def _check_twice(clauses: list[Clause]) -> None:
    """Raise `Failure` (refused) where two clauses ask for the same: it would be done twice."""
    for one, other in pairwise(clauses):
        tool, numbered = one.fit.rule.tool, any(is_number(w.text) for w in words_in(one.text))
        again = any(is_number(w.text) for w in words_in(other.text)[-2:])
        if tool and tool.name in _BARELY and not numbered and tool is other.fit.rule.tool and again:
            both = f"`{one.text}` and `{other.text}` may ask for the same"
            raise refusal(
                f"the offline rules refuse this request: {both}", "say the numbers of both"
            )
    for number, one in enumerate(clauses):
        words = {word.text for word in words_in(one.text)}
        tool = one.fit.rule.tool
        if tool is None or tool.name == "limit" or words & _MORE_THAN_ONCE:
            continue
        for other in _since_join(clauses[:number]):
            files = one.fit.arguments.get("inputs")
            same = _is_alike(one, other) or (files and files == other.fit.arguments.get("inputs"))
            if other.fit.rule.tool is tool and same:
                both = f"`{other.text}` and `{one.text}` ask for the same"
                raise refusal(f"the offline rules refuse this request: {both}: say it once", SEE)


def _surroundings(
    pieces: list[RequestPiece], at: int, used: int, last: Clause | None
) -> Neighbourhood:
    before = [word.text for word in words_in(last.text)] if last else []
    behind = pieces[at + used].words if at + used < len(pieces) else []
    after = [word.text for word in behind]
    return Neighbourhood(last.fit if last else None, before, after, pieces[at].before, used)


def _clauses_at(
    request: str, pieces: list[RequestPiece], at: int, last: Clause | None
) -> tuple[int, list[Clause]]:
    """Return how many pieces from a place on are read together, and the clauses that they are; none
    where they cannot be read."""
    plain = longest_fit(pieces, at)
    fit, used = with_settings(pieces, at, plain) or plain
    words = [word for piece in pieces[at : at + used] for word in piece.words]
    text = request[words[0].start : words[-1].end]
    if fit is None and last:
        fit, text = meaning_by_last_verb(last.fit, last.text, words, text)
    if fit is None and last and used == 1 and (rest := of_the_rest(words, last.fit)):
        fit = read_alone(rest)
    if fit is None and at + 1 < len(pieces):
        fit, text = meaning_by_next_verb(pieces[at + 1], words, text)
    around = _surroundings(pieces, at, used, last)
    if fit and used > 1 and not is_meant(fit, [word.text for word in words], around):
        fit, used, words = read_alone(pieces[at].words), 1, pieces[at].words
        text = request[words[0].start : words[-1].end]
        around = _surroundings(pieces, at, used, last)
    if fit and not is_meant(fit, [word.text for word in words], around):
        return used, []
    if fit:
        bare = is_bare_tag([word.text for word in words])
        return used, [Clause(f"set {text}" if bare else text, fit)]
    if alone := _shorter_clauses(request, words, around):
        return used, alone
    if joined := _joined_clause(request, pieces, at, around):
        return joined
    if last and _is_rest(last, [word.text for word in words]):
        return used, [last]
    return used, []


def _shorter_clauses(request: str, words: list[SpokenWord], around: Neighbourhood) -> list[Clause]:
    """Return the clauses of words that are two of them, or one beside what adds nothing to it; none
    where they cannot be read."""
    if is_behind_section([word.text for word in words], around.last):
        return []
    if two := shapes_in(words):
        return [_clause_of(request, part, own) for part, own in two]
    if two := clauses_beside_with(words):
        return [_clause_of(request, part, own) for part, own in two]
    for some in simpler(words):
        own = read_alone(some)
        if own and is_meant(own, [word.text for word in some], around):
            return [_clause_of(request, some, own)]
        if two := shapes_in(some):
            return [_clause_of(request, part, own) for part, own in two]
    for some in wish_at_last(words):
        if words[0].text == "after" and around.last is None:
            continue
        whole = read_alone(some)
        last = whole is not None and (not whole.rule.tool or whole.rule.tool.name in AT_LAST)
        if whole and last and is_meant(whole, [w.text for w in some], around):
            return [_clause_of(request, some, whole)]
    for some in wish_of_asker(words):
        if two := shapes_in(some) or clauses_beside_with(some):
            return [_clause_of(request, part, own) for part, own in two]
        whole = read_alone(some)
        if whole and is_of_all(whole) and is_meant(whole, [w.text for w in some], around):
            return [_clause_of(request, some, whole)]
    for some, names in without_names(words):
        whole, bare_words = read_alone(some), [word.text for word in some]
        if whole and may_be_named(whole, bare_words, names) and is_meant(whole, bare_words, around):
            return [_clause_of(request, words, whole)]
        two = shapes_in(some)
        if two and all(may_be_named(own, bare_words, names) for _, own in two):
            return [_clause_of(request, part, own) for part, own in two]
    return []


def _joined_clause(
    request: str, pieces: list[RequestPiece], at: int, around: Neighbourhood
) -> tuple[int, list[Clause]] | None:
    """Return a clause that refers to what the pieces before it tell, and how many pieces it is."""
    for count in (3, 2):
        some = pieces[at : at + count]
        if len(some) == count and (own := meaning_with_names(some, around)):
            joined = [word for piece in pieces[at : at + count] for word in piece.words]
            return count, [_clause_of(request, joined, own)]
    words = pieces[at].words
    if at + 1 < len(pieces) and (own := section_before(words, pieces[at + 1].words)):
        joined = [*words, *pieces[at + 1].words]
        return 2, [_clause_of(request, joined, own)]
    for count in (2, 3, 4):
        joined = [word for piece in pieces[at : at + count] for word in piece.words]
        if len(pieces) >= at + count and (own := meaning_behind(pieces[at : at + count])):
            return count, [_clause_of(request, joined, own)]
    return None


def _since_join(clauses: list[Clause]) -> list[Clause]:
    """Return the clauses since another file came in: the same done to both is another thing. A
    second join of the same file is still said twice."""
    at = next((n for n, one in reversed([*enumerate(clauses)]) if "inputs" in one.fit.arguments), 0)
    return clauses[at:]


_ONCE = frozenset({
    "bandpass", "loudness_norm", "convert", "dehum", "declick", "deess", "denoise", "trim_silence",
    "leveller",
})  # fmt: skip


def _is_same(one: Clause, before: Clause) -> bool:
    """Tell whether a clause says once more what the one before it says."""
    tool = one.fit.rule.tool
    if one is before or tool is None or one.fit.rule is not before.fit.rule:
        return one is before
    if not _MORE_THAN_ONCE.isdisjoint(word.text for word in words_in(one.text)):
        return False
    if tool.name == "denoise" and not one.fit.arguments:
        return True  # the noise of the sample before it
    if _is_less_exact(before, one) or _is_less_exact(one, before):
        return True
    once = tool.name in _ONCE or len(one.fit.arguments.get("order", ())) == 1
    return once and _is_alike(one, before)


def _is_told(one: Clause, other: Clause) -> bool:
    """Tell whether one of two clauses of the same call, which stand apart, only tells what it is
    that the other mends."""
    return _is_alike(one, other) and (one.is_complaint or other.is_complaint)


_TO_NAME = frozenset({"highpass", "bandpass"})


def _is_less_exact(one: Clause, other: Clause) -> bool:
    """Tell whether a clause says without a number what another one says with it: "telephone effect"
    beside "band-pass from 300 to 3400 Hz", "denoise" beside the sample of the noise."""
    tool = one.fit.rule.tool
    if tool is None or tool is not other.fit.rule.tool:
        return False
    if tool.name == "denoise":
        usual = one.fit.arguments in ({}, {"reduction_db": 12})
        return usual and "noise_end_s" in other.fit.arguments
    told = [any(is_number(w.text) for w in words_in(each.text)) for each in (one, other)]
    return tool.name in _TO_NAME and told == [False, True]


def _is_alike(one: Clause, other: Clause) -> bool:
    """Tell whether two clauses are the same call; the later may leave out the format."""
    assert one.fit.rule.tool is not None
    usual = {parameter.name: parameter.default for parameter in one.fit.rule.tool.parameters}
    usual["format"] = other.fit.arguments.get("format")
    return {**usual, **one.fit.arguments} == {**usual, **other.fit.arguments}


_GONE = frozenset({"REMOVE", "AWAY", "DROP", "CUT", "SKIP"})
_LEFT_ALONE = frozenset({"lassen", "leave", "alone", "keep", "bleibt"})
_CHOOSING = frozenset({"clip", "channels", "mix", "concat", "split", "split_silence"})
_LENGTHS = frozenset({"trim_silence", "time_stretch", "shorten_pauses", "concat", "pad", "mix"})


def _is_rest(last: Clause, words: list[str]) -> bool:
    """Tell whether words drop what is left beside the section that the clause before keeps, or say
    once more what is kept."""
    tool, said = last.fit.rule.tool, senses_of(words)
    if tool and leaves_rest(words):
        own = senses_of([word.text for word in words_in(last.text)])
        return tool.name not in _CHOOSING and own.isdisjoint({"PART", "STEM", "VOICES"})
    strange = [word for word in words if not is_known(word)]
    if tool is None or not said or {*strange} - RESTS:
        return False
    rest = bool(strange)
    match tool.name:
        case "clip":
            taken_out = senses_of([word.text for word in words_in(last.text)]) & _GONE
            gone = rest and not taken_out and said <= _GONE | {"OF", "ALL"} and said & _GONE
            taken = senses_of([word.text for word in words_in(last.text)]) & TAKING
            again = points_back(words) and said <= {"KEEP", "JUST", "WANT"} and "KEEP" in said
            again = again and not taken
            return bool(gone or (again and not rest))
        case "cut":
            return rest and "JOIN" in said and said <= {"JOIN", "AND", "TO"}
        case "channels":
            alone = not _LEFT_ALONE.isdisjoint(words)
            return alone and not rest and said <= {"LEFT", "RIGHT", "CHANNEL", "KEEP"}
    if not rest and said == {"SAMEPITCH"} and tool.name in ("time_stretch", "pitch_shift"):
        return tool.name == "time_stretch"
    return not rest and said <= {"SAMESPEED", "SAMEPITCH"} and tool.name not in _LENGTHS


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


def refusal(text: str, help: str) -> Failure:
    """Return the failure of a request that the rules do not take, with what helps."""
    return Failure(text, "refused", help=help)
