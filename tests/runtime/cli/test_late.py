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
