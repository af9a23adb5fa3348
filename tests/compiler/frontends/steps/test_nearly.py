"""Headings, assertions and placeholders of step markdown that are nearly what was meant."""

from __future__ import annotations

import pytest
from findings import findings
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
    return findings(text, "main.md")


def test_the_good_one_is_good():
    assert said(GOOD) == []


@pytest.mark.parametrize(
    ("right", "wrong", "help"),
    [
        ("### 🔧 WORKFLOW STEP: Read", "- 🔧 WORKFLOW STEP: Read", "### 🔧 WORKFLOW STEP: Read"),
        ("### 📤 OUTPUTS:", "### OUTPUTS 📤:", "`### 📤 OUTPUTS:`"),
        (
            "### 🔧 WORKFLOW STEP: Read",
            "> ### 🔧 WORKFLOW STEP: Read",
            "### 🔧 WORKFLOW STEP: Read",
        ),
        (
            "### 🔧 WORKFLOW STEP: Read",
            "\\### 🔧 WORKFLOW STEP: Read",
            "### 🔧 WORKFLOW STEP: Read",
        ),
        ("- result.count > 0", "- result.count is None", "write `result.count == null`"),
        ("- result.count > 0", "- result.count is not null", "write `result.count exists`"),
        ("- result.count > 0", "- (result.count ?? 0) > 0", "write `coalesce(result.count, 0)`"),
        ("- result.count > 0", "- $result.count > 0", "write `result.count`: a name stands alone"),
        (
            "- result.count > 0",
            "- {{result.count}} > 0",
            "write `result.count`: this is an expression already",
        ),
        (
            "- result.count > 0",
            "- **result.count** > 0",
            "write `result.count`: nothing is bold here",
        ),
        ("- result.count > 0", "- result.count &gt; 0", "did you mean `>`?"),
        ("- result.count > 0", "- assert result.count > 0", "write the condition alone"),
        ("- result.count > 0", "- [ ] result.count > 0", "take the brackets away"),
        (
            "- result.count > 0",
            "- result.count between 1 and 5",
            "write `result.count >= 1 and result.count <= 5`",
        ),
        (
            'result.files contains "a"',
            'result.files.includes("a")',
            "write `result.files contains ",
        ),
        ('result.files contains "a"', "result.files contains readme", 'in quotes: `"readme"`'),
        ("### 🛠️ TOOL: read_file", "### 🛠️ FUNCTION: read_file", "`### 🛠️ TOOL:`"),
        ("### ✅ ASSERT:", "### ✅ CHECKS: (all)", "`### ✅ ASSERT:`"),
        ("TOOL: read_file", "TOOLS: read_file\n- list_files", "one bullet a line"),
        ("the files → FILES", "the files --> FILES", "write `→`"),
        ("the files → FILES", "result->files → FILES", "write `result.files`"),
        ("the files → FILES", "result .files → FILES", "write `result.files`"),
        ("the files → FILES", "result.fiels → FILES", "did you mean `files`?"),
        ("- result.count > 0", "- result->count > 0", "write `result.count > 0`"),
        ("- result.count > 0", "- result..count > 0", "write `result.count > 0`"),
        ("- result.count > 0", "- [result.count > 0]", "write `result.count > 0`"),
    ],
)
def test_other_forms_are_told_in_their_lines(right, wrong, help):
    assert right in GOOD
    text = GOOD.replace(right, wrong, 1)
    line = text[: text.index(wrong)].count("\n") + 1
    assert [at for _, told, at in said(text) if help in told and at == line], said(text)


@pytest.mark.parametrize(
    "item", ["- WORKFLOW: how we work", "1. TOOLS: hammers and nails", "- **INPUTS:** all of them"]
)
def test_a_list_about_sections_is_no_section(item):
    assert said(f"# About\n\n{item}\n\n{GOOD}") == []


