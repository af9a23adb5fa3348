"""Lines of a step that were meant as items of its lists, and items that are nearly right."""

from __future__ import annotations

import pytest
from findings import findings_of_slip

GOOD = """\
### 🔧 WORKFLOW STEP: Find
```
Find the file.
```

### 🛠️ TOOLS:
- list_files
- read_file

### 📤 OUTPUTS:
- result.files[0] → FILE

### ✅ ASSERT:
- list_files.files[0] exists
- result.text == FILE

### 🔧 WORKFLOW STEP: Read
```
Read [FILE].
```

### 🛠️ TOOL: read_file

### 📥 INPUTS:
- FILE: the file
"""


def test_steps_without_a_slip_raise_no_alarm():
    assert findings_of_slip(GOOD, "Find", "Find", "main.md") == []


@pytest.mark.parametrize(
    ("right", "wrong", "help"),
    [
        ("- list_files\n- read_file", "- list_files\n\nread_file", "- read_file"),
        ("- FILE: the file", "- TOPIC: what\nFILE: the file", "- FILE: the file"),
        ("### 📥 INPUTS:\n", "", "INPUTS:"),
        ("read_file\n\n### 📤 OUTPUTS:\n", "read_file\n\n#### Found\n", "OUTPUTS:"),
        ("- result.files[0] → FILE", "- → FILE", "→ FILE"),
        ("- result.files[0] → FILE", "- FILE → result.files[0]", "result.files[0] → FILE"),
        ("- result.files[0] →", "- result.files(0) →", "result.files[0]"),
        ("list_files.files[0] exists", "list_files.files(0).name exists", "["),
        ("list_files.files[0] exists", "list_files.count. > 0", "list_files.count > 0"),
        ("list_files.files[0] exists", "grep_all.count > 0", "grep_all"),
        ("== FILE", "== [FILE]", "write `FILE`"),
    ],
)  # fmt: skip
def test_lines_that_were_meant_as_items(right, wrong, help):
    found = findings_of_slip(GOOD, right, wrong, "main.md")
    line = GOOD.count("\n", 0, GOOD.index(right)) + 1
    lines = range(line, line + 4)
    assert [said for _, said, at in found if help in said and at in lines], found
