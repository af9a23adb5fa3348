"""What the agents that work on a step are given (A29)."""

from __future__ import annotations

import pytest
from flowc.compiler.plan import PlanError, code_request, fix_request, read_plan


def test_a29_the_agent_that_writes_code_gets_the_whole_document_and_the_step_s_id(layout):
    text = code_request(read_plan(layout), "step_2")
    assert text.startswith("Step: step_2\n")
    plain = layout.removeprefix("\ufeff").replace("\r\n", "\n").rstrip("\n")
    assert plain in text


def test_a29_fences_in_the_document_stay_inside_the_one_around_it():
    document = read_plan(
        "## Processing Plan\n### Step 1: x\n* **ID:** `a`\n* **Code:**\n````\n```\n````\n"
    )
    lines = code_request(document, "a").split("\n")
    assert lines[-2] == "`````"
    assert lines.count("`````") == 1


def test_a29_the_agent_that_analyses_an_error_gets_code_error_and_paths(half_way):
    text = fix_request(read_plan(half_way), "step_2", "TRIM(x=1)", "Error: no `x`")
    for part in ("step_2", "Input Audio: tape_eq.wav", "tape_final.wav", "TRIM(x=1)", "no `x`"):
        assert part in text


def test_an_unknown_step_is_refused(half_way):
    with pytest.raises(PlanError, match="no step has the ID `step_5`"):
        code_request(read_plan(half_way), "step_5")