@pytest.mark.parametrize(
    ("right", "wrong", "message", "help", "line"),
    [
        ("📤 OUTPUTS:", "📤 OUTPUTS", "`OUTPUTS` stands without its colon",
         "write `### 📤 OUTPUTS:`", 6),
        ("### 📤 OUTPUTS:", "### OUTPUTS", "`OUTPUTS` stands without its colon",
         "write `### 📤 OUTPUTS:`", 6),
        ("### 📥 INPUTS:", "### ğŸ“¥ INPUTS ", "`INPUTS` stands without its colon",
         "write `### 📥 INPUTS:`", 18),
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
        ("- FILES: what was", "- FILES what was: as",
         "`FILES what was` is not a name of a variable",
         "write `FILES: …`", 19),
        ("→ FILES", "→ ALL FILES", "`ALL FILES` is not a name of a variable",
         "write `ALL_FILES`", 7),
        ("### 🛠️ TOOL: read_file", "TOOL: read_file",
         "`TOOL` does not stand in a heading, so it is not read",
         "write `### 🛠️ TOOL: read_file`", 17),
        ("### 🔧 WORKFLOW STEP: Read", "### workflow step: Read",
         "`workflow step` is not a section keyword", "write `### 🔧 WORKFLOW STEP:`", 13),
        ("### 📥 INPUTS:", "### Inputs:", "`Inputs` is not a section keyword",
         "write `### 📥 INPUTS:`", 18),
        ("### 📥 INPUTS:", "INPUTS:", "`INPUTS` does not stand in a heading, so it is not read",
         "write `### 📥 INPUTS:`", 18),
        ("### 📥 INPUTS:", "<b>📥 INPUTS:</b>",
         "`INPUTS` does not stand in a heading, so it is not read", "write `### 📥 INPUTS:`", 18),
        ("### ✅ ASSERT:\n- result.count", "✅ ASSERT:\n- result.count",
         "`ASSERT` does not stand in a heading, so it is not read",
         "write `### ✅ ASSERT:`", 8),
        ("- the files", "the files", "no bullet begins this line, so `OUTPUTS` does not hold it",
         "write `- the files → FILES`", 7),
        ("- the files", "• the files", "no bullet begins this line, so `OUTPUTS` does not hold it",
         "write `- the files → FILES`", 7),
        ("- result.files", "• result.files",
         "`•` is not a bullet, so this belongs to the item above", "write `- `", 10),
        ("- the files", "- reslut.files",
         "`reslut.files` is not a path into the tool's result", "did you mean `result`?", 7),
        ("- the files", "- result.files[0",
         "`result.files[0` is not a path into the tool's result",
         "close the bracket: write `]`", 7),
        ("result.count > 0", "result.files[0 > 1",
         "this is not an expression, so nothing measures it", "write `result.files[0] > 1`", 9),
        ("result.count > 0", "result.count is 3",
         "this is not an expression, so nothing measures it", "did you mean `==`?", 9),
        ("result.count > 0", "result.conut > 0", "`result` has no `conut`",
         "did you mean `count`?", 9),
        ('contains "a"', "contains “a”", "this is not an expression, so nothing measures it",
         'write `result.files contains "a"`', 10),
        ('contains "a"', 'contains "[FIELS]"', "`[FIELS]` names no variable",
         "did you mean `[FILES]`?", 10),
        ("[FILES]", "[files]", "`[files]` is not a placeholder here",
         "write `[FILES]` for the variable's value", 15),
        ("[FILES]", "[[FILES]]", "`[[FILES]]` is not a placeholder here",
         "write `[FILES]` for the variable's value", 15),
        ("[FILES]", "[ FILES ]", "`[ FILES ]` is not a placeholder here",
         "write `[FILES]` for the variable's value", 15),
        ("[FILES]", "FILES]", "`FILES]` is not a placeholder here",
         "write `[FILES]` for the variable's value", 15),
        ("[FILES]", "[FILES)", "`[FILES` is not a placeholder here",
         "write `[FILES]` for the variable's value", 15),
        ("[FILES]", "%FILES%", "`%FILES%` is not a placeholder here",
         "write `[FILES]` for the variable's value", 15),
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
        "result is short",
        "result.text between the lines says yes",
        "result.text contains what was asked for",
        "if result.text is long, it has a title",
        "TOOLS: a word of the trade",
    ],
)
def test_a_sentence_is_left_alone(prose):
    assert said(GOOD.replace("every file is named", prose)) == []


@pytest.mark.parametrize(
    "text", ["<li>FILES</li>", "<FILES>a</FILES>", "[FILE]", "a {list}", "$5", "[the FILES]"]
)
def test_other_brackets_are_left_alone(text):
    found = said(GOOD.replace("List the files.", text))
    assert [m for m, _, _ in found if "placeholder" in m] == []


def test_two_words_in_brackets_are_the_variable_of_both():
    text = GOOD.replace("FILES", "ALL_FILES").replace("[ALL_FILES]", "[ALL FILES]")
    assert ("write `[ALL_FILES]` for the variable's value", 15) in [
        (h, n) for _, h, n in said(text)
    ]


@pytest.mark.parametrize("prose", ["none", "*None.*", "n/a"])
def test_a_list_may_say_that_it_holds_nothing(prose):
    assert said(GOOD.replace("- FILES: what was listed", prose)) == []


@pytest.mark.parametrize("end", ["``", "'''", "```text"])
def test_a_line_that_does_not_close_a_fence_is_shown(end):
    text = GOOD.replace("List the files.\n```", f"List the files.\n{end}", 1)
    [found] = [d for d in compile_text(text, "main.md").diagnostics if "fence" in d.message]
    assert found.help == "close it with a line of the same marks, ```"
    lines = {x.text: text.count("\n", 0, x.span.start) + 1 for x in found.labels}
    assert lines["this does not close it"] == 4


def test_a_fence_that_nothing_begins_is_shown_where_its_text_stands():
    text = GOOD.replace("```\nList", "List", 1)
    [found] = [d for d in compile_text(text, "main.md").diagnostics if "fence" in d.message]
    lines = {x.text: text.count("\n", 0, x.span.start) + 1 for x in found.labels}
    assert lines["was a fence meant to begin above this?"] == 2


def test_a_fence_that_swallows_one_of_a_language_is_told_though_all_are_closed():
    text = GOOD.replace("List the files.\n```", "List the files.").replace(
        "```\nRead", "```text\nRead"
    )
    [found] = [d for d in compile_text(text, "main.md").diagnostics if "fence" in d.message]
    assert text.count("\n", 0, found.primary.start) + 1 == 2


