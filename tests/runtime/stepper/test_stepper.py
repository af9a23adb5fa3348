"""A client that carries out a workflow step by step, as a run of the engine: S27 to S46."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from flowc.compiler.driver import compile_file
from flowc.runtime.config.settings import Config
from flowc.runtime.engine.engine import open_engine
from flowc.runtime.errors import RunError
from flowc.runtime.mcp.tools import template_text
from flowc.runtime.state.step_reports import ReportFault, refusal
from flowc.runtime.stepper.stepper import Stepper

BOATS = """\
### 🔧 WORKFLOW STEP: Look
```
Find a boat.
```

### 🛠️ TOOL: look

### ✅ ASSERT:
- it shines
- it floats

### 📤 OUTPUTS:
- result.name → BOAT

### 🔧 WORKFLOW STEP: Paint
```
Paint [BOAT].
```

### 🛠️ TOOL: paint

### 📥 INPUTS:
- BOAT: the boat
"""
CHART = """\
# Workflow

```mermaid
flowchart TD
    START([Start]) --> PROMPT_NAME[Prompt: User Name]
    PROMPT_NAME --> EXECUTE_IT[Execute:]
    EXECUTE_IT --> ASK_WHY[/Ask: why?/]
    ASK_WHY --> PROMPT_SUM[Prompt: User Sum]
    PROMPT_SUM --> SUCCESS([Done])
```

# Prompts

## User Name

Name a command.

## User Sum

