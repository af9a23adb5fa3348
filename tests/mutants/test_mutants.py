"""The mutation tests' own promises; `make soak` tries a sample of mutants."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]
EQUIVALENT = Path(__file__).with_name("equivalent.yaml")


def test_every_equivalent_mutant_has_a_reason():
    rows = yaml.safe_load(EQUIVALENT.read_text(encoding="utf-8"))
    assert all(set(row) == {"file", "function", "change", "because"} for row in rows)
    assert all((ROOT / row["file"]).is_file() and row["because"] for row in rows)
    changes = [(row["file"], row["function"], row["change"]) for row in rows]
    assert sorted(changes) == sorted(set(changes))


def test_every_guard_is_there():
    from tests.mutants.guards import GUARDS

    paths = [path for row in GUARDS for path in (row.code, *row.mirror, *row.wider)]
    assert [path for path in paths if not (ROOT / path).exists()] == []


def test_a_mutant_that_no_test_runs_is_not_killed():
    """In a process of its own: the trials change how Hypothesis works."""
    code = "from tests.mutants.trials import _fails; raise SystemExit(_fails([]))"
    env = {**os.environ, "PYTHONPATH": str(ROOT / ".types")}
    assert (
        subprocess.run([sys.executable, "-c", code], cwd=ROOT, env=env, check=False).returncode == 0
    )


@pytest.mark.soak
@pytest.mark.timeout(7200)
def test_a_sample_of_mutants_dies():
    done = subprocess.run(
        [sys.executable, "-m", "tests.mutants", "--count", "150", "--least", "80"],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT / ".types")},
        capture_output=True,
        text=True,
        check=False,
    )
    print(done.stdout)
    assert done.returncode == 0, done.stdout + done.stderr