def test_where_the_end_of_a_fence_is_missing_is_shown():
    text = GOOD.replace("List the files.\n```\n", "List the files.\n\n")
    [found] = [d for d in compile_text(text, "main.md").diagnostics if "fence" in d.message]
    lines = {x.text: text.count("\n", 0, x.span.start) + 1 for x in found.labels}
    assert lines["the closing line is missing below this"] == 3


@pytest.mark.parametrize(
    ("old", "new", "message", "help", "line"),
    [
        ("🔧 WORKFLOW STEP: Read", "🔧 STEP: Read", "`STEP` is not a section", "WORKFLOW STEP", 13),
        ("### 📤 OUTPUTS:", "    ### 📤 OUTPUTS:", "does not stand in a heading", "OUTPUTS:", 6),
        ("- result.line_count == FILES\n", "", "`ASSERT` of step 2", "one bullet a line", 20),
        ("result.count > 0", "result.count should be 3", "is not an expression", "`==`", 9),
        ("result.count > 0", "result.count is at least 3", "is not an expression", "`>=`", 9),
        ("[FILES]", "@FILES", "not a placeholder", "`[FILES]`", 15),
        ("[FILES]", "${{FILES}}", "not a placeholder", "`[FILES]`", 15),
    ],
)
def test_more_that_is_nearly_a_construct_is_told(old, new, message, help, line):
    assert old in GOOD
    told = said(GOOD.replace(old, new))
    assert any(message in m and help in h and at == line for m, h, at in told), told


ASSERTED = """### 🔧 WORKFLOW STEP: List
```
List the files.
```
### 🛠️ TOOL: list_files
### ✅ ASSERT:
- {}
"""


@pytest.mark.parametrize(
    "text",
    [
        "length(list_files.files) >> 0",
        "length(list_files.files > 0",
        "length(list_files.files)) > 0",
        "(list_files.count > 3",
        "3 < list_files.count < 5",
        "not list_files.count >",
        "list_files.count % 2 = 0",
        "list_files.count := 3",
        "list_files.files.count() > 3",
    ],
)
def test_an_assertion_that_begins_with_a_call_a_bracket_or_a_value_is_told(text):
    (found,) = said(ASSERTED.format(text))
    assert "nothing measures it" in found[0]


@pytest.mark.parametrize(
    "text",
    [
        "length of list_files.files > 0",
        "all files of list_files.files are listed",
        "(as list_files.files says) there are three of them",
        "length(list_files.files) of the files is what the text says",
        "3 files stand in list_files.files",
        "not all of list_files.files are empty",
    ],
)
def test_a_sentence_is_left_to_the_model(text):
    assert said(ASSERTED.format(text)) == []


def test_the_operator_that_is_right_is_not_blamed():
    (found,) = said(ASSERTED.format("list_files.count !== 3 and and list_files.count"))
    assert "did you mean" not in found[1]


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ('"abc in list_files.files', '"abc" in list_files.files'),
        ("'abc in list_files.files", "'abc' in list_files.files"),
        ('abc" in list_files.files', '"abc" in list_files.files'),
        ('"abc not in list_files.files', '"abc" not in list_files.files'),
        ('"abc == list_files.files[0]', '"abc" == list_files.files[0]'),
        ("“abc” in list_files.files", '"abc" in list_files.files'),
        ('["a, "b"] contains list_files.kind', '["a", "b"] contains list_files.kind'),
        ('list_files.kind in ["a", "b"', 'list_files.kind in ["a", "b"]'),
        ('list_files.kind in ["a", "b', 'list_files.kind in ["a", "b"]'),
        ('contains(list_files.kind, "abc)', 'contains(list_files.kind, "abc")'),
        ("list_files.count > 3)", "(list_files.count > 3)"),
        ("`list_files.count` > 3", "list_files.count > 3"),
        ("`list_files.count > 3", "list_files.count > 3"),
        ("> list_files.count", "compared with"),
        ("list_files.kind in", "compared with"),
        ("list_files.kind and", "compared with"),
    ],
)
def test_a_mark_or_a_side_without_its_partner_is_told(text, meant):
    (found,) = [one for one in said(ASSERTED.format(text)) if "nothing measures it" in one[0]]
    assert meant in found[1]


def test_a_word_that_a_sign_compares_is_no_sentence():
    (found,) = said(ASSERTED.format("abc == list_files.count"))
    assert found[1] == 'write a text in quotes: `"abc"`'


@pytest.mark.parametrize(
    "text",
    [
        '"abc" and the rest are in list_files.files',
        "the users' names are in list_files.files",
        "it's in list_files.files",
        '6" of snow (as in list_files.files',
        "`list_files.count` is a number",
        "everything in list_files.files",
        "not the same as list_files.files",
        '"abc ' + "and so on " * 40 + "in list_files.files",
    ],
)
def test_a_sentence_with_a_lone_mark_is_left_to_the_model(text):
    assert said(ASSERTED.format(text)) == []