Sum up.
"""
ME = "client"
Do = Callable[[Stepper], Awaitable[Any]]


@pytest.fixture(autouse=True)
def _here(tmp_path: Path) -> Iterator[None]:
    (tmp_path / "boats.md").write_text(BOATS, encoding="utf-8")
    (tmp_path / "chart.wf.md").write_text(CHART, encoding="utf-8")
    with contextlib.chdir(tmp_path):
        yield


@contextlib.asynccontextmanager
async def stepping(url: str = "memory:") -> AsyncIterator[Stepper]:
    runs = itertools.count()
    async with open_engine(url) as engine:
        yield Stepper(engine, Config(), Path.cwd(), lambda: f"run-{next(runs)}")


def do(*actions: Do, file: str = "boats.md") -> list[Any]:
    """What each action answers, a fault as its structured answer; the file is loaded before."""

    async def all_of_them() -> list[Any]:
        async with stepping() as stepper:
            await stepper.load(ME, file, {})
            return [await _answer(action(stepper)) for action in actions]

    return asyncio.run(all_of_them())


async def _answer(awaited: Awaitable[Any]) -> Any:
    try:
        return await awaited
    except ReportFault as fault:
        return refusal(fault)


def report(number: int, status: str = "passed", error: str = "", **outputs: Any) -> Do:
    args = {
        "step_number": number,
        "status": status,
        "assertion_results": [{"assertion": "it shines", "passed": True}, {"passed": True}],
        "output_variables": outputs,
        "error_message": error,
    }
    return lambda stepper: stepper.report(ME, args)


def person(answer: str) -> Do:
    """A person answers the question that waits."""

    async def give(stepper: Stepper) -> Any:
        run = stepper.loaded[ME].run
        (question,) = (await stepper.engine.state(run)).questions
        return await stepper.answer(ME, question.id, answer)

    return give


def state(stepper: Stepper) -> Awaitable[Any]:
    return stepper.state(ME)


def execute(stepper: Stepper) -> Awaitable[Any]:
    return stepper.execute(ME)


class TestSteps:
    def test_s27_load_answers_the_count_and_the_first_step_and_begins_anew(self) -> None:
        _, again, after = do(
            report(1, BOAT="Ada"), lambda stepper: stepper.load(ME, "boats.md", {}), state
        )
        assert again["step_count"] == 2
        about = {"name": "Look", "description": "Find a boat.", "tool_names": ["look"]}
        assert again["first_step"] == about
        assert (after["current_step"], after["variables"]) == (1, {})

    def test_s28_nothing_works_before_load_and_the_answer_is_structured(self) -> None:
        async def before() -> list[Any]:
            async with stepping() as stepper:
                calls = (execute, state, report(1), lambda s: s.reset(ME))
                return [await _answer(call(stepper)) for call in calls]

        for answer in asyncio.run(before()):
            assert answer["success"] is False
            assert answer["error"] == "no workflow loaded"
            assert answer["error_type"] == "not_loaded"
            assert "load" in answer["suggestion"]

    def test_s29_execute_changes_nothing(self) -> None:
        before, answer, after = do(state, execute, state)
        about = (answer["step_number"], answer["step_name"], answer["total_steps"])
        assert about == (1, "Look", 2)
        assert "Find a boat." in answer["prompt"]
        assert before == after

    def test_s32_s42_a_report_counts_although_the_next_step_lacks_an_input(self) -> None:
        answer, after, asked = do(report(1), state, execute)
        assert answer["error_type"] == asked["error_type"] == "variable_missing"
        assert "`Paint` needs the variable `BOAT`" in answer["error"]
        assert (after["current_step"], after["completed_steps"]) == (2, [1])
        assert after["failed_steps"] == []

    def test_s36_a_report_of_another_step_changes_nothing(self) -> None:
        answer, after = do(report(2), state)
        assert answer["error_type"] == "step_out_of_order"
        assert (after["current_step"], after["step_outcomes"]) == (1, {})

    def test_s38_passed_merges_moves_on_and_shows_the_next_prompt(self) -> None:
        first, second, after = do(report(1, BOAT="Ada"), report(2), state)
        assert (first["success"], first["step_number"], first["next_step"]) == (True, 1, 2)
        assert "Paint Ada." in first["prompt"]
        assert second == {
            "success": True,
            "run": "run-0",
            "step_number": 2,
            "workflow_complete": True,
        }
        assert (after["is_complete"], after["is_failed"]) == (True, False)
        assert after["current_step"] is None
        assert after["variables"] == {"BOAT": "Ada"}

    def test_s39_failed_merges_nothing_and_stays(self) -> None:
        answer, after, asked = do(report(1, "failed", "leak", BOAT="Ada"), state, execute)
        assert (answer["success"], answer["error_message"]) == (False, "leak")
        assert (after["current_step"], after["failed_steps"], after["variables"]) == (1, [1], {})
        assert "cannot continue" in asked["error"]

    def test_s40_fewer_results_are_a_warning(self) -> None:
        bare = {"step_number": 1, "status": "passed", "output_variables": {"BOAT": "Ada"}}
        (answer,) = do(lambda stepper: stepper.report(ME, bare))
        assert "2 assertion results were expected, 0 received" in answer["warning"]

    def test_s43_a_failed_step_may_be_reported_again_in_a_fork(self) -> None:
        failed, passed, after = do(report(1, "failed"), report(1, BOAT="Ada"), state)
        assert (failed["run"], passed["run"]) == ("run-0", "run-1")
        assert (after["is_failed"], after["completed_steps"]) == (False, [1])

    def test_s44_complete_and_failed_when_the_last_step_failed(self) -> None:
        _, _, after, asked = do(report(1, BOAT="Ada"), report(2, "failed"), state, execute)
        assert (after["is_complete"], after["is_failed"]) == (True, True)
        assert "already complete" in asked["error"]

    def test_s45_the_state_shows_every_outcome(self) -> None:
        _, after = do(report(1, BOAT="Ada"), state)
        outcome = after["step_outcomes"]["1"]
        assert outcome["status"] == "passed"
        assert outcome["output_variables"] == {"BOAT": "Ada"}
        first = {"assertion": "it shines", "passed": True, "detail": ""}
        assert outcome["assertion_results"][0] == first

    def test_s46_reset_keeps_the_steps_and_nothing_else(self) -> None:
        _, answer, after = do(report(1, BOAT="Ada"), lambda stepper: stepper.reset(ME), state)
        assert (answer["current_step"], answer["total_steps"]) == (1, 2)
        assert (after["step_outcomes"], after["variables"]) == ({}, {})

    def test_what_the_client_used_is_not_measured(self) -> None:
        """Its tools are its own: no assertion is held against results that nobody saw."""

        async def outcome() -> Any:
            async with stepping() as stepper:
                await stepper.load(ME, "boats.md", {})
                await report(1, BOAT="Ada")(stepper)
                run = stepper.loaded[ME].run
                return (await stepper.engine.state(run)).reports["step_0"]

        kept = asyncio.run(outcome())
        assert [item["measured"] for item in kept["assertions"]] == [None, None]
        assert kept["warnings"] == []


class TestOtherDialects:
    def test_a_flowchart_is_stepped_by_answers(self) -> None:
        first, shell, why, last, after = do(
            execute,
            report(1, answer="```sh\necho hello\n```"),
            person("yes"),
            person("because"),
            state,
            file="chart.wf.md",
        )
        assert (first["kind"], first["step_name"]) == ("turn", "PROMPT_NAME")
        assert "Name a command." in first["prompt"]
        (waits,) = shell["waits_for_person"]
        assert (waits["kind"], waits["commands"]) == ("approve", ["echo hello"])
        assert (waits["question"], "next_step" in shell) == ("EXECUTE_IT", False)
        (waits,) = why["waits_for_person"]
        assert (waits["kind"], waits["question"]) == ("ask", "ASK_WHY")
        assert "$ echo hello\nhello" in waits["text"]
        assert "Sum up." in last["prompt"]
        assert (after["current_step"], after["is_complete"]) == (4, False)

    def test_what_waits_for_a_person_takes_no_report(self) -> None:
        _, *refused, after = do(
            report(1, answer="```sh\necho hello\n```"),
            *(report(n, answer="yes") for n in (1, 2, 3)),
            report(2, "failed", "no"),
            state,
            file="chart.wf.md",
        )
        assert {answer["error_type"] for answer in refused} == {"waits_for_person"}
        assert "`EXECUTE_IT` waits for a person" in refused[0]["error"]
        assert after["current_step"] == 2

    def test_a_report_without_an_answer_says_how_it_is_given(self) -> None:
        (answer,) = do(report(1), file="chart.wf.md")
        assert answer["error_type"] == "malformed_report"
        assert '{"answer": …}' in answer["suggestion"]


class TestLoading:
    def test_a_run_goes_on_after_a_restart(self, tmp_path: Path) -> None:
        url = f"sqlite:///{tmp_path}/runs.db"

        async def begin() -> None:
            async with stepping(url) as stepper:
                await stepper.load(ME, "boats.md", {})
                await report(1, BOAT="Ada")(stepper)

        async def end() -> Any:
            async with stepping(url) as stepper:
                await stepper.go_on(ME, "run-0")
                return await report(2)(stepper)

        asyncio.run(begin())
        assert asyncio.run(end())["workflow_complete"] is True

    @pytest.mark.parametrize(
        ("file", "words"),
        [
            ("../away.md", "outside the folders"),
            ("/etc/passwd", "outside the folders"),
            ("nowhere.md", "error"),
            ("bad.md", "error"),
        ],
    )
    def test_what_cannot_be_loaded_is_refused(self, file: str, words: str) -> None:
        Path("bad.md").write_text("### 🔧 WORKFLOW STEP: Nothing\n", encoding="utf-8")

        async def load() -> None:
            async with stepping() as stepper:
                await stepper.load(ME, file, {})

        with pytest.raises(RunError, match=words):
            asyncio.run(load())

    def test_a_run_of_somebody_else_is_not_taken_up(self) -> None:
        async def take() -> None:
            async with stepping() as stepper:
                await stepper.go_on(ME, "nobody")

        with pytest.raises(RunError, match="there is no run"):
            asyncio.run(take())


class TestTemplate:
    def test_s47_skeleton_and_example_are_without_findings(self, tmp_path: Path) -> None:
        blocks = template_text(None).split("````markdown\n")[1:]
        assert len(blocks) == 2
        for number, block in enumerate(blocks):
            place = tmp_path / f"block{number}.md"
            place.write_text(block.partition("````")[0], encoding="utf-8")
            found = compile_file(str(place)).diagnostics
            told = {d.code for d in found} - {"FC4001"}  # tools are the client's own
            assert told <= ({"FC3001"} if number == 0 else set()), found

    def test_s47_a_task_is_repeated_with_guidance(self) -> None:
        text = template_text("tidy up\nthe shed")
        assert "> tidy up\n> the shed" in text
        assert "Cut the task into steps" in text
