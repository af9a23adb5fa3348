"""What is counted of an execution: what can start, how far it is, how long it takes."""

from __future__ import annotations

import pytest
from flowc.runtime.service.records import metrics
from flowc.runtime.service.records.metrics import TaskStep


def step(id: str, minutes: float = 0.0, needs: tuple[str, ...] = ()) -> TaskStep:
    return TaskStep(
        id=id, name=f"Do {id}", role="worker", form="text", minutes=minutes, needs=needs,
        criteria="", agent="", waits=needs,
    )  # fmt: skip


DIAMOND = [step("a", 10), step("b", 20, ("a",)), step("c", 30, ("a",)), step("d", 5, ("b", "c"))]


@pytest.mark.parametrize(
    ("done", "free"), [("", "a"), ("a", "bc"), ("ab", "c"), ("abc", "d"), ("abcd", "")]
)
def test_a_step_can_start_when_all_it_needs_is_done(done, free):
    assert "".join(s.id for s in metrics.ready(DIAMOND, done, sequential=False)) == free
    assert "".join(s.id for s in metrics.ready(DIAMOND, done, sequential=True)) == free[:1]


def test_progress_is_the_share_of_the_estimated_minutes():
    assert metrics.percentage(DIAMOND, "ab") == round(100 * 30 / 65, 2)
    assert metrics.percentage(DIAMOND, "abcd") == 100


def test_progress_is_the_share_of_the_steps_where_no_minutes_are_estimated():
    assert metrics.percentage([step("a"), step("b"), step("c")], "b") == 33.33


def test_a_step_without_an_estimate_beside_others_counts_for_nothing():
    assert metrics.percentage([step("a"), step("b", 10)], "a") == 0


def test_without_steps_there_is_no_progress():
    assert metrics.percentage([], "") == 0


@pytest.mark.parametrize(("done", "minutes"), [("", 45), ("a", 35), ("ac", 25), ("abcd", 0)])
def test_what_remains_is_the_longest_way_through_what_is_not_done(done, minutes):
    assert metrics.remaining_minutes(DIAMOND, done, sequential=False) == minutes


@pytest.mark.parametrize(("done", "minutes"), [("", 65), ("ac", 25), ("abcd", 0)])
def test_what_remains_is_the_sum_where_one_step_is_done_at_a_time(done, minutes):
    assert metrics.remaining_minutes(DIAMOND, done, sequential=True) == minutes


@pytest.mark.parametrize(
    ("done", "ended", "name"),
    [("", False, "Do a"), ("a", False, "Do b, Do c"), ("abcd", False, "finishing"),
     ("a", True, "finished")],
)  # fmt: skip
def test_a_phase_is_called_after_the_steps_that_can_start(done, ended, name):
    assert metrics.phase(DIAMOND, done, [], ended) == name


@pytest.mark.parametrize(
    ("late", "word"),
    [(10, "on_track"), (10.5, "delayed"), (-10, "on_track"), (-10.5, "ahead"), (0, "on_track")],
)
def test_a_tenth_of_the_estimate_is_in_time(late, word):
    assert metrics.timeline(late, 100) == word
