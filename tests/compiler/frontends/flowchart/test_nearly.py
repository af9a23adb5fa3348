"""Words, captions and lines of a chart that are nearly what was meant."""

from __future__ import annotations

import pytest
from findings import findings_of_slip
from flowc.compiler.driver import compile_text

GOOD = """# Title

# Workflow

```mermaid
flowchart TD
    START --> SET_A[Set: A=one]
    SET_A --> PROMPT_ASK[Prompt: User Ask]
    PROMPT_ASK --> CHECK_OK{RESULT == YES}
    CHECK_OK -->|YES| SUCCESS
    CHECK_OK -->|NO| SET_B[Set: B=RESULT]
    SET_B --> ASSIGN_B[Assign: B]
    ASSIGN_B --> FAILED
```

# Prompts

## User Ask

Is {{A}} enough?
"""


@pytest.mark.parametrize(
    "check", ["RESULT MATCHES ^(a|b)", "RESULT CONTAINS a(b)", "RESULT CONTAINS the “right” one"]
)
def test_marks_with_a_partner_and_marks_inside_a_text_are_the_text(check):
    chart = GOOD.replace("{RESULT == YES}", '{"' + check + '"}')
    assert compile_text(chart, "main.wf.md").diagnostics == ()


@pytest.mark.parametrize("value", ["'tis so", "the dogs'", "'90s style", "6'", "nothin'"])
def test_an_apostrophe_of_a_word_opens_no_quote(value):
    chart = GOOD.replace("[Set: A=one]", f'["Set: A={value}"]')
    assert compile_text(chart, "main.wf.md").diagnostics == ()
    lone = compile_text(GOOD.replace("[Set: A=one]", '["Set: A=\'one"]'), "main.wf.md")
    assert [d.code for d in lone.diagnostics] == ["FC3006"]


def said(right: str, wrong: str) -> list[tuple[str, str, int]]:
    return findings_of_slip(GOOD, right, wrong, "main.wf.md")


def test_the_good_one_is_good():
    assert compile_text(GOOD, "main.wf.md").diagnostics == ()


@pytest.mark.parametrize(
    ("right", "wrong", "message", "help", "line"),
    [
        ("[Prompt: U", "[Promtp: U", "`Promtp:` is not a word before a caption",
         "did you mean `Prompt:`?", 8),
        ("```mermaid", "```mermiad", "`mermiad` is not the language of a chart",
         "write `mermaid`", 5),
        ("```mermaid", "```", "this chart stands in a fence without a language",
         "write ````mermaid`", 5),
        ("# Workflow", "# Worfklow", "`# Worfklow` is not a section of the format",
         "did you mean `# Workflow`?", 3),
        ("CHECK_OK -->|NO|", "CHECK_KO -->|NO|", "`CHECK_KO` checks nothing",
         "did you mean `CHECK_OK`? Or give it a caption such as `{RESULT == SUCCESS}`", 11),
        ("## User Ask", "## Ask", "nobody wrote the prompt `User Ask`",
         "write `## User Ask`", 8),
        ("B=RESULT]", "B=RESLUT]", "`RESLUT` names no variable, so these letters are the value",
         "did you mean `RESULT`? For the letters write `'RESLUT'`", 11),
        ("flowchart TD\n", "flowchart TD\n    subgraph one\n", "this subgraph is not closed",
         "write `end` behind its last line", 7),
        ("== YES}", "== YES)}", "`)` has no partner and is part of the text", "write `YES`", 9),
        ("== YES}", "== “YES}", "curly quotes are part of the text", 'write `"YES"`', 9),
        ("RESULT == YES}", "RESULT == YES and A == one}",
         "a check is one comparison: all behind `and` is part of the text",
         "decide in two activities, one behind the other", 9),
        ("== YES}", "== YES?}", "the question mark is part of the text", "write `YES`", 9),
        ("B=RESULT]", "B=A+1]", "SET computes nothing: `A+1` is the text as it stands",
         "compute with `assign` in a block of details, ```yaml flow", 11),
        ("B=RESULT]", "B=x, C=y]", "SET sets one variable: `, C=` is part of the value",
         "write two activities", 11),
        ("[Prompt: User Ask]", "[Prompt: Ask]", "nobody wrote the prompt `Ask`",
         "did you mean `User Ask`?", 8),
        ("Is {{A}}", "@include rules.txt\n\nIs {{A}}", "`@include rules.txt` includes nothing",
         "write `!INCLUDE rules.txt`", 20),
        ("Is {{A}}", "!INCLUDE(rules.txt)\n\nIs {{A}}", "`!INCLUDE(rules.txt)` includes nothing",
         "write `!INCLUDE rules.txt`", 20),
        ("# Prompts", "```yaml\nlimits: {steps: 9}\n```\n\n# Prompts",
         "this block of details is not read", "write ```yaml flow", 16),
        ("{{A}}", "[A]", "", "", 0),
        ("A=one]\n", "A=one)\n", "", "", 0),
        ("A=one]\n", "A=one]\n    SET_A[Set: A=two]\n",
         "`SET_A` has two captions: the later one counts",
         "take one of them out, or give the node an id of its own", 8),
        ("    START", '    P@{ shape: comment, laebl: "x" }\n    START',
         "`laebl` is not an attribute", "did you mean `label`?", 7),
    ],
)  # fmt: skip
def test_it_is_told_in_its_line(right, wrong, message, help, line):
    found = said(right, wrong)
    if message:
        assert (message, help, line) in found
    else:
        assert found


