"""Standard output holds the result alone, whatever else prints in the same process."""

from __future__ import annotations

import json
import os
import pty
import re
import subprocess
import sys

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


OLD_LOCALE = {"PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0", "LC_ALL": "C"}
ASKED = {"PYTHONUTF8": "0", "PYTHONIOENCODING": "ascii"}
ARROW = """flow: 1
title: Café → 🔧
nodes:
  - name: greet
    assign:
      RESULT: {text: "Café → 🔧"}
outputs: [RESULT]
"""


@pytest.mark.parametrize(
    ("words", "env"),
    [
        (["run", "a.flow.yaml", "--json"], OLD_LOCALE),
        (["run", "a.flow.yaml", "--json"], ASKED),
        (["run", "a.flow.yaml", "--jsonl"], ASKED),
        (["inspect", "a.flow.yaml", "--json"], ASKED),
        (["check", "a.flow.yaml", "--format", "json", "-v"], ASKED),
        (["run", "a.flow.yaml", "-q"], ASKED),
        (["convert", "a.flow.yaml", "--to", "flow"], ASKED),
    ],
)
def test_values_documents_and_results_are_utf8_whatever_the_locale(folder, flowc, words, env):
    (folder / "a.flow.yaml").write_text(ARROW, encoding="utf-8")
    usual, other = flowc(*words), flowc(*words, env=env)
    assert (usual.returncode, other.returncode) == (0, 0), other.stderr
    if words[0] != "check":
        assert "Café → 🔧" in other.stdout
    if "--jsonl" not in words:
        assert _without_ids(other.stdout) == _without_ids(usual.stdout)


def _without_ids(text: str) -> str:
    """Without what differs from run to run."""
    ids = re.compile(r'"(run|seconds|resume|id|created|started|ended|store)": [^\n]*')
    return ids.sub("", text)


def test_who_asks_for_plain_characters_gets_likenesses_and_escapes(folder, flowc):
    (folder / "a.flow.yaml").write_text(ARROW, encoding="utf-8")
    assert "Caf\\xe9 -> \\U0001f527" in flowc("inspect", "a.flow.yaml", env=ASKED).stdout
    assert " - run " in flowc("run", "a.flow.yaml", env=ASKED).stderr


FULL_OR_CLOSED = """
cd "$1"
{python} -m flowc run a.flow.yaml {flag} >/dev/full 2>full; echo $? >>full
{python} -m flowc run a.flow.yaml {flag} <&- >&- 2>closed; echo $? >>closed
{python} -m flowc run a.flow.yaml {flag} <&- >&- 2>&-; echo $? >all
{python} -m flowc run a.flow.yaml {flag} >result 2>/dev/full; echo $? >>result
{python} -m flowc run a.flow.yaml {flag} 2>&1 >/dev/null | true
{python} -m flowc nonsense 2>/dev/full; echo $? >wrong
{python} -m flowc runs --json >runs
"""


@pytest.mark.parametrize(("flag", "unbuffered"), [("", ""), ("--json", "1")])
def test_a_full_disk_or_no_output_at_all_loses_no_run(folder, flag, unbuffered):
    (folder / "a.flow.yaml").write_text(ARROW, encoding="utf-8")
    script = FULL_OR_CLOSED.format(python=sys.executable, flag=flag)
    argv, env = ["bash", "-c", script, "bash", str(folder)], os.environ.copy()
    subprocess.run(argv, env=env | {"PYTHONUNBUFFERED": unbuffered}, check=True, timeout=120)
    full, closed = ((folder / name).read_text(encoding="utf-8") for name in ("full", "closed"))
    assert full.endswith("3\n")
    assert "error: the machine is short of something: no space left on device\n  help: " in full
    assert "fault" not in full + closed
    assert "ignored" not in full + closed
    assert closed.endswith("0\n")
    assert (folder / "all").read_text() == "0\n"
    runs = json.loads((folder / "runs").read_text(encoding="utf-8"))["runs"]
    assert [run["status"] for run in runs] == ["success"] * 5
    assert (folder / "result").read_text(encoding="utf-8").endswith("0\n")
    assert "Café" in (folder / "result").read_text(encoding="utf-8")
    assert (folder / "wrong").read_text() == "2\n"


STRANGE = "a\x1b]0;owned\x07b\x1b[2Jc\x9bd\u202ee\u2066f\rg\x08h\x1b[8mi"
PRINTS = f"""
import sys
from flowc.runtime.cli.streams import soften

for _ in range(2):  # a command within a command
    soften()
for stream in (sys.stdout, sys.stderr):
    print("x", {STRANGE!r}, file=stream)
print("\x1b[1;31mred\x1b[0m", "above", sep="\\n")
print("\x1b[1A\x1b[2Klast\ttab")
"""


def test_a_terminal_is_steered_by_nobody_who_forgets_to_show_a_stranger_s_signs():
    """Colours and the line above pass, as flowc says them; nothing else does."""
    main, other = pty.openpty()
    command = [sys.executable, "-c", PRINTS]
    done = subprocess.run(command, stdout=other, stderr=other, check=False)
    os.close(other)
    screen = os.read(main, 65536).decode()
    os.close(main)
    assert done.returncode == 0, screen
    shown = "x a␛]0;owned␇b␛[2Jc\ufffdd\ufffde\ufffdf␍g␈h␛[8mi\r\n"
    own = "\x1b[1;31mred\x1b[0m\r\nabove\r\n\x1b[1A\x1b[2Klast"
    assert screen.expandtabs() == (shown * 2 + own + "\ttab\r\n").expandtabs()


def test_a_pipe_gets_what_was_printed(tmp_path):
    done = subprocess.run([sys.executable, "-c", PRINTS], capture_output=True, check=True)
    assert done.stdout.startswith(f"x {STRANGE}\n".encode())
