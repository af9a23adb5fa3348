"""The score of every time that a step was done: the last review's of it, else its own (C23)."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from ...values import Json

Scores = Mapping[tuple[str, int], float]
"""By step and number of its visit; without those that have none."""


@dataclass(frozen=True, slots=True)
class Judged:
    """One time that a step was done: which visit of the step, from which event to which, and its
    result, in which `score` is its own and `scores` are those that a review gave to others."""

    step: str
    number: int
    began: int
    ended: int
    result: Mapping[str, Json]


def scores_of(visits: Iterable[Judged]) -> Scores:
    """Return the scores of visits, those of one step in their order. A review judges what was done
    before it and had not begun again when it ended."""
    own: dict[str, list[Judged]] = {}
    given: dict[str, list[tuple[int, float]]] = {}
    for visit in visits:
        own.setdefault(visit.step, []).append(visit)
        scores = visit.result.get("scores")
        for step, score in scores.items() if isinstance(scores, dict) else ():
            given.setdefault(step, []).append((visit.ended, float(score)))
    found = {
        (visit.step, visit.number): _score(visit, following, given.get(visit.step, ()))
        for some in own.values()
        for visit, following in zip(some, [*some[1:], None], strict=True)
    }
    return {place: score for place, score in found.items() if score is not None}


def _score(
    visit: Judged, following: Judged | None, given: Sequence[tuple[int, float]]
) -> float | None:
    until = following.began if following is not None else math.inf
    of_it = [(ended, score) for ended, score in given if visit.ended <= ended < until]
    if of_it:
        return max(of_it, key=lambda each: each[0])[1]
    score = visit.result.get("score")
    return float(score) if isinstance(score, int | float) else None
