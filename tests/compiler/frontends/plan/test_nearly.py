"""Lines of a living document that are nearly a step or a field, and calls that do not fit."""

from __future__ import annotations

from pathlib import Path

import pytest
from findings import findings_of_slip
from flowc.compiler.driver import compile_text

GOOD = (Path(__file__).parents[3] / "faults/twins/plan/lecture.md").read_text(encoding="utf-8")


def said(right: str, wrong: str) -> list[tuple[str, str, int]]:
    return findings_of_slip(GOOD, right, wrong, "main.md")


@pytest.mark.parametrize(
    ("right", "wrong", "help"),
    [
        ("### Step 3: Set", "## Step 3: Set", "write `### Step 3: Set the loudness`"),
        ("### Step 3: Set", "#### Step 3: Set", "write `### Step 3: Set the loudness`"),
        ("### Step 3: Set the loudness", "**Step 3: Set the loudness**",
         "write `### Step 3: Set the loudness`"),
        ("### Step 3: Set", "### Step: Set", "write `### Step N: Set the loudness`"),
        ("*   **Status:** CODE", "*   **Status** CODE", "write `*   **Status:**`"),
        ("*   **Status:** CODE", "*   Status: CODE", "write `*   **Status:**`"),
        ("`lecture_clean.wav`\n*   **Code", "`lecture_clean.wav\n*   **Code",
         "write `lecture_clean.wav`"),
        ("`lecture_clean.wav`\n*   **Code", '"lecture_clean.wav"\n*   **Code',
         "write `lecture_clean.wav`"),
        ("`lecture_clean.wav`\n*   **Code", "lecture_clean.wav`\n*   **Code",
         "write `lecture_clean.wav`"),
        ("### Step 3: Set", "### Stp 3: Set", "write `### Step 3: Set the loudness`"),
        ("### Step 3: Set", "###Step 3: Set", "write `### Step 3: Set the loudness`"),
        ("### Step 3: Set", "### Step3: Set", "write `### Step 3: Set the loudness`"),
        ("### Step 3: Set", "### Step three: Set", "write `### Step 3: Set the loudness`"),
        ("### Step 3: Set", "### Phase 3: Set", "write `### Step 3: Set the loudness`"),
        ("### Step 3: Set", "> ### Step 3: Set", "write `### Step 3: Set the loudness`"),
        ("### Step 3: Set", "\\### Step 3: Set", "write `### Step 3: Set the loudness`"),
        ("### Step 3: Set", "- ### Step 3: Set", "write `### Step 3: Set the loudness`"),
        ("### Step 3: Set", "Step 3: Set", "write `### Step 3: Set the loudness`"),
        ("### Step 3: Set", "### Step\u00a03: Set", "write `### Step 3: Set the loudness`"),
        ("### Step 3: Set the loudness", "### **Step 3: Set the loudness**",
         "write `### Step 3: Set the loudness`"),
        ("*   **Status:** CODE", "•   **Status:** CODE", "write `*   **Status:**`"),
        ("*   **Status:** CODE", "*   [ ] **Status:** CODE", "write `*   **Status:**`"),
        ("*   **Status:** CODE", "*   **Status：** CODE", "write `*   **Status:**`"),
        ("*   **Status:** CODE", "*   `Status:` CODE", "write `*   **Status:**`"),
        ("*   **Status:** CODE", "*   <b>Status:</b> CODE", "write `*   **Status:**`"),
        ("*   **Status:** CODE", "| **Status:** | CODE |", "write `*   **Status:**`"),
        ("### Step 3: Set", "### 3: Set", "write `### Step 3: Set the loudness`"),
        ("*   **Status:** CODE", "*   **Status=** CODE", "write `*   **Status:**`"),
        ("*   **Status:** CODE", "*   **Status;** CODE", "write `*   **Status:**`"),
        ("*   **Status:** CODE", "      *   **Status:** CODE", "write `*   **Status:**`"),
        ("*   **ID:** `step_2`", "*   **Step ID:** `step_2`", "did you mean `ID`?"),
        ("*   **ID:** `step_2`", "*   **ID:** `stpe_2`", "did you mean `step_2`?"),
        ("### Step 3: Set", "### Set", "write `### Step N: Set the loudness`"),
        ("*   **Status:** CODE", "*   *Status:* CODE", "write `*   **Status:**`"),
        ("*   **Status:** CODE", "*Status:** CODE", "write `*   **Status:**`"),
        ("*   **ID:** `step_2`", "*   **DI:** `step_2`", "did you mean `ID`?"),
        ("## 3. Processing Plan & Status", "### 3. Processing Plan & Status",
         "write `## 3. Processing Plan & Status`"),
        ("## 3. Processing Plan & Status", "**3. Processing Plan & Status**",
         "write `## 3. Processing Plan & Status`"),
        ("## 3. Processing Plan & Status", "## 3. The steps",
         "write `## 3. Processing Plan & Status`"),
        ("`lecture_raised.wav`\n*   **Output", "`${OUTPUT_STEP_2}`\n*   **Output",
         "write `$OUTPUT_STEP_2`"),
        ("`lecture_raised.wav`\n*   **Output", "`$OUTPUT_STPE_2`\n*   **Output",
         "write `$OUTPUT_STEP_2`"),
        ("gain_db=3", "gian_db=3", "did you mean `gain_db`?"),
        ("gain_db=3", "db=3", "did you mean `gain_db`?"),
        (", gain_db=3", "", "write `gain_db=…`"),
        ("HIGHPASS(", "HIHGPASS(", "did you mean `HIGHPASS`?"),
    ],
)  # fmt: skip
def test_it_is_told_in_its_line(right, wrong, help):
    line = GOOD[: GOOD.index(right)].count("\n") + 1
    assert (help, line) in [(h, n) for _, h, n in said(right, wrong)]


