"""A request as clauses, each with its meaning; or why the offline rules refuse it."""

from __future__ import annotations

import functools
import re
from dataclasses import dataclass

from ...errors import Failure
from .complaints import complaint_of
from .details.manners import leaves_rest
from .meant import TAKING, Neighbourhood, is_bare_tag, is_meant, is_of_all
from .patterns import with_points, words_in
from .pieces import (
    AND,
    RequestPiece,
    clauses_beside_with,
    is_filling,
    longest_fit,
    pieces_in,
    read_alone,
    shapes_in,
)
from .remarks.contexts import is_context
from .remarks.pointers import TOLD, may_be_told, points_back, told_words
from .remarks.shorter import simpler, without_purpose
from .remarks.signs import plain_text
from .remarks.statements import is_remark, is_scoped, values_in
from .rules import Fit, fit_of
from .sentences import (
    alone_text,
    is_known,
    meaning_of,
    one_of_several,
    parts_in,
    senses_of,
    verb_of,
)
from .units import SpokenWord

MAX_REQUEST = 4_000
SEE = "`flowc audio vocabulary` lists what they understand; --model provider:name asks a model"
_LIST = "`flowc audio vocabulary` lists what they know"
_COMMA = re.compile(r"([0-9]+),([0-9]+)")


@dataclass(frozen=True, slots=True)
class Clause:
    """A part of a request, as it was written, and its meaning."""

    text: str
    fit: Fit

    @property
    def part(self) -> str:
        """Return the part of the sound that it speaks of, and that is taken for all of it; "" for
        none. What is laid under the voice changes no voice, nor does a side on which it is."""
        tool = self.fit.rule.tool
        words = (
            []
            if tool and tool.name in ("mix", "channels")
            else [w.text for w in words_in(self.text)]
        )
        return next(iter(parts_in(words)), "")


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
    request = _BLANKS.sub(" ", request)
    pieces = pieces_in(words_in(plain_text(request)))
    pieces = [one for one in pieces if not is_filling(one)] or pieces
    found: list[tuple[list[SpokenWord], list[Clause]]] = []
    at = 0
    while at < len(pieces):
        so_far = [clause for _, some in found for clause in some]
        used, own = _clauses_at(request, pieces, at, so_far[-1] if so_far else None)
        found.append(([word for piece in pieces[at : at + used] for word in piece.words], own))
        at += used
    clauses: list[Clause] = []
    for clause in (clause for _, some in found for clause in some):
        if not any(_is_same(clause, other) for other in _since_join(clauses)):
            clauses.append(clause)
    remarks: list[str] = []
    wrong: list[str] = []
    for number, (words, own) in enumerate(found):
        if own:
            continue
        text = request[words[0].start : words[-1].end]
        near = [word.text for other, some in found if some for word in other]
        timed = any("end_s" in one.fit.arguments for one in clauses)
        plain = [word.text for word in words]
        alone = is_scoped(plain) and not all(is_of_all(one.fit) for one in clauses)
        if clauses and not alone and is_remark(plain, near, timed):
            remarks.append(text)
            continue
        after = next((some[0] for _, some in found[number + 1 :] if some), None)
        if clauses and not alone and is_context(plain, near, _is_treatment(after)):
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
    _check_twice(clauses)
    return clauses, remarks


_BLANKS = re.compile(r"[^\S\n]+")
_TREATMENTS = frozenset({
    "eq", "highpass", "lowpass", "bandpass", "denoise", "dehum", "declick", "deess", "noise_gate",
    "compress", "leveller", "limit", "reverb", "channels", "invert", "shift", "distort",
    "shorten_pauses", "pitch_shift", "time_stretch", "trim_silence", "reverse",
})  # fmt: skip
"""Tools by which a sound is made another one, as who complains of it wants."""


def _is_treatment(clause: Clause | None) -> bool:
    tool = clause.fit.rule.tool if clause else None
    return tool is not None and tool.name in _TREATMENTS


