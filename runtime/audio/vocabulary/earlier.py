"""What is said later and done before: "fade out over 4 s, but first cut off the last 10 s"."""

from __future__ import annotations

from .findings import Clause, ReadPart
from .pieces import RequestPiece, read_alone
from .words.patterns import is_number
from .words.rules import FORMAT

_LEADS = (
    ("first", "of", "all"), ("before", "that"), ("vorher", "noch"), ("davor", "noch"),
    ("zuvor", "noch"), ("but", "first"), ("first",), ("firstly",), ("zuerst",), ("vorher",),
    ("zuvor",), ("beforehand",),
)  # fmt: skip
_PLACING = frozenset({"pad", "concat", "mix", "shift", "fade"})
"""Tools by which "before" is a place as well: "vorher 2 s Stille"."""
_AHEAD = "before"


def with_earlier(pieces: list[RequestPiece]) -> list[RequestPiece]:
    """Return the pieces, without the words that say that one is done before the others, which are
    its separator then."""
    return [*pieces[:1], *map(_without_lead, pieces[1:])]


def in_order(found: list[ReadPart]) -> list[Clause]:
    """Return the clauses with those first that are said to be done before the others."""
    earlier = [clause for one in found if _is_earlier(one.before) for clause in one.clauses]
    return [*earlier, *(c for one in found for c in one.clauses if c not in earlier)]


def is_left_open(found: list[ReadPart]) -> str:
    """Return the words behind a wish that is done first of which nobody can tell whether they are
    done with it or at their place; "" without any."""
    ahead = False
    for at, part in enumerate(found):
        if (
            ahead
            and part.clauses
            and not all(one.fit.rule.wording is FORMAT for one in part.clauses)
        ):
            return " ".join(word.text for word in part.words)
        ahead = ahead or (_is_earlier(part.before) and any(one.clauses for one in found[:at]))
    return ""


def _is_earlier(separator: str) -> bool:
    """Tell whether what stands behind a separator is done before all that stands in front of it."""
    return separator == _AHEAD


def _without_lead(piece: RequestPiece) -> RequestPiece:
    texts = [word.text for word in piece.words]
    for lead in _LEADS:
        rest = piece.words[len(lead) :]
        if tuple(texts[: len(lead)]) != lead or not rest or is_number(rest[0].text):
            continue
        fit = read_alone(rest)
        if (
            fit
            and fit.rule.tool
            and fit.rule.tool.name not in _PLACING
            and not read_alone(piece.words)
        ):
            return RequestPiece(_AHEAD, rest)
    return piece
