"""One meaning in every host: a workflow does the same wherever it runs."""

from __future__ import annotations

import json
import shutil
import subprocess
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from dev_server import dev_server
from flow_programs import TOOLS, flow_program
from flowc.compiler.driver import compile_file
from flowc.compiler.emit.langgraph.module import graph_name
from flowc.runtime.emitted.project import Chosen, make_project, write_project
from hosts import (
    Case,
    Echo,
    Stage,
    Story,
    by_command_line,
    by_graph,
    by_python,
    by_server,
)

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "workflows/examples"
SOME, ALL = range(3), range(200)
DRAWN_WITHIN = 5.0
"""Seconds, on a busy machine, for what starts nothing."""
AT_ONCE = 4
"""How many workflows the server runs at a time: between runs it only waits."""
SETTINGS = 'tools.python = ["acts:act", "acts:fail"]\n'


@pytest.fixture(scope="module")
def model() -> Iterator[Echo]:
    with Echo() as server:
        yield server


@pytest.fixture
def stage_of(model, monkeypatch):
    """Makes a folder the stage: all that is run here is run there, in its environment."""

    def enter(folder: Path, logs: Path, **env: str) -> Stage:
        usual = {
            "FLOWC_BASE_URL": model.url,
            "OPENAI_API_KEY": "sk-test-0123456789abcdef",
        }
        stage = Stage(folder, logs, usual | env)
        monkeypatch.chdir(folder)
        for name, value in stage.env.items():
            monkeypatch.setenv(name, value)
        return stage

    return enter


def generated(seeds: range, folder: Path, stage_of) -> tuple[Stage, list[Case]]:
    """The workflows of seeds, compiled into one project, which is the stage."""
    source, logs, project = (folder / name for name in ("source", "logs", "project"))
    source.mkdir()
    logs.mkdir()
    cases = []
    for program in map(flow_program, seeds):
        cases.append(Case(program.name, f"{program.name}.flow.yaml", program.inputs))
        (source / cases[-1].file).write_text(program.text, encoding="utf-8")
    (source / "acts.py").write_text(TOOLS, encoding="utf-8")
    (source / "flowc.toml").write_text(SETTINGS, encoding="utf-8")
    chosen = [Chosen(compile_file(str(source / case.file))) for case in cases]
    write_project(make_project(chosen, source).files, project)
    more = {"EFFECTS": str(logs), "FLOWC_MODEL": "openai:gpt-demo"}
    return stage_of(project, logs, **more), cases


def workflow_of(answers: Path) -> Path:
    """The shipped workflow that scripted answers are for."""
    name = answers.name.removesuffix(".answers.yaml")
    named = (answers.with_name(f"{name}{e}") for e in (".wf.md", ".flow.yaml", ".json", ".md"))
    return next(file for file in named if file.is_file())


def shipped(folder: Path, stage_of) -> tuple[Stage, list[Case]]:
    """Every shipped workflow that has scripted answers, compiled into one project, together with
    the files that they read and run; it is under version control."""
    workflows, answered = [], sorted(EXAMPLES.rglob("*.answers.yaml"))
    for file in map(workflow_of, answered):
        team = file.with_suffix(".team.json")
        crew = str(team) if team.is_file() else None
        workflows.append(Chosen(compile_file(str(file), team=crew), None, crew))
    project = make_project(workflows, folder)
    cases = []
    for (name, compiled), answers in zip(project.modules.items(), answered, strict=True):
        file = workflow_of(answers)
        team, given = file.with_suffix(".team.json"), file.with_suffix("") / "inputs.json"
        inputs = json.loads(given.read_text()) if given.is_file() else {}
        crew = str(team.relative_to(EXAMPLES)) if team.is_file() else None
        at = str(file.relative_to(EXAMPLES))
        cases.append(Case(graph_name(compiled.spec), at, inputs, crew, str(answers)))
        granted = 'commands="allow", roots=["."], workspace=".", trust=True'
        text = project.files[name].decode()
        text = text.replace("project=PROJECT", f"project=PROJECT, answers={str(answers)!r}")
        text = text.replace("trust=True", granted)
        project.files[name] = text.encode()
    home = folder / "project"
    write_project(project.files, home)
    for name in ("pyproject.toml", "constraints.txt", "README.md"):
        shutil.copy(ROOT / name, home / name)
    for name in ("grammar", "tests/corpus/steps/ok/sections"):
        shutil.copytree(ROOT / name, home / name)
    who = ["-c", "user.name=Ada", "-c", "user.email=ada@localhost"]
    for command in (["init", "-q"], ["add", "-A"], [*who, "commit", "-qm", "Begin"]):
        subprocess.run(["git", *command], cwd=home, check=True, timeout=150)
    (home / ".git/info/exclude").write_text("server.log\n.langgraph_api/\n__pycache__/\n")
    return stage_of(home, folder), cases


def compare(stage: Stage, cases: Sequence[Case]) -> list[Story]:
    """Run each workflow in all hosts, and return what all of them did."""
    stories = []
    for case in cases:
        stories.append(by_command_line(stage, case))
        first = stories[-1].lines()
        assert len(first) > 2
        assert by_python(stage, case).lines() == first, case.name
        assert by_graph(stage, case).lines() == first, case.name
    with dev_server(stage.folder, {}, jobs=AT_ONCE) as server, ThreadPoolExecutor(AT_ONCE) as pool:
        require_drawings(server.client)
        served = pool.map(lambda case: by_server(stage, case, server.client), cases)
        for case, first, story in zip(cases, stories, served, strict=True):
            assert story.lines() == first.lines(), case.name
    log = server.log.read_text()
    assert "BlockingError" not in log, log[log.index("BlockingError") - 3000 :][:3500]
    return stories


def require_drawings(client) -> None:
    """Each graph is drawn, and soon: that starts no model and no server."""
    for assistant in client.assistants.search(limit=1000):
        began = time.monotonic()
        assert client.assistants.get_graph(assistant["assistant_id"])["nodes"]
        assert time.monotonic() - began < DRAWN_WITHIN, assistant["graph_id"]


@pytest.mark.studio
def test_every_shipped_workflow_does_the_same_in_every_host(tmp_path, stage_of):
    """On the server, on an event loop that refuses whatever would block it."""
    pytest.importorskip("langgraph_api", reason="the extra `studio` is not installed")
    stage, cases = shipped(tmp_path, stage_of)
    stories = compare(stage, cases)
    assert [story.status for story in stories] == ["success"] * len(cases)
    assert sum(len(story.effects) for story in stories) > len(cases)


@pytest.mark.studio
def test_a_workflow_does_the_same_in_every_host(tmp_path, stage_of):
    pytest.importorskip("langgraph_api", reason="the extra `studio` is not installed")
    stage, cases = generated(SOME, tmp_path, stage_of)
    assert len(compare(stage, cases)) == len(SOME)


@pytest.mark.soak
@pytest.mark.hosts
@pytest.mark.studio
@pytest.mark.timeout(7200)
def test_two_hundred_workflows_do_the_same_in_every_host(tmp_path, stage_of):
    pytest.importorskip("langgraph_api", reason="the extra `studio` is not installed")
    stage, cases = generated(ALL, tmp_path, stage_of)
    done = compare(stage, cases)
    print(f"workflows that did the same in four hosts: {len(done)}")
