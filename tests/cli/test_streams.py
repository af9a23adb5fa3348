"""Standard output holds the result alone, whatever else prints in the same process."""

from __future__ import annotations

import json

import pytest

NOISY = '''
import os, subprocess, sys

def shout(text: str) -> dict:
    """Print in every way there is."""
    print("from print")
    sys.stdout.write("from write\\n")
    os.write(1, b"from a descriptor\\n")
    subprocess.run(["echo", "from a child"])
    return {"said": text}
'''
STEP = """### 🔧 WORKFLOW STEP: Shout
```
Shout hello.
```
### 🛠️ TOOL: shout
### 📤 OUTPUTS:
- result.said → SAID
"""
ANSWERS = """
step_0:
  - call: {shout: {text: hello}}
  - report: {outputs: {SAID: hello}}
"""


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "noisy.py").write_text(NOISY)
    (tmp_path / "flowc.toml").write_text('[tools]\npython = ["noisy:shout"]\n')
    (tmp_path / "shout.md").write_text(STEP)
    (tmp_path / "answers.yaml").write_text(ANSWERS)
    return tmp_path


@pytest.mark.parametrize("flag", ["--json", "--jsonl", "--quiet"])
def test_what_a_tool_prints_goes_to_standard_error(folder, flowc, flag):
    done = flowc("run", "shout.md", "--answers", "answers.yaml", flag)
    assert done.returncode == 0, done.stderr
    assert "from" not in done.stdout
    for source in ("print", "write", "a descriptor", "a child"):
        assert f"from {source}" in done.stderr
    if flag == "--json":
        assert json.loads(done.stdout)["result"] == "hello"
    elif flag == "--jsonl":
        assert all(json.loads(line) for line in done.stdout.splitlines())
    else:
        assert "hello" in done.stdout


def test_an_answer_for_a_node_that_is_not_there_is_pointed_out(folder, flowc):
    (folder / "answers.yaml").write_text(ANSWERS + "step_7: never\nsteq_0: never\n")
    done = flowc("run", "shout.md", "--answers", "answers.yaml")
    assert done.returncode == 0, done.stderr
    said = "answers.yaml: no node or prompt is called"
    assert f"{said} `steq_0`; did you mean `step_0`?" in done.stderr
    assert f"{said} `step_7`" in done.stderr
