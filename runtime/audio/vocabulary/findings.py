"""What is found in a request: its clauses, and what is said beside them."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

from flowc.compiler.catalog.audio_formats import SPOKEN
from flowc.compiler.catalog.wordings.tags import TAG_WORDS

from .complaints import complaint_of
from .meant import TAKING
from .pieces import AND, STOPS
from .references import echoes
from .remarks.beside import Beside
from .remarks.contexts import is_context, is_reason
from .remarks.labels import is_place, is_purpose
from .remarks.lead_ins import is_demand, is_lead_in, is_polite, points
from .remarks.left_out import (
    VERBS_OF_WORK,
    goes_on_with,
    is_end_kept,
    is_kept,
    is_negated_behind,
    is_negation,
    left_out,
)
from .remarks.moods import goes_on, is_of_past
from .remarks.shorter import is_title
from .words.circumstances import words_of
from .words.patterns import is_number, words_in
from .words.rules import FORMAT, Fit, fit_of
from .words.sentences import parts_in, senses_of
from .words.units import SpokenWord


@dataclass(frozen=True, slots=True)
class Clause:
    """A part of a request, as it was written, and its meaning."""

    text: str
    fit: Fit

    @property
    def is_complaint(self) -> bool:
        """Tell whether it only names what is too much: "it clicks a lot"."""
        said = senses_of([word.text for word in words_in(self.text)])
        return "MUCH" in said and said.isdisjoint(TAKING)

    @property
    def part(self) -> str:
        """Return the part of the sound that it speaks of, and that is taken for all of it; "" for
        none. What is laid under the voice changes no voice, nor does a side on which it is."""
        tool = self.fit.rule.tool
        apart = tool is not None and tool.name in ("mix", "channels")
        words = [] if apart else [w.text for w in words_in(self.text)]
        return next(iter(parts_in(words)), "")


class ReadPart(NamedTuple):
    """Words that are read together, the separator before them, and their clauses, if any."""

    before: str
    words: list[SpokenWord]
    clauses: list[Clause]


def remarks_beside(
    request: str, found: list[ReadPart], clauses: list[Clause]
) -> tuple[list[str], list[str]]:
    """Return what was said beside the clauses, and why what is neither cannot be read."""
    remarks: list[str] = []
    wrong: list[str] = []
    near = [word.text for one in found if one.clauses for word in one.words]
    at = 0
    while at < len(found):
        if found[at].clauses:
            if unclear := _is_left_out_as_well(found, at):
                wrong.append(unclear)
            at += 1
            continue
        end = at + 1
        while end < len(found) and _goes_on(found[end]):
            end += 1
        after = next((one.clauses[0] for one in found[end:] if one.clauses), None)
        for last in (end, at + 1):
            words = [word for one in found[at:last] for word in one.words]
            echo = at and found[at - 1].clauses and echoes([word.text for word in words])
            title = last == end < len(found) and found[end].before == ":"
            told = echo or _is_kept(words, clauses)
            if clauses and (told or _is_beside(words, clauses, near, after, title)):
                remarks.append(request[words[0].start : words[-1].end])
                break
        else:
            last = at + 1
            text = request[words[0].start : words[-1].end]
            before = clauses[-1] if at and found[at - 1].clauses and not wrong else None
            wrong.append((before and _again(before, words, text)) or complaint_of(text, words))
        at = last
    return remarks, wrong


def _is_left_out_as_well(found: list[ReadPart], at: int) -> str:
    """Return why a wish may be left out by the negation beside it: "no EQ and compression"; "" for
    one that is not."""
    one = [word.text for word in found[at].words]
    text = " ".join(one)
    unclear = f"`{text}` may be left out as well: say `no` before it, or ask for it in a sentence"
    joined = found[at].before in AND
    after = found[at + 1] if at + 1 < len(found) else None
    behind = [word.text for word in after.words] if after else []
    if after and after.before in AND and not after.clauses and is_negated_behind(behind):
        return unclear  # "Rauschen und Brummen nicht entfernen"
    if not at:
        return ""
    before = [word.text for word in found[at - 1].words]
    named = goes_on_with(one)
    if named and joined and (is_negation(before) or senses_of(before) & _KEPT_SENSES):
        return unclear
    if found[at - 1].clauses or not left_out(before) or not (joined or found[at].before == ","):
        return ""
    if not named and (not joined or any(map(is_number, one)) or not is_negation(before)):
        return ""
    order = not joined and one[0] in VERBS_OF_WORK and not {"just", "nur", "only"} & {*behind}
    chosen = {"just", "nur", "only"} & {*one}
    return "" if order or chosen else unclear


_KEPT_SENSES = frozenset({"SAMEPITCH", "SAMESPEED"})


def _is_kept(words: list[SpokenWord], clauses: list[Clause]) -> bool:
    """Tell whether words say what is not to be done, and no clause does it."""
    plain = [word.text for word in words]
    tools = left_out(plain)
    called = [(_tool_of(one), one.fit.arguments) for one in clauses if _tool_of(one)]
    return is_kept(tools, called) if tools else is_end_kept(plain, called)


def _goes_on(one: ReadPart) -> bool:
    """Tell whether words that cannot be read go on with the sentence before them."""
    return not one.clauses and one.before not in STOPS and goes_on([w.text for w in one.words])


def _is_beside(
    words: list[SpokenWord],
    clauses: list[Clause],
    near: list[str],
    after: Clause | None,
    before_colon: bool,
) -> bool:
    """Tell whether words are a remark beside clauses, of which one comes at once behind."""
    plain = [word.text for word in words]
    tools = frozenset(_tool_of(one) for one in clauses if not _is_of_section(one)) - {""}
    joined = any(_tool_of(one) in ("concat", "mix") for one in clauses)
    if joined and plain[0] in _OF_FILE:
        return False  # "append outro.wav, it's noisy, denoise"
    if plain[0] in TAG_WORDS or _is_unmended(plain, tools, clauses):
        return False
    if before_colon and is_title(plain, tools):
        return True
    shaped = any(one in _AS and two in SPOKEN for one, two in pairwise(plain))
    if shaped and not is_of_past(plain):
        return False  # "comment recorded in Berlin", "I send it as mp3"
    behind, section = _tool_of(after) if after else "", any(map(_is_of_section, clauses))
    wish = [word.text for word in words_in(after.text)] if after else []
    beside = Beside(
        near, tools, behind, after is not clauses[0], section, is_polite(wish), points(wish)
    )
    ways = (is_context, is_reason, is_purpose, is_place, is_lead_in, is_demand)
    return any(told(plain, beside) for told in ways)


_OF_FILE = words_of("which that who it it's sie es das die der welche welches")
_TOO = frozenset({"too", "zu"})
_PACES = words_of("fast slow long short schnell langsam lang kurz quick")
_OF_PACES = frozenset({"time_stretch", "clip", "cut", "shorten_pauses", "split", "split_silence"})
_TAKES = words_of("takes take accepts accept wants needs nimmt akzeptiert will braucht")
_LASTS = words_of("lasts last long lang dauert dauere takes")


def _is_unmended(words: list[str], tools: frozenset[str], clauses: list[Clause]) -> bool:
    """Tell whether words complain of a pace or a length that no clause mends, or say how long the
    result has to be: "es ist zu lang, entrauschen", "so it lasts 3 minutes"."""
    mended = bool(_OF_PACES & {*tools, *map(_tool_of, clauses)})
    slow = any(one in _TOO and two in _PACES for one, two in pairwise(words))
    lasts = words[0] in ("so", "damit", "sodass") and not _LASTS.isdisjoint(words)
    takes = not _TAKES.isdisjoint(words) and not frozenset(SPOKEN).isdisjoint(words)
    kept = takes and not any(one.fit.rule.wording is FORMAT for one in clauses)
    return kept or (slow and not mended) or (lasts and any(map(is_number, words)))


_AS = ("as", "als", "an", "ein", "a")


def _is_of_section(clause: Clause) -> bool:
    """Tell whether a clause names its start and its end: all of the sound between them is meant."""
    return {"start_s", "end_s"} <= clause.fit.arguments.keys()


def _tool_of(clause: Clause) -> str:
    return clause.fit.rule.tool.name if clause.fit.rule.tool else ""


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