def test_a_value_of_another_type_is_told():
    (found,) = said("gain_db=3", 'gain_db="loud"')
    assert found[0] == "`gain_db` of `GAIN` does not fit: 'loud' is not of type 'number'"


def test_code_that_was_executed_may_be_that_of_another_system():
    text = GOOD.replace("**Status:** CODE_GENERATED", "**Status:** DONE")
    assert compile_text(text.replace("gain_db=3", "db=3"), "main.md").diagnostics == ()
    found = compile_text(text.replace("gain_db=3)", "gain_db=3"), "main.md").diagnostics
    assert [(d.severity, d.message[:33]) for d in found] == [
        ("warning", "the code of `step_2` cannot be ex")
    ]


def test_code_of_a_step_that_waits_is_held_against_its_tool():
    text = GOOD.replace("**Status:** CODE_GENERATED", "**Status:** PENDING")
    found = compile_text(text.replace("gain_db=3", "gian_db=3"), "main.md").diagnostics
    assert "`GAIN` takes no `gian_db`" in [d.message for d in found]


def test_two_steps_do_not_write_one_file():
    found = said("Audio:** `lecture_final.wav`", "Audio:** `lecture_raised.wav`")
    assert "two steps write `lecture_raised.wav`" in [message for message, _, _ in found]


@pytest.mark.parametrize(
    ("path", "told"),
    [
        ("../final.wav", "lies outside of the folder that a run may write to"),
        ("cuts/../../final.wav", "lies outside of the folder that a run may write to"),
        ("lecture_final.wave", "the ending of `lecture_final.wave` says no format of a sound file"),
        ("lecture_final", "the ending of `lecture_final` says no format of a sound file"),
    ],
)
def test_an_output_that_no_run_can_write_is_told(path, told):
    right = "Output Audio:** `lecture_final.wav`"
    found = said(right, f"Output Audio:** `{path}`")
    line = GOOD[: GOOD.index(right)].count("\n") + 1
    assert [(told in message, line) for message, _, line in found if told in message] == [
        (True, line)
    ]


@pytest.mark.parametrize("path", ["cuts/final.AIF", "cuts/../final.flac", "..final.wav"])
def test_other_outputs_are_left_alone(path):
    found = said("Output Audio:** `lecture_final.wav`", f"Output Audio:** `{path}`")
    assert not [m for m, _, _ in found if "outside" in m or "ending" in m]


@pytest.mark.parametrize("line", ["In step 1: nothing", "* Step 1: nothing", "Status: fine"])
def test_prose_is_left_alone(line):
    assert said("*   **Goal:** ", f"{line}\n\n*   **Goal:** ") == []


@pytest.mark.timeout(20)
def test_a_long_line_takes_no_longer_than_its_length():
    found = said("### Step 3: Set", f"#### Step 3:{' ' * 200_000}Set")
    assert "write `### Step 3: Set the loudness`" in [help for _, help, _ in found]


@pytest.mark.parametrize("sign", [")", "：", ".", "-", " -"])
def test_any_sign_may_stand_behind_the_number_of_a_step(sign):
    assert said("### Step 3: Set the loudness", f"### Step 3{sign} Set the loudness") == []


def test_the_heading_of_a_section_is_not_nearly_one_of_a_step():
    assert not any("Processing Plan" in m for m, _, _ in said("### Step 1: ", "### 1 "))
