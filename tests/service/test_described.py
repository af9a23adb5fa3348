"""Whatever the service is asked, its answer fits its OpenAPI description: schemathesis with all its
checks, among them no 5xx and no answer outside its schema."""

from __future__ import annotations

import asyncio
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("schemathesis", reason="schemathesis is not installed")

from .served import Served, served

HERE = Path(__file__).parent


def checked(service: Served, folder: Path, *options: str) -> int:
    """How many requests were sent, after all of them were answered as described."""
    inside = service.app.state.service
    token = asyncio.run(
        inside.tokens.create("checker", "admin", None, None, inside.executing.clock())
    )
    path = os.pathsep.join([str(HERE), *(part for part in sys.path if part)])
    argv = [sys.executable, "-m", "schemathesis.cli", "--config-file", HERE / "schemathesis.toml"]
    argv += ["run", f"{service.address}/v1/openapi.json", "--checks", "all", "--no-color"]
    argv += ["--header", f"Authorization: Bearer {token}", "--seed", "1"]
    done = subprocess.run(
        [*argv, "--rate-limit", "95/s", *options],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": path, "SCHEMATHESIS_HOOKS": "schemathesis_hooks"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-6000:]
    sent = re.search(r"(\d+) generated", done.stdout)
    assert sent is not None, done.stdout[-2000:]
    noted = asyncio.run(inside.audit.page(500))
    assert not [row for row in noted if row[3] == "INTERNAL"]
    return int(sent[1])


def test_a_few_dozen_requests_are_answered_as_described(tmp_path: Path) -> None:
    with served(tmp_path) as service:
        assert checked(service, tmp_path, "-n", "2", "--phases", "examples,fuzzing") >= 30


@pytest.mark.soak
@pytest.mark.timeout(3600)
def test_two_thousand_requests_are_answered_as_described(tmp_path: Path) -> None:
    with served(tmp_path) as service:
        assert (
            checked(service, tmp_path, "-n", "60", "--phases", "examples,coverage,fuzzing") >= 2000
        )