def test_an_arrow_behind_the_bracket_of_another_kind_is_no_caption():
    found = said(
        "SET_A --> PROMPT_ASK[Prompt: User Ask]",
        "SET_A --> SET_C[C=x) --> PROMPT_ASK[Prompt: User Ask]",
    )
    message = "`)` does not close `[`, so the arrow is caption"
    assert (message, "write `]`, or put the caption in quotes", 8) in found


def test_a_comment_may_have_any_name():
    note = '    START_HERE@{ shape: comment, label: "Begin here" }\n    START'
    assert said("    START", note) == []


def test_the_same_caption_twice_is_no_fault():
    assert said("A=one]\n", "A=one]\n    SET_A[Set: A=one]\n") == []


CALLED = """# Called

# Workflow

```mermaid
flowchart TD
    START --> PARAMS_NONE
    PARAMS@{ shape: comment, label: "TONE=calm" }
    PARAMS_NONE[Set: FOUND=yes] --> SUCCESS
```
"""


@pytest.mark.parametrize(
    ("name", "told"), [("FOUND", False), ("TONE", False), ("ONE", False), ("FUOND", True)]
)
def test_a_call_makes_known_what_the_called_workflow_writes_and_nothing_else(
    name, told, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "called.wf.md").write_text(CALLED.replace("PARAMS_NONE", "SET_FOUND"))
    text = GOOD.replace("SET_A --> P", "SET_A --> CALL_IT[[called.wf.md]]\n    CALL_IT --> P")
    text = text.replace("A=one", "ONE=one").replace("{{A}}", f"{{{{{name}}}}}")
    found = [d.message for d in compile_text(text, "main.wf.md").diagnostics if d.code == "FC3001"]
    assert found == ([f"`PROMPT_ASK` reads `{name}`, which nothing writes"] if told else [])


@pytest.mark.parametrize(
    "heading",
    ["## Prompt: User Ask", '## "User Ask"', "## *User Ask*", "\\## User Ask", "- ## User Ask"],
)
def test_a_heading_that_was_meant_is_shown_beside_the_prompt_that_nobody_wrote(heading):
    text = GOOD.replace("## User Ask", heading)
    (told,) = [d for d in compile_text(text, "main.wf.md").diagnostics if d.code == "FC1003"]
    assert [text[label.span.start : label.span.end] for label in told.labels] == [heading]
