"""The dispatcher: one clear line for whatever goes wrong, and nothing imported without need."""

from __future__ import annotations

import os
import signal
import subprocess
import sys

import pytest
from flowc.runtime.cli import app


def test_overview_names_every_command(flowc):
    done = flowc("--help")
    assert done.returncode == 0
    assert all(f"\n  {row.name} " in done.stdout for row in app.COMMANDS)
    assert flowc().returncode == 2


@pytest.mark.parametrize("row", app.COMMANDS, ids=lambda row: row.name)
def test_every_command_explains_itself(row, flowc):
    done = flowc(row.name, "--help")
    assert done.returncode == 0
    assert f"flowc {row.name}" in done.stdout


def test_version(flowc):
    assert flowc("--version").stdout.startswith("flowc 0.")


def test_misspelt_command_gets_a_suggestion(flowc):
    done = flowc("chekc")
    assert done.returncode == 2
    assert done.stderr == (
        "error: there is no command `chekc`\n  help: did you mean `flowc check`?\n"
    )


def test_a_file_in_place_of_a_command_gets_the_commands_for_it(flowc, tmp_path):
    (tmp_path / "a.md").write_text("x")
    assert "help: flowc check a.md, or flowc run a.md" in flowc("a.md").stderr


FAULT = """
import sys
from flowc.runtime.cli import app
def broken(): raise {error}
app.COMMANDS = (app.Command("broken", "Write", "app", ""),)
app.broken = broken
sys.exit(app.run(["broken"]))
"""


def fault(error: str, **env: str) -> subprocess.CompletedProcess[str]:
    """A process whose only command raises `error`."""
    return subprocess.run(
        [sys.executable, "-c", FAULT.format(error=error)],
        capture_output=True,
        text=True,
        timeout=150,
        env={**os.environ, **env},
    )


def test_a_fault_of_ours_is_one_line_and_how_to_report_it():
    done = fault("KeyError('secret')")
    assert done.returncode == 3
    first, second = done.stderr.splitlines()
    assert first.startswith("error: internal fault: KeyError: 'secret' (")
    assert "FLOWC_DEBUG=1" in second


@pytest.mark.parametrize("number", ["EMFILE", "ENFILE", "ENOMEM", "EAGAIN"])
def test_a_machine_that_is_short_of_something_is_no_fault_of_ours(number):
    done = fault(f"OSError(__import__('errno').{number}, 'Too little')")
    assert done.returncode == 3
    first, second = done.stderr.splitlines()
    assert first == "error: the machine is short of something: too little"
    assert second.startswith("  help: ")


def test_a_folder_that_is_gone_is_said(tmp_path):
    script = "import os, sys; os.mkdir('gone'); os.chdir('gone'); os.rmdir('../gone');"
    script += "from flowc.runtime.cli import app; sys.exit(app.run(['runs']))"
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr.splitlines()[0]) == (
        2,
        "error: the folder that this is started in is gone",
    )


def test_the_traceback_is_shown_on_request():
    assert "Traceback" in fault("KeyError('x')", FLOWC_DEBUG="1").stderr


def test_interrupting_ends_with_130():
    done = fault("KeyboardInterrupt()")
    assert done.returncode == 130
    assert "Traceback" not in done.stderr


def _heed_interrupts() -> None:
    """What a shell starts in the background ignores them, and hands that on."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def test_a_signal_ends_with_130(tmp_path):
    process = subprocess.Popen(
        [sys.executable, "-m", "flowc", "check", "-"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=tmp_path,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
        preexec_fn=_heed_interrupts,
    )
    assert process.stdin
    process.stdin.write(b"x" * 200_000)  # accepted only by a process that reads its input
    process.stdin.flush()
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=150)
    assert process.returncode == 130
    assert b"Traceback" not in errors


HEAVY = (
    "langgraph",
    "langchain",
    "langchain_core",
    "numpy",
    "rich",
    "pydantic",
    "httpx",
    "asyncio",
    "yaml",
)


def test_check_imports_nothing_heavy(tmp_path):
    (tmp_path / "a.md").write_text(
        "### 🔧 WORKFLOW STEP: Look\n```\nx\n```\n### 🛠️ TOOL: list_files\n"
    )
    line = (
        "import sys; from flowc.runtime.cli.app import run; code = run(['check', 'a.md']);"
        f"sys.exit(code or ' '.join(m for m in {HEAVY} if m in sys.modules) or 0)"
    )
    done = subprocess.run(
        [sys.executable, "-c", line], cwd=tmp_path, capture_output=True, text=True, timeout=150
    )
    assert done.stderr == ""


def test_no_object_is_looked_at_when_the_process_ends(tmp_path):
    """Python's last collection takes as long as half of a check. What is registered first is done
    last."""
    line = (
        "import atexit, gc, sys; atexit.register(lambda: print(gc.get_freeze_count() > 10_000));"
        "from flowc.runtime.cli import main; main()"
    )
    done = subprocess.run(
        [sys.executable, "-c", line, "--version"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=150,
    )
    assert (done.stdout.splitlines()[-1], done.stderr) == ("True", "")
