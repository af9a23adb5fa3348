"""A few kills of each way in `make test`, and what the harness counts; `make soak` kills more."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from flowc.compiler.driver import compile_file
from stores import SERVER

from tests.crash.__main__ import ALL, COUNTS, TORTURE

ROOT = Path(__file__).resolve().parents[2]
WORKFLOW = Path(__file__).with_name("every.flow.yaml")


def harness(*args: str) -> subprocess.CompletedProcess[str]:
    return run("tests.crash", *args)


def run(module: str, *args: str, cwd: Path = ROOT) -> subprocess.CompletedProcess[str]:
    path = os.pathsep.join(filter(None, [str(ROOT / ".types"), os.environ.get("PYTHONPATH")]))
    return subprocess.run(
        [sys.executable, "-m", module, *args],
        cwd=cwd,
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


def torture(*args: str) -> dict[str, Any]:
    """What `flowc torture` says of the workflow."""
    done = run("flowc", *TORTURE, "--seed", "1", "--json", *args, cwd=WORKFLOW.parent)
    assert done.returncode == 0, done.stdout + done.stderr
    report: dict[str, Any] = json.loads(done.stdout)
    return report


def test_a_killed_run_does_what_is_declared_no_more_and_no_less():
    report = torture("--boundaries", "4", "--moments", "2")
    assert report["kills"]["boundaries"] + report["kills"]["moments"] >= 5
    assert {node["node"] for node in report["nodes"]} >= {"twins", "shell", "inner/keep", "last"}


def test_an_interrupted_command_does_what_is_declared_no_more_and_no_less():
    done = harness("--kills", "2", "--seed", "1", "--subject", "flowc")
    assert all(count >= 2 for count in kills(done, "flowc"))


def test_a_killed_graph_does_what_is_declared_no_more_and_no_less():
    way = ("--way", "boundary", "--way", "signal", "--subject", "a graph")
    done = harness("--kills", "5", "--seed", "1", *way)
    assert all(count >= 5 for count in kills(done, "a graph"))


def test_a_killed_graph_with_savers_and_stores_of_langgraph_s_does_no_more_and_no_less():
    way = ("--way", "boundary", "--subject", "LangGraph's saver")
    done = harness("--kills", "5", "--seed", "1", *way)
    assert all(count >= 5 for count in kills(done, "LangGraph's saver"))


def test_what_a_killed_server_had_begun_is_finished_no_more_and_no_less():
    pytest.importorskip("langgraph_api", reason="the extra `studio` is not installed")
    way = ("--way", "moment", "--subject", "langgraph dev")
    done = harness("--kills", "5", "--seed", "1", *way)
    assert all(count >= 5 for count in kills(done, "langgraph dev"))


def kills(done: subprocess.CompletedProcess[str], subject: str) -> list[int]:
    """How many kills hit in each row of a subject. Nothing was lost, or repeated unasked."""
    assert done.returncode == 0, done.stdout + done.stderr
    rows = [line for line in done.stdout.splitlines() if line.startswith(subject)]
    assert rows, done.stdout
    return [int(row.split()[-len(COUNTS)]) for row in rows]


@pytest.mark.soak
@pytest.mark.hosts
@pytest.mark.timeout(14_400)
def test_a_thousand_kills_of_every_shape_on_both_stores_and_in_each_host():
    """0 lost, 0 repeated unasked, 0 stuck, 0 otherwise ended; in one sum."""
    pytest.importorskip("langgraph_api", reason="the extra `studio` is not installed")
    assert SERVER, "FLOWC_TEST_POSTGRES names no PostgreSQL server"
    done = harness("--kills", "40")
    print(done.stdout)
    assert sum(kills(done, ALL)) >= 1000
