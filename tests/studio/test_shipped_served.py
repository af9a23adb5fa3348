"""Every shipped workflow under `langgraph dev`: drawn, and run to its end, on an event loop that
refuses whatever would block it."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path

import pytest
from dev_server import SECONDS, dev_server
from flowc.compiler.driver import compile_file
from flowc.compiler.emit.langgraph.module import graph_name
from flowc.runtime.emitted.project import Chosen, make_project, write_project

pytest.importorskip("langgraph_api", reason="the extra `studio` is not installed")
pytestmark = pytest.mark.studio

ROOT = Path(__file__).parents[2]
SCRIPTED = sorted((ROOT / "workflows/examples").rglob("*.answers.yaml"))
DRAWN_WITHIN = 5.0
"""Seconds, on a busy machine, for what starts nothing."""


def workflow_of(answers: Path) -> Path:
    name = answers.name.removesuffix(".answers.yaml")
    named = (answers.with_name(f"{name}{e}") for e in (".wf.md", ".flow.yaml", ".json", ".md"))
    return next(file for file in named if file.is_file())


def write_all(folder: Path) -> dict[str, Path]:
    """Compile them all into one project, with their answers; return the files of these by graph."""
    workflows, files = [], {}
    for answers in SCRIPTED:
        file = workflow_of(answers)
        team = file.with_suffix(".team.json")
        crew = str(team) if team.is_file() else None
        workflows.append(Chosen(compile_file(str(file), team=crew), None, crew))
    project = make_project(workflows, folder.parent)
    for (name, compiled), answers in zip(project.modules.items(), SCRIPTED, strict=True):
        files[graph_name(compiled.spec)] = answers
        more = f"""project=PROJECT, answers={str(answers)!r},
    permissions=flowc.Permissions(commands="allow", roots=[PROJECT], workspace=PROJECT)"""
        text = project.files[name].decode().replace("project=PROJECT", more)
        project.files[name] = text.encode()
    write_project(project.files, folder)
    return files


def test_every_shipped_workflow_runs_to_its_end_and_blocks_nobody(tmp_path: Path) -> None:
    project = tmp_path / "project"
    answers = write_all(project)
    who = ["-c", "user.name=Ada", "-c", "user.email=ada@localhost"]
    for command in (["init", "-q"], [*who, "commit", "-q", "--allow-empty", "-m", "Begin"]):
        subprocess.run(["git", *command], cwd=project, check=True, timeout=150)
    threads: dict[str, str] = {}
    ended: dict[str, object] = {}
    with dev_server(project, {}, jobs=3) as server:
        client = server.client
        assistants = {
            row["graph_id"]: row["assistant_id"] for row in client.assistants.search(limit=100)
        }
        assert assistants.keys() == answers.keys()
        for name, assistant in assistants.items():
            began = time.monotonic()
            assert client.assistants.get_graph(assistant)["nodes"]
            assert time.monotonic() - began < DRAWN_WITHIN, name
        runs = {}
        for name, file in answers.items():
            given = workflow_of(file).with_suffix("") / "inputs.json"
            inputs = json.loads(given.read_text()) if given.is_file() else {}
            threads[name] = client.threads.create()["thread_id"]
            runs[name] = client.runs.create(threads[name], name, input=inputs)["run_id"]
        for name, thread in threads.items():
            ended[name] = client.runs.join(thread, runs[name])
    log = server.log.read_text()
    assert "BlockingError" not in log, log[log.index("BlockingError") - 3000 :][:3500]
    shown = subprocess.run(
        [sys.executable, "-m", "flowc", "runs", "--json"],
        cwd=project, capture_output=True, text=True, timeout=SECONDS,
    )  # fmt: skip
    status = {run["id"]: run["status"] for run in json.loads(shown.stdout)["runs"]}
    failed = {name: ended[name] for name in threads if status[threads[name]] != "success"}
    assert failed == {}
