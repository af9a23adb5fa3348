"""What is inserted behind a question that waits is taken over, whatever the format."""

from __future__ import annotations

CHART = """\
# Names

# Workflow
```mermaid
flowchart TD
    START --> ASSIGN_QUESTION['What is it called?']
    ASSIGN_QUESTION --> ASK_NAME
    ASK_NAME --> SET_NAME[NAME=RESULT]
    SET_NAME --> SUCCESS
```
"""
STEP = """\
### 🔧 WORKFLOW STEP: {0}
```
{0} a boat.
```

### 🛠️ TOOL: nobody_has_it

"""
STEPS = STEP.format("Name") + STEP.format("Paint")
INSERTED = STEP.format("Name") + STEP.format("Launch") + STEP.format("Paint")


def test_a_node_of_a_flowchart_behind_its_question(flowc) -> None:
    flowc.write("it.wf.md", CHART)
    assert flowc("run", "it.wf.md", "--run-id", "r").returncode == 4
    fresh = "ASK_NAME --> SET_MORE[MORE=RESULT]\n    SET_MORE --> SET_NAME"
    flowc.write("it.wf.md", CHART.replace("ASK_NAME --> SET_NAME", fresh))
    done = flowc("resume", "r", "--answer", "ASK_NAME=Emil", "-v")
    assert done.returncode == 0, done.stderr
    assert "SET_MORE" in done.stderr
    assert "leads elsewhere when it is through" in done.stderr


def test_a_step_behind_the_one_that_waits(flowc) -> None:
    flowc.write("it.md", STEPS)
    asked = flowc("run", "it.md", "--model", "people", "--run-id", "r")
    assert asked.returncode == 4, asked.stderr
    flowc.write("it.md", INSERTED)
    asked = flowc("resume", "r", "--answer", "step_0=passed")
    assert asked.returncode == 4, asked.stderr
    assert "Launch a boat." in asked.stderr
    asked = flowc("resume", "r", "--answer", "step_1=passed")
    assert "Paint a boat." in asked.stderr
    done = flowc("resume", "r", "--answer", "step_2=passed")
    assert done.returncode == 0, done.stderr
