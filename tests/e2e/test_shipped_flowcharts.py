"""The flowchart workflows that ship with flowc, and how runs end (M35, M43–M50)."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest
from flowc.compiler.driver import compile_file

FOLDER = Path(__file__).parents[2] / "workflows/examples/flowchart"
SHIPPED = sorted(FOLDER.glob("*.wf.md"))
SCRIPTED = sorted(FOLDER.glob("*.answers.yaml"))


def run(flowc, file: Path | str, *more: str) -> tuple[int, dict]:
    done = flowc("run", str(file), "--allow-exec", "--json", *more)
    assert done.stdout, done.stderr
    return done.returncode, json.loads(done.stdout)


@pytest.mark.parametrize("file", SHIPPED, ids=lambda f: f.stem)
def test_it_is_clean(file: Path) -> None:
    assert compile_file(str(file)).diagnostics == ()


@pytest.mark.parametrize("answers", SCRIPTED, ids=lambda f: f.stem)
def test_it_runs_offline_with_real_commands(answers: Path, flowc) -> None:
    who = ["-c", "user.name=Ada", "-c", "user.email=ada@localhost"]
    for command in (["init", "-q"], [*who, "commit", "-q", "--allow-empty", "-m", "Begin"]):
        subprocess.run(["git", *command], cwd=flowc.folder, check=True, timeout=150)
    name = answers.name.replace(".answers.yaml", ".wf.md")
    code, outcome = run(flowc, FOLDER / name, "--answers", str(answers))
    assert (code, outcome["status"]) == (0, "success"), outcome


def chart(lines: str) -> str:
    return f"# T\n\n# Workflow\n\n```mermaid\nflowchart TD\n{lines}\n```\n"


ENDINGS = {
    "M46: without a successor the run ends well": ("START --> ASSIGN_A['done']", "success", "done"),
    "M46: a false check without an edge ends FAILED": (
        "START --> CHECK_A{RESULT == x} -->|TRUE| SUCCESS", "failed", "",
    ),
    "M47: a handler runs once before the end": (
        "START --> SUCCESS\nON_SUCCESS --> ASSIGN_A['{{RESULT}}+']", "success", "+",
    ),
    "M49: the end of a failure chain is FAILED": (
        "START --> FAILED\nON_FAILED --> ASSIGN_A['{{STATUS}}']", "failed", "DOING",
    ),
    "M49: a failure chain that reaches SUCCESS ends well": (
        "START --> FAILED\nON_FAILED --> ASSIGN_A['saved'] --> SUCCESS", "success", "saved",
    ),
    "M49: a shared chain ends FAILED after a failure": (
        "START --> FAILED\nON_FAILED --> ASSIGN_A['x']\nON_SUCCESS --> ASSIGN_A", "failed", "x",
    ),
    "M49: the same shared chain ends well after a success": (
        "START --> SUCCESS\nON_FAILED --> ASSIGN_A['x']\nON_SUCCESS --> ASSIGN_A", "success", "x",
    ),
    "M50: the handler runs after a false check without an edge": (
        "START --> CHECK_A{RESULT == x}\nON_FAILED --> ASSIGN_A['seen']", "failed", "seen",
    ),
    "M43, M44: a called workflow's variables come back, and its failure is taken": (
        "START --> CALL_A[called.wf.md] -->|FAILED| ASSIGN_A['{{RESULT}} {{B}}']\n"
        "CALL_A --> FAILED\nPARAMS[B=1]", "success", "below 2",
    ),
    "M42, M49: a call does not change which handler the caller runs": (
        "START --> CALL_A[handled.wf.md] -->|FAILED| SUCCESS\n"
        "ON_FAILED --> ASSIGN_A['x']\nON_SUCCESS --> ASSIGN_A", "success", "x",
    ),
}  # fmt: skip


@pytest.mark.parametrize("rule", ENDINGS)
def test_how_a_run_ends(rule: str, flowc) -> None:
    lines, status, result = ENDINGS[rule]
    flowc.write("main.wf.md", chart(lines))
    flowc.write("called.wf.md", chart("START --> SET_B[B=2] --> ASSIGN_A['below'] --> FAILED"))
    flowc.write(
        "handled.wf.md",
        chart("START --> FAILED\nON_FAILED --> ASSIGN_A['y']\nON_SUCCESS --> ASSIGN_A"),
    )
    code, outcome = run(flowc, "main.wf.md")
    assert (outcome["status"], outcome["result"]) == (status, result), outcome
    assert code == (0 if status == "success" else 1)


def test_m45_the_next_visit_after_the_limit_fails_and_the_handler_runs(flowc) -> None:
    lines = (
        "START --> SET_X[X={{X}}i] --> CHECK_X{X == never} -->|NO| SET_X\n"
        "PARAMS[MAX_ACTIVITY_HITS=2, X=] -.- START\n"
        "ON_FAILED --> ASSIGN_A['{{X}}: {{RESULT}}']"
    )
    flowc.write("main.wf.md", chart(lines))
    code, outcome = run(flowc, "main.wf.md")
    assert (code, outcome["status"]) == (1, "failed"), outcome
    assert outcome["result"].startswith("iii: `SET_X`")
