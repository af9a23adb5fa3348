"""READER_CODES: the diagnostic codes that only readers, writers and the driver report.

A code that a check reports stands in the check's file; `checks.CODES` has all of them. A code is
stable for ever.
"""

from __future__ import annotations

from dataclasses import replace

from .diagnostic import Code
from .examples import GOOD_CHART, Example, chart, contract, cook, flow, mend, steps

GOOD_STEP = steps(
    """
    ### 🔧 WORKFLOW STEP: Look around
    ```
    List the files of the project.
    ```
    ### 🛠️ TOOL: list_files
    """
)
_TESTS = chart("START --> EXECUTE[make test]", name="unit-tests.wf.md").text
_BACK = chart("START --> CALL_REVIEW[[review.wf.md]]", name="tests.wf.md").text
_MACHINE = """\
{
  "workflow_name": "printing",
  "description": "Counts copies.",
  "input": {"name": "copies", "type": "number", "description": "how many"},
  "output": {"name": "done", "type": "string", "description": "what was done"},
  "contexts": [{"name": "talk"}],
  "agents": [{"agent_role": "printer", "context": "talk", "role": "assistant"}],
  "states": [
    {
      "name": "start",
      "agent": "printer",
      "input": "Print one copy.",
      "transition": [{"target": "start", "condition": "common_data.copies >"}]
    }
  ]
}
"""
_PLAN = """\
## 1. Request Summary

*   **Input Audio:** `a.wav`

## 2. Product Requirements Document (PRD)

*   **Goal:** A loud sound without silence.

## 3. Processing Plan & Status

### Step 1: Trim

*   **ID:** `step_1`
*   **Status:** DONE
*   **Input Audio:** `a.wav`
*   **Output Audio:** `a_trimmed.wav`

### Step 2: Make it louder

*   **ID:** `step_2`
*   **Status:** DONE
*   **Input Audio:** `$OUTPUT_STEP_1`
*   **Output Audio:** `a_loud.wav`

## 4. Final Output

## 5. Workflow Log
"""
"""A living document whose run has done both steps."""

