"""Clean workflows of any size, as texts."""

from __future__ import annotations

import json
from typing import Any

STEP = """\
### 🔧 WORKFLOW STEP: Look at part {n}
```
Read the files of part {n} below [FOLDER]. Note what each of them is for, which of the others it
needs, and whether its tests would notice if a line of it went missing. Keep the notes short.
```
### 🛠️ TOOL: read_file
### 📥 INPUTS:
- FOLDER: the folder that is looked at
### 📤 OUTPUTS:
- the notes, one line for each file → NOTES_{n}
### ✅ ASSERT:
- every file of part {n} has a line
- no line is longer than a hundred characters

"""

CHART = """\
# Count

Assigns one number after another.

# Workflow

```mermaid
flowchart TD
START([Start]) --> ASSIGN_1
{edges}
SUCCESS([Done])
```
"""

PROMPT = (
    "Read the files of part {n} below {{{{common_data.folder}}}}. Note what each of them is for, "
    "which of the others it needs, and whether its tests would notice if a line of it went "
    "missing. So far you have looked at these: {{{{common_data.seen}}}}. Keep the notes short."
)

LIVING_STEP = """\
### Step {n}: Pass number {n}

*   **ID:** `step_{n}`
*   **Description:** Take away what is left of the hum after pass {before}, listen, and
    note whether the quiet parts of the voice have become thinner.
*   **Status:** READY
*   **Input Audio:** `speech_{before}.wav`
*   **Output Audio:** `speech_{n}.wav`
*   **Code:**
    ```python
    NOTCH(input_path="speech_{before}.wav", output_path="speech_{n}.wav", frequency=50)
    ```
*   **Execution Results:**
    ```text
    level before -61.2 dB, level after -68.0 dB
    the voice has lost 0.1 dB between 100 and 200 Hz
    ```
*   **Timestamp Start:** `2031-05-01 14:00:00`
*   **Timestamp End:** `2031-05-01 14:00:07`
*   **QA Notes:** The hum is quieter, the voice as it was.

---

"""

LIVING = """\
# Speech

## 1. Request Summary

*   **Input Audio:** `speech_0.wav`

## 2. Product Requirements Document (PRD)

*   **Goal:** A speech without hum.

## 3. Processing Plan & Status

{steps}## 4. Final Output

*   **Overall Status:** IN_PROGRESS

## 5. Workflow Log

*   `2031-05-01 13:59:00`: Workflow Initiated.
"""

FLOW_NODES = """\
  - name: look_{n}
    agent: reader
    prompt: |
      Read the files of part {n} below {{{{ folder }}}}. Note what each of them is for,
      and which of the others it needs. Keep the notes short.
    into: notes_{n}

  - name: count_{n}
    assign: {{rounds: rounds + 1, size_{n}: notes_{n}.length}}

  - name: judge_{n}
    assign: {{seen: size_{n} + seen}}
    next:
      - {{when: size_{n} > 4000 and rounds < 3, to: look_{n}}}
      - {{to: look_{next}}}

"""

FLOW = """\
flow: 1
title: Reading part by part

params:
  folder: {{type: text, default: .}}

state:
  rounds: {{type: integer, default: 0}}
  seen: {{type: integer, default: 0}}

limits: {{visits: 6}}

nodes:
{nodes}  - name: look_{last}
    end: success
"""


def step_document(size: int) -> str:
    """A step document of about `size` bytes."""
    first = "### 🔧 WORKFLOW STEP: Choose\n```\nChoose a folder.\n```\n### 🛠️ TOOL: list_files\n"
    first += "### 📤 OUTPUTS:\n- the folder → FOLDER\n\n"
    one = len(STEP.format(n=1000).encode())
    return first + "".join(STEP.format(n=n) for n in range(max(1, size // one)))


def chain(length: int) -> str:
    """A flowchart of `length` activities, one after another, each of which assigns a value."""
    ids = [f"ASSIGN_{n}" for n in range(1, length + 1)]
    edges = [
        f"{a}['{n}'] --> {b}"
        for n, (a, b) in enumerate(zip(ids, [*ids[1:], "SUCCESS"], strict=True))
    ]
    return CHART.format(edges="\n".join(edges))


def state_machine(size: int) -> str:
    """A state machine in JSON of about `size` bytes, one state after another: in turn one that
    runs a script of its own, and one that sends a prompt to an agent. Of every 1,000 bytes about
    350 are blanks, and there are five expressions, two of them unlike all others."""
    count = max(1, size // len(json.dumps(_two_states(1000), indent=2)))
    states = [state for n in range(count) for state in _two_states(n)]
    states[0]["name"] = "start"
    states.append({"name": f"script_{count}", "transition": [_way("stop", "true")]})
    machine = {
        "workflow_name": "bench",
        "description": "Goes from state to state.",
        "input": {"name": "seen", "type": "string", "description": "what was seen"},
        "output": {"name": "seen", "type": "string", "description": "what was seen"},
        "variables": {"limit": 10, "parts": 0, "folder": "."},
        "contexts": [{"name": "talk"}],
        "agents": [{"agent_role": "worker", "context": "talk", "role": "assistant"}],
        "states": [*states, {"name": "stop"}],
    }
    return json.dumps(machine, indent=2)


def _two_states(n: int) -> list[dict[str, Any]]:
    return [
        {
            "name": f"script_{n}",
            "action": {"script": f"common_data.seen = common_data.seen + ' part {n}';"},
            "transition": [
                _way("stop", "common_data.parts > common_data.limit"),
                _way(f"prompt_{n}", "true"),
            ],
        },
        {
            "name": f"prompt_{n}",
            "agent": "worker",
            "input": PROMPT.format(n=n),
            "transition": [
                {
                    **_way(f"script_{n + 1}", "lastAgentResponse != ''"),
                    "before": f"common_data.notes_{n} = this.lastAgentResponse",
                },
                _way("stop", "true"),
            ],
        },
    ]


def _way(target: str, condition: str) -> dict[str, str]:
    return {"target": target, "condition": condition}


def living_document(size: int) -> str:
    """A living document of about `size` bytes, every step of it planned."""
    count = max(1, size // len(LIVING_STEP.format(n=1000, before=999).encode()))
    steps = "".join(LIVING_STEP.format(n=n, before=n - 1) for n in range(1, count + 1))
    return LIVING.format(steps=steps)


def flow_chain(length: int) -> str:
    """Flow YAML with about `length` nodes: an agent with a prompt, values that are worked out, a
    choice between going back and going on, and again."""
    count = length // 3
    nodes = "".join(FLOW_NODES.format(n=n, next=n + 1) for n in range(count))
    return FLOW.format(nodes=nodes, last=count)
