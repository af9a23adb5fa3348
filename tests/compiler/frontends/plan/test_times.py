"""Times and statuses of a living document that cannot be."""

from __future__ import annotations

from pathlib import Path

import pytest
from findings import findings_of_slip

ROOT = Path(__file__).parents[4]
GOOD = (ROOT / "workflows/examples/plan/concert-master.md").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("right", "wrong", "help"),
    [
        ("Start:** `2031-06-02 20:02:40`", "Start:** `2031-13-02 20:02:40`", "no such day"),
        ("Start:** `2031-06-02 20:02:40`", "Start:** `yesterday`", "YYYY-MM-DD"),
        ("Start:** `2031-06-02 20:02:40`", "Start:** `2031-06-02T20:02`",
         "write `2031-06-02 20:02:00`"),
        ("Start:** `2031-06-02 20:02:40`", "Start:** `2032-06-02 20:02:40`", "later than"),
        ("Status:** READY", "Status:** CODE_GENERATED", "**Code:**"),
        ("### Step 3: Set", "### Step 2: Set", "### Step 3: Set"),
        ("* `2031-06-02 20:01:10`: Work", "* 2031-06-02 20:01:10: Work", "`2031-06-02 20:01:10`"),
        ("* `2031-06-02 20:01:10`: Work", "* `2031-06-31 20:01:10`: Work", "YYYY"),
    ],
)  # fmt: skip
def test_times_and_statuses_that_cannot_be(right, wrong, help):
    found = findings_of_slip(GOOD, right, wrong, "main.md")
    line = GOOD.count("\n", 0, GOOD.index(right)) + 1
    lines = range(line, line + 3)
    assert [said for _, said, at in found if help in said and at in lines], found


@pytest.mark.parametrize(("status", "alarms"), [("EXECUTING", 1), ("READY", 0), ("FAILED", 0)])
def test_a_success_has_no_step_under_way(status, alarms):
    text = GOOD.replace("Status:** EXECUTING", "Status:** DONE")
    text = text.replace("Status:** IN_PROGRESS", "Status:** SUCCESS")
    found = findings_of_slip(text, "Status:** READY", f"Status:** {status}", "main.md")
    assert len([told for told, _, _ in found if "under way" in told]) == alarms, found


@pytest.mark.parametrize(("status", "alarms"), [("EXECUTING", 0), ("FAILED", 1)])
def test_a_step_that_is_tried_again_has_its_end_from_before(status, alarms):
    text = GOOD.replace("Status:** DONE", f"Status:** {status}", 1)
    late = "Start:** `2032-06-02 20:02:40`"
    found = findings_of_slip(text, "Start:** `2031-06-02 20:02:40`", late, "main.md")
    assert len([said for _, said, _ in found if "later than" in said]) == alarms, found


def test_a_time_that_nobody_has_filled_in_is_left_alone():
    right = "Start:** `2031-06-02 20:02:40`"
    assert findings_of_slip(GOOD, right, "Start:** `{time}`", "main.md") == []
