"""`--model people`: every turn of a model is a question of the run."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from pathlib import Path

import pytest

STEP = """\
### 🔧 WORKFLOW STEP: Look
```
Find a boat.
```

### 🛠️ TOOL: nobody_has_it

### 📤 OUTPUTS:
- result.name → BOAT
"""
TALK = """\
flow: 1
name: talk
outputs: [ANSWER]
agents: {writer: {system: You write.}}
state: {ANSWER: text}
nodes:
  - name: write
    agent: writer
    prompt: A line, please.
    into: ANSWER
    on_error: lost
  - {name: done, end: success}
  - {name: lost, end: failed}
"""
Flowc = Callable[..., tuple[int, str, str]]


@pytest.fixture
def flowc(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Flowc:
    from flowc.runtime.cli.app import run

    (tmp_path / "step.md").write_text(STEP, encoding="utf-8")
    (tmp_path / "talk.flow.yaml").write_text(TALK, encoding="utf-8")

    def call(*args: str) -> tuple[int, str, str]:
        capsys.readouterr()
        with contextlib.chdir(tmp_path):
            code = run(list(args))
        out, err = capsys.readouterr()
        return code, out, err

    return call


def test_a_turn_waits_and_shows_what_the_model_would_see(flowc: Flowc) -> None:
    code, _, err = flowc("run", "talk.flow.yaml", "--model", "people", "--run-id", "r")
    assert code == 4
    assert "whoever runs this: not a language model" in err
    assert "A line, please." in err
    assert "flowc resume r --answer write=TEXT" in err
    code, out, _ = flowc("resume", "r", "--answer", "The boat is red.")
    assert (code, out.strip()) == (0, "The boat is red.")


def test_a_turn_can_fail(flowc: Flowc) -> None:
    flowc("run", "talk.flow.yaml", "--model", "people", "--run-id", "r")
    code, _, err = flowc("resume", "r", "--answer", '{"failed": "no paper"}')
    assert code == 1
    assert "no paper" in err


@pytest.mark.parametrize(
    ("answer", "code"),
    [
        ("passed", 0),
        ("failed: it sank", 1),
        ('{"step_number": 1, "status": "passed", "output_variables": {"BOAT": "Ada"}}', 0),
    ],
)
def test_a_step_is_reported_in_a_word_or_in_full(flowc: Flowc, answer: str, code: int) -> None:
    """The tool is whoever answers': that nothing provides it stops nobody."""
    flowc("run", "step.md", "--model", "people", "--run-id", "r")
    ended, out, err = flowc("resume", "r", "--answer", answer)
    assert ended == code
    assert ("Ada" in out) == ("Ada" in answer)
    assert ("it sank" in err) == ("it sank" in answer)
