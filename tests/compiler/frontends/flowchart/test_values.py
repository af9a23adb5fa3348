"""Values of a chart that are texts as they stand, though something else was meant."""

from __future__ import annotations

import pytest
from findings import findings_of_slip

GOOD = """\
# Notes

# Workflow

```mermaid
flowchart TD
    START --> EXECUTE_LOG[Execute: git log -n 3]
    PARAMS@{ shape: comment, label: "AUDIENCE='all people', MAX_ACTIVITY_HITS=3" }
    EXECUTE_LOG --> SET_LOG[Set: LOG=RESULT]
    SET_LOG --> CHECK_LOG{EXIT_CODE == 0}
    CHECK_LOG -->|YES| PROMPT_WRITE[Prompt: User Write]
    CHECK_LOG -->|NO| FAILED
    PROMPT_WRITE --> CHECK_GOOD{RESULT == GOOD}
    CHECK_GOOD -->|YES| SUCCESS
    CHECK_GOOD -->|NO| PROMPT_WRITE
```

# Prompts

## User Write

Write notes on {{LOG}} for {{AUDIENCE}}.
"""


def test_a_chart_without_a_slip_raises_no_alarm():
    assert findings_of_slip(GOOD, "Notes", "Notes", "main.wf.md") == []


@pytest.mark.parametrize("command", ["x -f '{{.AUDIENCE}}'", "x -f '{{json .AUDIENCE}}'"])
def test_a_template_that_a_command_fills_in_is_its_own(command):
    assert findings_of_slip(GOOD, "git log -n 3", command, "main.wf.md") == []


@pytest.mark.parametrize(
    ("right", "wrong", "help"),
    [
        ("{RESULT == GOOD}", "{RESULT == RESULT}", "compared with"),
        ("{RESULT == GOOD}", "{RESULT == == GOOD}", "`GOOD`"),
        ("EXIT_CODE == 0", "EXIT_CODE == zero", "write a number"),
        ("LOG=RESULT]", "LOG='RESULT]", "at its end too"),
        ("LOG=RESULT]", "LOG=RESULT;]", "write `RESULT`"),
        ("'all people'", "'all people", "at its end too"),
        (", label: \"AUDIENCE='all people', MAX_ACTIVITY_HITS=3\"", "", "NAME=value"),
        ("comment, label", "comment label", "NAME=value"),
        ("MAX_ACTIVITY_HITS", "MAX_ACTIVITY_HIT", "MAX_ACTIVITY_HITS"),
        ("git log -n 3", "git log --format='%h", "refuse"),
        ("{{LOG}}", "{{'LOG'}}", "{{LOG}}"),
        ("{{LOG}}", "{{LOG + 1}}", "{{LOG}}"),
        ("{{LOG}}", "{% LOG %}", "{{LOG}}"),
        ("{{LOG}}", "{{ upper(LOG) }}", "{{LOG}}"),
        ("{{LOG}}", "{{LOG]]", "{{LOG}}"),
        ("git log -n 3", "git log |", "refuse"),
        ("git log -n 3", "git log {{lower(AUDIENCE)}}", "{{AUDIENCE}}"),
        ("git log -n 3", "git log $(cat n", "refuse"),
        ("Write notes", "!INLCUDE more.md\nWrite notes", "!INCLUDE more.md"),
    ],
)
def test_values_that_are_texts(right, wrong, help):
    found = findings_of_slip(GOOD, right, wrong, "main.wf.md")
    line = GOOD.count("\n", 0, GOOD.index(right)) + 1
    lines = range(line, line + 3)
    assert [said for _, said, at in found if help in said and at in lines], found
