"""The score of each time that a step was done (C23, C25)."""

from __future__ import annotations

from typing import Any

import pytest
from flowc.runtime.service.records.scores import Judged, scores_of

A1 = Judged("a", 1, 1, 2, {"score": 0.7})


def _review(number: int, began: int, **result: Any) -> Judged:
    return Judged("r", number, began, began + 1, result)


@pytest.mark.parametrize(
    ("visits", "score"),
    [
        ([], None),
        ([Judged("a", 1, 1, 2, {})], None),
        ([A1], 0.7),
        ([Judged("a", 1, 1, 2, {"score": 0})], 0.0),
        ([A1, _review(1, 3, scores={"b": 0.3})], 0.7),
        ([A1, _review(1, 3, scores={"a": 0.3})], 0.3),
        ([A1, _review(1, 3, scores={"a": 0.3}), _review(2, 5, scores={"a": 0.4})], 0.4),
        ([A1, _review(1, 3, scores="high")], 0.7),
    ],
)
def test_it_is_the_last_review_s_or_its_own(visits: list[Judged], score: float | None) -> None:
    assert scores_of(visits).get(("a", 1)) == score


def test_a_review_judges_what_was_done_before_it_and_not_what_is_done_anew() -> None:
    """Done anew, the step had the score of the review that was not content with it before."""
    again = Judged("a", 2, 5, 6, {"score": 0.9})
    first = [A1, again, _review(1, 3, scores={"a": 0.3})]
    assert scores_of(first) == {("a", 1): 0.3, ("a", 2): 0.9}
    second = [*first, _review(2, 7, scores={"a": 0.8})]
    assert scores_of(second) == {("a", 1): 0.3, ("a", 2): 0.8}
