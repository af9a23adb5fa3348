"""Headings, assertions and placeholders of step markdown that are nearly what was meant."""

from __future__ import annotations

import pytest
from flowc.compiler.driver import compile_text

GOOD = """### 🔧 WORKFLOW STEP: List
```
List the files.
```
### 🛠️ TOOL: list_files
### 📤 OUTPUTS:
- the files → FILES
### ✅ ASSERT:
- result.count > 0
- result.files contains "a"
- every file is named

### 🔧 WORKFLOW STEP: Read
```
Read [FILES].
```
### 🛠️ TOOL: read_file
### 📥 INPUTS:
- FILES: what was listed
### ✅ ASSERT:
- result.line_count == FILES
"""


def said(text: str) -> list[tuple[str, str, int]]:
    found = compile_text(text, "main.md").diagnostics
    return [(d.message, d.help, text.count("\n", 0, d.primary.start) + 1) for d in found]


def test_the_good_one_is_good():
    assert said(GOOD) == []


@pytest.mark.parametrize(
    ("right", "wrong", "message", "help", "line"),
    [
        ("📤 OUTPUTS:", "📤 OUTPUTS", "`OUTPUTS` stands without its colon",
         "write `### 📤 OUTPUTS:`", 6),
        ("STEP: Read", "STEP Read", "`WORKFLOW STEP` stands without its colon",
         "write `### 🔧 WORKFLOW STEP:`", 13),
        ("TOOL: read_file", "TOOL read_file", "`TOOL` stands without its colon",
         "write `### 🛠️ TOOL:`", 17),
        ("### 📥 INPUTS:", "**📥 INPUTS:**",
         "`INPUTS` does not stand in a heading, so it is not read",
         "write `### 📥 INPUTS:`", 18),
        ("```\nRead", "``\nRead",
         "a fence begins with three backticks, so this line does not begin one",
         "write three of them", 14),
        ("contains", "contians",
         "this is not an expression, so nothing measures it",
         "did you mean `contains`?", 10),
        ("> 0", "=> 0", "", "did you mean `>=`?", 9),
        ("== FILES", "== FILSE", "`FILSE` names no variable, so nothing measures this assertion",
         "did you mean `FILES`?", 21),
        ("[FILES]", "{{FILES}}", "`{{FILES}}` is not a placeholder here",
         "write `[FILES]` for the variable's value", 15),
        ("[FILES]", "${FILES}", "`${FILES}` is not a placeholder here",
         "write `[FILES]` for the variable's value", 15),
        ("- FILES: what", "- FILES what",
         "the input `FILES what was listed` is not read: it has no colon",
         "write `FILES: what was listed`", 19),
    ],
)  # fmt: skip
def test_it_is_told_in_its_line(right, wrong, message, help, line):
    assert right in GOOD
    found = said(GOOD.replace(right, wrong, 1))
    assert (help, line) in [(h, n) for _, h, n in found]
    assert any(m.startswith(message[:60]) for m, _, n in found if n == line)


@pytest.mark.parametrize(
    "prose",
    [
        "result is what was asked for",
        "result contains the word of the day",
        "list_files was asked once",
        "no more than three files",
        "`result` > the other one says so",
    ],
)
def test_a_sentence_is_left_alone(prose):
    assert said(GOOD.replace("every file is named", prose)) == []


@pytest.mark.parametrize("text", ["<li>FILES</li>", "<FILES>a</FILES>", "[FILE]", "a {list}", "$5"])
def test_other_brackets_are_left_alone(text):
    found = said(GOOD.replace("List the files.", text))
    assert [m for m, _, _ in found if "placeholder" in m] == []
