"""What fits at a cursor, in one file of each dialect, driven over stdio."""

from __future__ import annotations

import pytest


@pytest.mark.parametrize(
    ("name", "old", "new", "mark", "offers"),
    [
        ("steps.md", "- list_files", "- list", "- list¦", {"list_files": "list_files"}),
        ("steps.md", "TOOL: read_file", "TOOL: re", "TOOL: re¦", {"read_file": "read_file"}),
        ("steps.md", "[PLACE]", "[PL", "[PL¦", {"PLACE": "PLACE]"}),
        ("steps.md", "- PLACE: where it goes", "- ", "INPUTS:\n- ¦", {"PLACE": "PLACE: "}),
        ("steps.md", "### ✅ ASSERT:", "### ", "### ¦\n", {"ASSERT": "### ✅ ASSERT:"}),
        ("steps.md", "result.line_count", "re", "- re¦ >", {"result": "result"}),
        ("trip.wf.md", "{{CITY}}", "{{C", "{{C¦", {"CITY": "CITY}}", "RESULT": "RESULT}}"}),
        ("trip.wf.md", "NO| PROMPT_TELL", "NO| PRO", "NO| PRO¦", {"PROMPT_TELL": "PROMPT_TELL"}),
        ("trip.wf.md", "|NO|", "|", "-->|¦ PROMPT_TELL", {"NO": "NO", "ERROR": "ERROR"}),
        ("trip.wf.md", "Prompt: User Tell", "Prompt: ", "Prompt: ¦", {"User Tell": "User Tell"}),
        ("trip.wf.md", "[[more.wf.md", "[[", "[[¦", {"more.wf.md": "more.wf.md"}),
        ("trip.wf.md", "## User Tell", "## ", "\n## ¦", {"User Tell": "User Tell"}),
        ("trip.wf.md", "{RESULT C", "{RES", "{RES¦", {"RESULT": "RESULT", "CITY": "CITY"}),
        ("plain.mmd", "B --> C", "B --> ", "B --> ¦", {"A": "A", "C": "C"}),
        ("judge.flow.yaml", "next: judge", "next: ", "next: ¦", {"done": "done"}),
        ("judge.flow.yaml", "tools: [read_file]", "tools: [r", "[r¦", {"read_file": "read_file"}),
        ("judge.flow.yaml", "    into: mark", "    in", "    in¦", {"into": "into: "}),
        ("judge.flow.yaml", "uses: Better", "uses: ", "uses: ¦", {"Better": "Better"}),
        ("judge.flow.yaml", "better, {{ text }}", "better, {{ t", "{{ t¦", {"text": "text }}"}),
        (
            "judge.flow.yaml",
            "mark > 8,",
            "mark > ro,",
            "> ro¦",
            {"round(number, digits?)": "round("},
        ),
        ("judge.flow.yaml", "    into: mark", "    into: {x: st", "x: st¦", {"stdout": "stdout"}),
        ("steps.md", "- result.line_count", "- len", "- len¦ >", {"length(value)": "length("}),
        ("trip.wf.md", "{RESULT C", "{len", "{len¦", {"length(value)": "length("}),
        ("judge.flow.yaml", "flow: 1\n", "flow: 1\nst", "\nst¦", {"state": "state: "}),
        ("judge.flow.yaml", "  text: text", "  text: {type: ", "type: ¦", {"number": "number"}),
        (
            "desk.json",
            '"agent": "clerk", "pre',
            '"agent": "", "pre',
            '"agent": "¦", "pre',
            {"clerk": "clerk"},
        ),
        ("desk.json", '"role": "assistant"', '"role": "', '"role": "¦', {"user": "user"}),
        ("desk.json", '"max_length"', '"s', ', "s¦', {"starting_messages": "starting_messages"}),
        ("roof.json", '"dependencies": []', '"dependencies": ["', '": ["¦', {"mend": "mend"}),
        ("roof.json", '"sequential"', '"', 'type": "¦', {"hybrid": "hybrid"}),
        ("roof.json", '"step_name": "Mend it"', '"step_n', '"step_n¦,', {"step_name": "step_name"}),
        ("roof.json", '"description"', '"q', '"q¦', {"quality_gates": "quality_gates"}),
        (
            "reading.md",
            "**Overall Status:** IN_P",
            "**Overall Status:** ",
            "all Status:** ¦",
            {"SUCCESS": "SUCCESS"},
        ),
        (
            "reading.md",
            "**Description:** Take",
            "**De",
            "**De¦",
            {"Description": "Description:** "},
        ),
        ("reading.md", "$OUTPUT_STEP_1", "$OUTPUT_", "$OUTPUT_¦", {"step_1": "step_1"}),
    ],
)
def test_completion(client, name, old, new, mark, offers):
    client.open(name)
    client.replace(name, old, new)
    found = client.completion(name, mark)
    assert {label: found.get(label) for label in offers} == offers


def test_completion_in_a_file_that_is_still_empty(client):
    client.open("new.wf.md", "# ")
    assert "Workflow" in client.completion("new.wf.md", "# ¦")


DETAILED = """\
# Workflow

- notes: above

```mermaid
flowchart TD
  START --> draft[Draft it] --> SUCCESS
```

```yaml flow
state: {line: text}
agents:
  writer: {system: You are brief.}
nodes:
  - {name: draft, agent: writer, prompt: Write a line., into: line}
KEY
```

KEY
"""


@pytest.mark.parametrize(
    ("typed", "offers"),
    [
        ("ou", {"outputs": "outputs: "}),
        ("  - name: draft\n    pro", {"prompt": "prompt: ", "next": None}),
        ("  - {name: other, agent: wr", {"writer": "writer"}),
        ('  - {name: other, prompt: "{{ li', {"line": "line }}"}),
    ],
)
def test_completion_in_a_block_of_details(client, typed, offers):
    name = f"detailed{len(typed)}.wf.md"  # diagnostics of an earlier text of one file may come late
    text = DETAILED.replace("KEY", typed, 1).replace("KEY", "")
    client.open(name, DETAILED.replace("KEY", ""))
    client.replace(name, DETAILED.replace("KEY", ""), text)
    found = client.completion(name, f"\n{typed}¦")
    assert {label: found.get(label) for label in offers} == offers


def test_what_stands_behind_a_block_is_not_flow_yaml(client):
    text = DETAILED.replace("KEY", "", 1).replace("KEY", "ou")
    client.open("detailed.wf.md", text)
    assert "outputs" not in client.completion("detailed.wf.md", "\nou¦")
