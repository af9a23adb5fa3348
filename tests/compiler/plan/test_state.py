"""Statuses: the words, what is next, and what may follow."""

from __future__ import annotations

import itertools

import pytest
from flowc.compiler.plan import (
    STATUSES,
    PlanError,
    counts,
    current_step,
    overall_of,
    read_plan,
    status_of,
    text_value,
    transition,
)
from flowc.compiler.plan.progress import next_step

TIME = "2031-02-02 10:00:00"
ALLOWED = {
    ("PENDING", "READY"),
    ("READY", "RUNNING"),
    ("RUNNING", "CODE_GENERATED"),
    ("RUNNING", "FAILED"),
    ("CODE_GENERATED", "EXECUTING"),
    ("EXECUTING", "DONE"),
    ("EXECUTING", "FAILED"),
    ("FAILED", "READY"),
}


def plan(*statuses: str):
    """A document whose steps have these statuses; "" leaves the field out."""
    steps = "".join(
        f"### Step {n}: s\n* **ID:** `step_{n}`\n" + (f"* **Status:** {s}\n" if s else "")
        for n, s in enumerate(statuses, 1)
    )
    return read_plan(f"## Processing Plan & Status\n{steps}## Final Output\n")


def name(step) -> str | None:
    return text_value(step, "ID") if step else None


@pytest.mark.parametrize("word", STATUSES)
def test_a6_the_words_of_a_step(word):
    assert status_of(plan(word).steps[0]) == word


@pytest.mark.parametrize("word", ["done", "FINISHED", "SUCCESS", "{PENDING | READY}"])
def test_a6_a27_another_word_or_a_template_is_no_status(word):
    assert status_of(plan(word).steps[0]) is None


def test_a4_a6_a_step_without_a_status_is_pending():
    assert status_of(plan("").steps[0]) == "PENDING"


@pytest.mark.parametrize("word", ["SUCCESS", "FAILURE", "REQUIRES_REVIEW", "IN_PROGRESS"])
def test_a6_the_words_of_the_whole(word):
    document = plan("DONE").set("Overall Status", word, section="output")
    assert overall_of(document) == word
    assert overall_of(plan("DONE")) is None
    assert overall_of(document.set("Overall Status", "FINE", section="output")) is None


@pytest.mark.parametrize(("here", "there"), [*itertools.product(STATUSES, STATUSES)])
def test_a7_what_may_follow(here, there):
    document = plan("DONE", here)
    if (here, there) in ALLOWED:
        assert status_of(transition(document, "step_2", there, TIME).step("step_2")) == there
    else:
        with pytest.raises(PlanError, match=f"step `step_2` cannot become {there}: after {here}"):
            transition(document, "step_2", there, TIME)


def test_a7_start_and_end_are_set_when_work_begins_and_ends():
    document = transition(plan("READY"), "step_1", "RUNNING", TIME)
    assert document.value("Timestamp Start", step="step_1") == TIME
    assert document.value("Timestamp End", step="step_1") is None
    for status in ("CODE_GENERATED", "EXECUTING"):
        document = transition(document, "step_1", status, "2031-02-02 10:00:01")
    assert document.value("Timestamp Start", step="step_1") == TIME
    document = transition(document, "step_1", "FAILED", "2031-02-02 10:00:09")
    assert document.value("Timestamp End", step="step_1") == "2031-02-02 10:00:09"


def test_a7_a_template_or_a_wrong_time_is_refused():
    with pytest.raises(PlanError, match="is a template nobody has filled in"):
        transition(plan("{READY}"), "step_1", "RUNNING", TIME)
    with pytest.raises(PlanError, match="`soon` is not a time"):
        transition(plan("READY"), "step_1", "RUNNING", "soon")


@pytest.mark.parametrize(
    ("statuses", "expected"),
    [
        (("DONE", "PENDING", "READY", "READY"), "step_3"),
        (("DONE", "", "PENDING"), "step_2"),
        (("DONE", "FAILED", "RUNNING"), None),
        ((), None),
    ],
)
def test_a8_next_is_the_first_ready_step_else_the_first_pending_one(statuses, expected):
    assert name(next_step(plan(*statuses))) == expected


@pytest.mark.parametrize("statuses", [("READY",) * 3, ("READY", "PENDING", "PENDING")])
def test_a9_both_ways_to_plan_lead_through_the_steps_in_order(statuses):
    document, order = plan(*statuses), []
    while (step := next_step(document)) is not None:
        id = text_value(step, "ID")
        order.append(id)
        if status_of(step) == "PENDING":
            document = transition(document, id, "READY", TIME)
        for status in ("RUNNING", "CODE_GENERATED", "EXECUTING", "DONE"):
            document = transition(document, id, status, TIME)
    assert order == ["step_1", "step_2", "step_3"]


def test_the_current_step_is_at_work_else_next_else_failed():
    assert name(current_step(plan("DONE", "READY", "EXECUTING"))) == "step_3"
    assert name(current_step(plan("FAILED", "READY"))) == "step_2"
    assert name(current_step(plan("DONE", "FAILED"))) == "step_2"
    assert current_step(plan("DONE")) is None


def test_counts_leave_out_what_no_step_is():
    assert counts(plan("DONE", "", "DONE", "huh")) == {"PENDING": 1, "DONE": 2}
