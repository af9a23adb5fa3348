"""Lines of a flowchart document that are nearly what was meant: the line, and what to write."""

from __future__ import annotations

import pytest
from flowc.compiler.driver import compile_text

GOOD = """# A title

# Workflow

```mermaid
flowchart TD
    START --> SET_TOPIC[Set: TOPIC=RESULT]
    SET_TOPIC --> PROMPT_DRAFT[Prompt: User Draft]
    PROMPT_DRAFT --> CHECK_GOOD{RESULT == 'good'}
    CHECK_GOOD -->|YES| SUCCESS
    CHECK_GOOD -->|NO| PROMPT_DRAFT
    ON_FAILED --> ASSIGN_WHY[Assign: 'sorry']
```

# Prompts

## User Draft

Write about {{TOPIC}}.
"""


def lines_and_help(text: str) -> list[tuple[set[int], str]]:
    found = compile_text(text, "main.wf.md").diagnostics
    return [
        (
            {
                text.count("\n", 0, span.start) + 1
                for span in (d.primary, *(x.span for x in d.labels))
            },
            " ".join((d.help, *(label.text for label in d.labels))),
        )
        for d in found
    ]


def test_the_good_one_is_good():
    assert lines_and_help(GOOD) == []


@pytest.mark.parametrize(
    ("right", "wrong", "help"),
    [
        ("--> PROMPT_DRAFT[", "--> PROMPTDRAFT[", "did you mean `PROMPT_DRAFT`?"),
        ("-->|NO| PROMPT_DRAFT", "-->|NO| prompt_draft", "did you mean `PROMPT_DRAFT`?"),
        (
            "    PROMPT_DRAFT --> CHECK",
            "    PROMPT_DRAFTT --> CHECK",
            "did you mean `PROMPT_DRAFT`?",
        ),
        ("-->|NO| PROMPT_DRAFT", "-->|NO| PROMPT DRAFT", "an id has no blanks: `PROMPT_DRAFT`"),
        ("ON_FAILED", "ON_FILED", "did you mean `ON_FAILED`?"),
        ("ON_FAILED", "ON-FAILED", "did you mean `ON_FAILED`?"),
        ("-->|YES| SUCCESS", '-->"YES" SUCCESS', "`-->|YES|`"),
        ("-->|YES| SUCCESS", "-->[YES] SUCCESS", "`-->|YES|`"),
        ("-->|YES| SUCCESS", "--> SUCCESS: YES", "`-->|YES|`"),
        ("-->|YES| SUCCESS", "-->(YES) SUCCESS", "`-->|YES|`"),
        ("-->|YES| SUCCESS", "-->/YES/ SUCCESS", "`-->|YES|`"),
        ("-->|YES| SUCCESS", "-->|| SUCCESS", "`-->|YES|`"),
        ("    ON_FAILED", "    // afterwards\n    ON_FAILED", "write `%%` before a comment"),
        ("    ON_FAILED", "    % afterwards\n    ON_FAILED", "write `%%` before a comment"),
        ("[Prompt: User Draft]", "[[Prompt: User Draft]", "one `]` more"),
        ("[Prompt: User Draft]", "[Prompt User Draft]", "write `Prompt: User Draft`"),
        ("[Set: TOPIC", "[Set TOPIC", "write `Set: TOPIC=RESULT`"),
        ("## User Draft", "## User Draft prompt", "was this heading meant?"),
        ("## User Draft", "User Draft\n----------", "was this heading meant?"),
        ("```mermaid", "```graph", "write ```mermaid"),
        ("# Workflow", "# Worklfow", "did you mean `# Workflow`?"),
        ("{{TOPIC}}", "((TOPIC))", "write `{{TOPIC}}` for the variable's value"),
        ("[Prompt: User Draft]", "(Prompt: User Draft]", "or begin it with `[`"),
        ("[Prompt: User Draft]", "[Prompt; User Draft]", "write `Prompt: User Draft`"),
        ("TOPIC=RESULT", "TOPIC==RESULT", "write one `=`: `TOPIC=…`"),
        ("TOPIC=RESULT", "TOPIC:=RESULT", "write one `=`: `TOPIC=…`"),
        ("'good'", "'good", "write `'` at its end too"),
        ("'good'", "good'", "write `'` at its beginning too"),
        ("## User Draft", "### User Draft", "was this heading meant?"),
        ("## User Draft", "**User Draft**", "was this heading meant?"),
        ("## User Draft", "## Uesr Draft", "this heading does not say who speaks"),
        ("# Prompts", "## Prompts", "was this meant as `# Prompts`?"),
        ("# Workflow", "## Workflow", "below a level-1 heading `# Workflow`"),
        ("```mermaid", "``mermaid", "write ```mermaid"),
        ("```mermaid\nflowchart", "flowchart", "write ```mermaid in a line above it"),
        ("flowchart TD", "flowchrt TD", "a chart begins with a line such as `flowchart TD`"),
        ("```\n\n# Prompts", "\n# Prompts", "the closing line is missing below this"),
        ("{{TOPIC}}", "{{TOPIC", "write `{{TOPIC}}` for the variable's value"),
        ("{{TOPIC}}", "TOPIC}}", "write `{{TOPIC}}` for the variable's value"),
        ("{{TOPIC}}", "%TOPIC%", "write `{{TOPIC}}` for the variable's value"),
    ],
)
def test_it_is_told_in_its_line_with_the_repair(right, wrong, help):
    assert right in GOOD
    at = GOOD[: GOOD.index(right)].count("\n") + 1
    found = lines_and_help(GOOD.replace(right, wrong, 1))
    assert [told for told in found if {at, at - 1} & told[0] and help in told[1]], found


def test_a_comment_that_is_nearly_the_list_of_parameters_is_told():
    text = GOOD.replace("    START", '    PARMS@{ shape: comment, label: "A, B" }\n    START', 1)
    assert ({7}, "did you mean `PARAMS`?") in lines_and_help(text)


@pytest.mark.parametrize("text", ["100 %", "a }} b", "100%TOPIC", "[TOPIC](x)"])
def test_other_signs_are_left_alone(text):
    assert lines_and_help(GOOD.replace("Write about", text)) == []