_MORE_THAN_ONCE = frozenset({"again", "nochmal", "nochmals", "twice", "zweimal", "wieder", "limit"})


def _check_twice(clauses: list[Clause]) -> None:
    """Raise `Failure` (refused) where two clauses ask for the same: it would be done twice."""
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
    fit, used = longest_fit(pieces, at)
    words = [word for piece in pieces[at : at + used] for word in piece.words]
    text = request[words[0].start : words[-1].end]
    if fit is None and last:
        fit, text = _going_on(last, words, text)
    if fit is None and at + 1 < len(pieces):
        fit, text = _coming(pieces[at + 1], words, text)
    around = _surroundings(pieces, at, used, last)
    if fit and not is_meant(fit, [word.text for word in words], around):
        return used, []
    if fit:
        bare = is_bare_tag([word.text for word in words])
        return used, [Clause(f"set {text}" if bare else text, fit)]
    if two := shapes_in(words):
        return used, [_clause_of(request, part, own) for part, own in two]
    if two := clauses_beside_with(words):
        return used, [_clause_of(request, part, own) for part, own in two]
    for some in simpler(words):
        own = read_alone(some)
        if own and is_meant(own, [word.text for word in some], around):
            return used, [_clause_of(request, some, own)]
        if two := shapes_in(some):
            return used, [_clause_of(request, part, own) for part, own in two]
    some = without_purpose(words)
    whole = read_alone(some) if some else None
    if whole and is_of_all(whole) and is_meant(whole, [w.text for w in some], around):
        return used, [_clause_of(request, words, whole)]
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


def _since_join(clauses: list[Clause]) -> list[Clause]:
    """Return the clauses since another file came in: the same done to both is another thing. A
    second join of the same file is still said twice."""
    at = next((n for n, one in reversed([*enumerate(clauses)]) if "inputs" in one.fit.arguments), 0)
    return clauses[at:]


_ONCE = frozenset({"loudness_norm", "convert"})


def _is_same(one: Clause, before: Clause) -> bool:
    """Tell whether a clause says once more what the one before it says."""
    tool = one.fit.rule.tool
    if one is before or tool is None or one.fit.rule is not before.fit.rule:
        return one is before
    once = tool.name in _ONCE or len(one.fit.arguments.get("order", ())) == 1
    return once and _is_alike(one, before)


def _is_alike(one: Clause, other: Clause) -> bool:
    """Tell whether two clauses of one tool are the same call."""
    assert one.fit.rule.tool is not None
    usual = {parameter.name: parameter.default for parameter in one.fit.rule.tool.parameters}
    return {**usual, **one.fit.arguments} == {**usual, **other.fit.arguments}


def _pointed_at(pieces: list[RequestPiece]) -> Fit | None:
    """Return the meaning of clauses of which the first tells what there is and the last what to do
    with it, where neither can be read alone: "from 45:10 to 45:45 it crackles; take that out"."""
    if any(read_alone(piece.words) for piece in pieces):
        return None
    *told, wish = [[word.text for word in piece.words] for piece in pieces]
    told = [["and", *one] if piece.before in AND else one
            for one, piece in zip(told, pieces, strict=False)]  # fmt: skip
    if not points_back(wish) or not _RESTS.isdisjoint(wish) or not may_be_told(told[0]):
        return None
    wanted = senses_of(wish)
    if "KEEP" in wanted and "JUST" not in wanted:
        return None
    if "JUST" in wanted and not all(
        is_known(word) for one in told for word in one if word.isalpha()
    ):
        return None
    timed = any(True for one in told for _ in values_in(one))
    for kept in TOLD if timed else TOLD[1:2]:
        parts = [told_words(one, kept) for one in told]
        if any(not part and [*values_in(one)] for part, one in zip(parts, told, strict=True)):
            continue
        known = [word for part in parts for word in part]
        fit = meaning_of([*known, *wish]) if known else None
        section = fit is not None and not {"start_s", "end_s"}.isdisjoint(fit.arguments)
        if fit and not (section and not _MENDS.isdisjoint(wish)):
            return fit
    return None


