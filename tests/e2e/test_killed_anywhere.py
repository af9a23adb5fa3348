"""One workflow of each dialect, killed with SIGKILL at every event and resumed to the same end."""

from __future__ import annotations

import asyncio
import dataclasses
import json
import os
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from flowc.compiler.driver import compile_file
from flowc.runtime.config import Config
from flowc.runtime.engine import open_engine
from flowc.runtime.events import RunEvent
from flowc.runtime.sandbox.shell import BashShell
from flowc.runtime.services import Services, ToolSchema
from flowc.runtime.wiring import RunOptions, make_services
from killing import Killed, in_process, kill_me

CHART = """\
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


@dataclasses.dataclass
class LogTools:
    """Tools that leave a line in a file."""

    log: Path

    async def open(self) -> None: ...

    async def close(self) -> None: ...

    def schema(self, tool: str) -> ToolSchema:
        return ToolSchema(tool, "", {"type": "object"}, "once")

    async def call(self, tool: str, args: dict[str, Any]) -> Any:
        with self.log.open("a") as out:
            out.write(f"{tool} {args['text']}\n")
        return {"sealed": tool == "seal"}


@dataclasses.dataclass
class Case:
    """A workflow in a folder of its own: started, killed, resumed there."""

    folder: Path
    file: str
    spec: Any = None
    factory: Any = None

    def __post_init__(self) -> None:
        """Before any fork, so that the children share what is imported and compiled."""
        result = compile_file(str(self.folder / self.file))
        assert result.ok, result.diagnostics
        answers = str(self.folder / "answers.yaml")
        options = RunOptions(answers=answers, allow_exec=True, workspace=str(self.folder))
        self.spec, self.factory = result.spec, make_services(options, result.spec, Config())

    def execute(self, *, resume: bool, kill_at: int = -1) -> dict[str, Any]:
        def services(journal: Any, emit: Any) -> Services:
            tools: Any = LogTools(self.folder / "log")
            shell: Any = BashShell(self.folder, {"PATH": os.environ["PATH"]})
            return dataclasses.replace(self.factory(journal, emit), tools=tools, shell=shell)

        async def go() -> dict[str, Any]:
            async with open_engine(f"sqlite:///{self.folder}/runs.db") as engine:
                fields: dict[str, Any] = {"listeners": (Killer(kill_at),)}
                if resume:
                    outcome = await engine.resume(
                        "r", self.spec, services, answers={}, on_unknown="repeat", **fields
                    )
                else:
                    outcome = await engine.start(
                        self.spec, services, run="r", inputs={}, options={}, **fields
                    )
                return json.loads(json.dumps(dataclasses.asdict(outcome)))

        return asyncio.run(asyncio.wait_for(go(), 60))

    def log(self) -> list[str]:
        return (self.folder / "log").read_text().splitlines()


@dataclasses.dataclass
class Killer:
    """Kills the process at one of its events; the end of a node is the beginning of the next."""

    at: int
    seen: int = 0

    def __call__(self, event: RunEvent) -> None:
        if event.kind == "node_finished":
            return
        if self.seen == self.at:
            kill_me()
        self.seen += 1


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


def the_same(outcome: dict[str, Any], undisturbed: dict[str, Any]) -> None:
    for field in ("status", "result", "variables", "outcomes", "nodes"):
        assert outcome[field] == undisturbed[field], field


def killed_everywhere(case: Case, log: list[str], **expected: Any) -> None:
    """Kill at the first event, the second, …; every run ends as the undisturbed one does, and at
    most the one effect that was under way happens twice."""
    undisturbed = case.execute(resume=False)
    assert {key: undisturbed[key] for key in expected} == expected
    assert case.log() == log
    at = 0
    while True:
        for old in (*case.folder.glob("runs.db*"), case.folder / "log"):
            if old.is_file():
                old.unlink()
        try:
            in_process(lambda at=at: case.execute(resume=False, kill_at=at))
        except Killed:
            outcome = in_process(lambda: case.execute(resume=(case.folder / "runs.db").exists()))
        else:
            break
        the_same(outcome, undisturbed)
        twice = Counter(case.log()) - Counter(log)
        assert sum(twice.values()) <= 1, f"killed at event {at}: {case.log()}"
        assert not Counter(log) - Counter(case.log())
        at += 1
    assert at > 10, "there were events to be killed at"


def test_a_flowchart_ends_the_same_wherever_it_is_killed(chart: Case) -> None:
    killed_everywhere(chart, CHART_LOG, status="success", result="Ada")


def test_a_step_document_ends_the_same_wherever_it_is_killed(steps: Case) -> None:
    killed_everywhere(steps, STEPS_LOG, status="success")
