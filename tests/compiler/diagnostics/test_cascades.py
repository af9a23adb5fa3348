"""No cascades: what was dropped for a fault is not reported as missing as well."""

from __future__ import annotations

import pytest
from flowc.compiler.driver import compile_text


def codes(text: str, path: str) -> list[str]:
    return [d.code for d in compile_text(text, path).diagnostics]


def chart(*lines: str) -> str:
    body = "\n".join(f"    {line}" for line in lines)
    return f"# T\n\n# Workflow\n\n```mermaid\nflowchart TD\n{body}\n```\n"


def test_a_misspelt_check_does_not_leave_the_value_it_meant_unused():
    text = chart("START --> SET_A[GRADE=1] --> CHECK_A{GRADES == 1}")
    assert codes(text, "a.wf.md") == ["FC3001"]


@pytest.mark.parametrize(
    "line",
    [
        "START --> PROMPT_A[User A",
        "START --> CHECK_A{RESULT == x",
        "START --> SET_A[GRADE=1",
        "START --> ASSIGN_A['x'",
        "START --> CALL_A[[other.wf.md",
        'START --> PROMPT_A["User A]',
        "START --> ASK_A --> --> SUCCESS",
        "START --> ASK_A -->|FALSE SUCCESS",
    ],
)
def test_a_statement_that_does_not_parse_is_one_fault(line):
    assert codes(chart(line), "a.wf.md") == ["FC1001"]


def test_a_caption_behind_a_fault_does_not_leave_its_node_without_one():
    text = chart("START -> CHECK_A{RESULT == x} --> PROMPT_A[User A]", "CHECK_A --> PROMPT_A")
    assert codes(text, "a.wf.md") == ["FC1001"]


def test_a_caption_that_does_not_parse_does_not_leave_what_it_set_unknown():
    text = chart("START --> SET_A[GRADE=1", "SET_A --> CHECK_A{GRADE == 1} --> ASSIGN_A[GRADE]")
    assert codes(text, "a.wf.md") == ["FC1001"]


def test_an_unknown_kind_does_not_leave_what_it_set_unknown():
    text = chart("START --> SST_A[GRADE=1] --> CHECK_A{GRADE == 1} --> ASSIGN_A[GRADE]")
    assert codes(text, "a.wf.md") == ["FC1002"]


def test_a_set_without_a_value_does_not_leave_its_variable_unknown():
    text = chart("START --> SET_A[GRADE] --> CHECK_A{GRADE == 1}")
    assert codes(text, "a.wf.md") == ["FC1001"]


def test_a_label_that_means_nothing_takes_no_other_edges_way():
    text = chart("START --> CHECK_A{RESULT == x}", "CHECK_A -->|GOOD| ASK_A", "CHECK_A --> SUCCESS")
    assert codes(text, "a.wf.md") == ["FC1005"]


def test_a_chart_whose_fence_is_open_does_not_swallow_the_prompts():
    text = chart("START --> PROMPT_A[User A]").removesuffix("```\n")
    assert codes(text + "\n# Prompts\n\n## User A\nDo it.\n", "a.wf.md") == ["FC1001"]


def test_a_prompt_whose_fence_is_open_does_not_swallow_the_next():
    text = chart("START --> PROMPT_A[User A] --> PROMPT_B[User B]")
    prompts = "\n# Prompts\n\n## User A\n```\nls\n\n## User B\nDo it.\n"
    assert codes(text + prompts, "a.wf.md") == ["FC1001"]
    last = prompts.replace("```\n", "") + "```\nls\n"
    assert codes(text + last, "a.wf.md") == [], "markdown closes it with the file"


def test_an_edge_that_was_refused_does_not_make_its_target_unreachable():
    text = chart("START --> SUCCESS", "SUCCESS --> ASK_MORE")
    assert codes(text, "a.wf.md") == ["FC1001"]


def test_a_prompt_that_nobody_wrote_drops_nothing_so_the_rest_is_still_found():
    text = chart("START --> PROMPT_A[User A]", "ASK_B --> SUCCESS")
    assert codes(text, "a.wf.md") == ["FC1003", "FC2002"]
