"""One workflow of each dialect, killed with SIGKILL at every event and resumed to the same end."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from contracts import contract, gate, step, team, write
from killed_cases import Case, killed_everywhere

pytestmark = pytest.mark.fuzz

CHART = """\
<!-- flowc: workspace . -->

# Everything

# Workflow

```mermaid
flowchart TD
START --> SET_COLOUR[COLOUR='blue']
SET_COLOUR --> EXECUTE_FIRST[echo one >> log; X=7]
EXECUTE_FIRST --> PROMPT_PLAN[User Plan]
PROMPT_PLAN --> EXECUTE_PLAN[[Execute:]]
EXECUTE_PLAN --> CHECK_CODE{EXIT_CODE == 0}
CHECK_CODE --> |YES| CALL_INNER[[inner.wf.md]]
CHECK_CODE --> |NO| FAILED
CALL_INNER --> CHECKPOINT_HALF
CHECKPOINT_HALF --> ASK_NAME
ASK_NAME --> SUCCESS
```

# Prompts

## User Plan

Which commands?
"""
INNER = """\
<!-- flowc: workspace . -->

# Inner

# Workflow

```mermaid
flowchart TD
START --> EXECUTE_DEEP[echo deep $X >> log]
EXECUTE_DEEP --> ASSIGN_DONE['inner is done']
ASSIGN_DONE --> SUCCESS
```
"""
CHART_ANSWERS = """\
PROMPT_PLAN: |
  ```sh
  echo two >> log
  echo three $X >> log
  ```
ASK_NAME: Ada
"""
CHART_LOG = ["one", "two", "three 7", "deep 7"]

STEPS = """\
### 🔧 WORKFLOW STEP: Note
```
Note two things.
```
### 🛠️ TOOLS:
- note
- seal
### 📤 OUTPUTS:
- what was noted → NOTED
### ✅ ASSERT:
- result.sealed == true

### 🔧 WORKFLOW STEP: Again
```
Note [NOTED] once more.
```
### 🛠️ TOOL: note
### 📥 INPUTS:
- NOTED: what was noted
"""
STEPS_ANSWERS = """\
step_0:
  - call: {note: {text: one}}
  - call: {seal: {text: two}}
  - report: {status: passed, outputs: {NOTED: both}, asserts: [true]}
step_1:
  - call: {note: {text: three}}
  - report: {status: passed}
"""
STEPS_LOG = ["note one", "seal two", "note three"]

MACHINE = """\
{
  "workflow_name": "notes",
  "description": "Notes until it is enough.",
  "input": {"name": "topic", "type": "string", "description": "what about"},
  "output": {"name": "notes", "type": "string", "description": "all notes"},
  "contexts": [{"name": "talk", "starting_messages": [{"role": "system", "content": "Note."}]}],
  "agents": [{"agent_role": "clerk", "context": "talk", "role": "assistant"}],
  "states": [
    {"name": "start", "agent": "clerk", "pre_handler": "ask", "post_handler": "keep",
     "transition_handler": "enough"},
    {"name": "stop"}
  ]
}
"""
MACHINE_SCRIPT = """\
export default {
  ask() {
    this.asked = [...(this.asked ?? []), Math.random() < 1 && Date.now() > 0];
    this.workflow_contexts.get('talk').addMessage('user', `note ${this.asked.length}`);
  },
  keep() {
    const { content } = this.last_response.choices[0].message;
    this.workflow_contexts.get('talk').addMessage('assistant', content);
    this.common_data.notes = [this.common_data.notes, content].filter(Boolean).join(' + ');
  },
  enough() {
    const count = this.workflow_contexts.get('talk').getMessages().length;
    return count > 4 ? 'stop' : 'start';
  },
};
"""
MACHINE_ROLES = """\
{"clerk": {"systemMessage": "You are a clerk.", "includedTools": ["note"]}}
"""
MACHINE_ANSWERS = """\
start:
  - call: {note: {text: one}}
  - first
  - call: {note: {text: two}}
  - second
"""
CONTRACT = contract(
    step("plan", form="decision"),
    step("left", "plan"),
    step("right", "plan"),
    step("both", "left", "right", form="synchronization"),
    step("check", "both", form="review"),
    gates=(gate("fit"), gate("go", "approval", None)),
    execution_config={"auto_retry": True},
)
CONTRACT_ANSWERS = """\
plan: {result: {decision: two halves}}
left:
  - call: {note: {text: left}}
  - result: {output: torn, status: failed}
  - result: {output: L1, handoff: {l: 1}}
  - result: {output: L2, handoff: {l: 2}}
right:
  - call: {note: {text: right}}
  - result: {output: R1, handoff: {r: 1}}
  - result: {output: R2, handoff: {r: 2}}
check:
  - result: {scores: {both: 0.5}}
  - result: {scores: {both: 0.9}}
go: yes
"""
CONTRACT_LOG = ["note left", "note right"]


@pytest.fixture
def chart(tmp_path: Path) -> Case:
    (tmp_path / "main.wf.md").write_text(CHART)
    (tmp_path / "inner.wf.md").write_text(INNER)
    (tmp_path / "answers.yaml").write_text(CHART_ANSWERS)
    return Case(tmp_path, "main.wf.md")


@pytest.fixture
def steps(tmp_path: Path) -> Case:
    (tmp_path / "main.md").write_text(STEPS)
    (tmp_path / "answers.yaml").write_text(STEPS_ANSWERS)
    return Case(tmp_path, "main.md")


@pytest.fixture
def machine(tmp_path: Path) -> Case:
    (tmp_path / "main").mkdir()
    (tmp_path / "main.json").write_text(MACHINE)
    (tmp_path / "main/script.js").write_text(MACHINE_SCRIPT)
    (tmp_path / "main/roles.json").write_text(MACHINE_ROLES)
    (tmp_path / "answers.yaml").write_text(MACHINE_ANSWERS)
    return Case(tmp_path, "main.json", {"topic": "all"})


@pytest.fixture
def menu(tmp_path: Path) -> Case:
    crew = json.loads(team("cook", "idler"))
    crew["agents"][0]["configuration"] = {"tools": ["note"]}
    write(tmp_path, menu=CONTRACT, team=json.dumps(crew))
    (tmp_path / "answers.yaml").write_text(CONTRACT_ANSWERS)
    return Case(tmp_path, "menu.json", team="team.json")


def test_a_contract_ends_the_same_wherever_it_is_killed(menu: Case) -> None:
    """Two steps at a time, one of which fails at first; a review has both done again."""
    result = "## left\nL2\n\n## right\nR2"
    killed_everywhere(menu, CONTRACT_LOG, at_once=2, status="success", result=result)


def test_a_flowchart_ends_the_same_wherever_it_is_killed(chart: Case) -> None:
    killed_everywhere(chart, CHART_LOG, status="success", result="Ada")


def test_a_step_document_ends_the_same_wherever_it_is_killed(steps: Case) -> None:
    killed_everywhere(steps, STEPS_LOG, status="success")


def test_a_state_machine_ends_the_same_wherever_it_is_killed(machine: Case) -> None:
    killed_everywhere(machine, ["note one", "note two"], status="success", result="first + second")
