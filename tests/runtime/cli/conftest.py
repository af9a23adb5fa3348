"""Run flowc as a person would: another process, its streams and its exit code."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from forks import as_text, flowc_in

Flowc = Callable[..., subprocess.CompletedProcess[str]]
ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture
def flowc(tmp_path: Path) -> Flowc:
    """`flowc("check", "a.md", input=…, env={…})` in the test's own folder, never on a terminal."""

    def call(
        *args: str, input: str | bytes = "", env: dict[str, str] | None = None, timeout: float = 150
    ) -> subprocess.CompletedProcess[str]:
        data = input.encode() if isinstance(input, str) else input
        path = os.pathsep.join(filter(None, [str(ROOT / ".types"), os.environ.get("PYTHONPATH")]))
        usual = {**os.environ, "PYTHONPATH": path, "PYTHONUTF8": "1", **(env or {})}
        if any(name.startswith("PYTHON") for name in env or {}):  # read when Python starts
            argv = [sys.executable, "-m", "flowc", *args]
            return as_text(
                subprocess.run(argv, cwd=tmp_path, env=usual, input=data, capture_output=True)
            )
        return as_text(flowc_in(tmp_path, args, usual, data, timeout))

    return call