_MENDS = frozenset({
    "fix", "repair", "clean", "cleaning", "filter", "trim", "shorten", "tighten", "reparier",
    "repariere", "reparieren", "bereinige", "bereinigen", "säubern", "befreien", "kürze", "kürzen",
})  # fmt: skip
"""Verbs of who wants a fault mended, and not the section gone in which it is."""


def _section_before(told: list[SpokenWord], wish: list[SpokenWord]) -> Fit | None:
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
    )
    return fit if more else None


_GONE = frozenset({"REMOVE", "AWAY", "DROP", "CUT", "SKIP"})
_LEFT_ALONE = frozenset({"lassen", "leave", "alone", "keep", "bleibt"})
_FILTERS = frozenset({"high-pass", "low-pass"})
_CHOOSING = frozenset({"clip", "channels", "mix", "concat", "split", "split_silence"})
_LENGTHS = frozenset({"trim_silence", "time_stretch", "shorten_pauses", "concat", "pad"})
_RESTS = frozenset({"rest", "else", "outside", "übrige", "übrigen", "andere", "anderes", "others"})


def _is_rest(last: Clause, words: list[str]) -> bool:
    """Tell whether words drop what is left beside the section that the clause before keeps, or say
    once more what is kept."""
    tool, said = last.fit.rule.tool, senses_of(words)
    if tool and leaves_rest(words):
        own = senses_of([word.text for word in words_in(last.text)])
        return tool.name not in _CHOOSING and own.isdisjoint({"PART", "STEM", "VOICES"})
    strange = [word for word in words if not is_known(word)]
    if tool is None or not said or {*strange} - _RESTS:
        return False
    rest = bool(strange)
    match tool.name:
        case "clip":
            gone = rest and said <= _GONE | {"OF", "ALL"} and said & _GONE
            taken = senses_of([word.text for word in words_in(last.text)]) & TAKING
            again = points_back(words) and said <= {"KEEP", "JUST", "WANT"} and "KEEP" in said
            again = again and not taken
            return bool(gone or (again and not rest))
        case "cut":
            return rest and "JOIN" in said and said <= {"JOIN", "AND", "TO"}
        case "channels":
            alone = not _LEFT_ALONE.isdisjoint(words)
            return alone and not rest and said <= {"LEFT", "RIGHT", "CHANNEL", "KEEP"}
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


def _coming(after: RequestPiece, words: list[SpokenWord], text: str) -> tuple[Fit | None, str]:
    """Return the meaning of a clause with the verb of the next one, and its text with it: "Brummen"
    before "und Rauschen entfernen"."""
    plain = [word.text for word in after.words]
    other = read_alone(after.words)
    verb = verb_of(plain) if other else ""
    fit = meaning_of([*(word.text for word in words), verb]) if verb else None
    if fit is None or other is None:
        return None, text
    if fit.rule is other.rule and fit.arguments.keys() == other.arguments.keys():
        return None, text
    return fit, f"{text} {verb}"


def _going_on(last: Clause, words: list[SpokenWord], text: str) -> tuple[Fit | None, str]:
    """Return the meaning of a clause with the verb of the one before, and its text with it: "the
    noise" after "remove the hum"."""
    verb = verb_of([word.text for word in words_in(last.text)])
    fit = meaning_of([verb, *(word.text for word in words)]) if verb else None
    if fit is None or (fit.rule is last.fit.rule and "inputs" not in fit.arguments):
        return None, text
    if fit.rule.tool and fit.rule.tool.name == "clip":
        return None, text  # "silence at the start away, 2 s at the end"
    if last.fit.rule.wording.name == "equaliser" and fit.rule.wording.name in _FILTERS:
        return None, text  # "take 6 dB off below 150 Hz and above 8 kHz"
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
