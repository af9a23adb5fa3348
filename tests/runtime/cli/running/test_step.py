"""`flowc step`: one node again on its recorded inputs, beside what it was in the run."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from flowc.runtime.cli.app import run
from own_folders import write_record

MAIN = """# T
# Workflow
```mermaid
flowchart TD
    START --> PROMPT_A[User A] --> CHECK_A{RESULT == no} -->|NO| CALL_B[b.wf.md] --> SUCCESS
    CHECK_A -->|YES| PROMPT_A
```
# Prompts
## User A
Well?
"""
CALLED = """# B
# Workflow
```mermaid
flowchart TD
    START --> EXECUTE_B["echo $RANDOM$RANDOM {{RESULT}}"] --> SUCCESS
```
"""


@pytest.fixture(autouse=True)
def ran(tmp_path: Path, monkeypatch, capsys) -> Path:
    monkeypatch.chdir(tmp_path)
    write_record(tmp_path / "none")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "none"))
    (tmp_path / "t.wf.md").write_text(MAIN)
    (tmp_path / "b.wf.md").write_text(CALLED)
    (tmp_path / "said.yaml").write_text("PROMPT_A: [no, yes]\n")
    told = ["--answers", "said.yaml", "--run-id", "r", "--allow-exec", "-q"]
    assert run(["run", "t.wf.md", *told]) == 0
    capsys.readouterr()
    return tmp_path


def stepped(capsys, *args: str) -> tuple[int, dict]:
    code = run(["step", *args, "--from", "r", "--json"])
    captured = capsys.readouterr()
    assert captured.out, captured.err
    return code, json.loads(captured.out)


def test_each_visit_is_done_again_as_it_was(capsys) -> None:
    for visit, said in ((1, "no"), (2, "yes")):
        code, found = stepped(capsys, "PROMPT_A", "--visit", str(visit))
        assert (code, found["now"], found["changed"]) == (0, found["then"], [])
        assert found["now"]["writes"]["RESULT"].strip() == said
    _, last = stepped(capsys, "PROMPT_A")
    assert last["visit"] == 2


def test_another_value_takes_another_case(capsys) -> None:
    _, found = stepped(capsys, "CHECK_A", "--visit", "2", "-i", "RESULT=no")
    assert (found["now"]["case"], found["then"]["case"]) == ("true", "false")


def test_a_node_of_a_called_workflow_from_the_journal_and_live(capsys) -> None:
    _, kept = stepped(capsys, "CALL_B/EXECUTE_B", "--replay", "run")
    assert kept["changed"] == []
    code, waits = stepped(capsys, "CALL_B/EXECUTE_B")
    assert (code, waits["status"]) == (4, "waits")
    _, live = stepped(capsys, "CALL_B/EXECUTE_B", "--allow-exec")
    assert live["changed"] == ["RESULT"]
    assert live["now"]["writes"]["RESULT"] != live["then"]["writes"]["RESULT"]


def test_the_run_stays_as_it_is(ran: Path, capsys) -> None:
    assert run(["show", "r", "--json"]) == 0
    before = capsys.readouterr().out
    stepped(capsys, "CALL_B/EXECUTE_B", "--allow-exec", "-i", "RESULT=other")
    assert run(["show", "r", "--json"]) == 0
    assert capsys.readouterr().out == before


def test_what_the_journal_does_not_hold_is_said(ran: Path, capsys) -> None:
    (ran / "t.wf.md").write_text(MAIN.replace("Well?", "Really?"))
    assert run(["step", "PROMPT_A", "--from", "r", "--replay", "run"]) == 1
    assert "holds no result of `model call` with this input" in capsys.readouterr().err
    assert run(["step", "PROMPT_A", "--from", "r"]) == 0


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (["NOPE"], "there is no node `NOPE`"),
        (["PROMPT_A", "--visit", "3"], "came to `PROMPT_A` 2 times"),
        (["PROMPT_A/EXECUTE_B"], "`PROMPT_A` calls no workflow"),
        (["PROMPT_A", "-i", "NOPE=1"], "has no variable `NOPE`"),
    ],
)
def test_what_cannot_be_run_says_why(args: list[str], said: str, capsys) -> None:
    assert run(["step", *args, "--from", "r"]) == 2
    assert said in capsys.readouterr().err
