"""What examples are made of: files of each dialect around the lines that matter."""

from __future__ import annotations

from dataclasses import dataclass
from textwrap import dedent


@dataclass(frozen=True, slots=True)
class Example:
    """A file by name and content; `files` are further files beside it. What a code says of a
    conversion shows when the file is converted `to` that format, what it says of a `team` when the
    file is checked with that, what only careful people want to hear when it is `strict`, and what
    it says of an edit when `written` is what stood there before."""

    file: str
    text: str
    files: tuple[tuple[str, str], ...] = ()
    encoding: str = "utf-8"
    to: str = ""
    team: str | None = None
    strict: bool = False
    written: str = ""


def steps(text: str, *files: tuple[str, str]) -> Example:
    """Step markdown."""
    return Example("review.md", dedent(text).lstrip("\n"), files)


def contract(*steps: str) -> Example:
    """A contract with these steps, one a line."""
    lines = ",\n".join(f"    {{{step}}}" for step in steps)
    head = '  "workflow_name": "Menu",\n  "workflow_type": "sequential",\n'
    return Example("menu.json", f'{{\n{head}  "steps": [\n{lines}\n  ]\n}}\n')


def cook(id: str, role: str, *needs: str) -> str:
    """A step of a contract that depends on `needs`."""
    listed = ", ".join(f'"{need}"' for need in needs)
    text = f'"step_id": "{id}", "required_role": "{role}", "dependencies": [{listed}], '
    return f'{text}"success_criteria": "tasted"'


def plan(status: str, output: str) -> Example:
    """A living document whose run had done the first of two steps."""
    return Example("workflow.md", _plan(status, output), written=_plan("DONE", "a_trimmed.wav"))


def _plan(status: str, output: str) -> str:
    return f"""\
## 1. Request Summary

*   **Input Audio:** `a.wav`

## 2. Product Requirements Document (PRD)

*   **Goal:** A loud sound without silence.

## 3. Processing Plan & Status

### Step 1: Trim

*   **ID:** `step_1`
*   **Status:** {status}
*   **Input Audio:** `a.wav`
*   **Output Audio:** `{output}`

### Step 2: Make it louder

*   **ID:** `step_2`
*   **Status:** DONE
*   **Input Audio:** `$OUTPUT_STEP_1`
*   **Output Audio:** `a_loud.wav`

## 4. Final Output

## 5. Workflow Log
"""


def machine(condition: str) -> Example:
    """A state machine that leads to its end, round or on, by a condition."""
    return Example("printing.json", MACHINE.replace("CONDITION", condition).lstrip("\n"))


MACHINE = """
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
      "transition": [{"target": "start", "condition": "CONDITION"}]
    }
  ]
}
"""


def chart(text: str, *files: tuple[str, str], name: str = "review.wf.md") -> Example:
    """A flowchart document around the lines of its chart; the prompts are those it may name."""
    lines = "".join(f"    {line}\n" for line in dedent(text).strip().splitlines())
    return Example(name, f"# Workflow\n\n```mermaid\nflowchart TD\n{lines}```\n{PROMPTS}", files)


def flow(text: str) -> Example:
    """Flow YAML below its version and name."""
    return Example("review.flow.yaml", f"flow: 1\nname: review\n{dedent(text).lstrip()}")


PROMPTS = """
# Prompts

## User Review
Review the change. Answer GOOD or BAD.

## User Repair
Repair what the review found.
"""
TESTS = chart("START --> EXECUTE[make test]", name="unit-tests.wf.md").text
BACK = chart("START --> CALL_REVIEW[[review.wf.md]]", name="tests.wf.md").text
GOOD_STEP = steps(
    """
    ### 🔧 WORKFLOW STEP: Look around
    ```
    List the files of the project.
    ```
    ### 🛠️ TOOL: list_files
    """
)
GOOD_CHART = chart("START --> PROMPT_REVIEW[User Review]")

KITCHEN = (
    "kitchen.json",
    dedent(
        """
        {
          "team_name": "Kitchen",
          "team_type": "content_creation",
          "agents": [
            {"agent_id": "ann", "role": "cook"},
            {"agent_id": "bob", "role": "taster", "type": "person"}
          ]
        }
        """
    ).lstrip("\n"),
)
