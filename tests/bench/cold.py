"""`flowc check` and a help in a fresh process, beside those that import the libraries."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

from texts import step_document
from timing import line, medians

REFERENCE = "import lark, pydantic, typer"
LANGGRAPH = "import langgraph.graph"
ROUNDS = 15


def report() -> None:
    """Print both and their ratio."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "ten.md"
        file.write_text(step_document(10_000), encoding="utf-8")
        check = [sys.executable, "-m", "flowc", "check", str(file)]
        done = subprocess.run(check, capture_output=True, text=True, check=False)
        both = medians(
            {
                "check": lambda: _run(check),
                "reference": lambda: _run([sys.executable, "-c", REFERENCE]),
                "help": lambda: _run([sys.executable, "-m", "flowc", "run", "--help"]),
                "langgraph": lambda: _run([sys.executable, "-c", LANGGRAPH]),
                "python": lambda: _run([sys.executable, "-c", "pass"]),
            },
            ROUNDS,
        )
    print(f"cold start: flowc check, {file.name} of 10 kB (exit {done.returncode})")
    line("flowc check", f"{both['check'] * 1000:.0f} ms", "target: 200 ms")
    line(f"python -c '{REFERENCE}'", f"{both['reference'] * 1000:.0f} ms")
    line("python -c pass", f"{both['python'] * 1000:.0f} ms")
    ratio = both["check"] / both["reference"]
    line("ratio to the reference", f"{ratio:.2f}", "target: 1.2 or less")
    line(
        "flowc run --help",
        f"{both['help'] * 1000:.0f} ms",
        f"{both['help'] / both['langgraph']:.2f}",
    )
    line(f"python -c '{LANGGRAPH}'", f"{both['langgraph'] * 1000:.0f} ms")


def _run(command: list[str]) -> None:
    subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
