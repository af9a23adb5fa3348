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

SHAPE = """\
flow: 1
title: Many nodes
params:
  folder: {{type: text, default: .}}
  items: list
state:
  score: {{type: number, default: 0}}
  kind: {{type: text, default: a}}
limits: {{visits: 6}}
nodes:
{nodes}  - name: n_{last}
    end: success
workflows:
  one:
    params: {{it: text}}
    nodes:
      - {{name: say, assign: {{said: it + "."}}}}
    outputs: [said]
"""

SHAPES = {
    "agents with schemas": """\
  - name: n_{n}
    agent: judge
    prompt: Judge part {n} of {{{{ folder }}}} as one that knows it.
    schema:
      type: object
      required: [mark, why]
      properties:
        mark: {{type: integer, minimum: 1, maximum: 10}}
        why: {{type: string, description: What decided about it.}}
    into: judged_{n}
    settings: {{temperature: 0.2, max_tokens: 400}}
  - name: c_{n}
    choose: judged_{n}.mark > 6
    cases: {{"true": n_{next}, "false": n_{n}}}
""",
    "tools with arguments": """\
  - name: n_{n}
    tool: read_file
    args: {{path: 'folder + "/part_{n}.txt"'}}
    into: text_{n}
  - name: w_{n}
    tool: write_file
    args:
      path: 'concat(folder, "/out_{n}.txt")'
      content: 'upper(trim(text_{n}))'
""",
    "foreach": """\
  - name: n_{n}
    foreach: items
    do: one
    item: it
    concurrency: 4
    into: all_{n}
  - name: s_{n}
    assign:
      kept_{n}: filter(all_{n}, item != null)
  - name: q_{n}
    exec: echo There are {{{{ length(kept_{n}) }}}} left.
""",
    "branches": """\
  - name: n_{n}
    assign: {{score: score * 2 + {n}, kind: '"k{n}"'}}
    next:
      - {{when: score > {n} and kind == "k{n}", to: n_{next}}}
      - {{when: score < 3 or kind == "x" and not (score == 7), to: p_{n}}}
      - {{to: n_{next}}}
    on_error: p_{n}
  - name: p_{n}
    choose: kind
    cases: {{a: n_{next}, b: n_{n}}}
    otherwise: n_{next}
""",
    "quoted and folded texts": """\
  - name: "n_{n}"
    agent: 'reader'
    prompt: "Read part {n} of \\"{{{{ folder }}}}\\",\\nand say what is in it."
    into: 'notes_{n}'
  - name: 'm_{n}'
    agent: writer
    prompt: >
      It is part {n}: {{{{ notes_{n} }}}}
      and nothing else, folded over
      three lines.
    into: said_{n}
  - name: x_{n}
    exec: 'grep -c "{{{{ said_{n} }}}}" part_{n}.txt'
""",
    "long prompts": """\
  - name: n_{n}
    agent: reader
    prompt: |
"""
    + """\
      Read what stands in part {n} and say in plain words what each of its pieces is for, which of
      the others it needs, and whether anybody would notice if a line of it went missing.
"""
    * 14
    + """\
      Look at {{{{ folder }}}} first.
""",
}
"""Nodes by what they are like."""


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


def flow_shapes(size: int) -> dict[str, str]:
    """Clean flow YAML of about `size` bytes each, by what its nodes are."""
    shapes: dict[str, str] = {}
    for what, node in SHAPES.items():
        count = max(1, size // len(node.format(n=1000, next=1001)))
        nodes = "".join(node.format(n=n, next=n + 1) for n in range(count))
        shapes[what] = SHAPE.format(nodes=nodes, last=count)
    return shapes
