"""A few kills of each way in `make check`, and what the harness counts; `make soak` kills 200."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from flowc.compiler.driver import compile_file

ROOT = Path(__file__).resolve().parents[2]
WORKFLOW = Path(__file__).with_name("every.flow.yaml")


def harness(*args: str) -> subprocess.CompletedProcess[str]:
    path = os.pathsep.join(filter(None, [str(ROOT / ".types"), os.environ.get("PYTHONPATH")]))
    return subprocess.run(
        [sys.executable, "-m", "tests.crash", *args],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_workflow_has_every_kind_of_effect():
    result = compile_file(str(WORKFLOW))
    assert result.ok
    specs = [result.spec, *(spec for _, spec in result.spec.subgraphs)]
    kinds = {node.op.kind for spec in specs for node in spec.nodes}
    assert kinds >= {"agent", "tool", "exec", "script", "call", "foreach", "ask"}
    assert any(node.op.retry for spec in specs for node in spec.nodes)
    assert any(join.sources for join in result.spec.joins)


def test_a_killed_run_does_what_is_declared_no_more_and_no_less():
    done = harness("--kills", "2", "--no-bare", "--seed", "1")
    assert done.returncode == 0, done.stdout + done.stderr
    kills = [line.split()[-8] for line in done.stdout.splitlines() if line.startswith("flowc")]
    assert kills
    assert all(int(count) >= 2 for count in kills), done.stdout


@pytest.mark.soak
@pytest.mark.timeout(7200)
def test_two_hundred_kills_of_each_way():
    done = harness("--kills", "200")
    print(done.stdout)
    assert done.returncode == 0, done.stdout + done.stderr
