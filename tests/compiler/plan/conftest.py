"""A living document that is half way, in each layout that files have."""

from __future__ import annotations

import re

import pytest

HALF_WAY = """\
# Tape from the attic

## 1. Request Summary

*   **Original Request:**
    ```text
    Make grandmother's voice audible.
    The hiss may stay.
    ```
*   **Input Audio:** `tape.wav` (from a cassette)
*   **Workflow ID:** `workflow_1`

---

## 2. Product Requirements Document (PRD)

*   **Goal:** An audible voice.
*   **Key Requirements:**
    *   The voice is in front
    *   No word
        is lost
*   **Constraints:**

---

## 3. Processing Plan & Status

*The planner wrote this.*

### Step 1: Raise the voice

*   **ID:** `step_1`
*   **Description:** Raise what lies between 300 Hz and 3 kHz, with `EQ` and
    nothing else.
*   **Status:** DONE
*   **Input Audio:** `tape.wav`
*   **Output Audio:** `tape_eq.wav` (kept)
*   **Code:**
    ```python
    EQ(input_path="tape.wav", output_path="tape_eq.wav")
    ```
*   **Execution Results:**
    ```text
    done
      with an indented line

    and a last one
    ```
*   **Timestamp Start:** `2031-02-02 08:00:00`
*   **Timestamp End:** `2031-02-02 08:00:09`
*   **QA Notes:** Clear.

---

### Step 2: Trim the silence

*   **ID:** `step_2`
*   **Status:** READY
*   **Input Audio:** `$OUTPUT_STEP_1`
*   **Output Audio:** `tape_final.wav`

---

*More steps may follow.*

---

## 4. Final Output

*   **Overall Status:** IN_PROGRESS
*   **Final Audio Path:**

---

## 5. Workflow Log

*   `2031-02-02 07:59:00`: Workflow Initiated.
*   `2031-02-02 08:00:09`: Step_1 completed successfully. Output: tape_eq.wav

---

Notes that people wrote.
"""

LAYOUTS = {
    "as described": HALF_WAY,
    "one blank, fences at column 0": re.sub(
        r"^ {4}(?!\*)", "", HALF_WAY.replace("*   **", "* **"), flags=re.MULTILINE
    ),
    "without section numbers": HALF_WAY.replace("## 1. ", "## ")
    .replace("## 2. ", "## ")
    .replace("## 3. ", "## ")
    .replace("## 4. ", "## ")
    .replace("## 5. ", "## "),
    "Windows line ends": HALF_WAY.replace("\n", "\r\n"),
    "mixed line ends": HALF_WAY.replace("\n\n", "\r\n\n"),
    "byte-order mark": "\ufeff" + HALF_WAY,
    "no end of the last line": HALF_WAY.rstrip("\n"),
    "the log ends the file": HALF_WAY.split("\n---\n\nNotes")[0].rstrip("\n"),
}


@pytest.fixture
def half_way() -> str:
    """The document in the layout of the format's description."""
    return HALF_WAY


@pytest.fixture(params=LAYOUTS.values(), ids=LAYOUTS.keys())
def layout(request) -> str:
    """The same document in each layout."""
    return request.param
