"""Run `python -m flowc` as a person would: another process, its streams and its exit code."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

Flowc = Callable[..., subprocess.CompletedProcess[str]]
ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def flowc(tmp_path: Path) -> Flowc:
    """`flowc("check", "a.md", input=…, env={…})` in the test's own folder, never on a terminal."""

    def call(
        *args: str, input: str | bytes = "", env: dict[str, str] | None = None, timeout: float = 60
    ) -> subprocess.CompletedProcess[str]:
        data = input.encode() if isinstance(input, str) else input
        path = os.pathsep.join(filter(None, [str(ROOT / ".types"), os.environ.get("PYTHONPATH")]))
        done = subprocess.run(
            [sys.executable, "-m", "flowc", *args],
            cwd=tmp_path,
            input=data,
            capture_output=True,
            timeout=timeout,
            env={**os.environ, "PYTHONPATH": path, "PYTHONUTF8": "1", **(env or {})},
        )
        return subprocess.CompletedProcess(
            done.args, done.returncode, done.stdout.decode(), done.stderr.decode()
        )

    return call
