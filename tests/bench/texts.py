"""Clean workflows of any size, as texts."""

from __future__ import annotations

import json

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
    """A state machine in JSON of about `size` bytes, one state after another."""
    names = [f"state_{n}" for n in range(max(2, size // 260))]
    names[0] = "start"
    states = [
        {
            "name": name,
            "action": {"script": f"common_data.seen = common_data.seen + ' {name}';"},
            "transition": [
                {"target": target, "condition": "common_data.limit > 3"},
                {"target": "stop", "condition": "true"},
            ],
        }
        for name, target in zip(names, [*names[1:], "stop"], strict=True)
    ]
    machine = {
        "workflow_name": "bench",
        "description": "Goes from state to state.",
        "input": {"name": "seen", "type": "string", "description": "what was seen"},
        "output": {"name": "seen", "type": "string", "description": "what was seen"},
        "variables": {"limit": 10},
        "contexts": [{"name": "talk"}],
        "agents": [{"agent_role": "worker", "context": "talk", "role": "assistant"}],
        "states": [*states, {"name": "stop"}],
    }
    return json.dumps(machine, indent=2)
