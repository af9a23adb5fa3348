"""Killed with `kill -9` inside any activity and resumed: what is done is never done again (M39).

Every command of these workflows appends a line to a file, then waits for another one: the file says
what ran how often, and the run can be killed while exactly that command is under way.
"""

from __future__ import annotations

import os
import re
import signal

import pytest

COMMANDS = ("alpha", "beta", "gamma")


def waiting_command(name: str) -> str:
    """Appends its name, then runs until the file `go-NAME` is there."""
    return (
        f"echo {name} >> ran.txt; while [ ! -e go-{name} ]; do sleep 0.02; done; echo {name} done"
    )


def chart() -> str:
    """Two activities: one runs the blocks of an answer (alpha, beta), one a command."""
    return f"""# Three commands

# Workflow
<!-- flowc: workspace . -->
```mermaid
flowchart TD
    START --> PROMPT_PLAN[Prompt: User Plan]
    PROMPT_PLAN --> EXECUTE_PLAN[Execute:]
    EXECUTE_PLAN --> EXECUTE_LAST["Execute: {waiting_command("gamma")}"]
    EXECUTE_LAST --> ASSIGN_END['all done']
    ASSIGN_END --> SUCCESS
```

# Prompts

## User Plan
Write two commands.
"""


def answers() -> str:
    block = "".join(f"  {waiting_command(name)}\n" for name in COMMANDS[:2])
    return f"PROMPT_PLAN: |\n  ```sh\n{block}  ```\n"


@pytest.fixture
def killed(flowc):
    """Start the chart, let the commands before `name` finish, kill flowc while it is under way."""
    flowc.write("three.wf.md", chart())
    flowc.write("three.answers.yaml", answers())

    def start_and_kill(name: str) -> None:
        before = COMMANDS[: COMMANDS.index(name)]
        for done in before:
            flowc.write(f"go-{done}", "")
        process = flowc.begin(
            "run", "three.wf.md", "--answers", "three", "--allow-exec", "--run-id", "killed"
        )
        flowc.until(lambda: flowc.lines("ran.txt") == [*before, name], f"`{name}` begins")
        os.kill(process.pid, signal.SIGKILL)
        process.wait()

    return start_and_kill


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_in_flight_is_asked_about_and_finished_ones_never_run_again(flowc, killed, name):
    killed(name)
    assert "crashed" in flowc("runs").stdout
    for each in COMMANDS:
        flowc.write(f"go-{each}", "")
    asked = flowc("resume", "killed")
    assert asked.returncode == 4
    assert "what became of it is unknown" in asked.stderr
    assert re.search(r"flowc resume killed --answer \w+=repeat", asked.stderr)
    assert flowc.lines("ran.txt") == list(COMMANDS[: COMMANDS.index(name) + 1])

    done = flowc("resume", "killed", "--answer", "repeat")
    assert (done.returncode, done.stdout) == (0, "all done\n")
    expected = [each for each in COMMANDS for _ in range(2 if each == name else 1)]
    assert flowc.lines("ran.txt") == expected


@pytest.mark.parametrize("name", COMMANDS)
def test_on_unknown_repeat_runs_the_one_in_flight_again_unasked(flowc, killed, name):
    killed(name)
    for each in COMMANDS:
        flowc.write(f"go-{each}", "")
    done = flowc("resume", "killed", "--on-unknown", "repeat")
    assert (done.returncode, done.stdout) == (0, "all done\n")
    assert flowc.lines("ran.txt").count(name) == 2
    assert len(flowc.lines("ran.txt")) == 4


def test_on_unknown_fail_fails_the_activity(flowc, killed):
    killed("beta")
    done = flowc("resume", "killed", "--on-unknown", "fail")
    assert done.returncode == 1
    assert "FAILED" in done.stderr
    assert flowc.lines("ran.txt") == ["alpha", "beta"]


def test_a_person_who_knows_what_came_of_it_says_so(flowc, killed):
    killed("gamma")
    done = flowc("resume", "killed", "--answer", "result:gamma was fine")
    assert done.returncode == 2, "nothing has asked yet: the first resume finds the doubt"
    assert flowc("resume", "killed").returncode == 4
    done = flowc("resume", "killed", "--answer", "result:gamma was fine")
    assert done.returncode == 0
    assert flowc.lines("ran.txt") == ["alpha", "beta", "gamma"]


def test_an_answer_that_settles_nothing_is_refused(flowc, killed):
    killed("alpha")
    assert flowc("resume", "killed").returncode == 4
    refused = flowc("resume", "killed", "--answer", "whatever")
    assert refused.returncode == 2
    assert "repeat, fail, or result:TEXT" in refused.stderr


TOOLS = '''"""A tool that says that it ran, then waits."""

from pathlib import Path
from time import sleep


def mark(name: str) -> dict:
    """Append the name to a file, wait for `go-NAME`."""
    with open("ran.txt", "a") as file:
        file.write(name + "\\n")
    while not Path(f"go-{name}").exists():
        sleep(0.02)
    return {"marked": name}
'''


def steps() -> str:
    step = "### 🔧 WORKFLOW STEP: {0}\n```\nMark {0}.\n```\n### 🛠️ TOOL: mark\n\n"
    return "# Three steps\n\n" + "".join(step.format(name) for name in COMMANDS)


def step_answers() -> str:
    return "".join(
        f"step_{number}:\n  - call: {{mark: {{name: {name}}}}}\n  - report: {{status: passed}}\n"
        for number, name in enumerate(COMMANDS)
    )


@pytest.mark.parametrize("name", COMMANDS)
def test_steps_go_on_with_the_tool_call_in_flight(flowc, name):
    flowc.write("acme.py", TOOLS)
    flowc.write("flowc.toml", '[tools]\npython = ["acme:mark"]\n')
    flowc.write("three.md", steps())
    flowc.write("three.answers.yaml", step_answers())
    before = COMMANDS[: COMMANDS.index(name)]
    for done in before:
        flowc.write(f"go-{done}", "")
    process = flowc.begin("run", "three.md", "--answers", "three", "--run-id", "killed")
    flowc.until(lambda: flowc.lines("ran.txt") == [*before, name], f"`{name}` begins")
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    for each in COMMANDS:
        flowc.write(f"go-{each}", "")
    asked = flowc("resume", "killed")
    assert asked.returncode == 4
    assert flowc.lines("ran.txt") == [*before, name]
    done = flowc("resume", "killed", "--answer", "repeat")
    assert done.returncode == 0, done.stderr
    assert flowc.lines("ran.txt") == [e for e in COMMANDS for _ in range(2 if e == name else 1)]
