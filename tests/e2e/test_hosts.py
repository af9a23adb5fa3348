"""One meaning in every host: a workflow does the same wherever it runs."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from dev_server import dev_server
from flow_programs import flow_program
from hosts import Echo, Stage, by_command_line, by_graph, by_python, by_server

SOME, ALL = range(3), range(200)


@pytest.fixture(scope="module")
def model() -> Iterator[Echo]:
    with Echo() as server:
        yield server


def compare(seeds: range, folder: Path, model: Echo, monkeypatch: pytest.MonkeyPatch) -> int:
    """Run each workflow in all hosts, and return how many did."""
    stage = Stage.of(folder / "stage", [flow_program(seed) for seed in seeds])
    monkeypatch.chdir(stage.folder)
    for name, value in stage.env(model).items():
        monkeypatch.setenv(name, value)
    files = [stage.file(program).name for program in stage.programs]
    command = [sys.executable, "-m", "flowc", "compile", *files, "-o", "project"]
    subprocess.run(command, check=True, timeout=600, capture_output=True)
    with dev_server(stage.folder / "project", {}) as server:
        for program in stage.programs:
            first = by_command_line(stage, program, os.environ).lines()
            assert len(first) > 2
            assert by_python(stage, program).lines() == first, program.name
            assert by_graph(stage, program).lines() == first, program.name
            assert by_server(stage, program, server.client).lines() == first, program.name
    return len(stage.programs)


@pytest.mark.studio
def test_a_workflow_does_the_same_in_every_host(tmp_path, model, monkeypatch):
    pytest.importorskip("langgraph_api", reason="the extra `studio` is not installed")
    assert compare(SOME, tmp_path, model, monkeypatch) == len(SOME)


@pytest.mark.soak
@pytest.mark.studio
@pytest.mark.timeout(7200)
def test_two_hundred_workflows_do_the_same_in_every_host(tmp_path, model, monkeypatch):
    pytest.importorskip("langgraph_api", reason="the extra `studio` is not installed")
    done = compare(ALL, tmp_path, model, monkeypatch)
    print(f"workflows that did the same in four hosts: {done}")
