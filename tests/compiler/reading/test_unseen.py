"""What a file holds by accident is told: unresolved merges, and signs that nobody sees."""

from __future__ import annotations

import pytest
from flowc.compiler.driver import compile_text

STEP = """\
### 🔧 WORKFLOW STEP: Look around
```
List the files of {}.
```
### 🛠️ TOOL: list_files
"""
FLOW = """\
flow: 1
nodes:
  - {name: draft, agent: writer, prompt: Write., into: text}
outputs: [text]
"""
MERGE = "<<<<<<< HEAD\n{}=======\n{}>>>>>>> main\n"


def found(text: str, path: str = "look.md") -> list[tuple[str, str, str]]:
    result = compile_text(text, path)
    return [
        (d.code, text[d.primary.start : d.primary.end], d.help)
        for d in result.diagnostics
        if d.code in ("FC1001", "FC1009")
    ]


def test_an_unresolved_merge_is_the_only_thing_that_is_said_of_a_file():
    node = FLOW.splitlines(keepends=True)[2]
    text = FLOW.replace(node, MERGE.format(node, node.replace("draft", "other")))
    result = compile_text(text, "main.flow.yaml")
    (told,) = result.diagnostics
    assert (told.code, text[told.primary.start : told.primary.end]) == ("FC1001", "<<<<<<<")
    assert ">>>>>>>" in told.help
    assert [text[label.span.start : label.span.end] for label in told.labels] == [
        "=======",
        ">>>>>>>",
    ]
    assert not result.ok


def test_a_merge_in_prose_and_one_with_windows_line_ends_is_told():
    lines = "List the files.\n"
    text = STEP.format("x").replace("List the files of x.\n", MERGE.format(lines, lines))
    assert [code for code, _, _ in found(text)] == ["FC1001"]
    assert [code for code, _, _ in found(text.replace("\n", "\r\n"))] == ["FC1001"]


def test_signs_of_a_merge_that_are_indented_or_incomplete_are_text():
    text = STEP.format("x\n    <<<<<<< HEAD\n    =======\n    >>>>>>> main")
    assert found(text) == []
    assert found(STEP.format("x\n<<<<<<< HEAD\nno end")) == []
    assert found(STEP.format("x\nTitle\n=======\nmore")) == []


@pytest.mark.parametrize("sign", ["\u200b", "\u2060", "\ufeff", "\u00ad", "\u200d", "\u202e"])
def test_an_invisible_sign_in_a_name_is_told_with_the_name(sign: str):
    text = STEP.format(f"the pro{sign}ject")
    assert found(text) == [("FC1009", sign, "remove it, so that it says `project`")]


@pytest.mark.parametrize(
    "words",
    [
        "👩\u200d💻 and 🏳️\u200d🌈",  # pictures of several signs
        "می\u200cخواهم",  # letters that are joined
        "\u2067שלום\u2069 world",  # a text from right to left
        "ไทย\u200bไทย",  # words of a script without blanks
    ],
)
def test_invisible_signs_of_other_scripts_are_sound(words: str):
    assert found(STEP.format(words)) == []


def test_a_file_that_is_read_by_another_one_is_looked_at_too(tmp_path):
    (tmp_path / "rules.txt").write_text("Be bri\u200bef.\n")
    text = "flow: 1\nnodes:\n  - {name: a, agent: b, prompt: {file: rules.txt}, into: c}\n"
    path = tmp_path / "main.flow.yaml"
    path.write_text(text + "outputs: [c]\n")
    from flowc.compiler.driver import compile_file

    told = [d for d in compile_file(str(path)).diagnostics if d.code == "FC1009"]
    assert [d.file.rpartition("/")[2] for d in told] == ["rules.txt"]


CHART = """\
# T

# Workflow

```mermaid
flowchart TD
    START --> PROMPT_ASK[Prompt: User Ask] --> SUCCESS
```

# Prompts

## User Ask

Settle a merge such as this one:

{}
"""


def test_a_merge_that_a_prompt_shows_in_a_fence_is_an_example():
    merge = MERGE.format("one\n", "other\n")
    assert found(CHART.format(f"```text\n{merge}```"), "main.wf.md") == []
    ((code, _, _),) = found(CHART.format(merge), "main.wf.md")
    assert code == "FC1001"


def test_a_merge_of_the_chart_itself_is_told_though_it_stands_in_a_fence():
    start = "    START --> PROMPT_ASK[Prompt: User Ask] --> SUCCESS\n"
    text = CHART.format("").replace(start, MERGE.format(start, start))
    assert [code for code, *_ in found(text, "main.wf.md")] == ["FC1001"]


def test_a_letter_of_another_script_in_a_word_is_told():
    found_here = found(STEP.format("[F\u041eLDER]"))
    assert found_here == [("FC1009", "F\u041eLDER", "write `FOLDER`")]
    assert found(STEP.format("Слово and μs, Δx, naïve, a\u043f, АК47, ТУ154")) == []