READER_CODES: tuple[Code, ...] = (
    Code("FC0001", "unreadable", "error",
        title="The file cannot be read.",
        why="It is missing, a folder, too large or not UTF-8; nothing in it was checked.",
        examples=lambda: (
            Example("review.md", "# Café menu, reviewed\n", encoding="latin-1"),
            GOOD_STEP,
        ),
    ),
    Code("FC0002", "unused-allowance", "warning",
        title="An allowance allows nothing.",
        why="The warning it silences no longer occurs; a stale allowance hides the next one.",
        examples=lambda: (
            steps(f"<!-- flowc: allow FC2002 -->\n\n{GOOD_STEP.text}"),
            GOOD_STEP,
        ),
    ),
    Code("FC1001", "syntax", "error",
        title="A construct does not parse.",
        why="The reader skipped it and went on, so what it meant is missing from the workflow.",
        examples=lambda: (chart("START -> PROMPT_REVIEW[User Review]"), GOOD_CHART),
    ),
    Code("FC1002", "unknown-key", "error",
        title="A key or section keyword the format does not have.",
        why="A misspelt keyword is silently without effect in most readers.",
        examples=lambda: (chart("START --> PROMT_REVIEW[User Review]"), GOOD_CHART),
    ),
    Code("FC1003", "missing-required", "error",
        title="Something the format requires is not there.",
        why="The run would stop when it reaches the place.",
        examples=lambda: (steps(GOOD_STEP.text.replace("### 🛠️ TOOL: list_files\n", "")), GOOD_STEP),
    ),
    Code("FC1004", "duplicate-id", "error",
        title="One name, two definitions.",
        why="One of the two would be lost; which one depends on the reader.",
        examples=lambda: mend(
            chart(
                """
            START --> PROMPT_REVIEW[User Review]
            PROMPT_REVIEW --> SUCCESS
            PROMPT_REVIEW --> FAILED
            """
            ),
            "--> FAILED",
            "--> |ERROR| FAILED",
        ),
    ),
    Code("FC1005", "wrong-type", "error",
        title="A word or scalar outside the set its place allows.",
        why="The value has no meaning there.",
        examples=lambda: (
            chart(
                """
            START --> PROMPT_REVIEW[User Review]
            PROMPT_REVIEW --> |PERHAPS| SUCCESS
            """
            ),
            GOOD_CHART,
        ),
    ),
    Code("FC1006", "damaged-text", "warning",
        title="Text damaged by a wrong decoding.",
        why="UTF-8 was read in a Windows code page; the markers are repaired, the prose is not.",
        examples=lambda: (steps(GOOD_STEP.text.replace("🔧", "ðŸ”§")), GOOD_STEP),
    ),
    Code("FC1007", "ambiguous-format", "warning",
        title="Two formats claim the file.",
        why="The reader took one of them; say which you meant.",
        examples=lambda: (Example("review.md", f"{GOOD_STEP.text}\n{GOOD_CHART.text}"), GOOD_STEP),
    ),
    Code("FC1008", "empty-workflow", "error",
        title="There is nothing to run.",
        why="No step, no activity, no state was found.",
        examples=lambda: (steps("# Review\n\nNothing is written here yet.\n"), GOOD_STEP),
    ),
    Code("FC1009", "unseen-sign", "warning",
        title="A sign that nobody sees, or a letter of another script.",
        why="A name with it looks like another one and is not found; copied text often has some.",
        examples=lambda: (
            steps(GOOD_STEP.text.replace("project", "pro\u200bject")),
            GOOD_STEP,
        ),
    ),
    Code("FC2001", "unknown-step", "error",
        title="A reference to something that does not exist.",
        why="The run would have nowhere to go.",
        examples=lambda: (
            chart("START --> CALL_TESTS[[tests.wf.md]]", ("unit-tests.wf.md", _TESTS)),
            chart("START --> CALL_TESTS[[unit-tests.wf.md]]", ("unit-tests.wf.md", _TESTS)),
        ),
    ),
    Code("FC2004", "dependency-cycle", "error",
        title="Steps that depend on each other in a circle.",
        why="Each would wait for the other, so none of them could ever begin.",
        examples=lambda: (
            contract(cook("stock", "cook", "soup"), cook("soup", "cook", "stock")),
            contract(cook("stock", "cook"), cook("soup", "cook", "stock")),
        ),
    ),
    Code("FC2009", "recursive-call", "error",
        title="Workflows that call each other in a circle.",
        why="The calls would never end.",
        examples=lambda: (
            chart("START --> CALL_TESTS[[tests.wf.md]]", ("tests.wf.md", _BACK)),
            chart("START --> CALL_TESTS[[tests.wf.md]]", ("tests.wf.md", _TESTS)),
        ),
    ),
    Code("FC4001", "unknown-tool", "error",
        title="A tool that nothing provides.",
        why="The agent would be offered a tool that cannot be called.",
        examples=lambda: (steps(GOOD_STEP.text.replace("list_files", "list_file")), GOOD_STEP),
    ),
    Code("FC4003", "script-error", "error",
        title="A script that does not parse.",
        why="None of its functions could be called.",
        examples=lambda: mend(Example("printing.json", _MACHINE), "copies >", "copies > 3"),
    ),
    Code("FC4004", "unfit-function", "error",
        title="A function that cannot be called as the file says.",
        why="The node would fail each time that it is visited.",
        examples=lambda: mend(
            flow(
                """
            nodes:
              - {name: price, python: "shop.prices:quote()", into: price}
            outputs: [price]
            """
            ),
            "quote()",
            "quote",
        ),
    ),
    Code("FC4005", "lost-setting", "error",
        title="A setting of a question that the model's provider has no name for.",
        why="The model would be asked without it, and nobody would notice.",
        examples=lambda: mend(
            flow(
                """
            nodes:
              - name: draft
                agent: writer
                prompt: Write a line.
                model: anthropic:claude-sonnet-5
                settings: {temperature: 0.2, seed: 7}
                into: line
            outputs: [line]
            """
            ),
            ", seed: 7",
            "",
        ),
    ),
    Code("FC6001", "lossy-conversion", "warning",
        title="The target format cannot say this.",
        why="What was written was read again, and this did not come back.",
        examples=lambda: (replace(GOOD_CHART, to="steps"), replace(GOOD_CHART, to="flowchart")),
    ),
    Code("FC7001", "edit-conflict", "error",
        title="An edit that contradicts what a run has done.",
        why="It could be meant in two ways, or not at all; a guess could lose work or sound.",
        examples=lambda: mend(
            Example("workflow.md", _PLAN.replace("a_trimmed", "b"), written=_PLAN),
            "DONE",
            "PENDING",
        ),
    ),
)  # fmt: skip
