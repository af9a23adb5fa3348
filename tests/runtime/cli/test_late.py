"""Commands that execute nothing do without what executes: it takes ten times as long to load."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

LOOKS = """
import sys
from importlib import import_module
from flowc.runtime.cli import main
from flowc.runtime.cli.app import COMMANDS

def loaded(what):
    heavy = sorted({"langgraph", "langchain_core", "httpx", "numpy"} & set(sys.modules))
    if heavy:
        sys.exit(f"{what} loads {heavy}")

for command in COMMANDS:
    import_module(f"flowc.runtime.cli.{command.module}")
    loaded(command.name)
for words in (["graph", "good.md"], ["inspect", "good.md"], ["run", "bad.md"], ["runs"]):
    sys.argv = ["flowc", *words]
    try:
        main()
    except SystemExit:
        pass
    loaded(" ".join(words))
"""
GOOD = "```mermaid\nflowchart TD\n    START --> A[say: hello]\n    A --> END\n```\n"


def test_what_executes_is_loaded_when_something_is_executed(tmp_path: Path) -> None:
    (tmp_path / "good.md").write_text(GOOD)
    (tmp_path / "bad.md").write_text(GOOD.replace("--> END", "--> B"))
    done = subprocess.run(
        [sys.executable, "-c", LOOKS],
        cwd=tmp_path,
        env={**os.environ, "HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]


RUNS = """
import sys
from flowc.runtime.cli import main
sys.argv = ["flowc", "run", "nothing.flow.yaml"]
code = main()
print(sorted({"langgraph", "httpx", "httpx._main", "rich", "pygments", "regex"} & set(sys.modules)))
"""
HOST = """
import sys
from flowc import load
load("nothing.flow.yaml").run()
print(sys.modules["httpx._main"] is not None)
"""
NOTHING = """
flow: 1
title: Nothing
state: {done: {type: boolean, default: false}}
nodes:
  - {name: nothing, assign: {done: true}}
outputs: [done]
"""


def _printed(code: str, folder: Path) -> str:
    (folder / "nothing.flow.yaml").write_text(NOTHING)
    env = {**os.environ, "HOME": str(folder)}
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=folder,
        env=env,
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.splitlines()[-1]


def test_a_run_loads_nothing_that_its_packages_can_do_without(tmp_path: Path) -> None:
    assert _printed(RUNS, tmp_path) == "['httpx', 'langgraph']"


def test_the_process_of_another_program_may_have_it(tmp_path: Path) -> None:
    assert _printed(HOST, tmp_path) == "True"
