"""Services from flags, configuration and environment: who answers, what may be seen."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from pathlib import Path

import pytest
from flowc.compiler.driver import compile_text
from flowc.compiler.lowering.graphspec import GraphSpec
from flowc.runtime.assembly.compose import make_services
from flowc.runtime.assembly.run_options import RunOptions
from flowc.runtime.config.settings import Config
from flowc.runtime.errors import Failure, RunError
from flowc.runtime.journal.before import NoJournal
from flowc.runtime.services import Services

FLOW = """# Demo
# Workflow
```mermaid
flowchart TD
    PARAMS[NAME=env:DEMO_NAME, KEY=env:DEMO_API_KEY]
    START --> PROMPT_A[User A] --> SUCCESS
```
# Prompts
## User A
Say {{NAME}} {{KEY}}.
"""


@pytest.fixture
def spec(tmp_path: Path) -> GraphSpec:
    result = compile_text(FLOW, str(tmp_path / "demo.wf.md"))
    assert result.ok, result.diagnostics
    return result.spec


def services(options: RunOptions, spec: GraphSpec, config: Config | None = None) -> Services:
    factory = make_services(options, spec, config or Config())
    return factory(NoJournal(), lambda *_: None)


@pytest.fixture
def answers(tmp_path: Path) -> str:
    path = tmp_path / "a.yaml"
    path.write_text("PROMPT_A: hello")
    return str(path)


def test_without_a_choice_the_choices_are_shown(spec):
    with pytest.raises(RunError) as caught:
        services(RunOptions(), spec)
    assert caught.value.exit_code == 2
    for choice in ("--model", "--answers", "--base-url", "flowc.toml"):
        assert choice in caught.value.help


def test_a_workflow_that_asks_no_model_needs_none(spec):
    quiet = replace(spec, nodes=tuple(n for n in spec.nodes if n.op.kind != "agent"))
    made = services(RunOptions(), quiet)
    assert made.models.label == "no model"
    assert not made.models.is_model


def test_scripted_answers_say_that_they_are_no_model(spec, answers):
    made = services(RunOptions(answers=answers), spec)
    assert made.models.label == "scripted answers (a.yaml): not a language model"
    assert made.people is made.models


def test_a_flag_replaces_whoever_was_configured_to_answer(spec, answers, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "k")
    config = Config(answers=answers, model="openai:configured")
    assert "not a language model" in services(RunOptions(), spec, config).models.label
    chosen = services(RunOptions(model="openai:flag"), spec, config)
    assert chosen.models.label == "openai:flag"


def test_a_missing_key_stops_before_the_run(spec, monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with pytest.raises(RunError, match="OPENAI_API_KEY is not set"):
        services(RunOptions(model="openai:x"), spec)


def test_commands_need_approval_unless_the_flag_allows_them(spec, answers):
    assert services(RunOptions(answers=answers), spec).approve == "ask"
    assert services(RunOptions(answers=answers, allow_exec=True), spec).approve == "allow"


def test_a_workflow_reads_what_it_lists_and_no_secret_m21(spec, answers, monkeypatch):
    monkeypatch.setenv("DEMO_NAME", "ada")
    monkeypatch.setenv("DEMO_API_KEY", "sk-1")
    monkeypatch.setenv("OTHER", "1")
    options = RunOptions(answers=answers)
    assert services(options, spec).env == {"DEMO_NAME": "ada"}
    pattern = services(options, spec, Config(env=("DEMO_*", "OTH*")))
    assert pattern.env == {"DEMO_NAME": "ada", "OTHER": "1"}
    exact = services(options, spec, Config(env=("DEMO_API_KEY",)))
    assert exact.env == {"DEMO_NAME": "ada", "DEMO_API_KEY": "sk-1"}


def test_files_lie_below_the_workflows_folder_or_a_root(spec, answers, tmp_path):
    (tmp_path / "near.txt").write_text("near")
    other = tmp_path.parent / f"{tmp_path.name}-other"
    other.mkdir()
    (other / "far.txt").write_text("far")
    options = RunOptions(answers=answers)
    assert services(options, spec).files.read("near.txt", spec.file) == "near"
    with pytest.raises(Failure):
        services(options, spec).files.read(str(other / "far.txt"), spec.file)
    granted = services(replace(options, roots=(str(other),)), spec)
    assert granted.files.read(str(other / "far.txt"), spec.file) == "far"


def test_tools_begin_where_flowc_was_started_not_where_the_workflow_lies(
    spec, answers, tmp_path, monkeypatch
):
    project, other = tmp_path / "project", tmp_path / "other"
    for folder in (project, other):
        folder.mkdir()
        (folder / "here.txt").write_text(folder.name)
    monkeypatch.chdir(project)
    for roots, found in (((), "project"), ((str(other),), "other")):
        tools = services(RunOptions(answers=answers, roots=roots), spec).tools
        asyncio.run(tools.open())
        shown = asyncio.run(tools.call("read_file", {"path": "here.txt"}))
        assert found in json.dumps(shown)


def test_a_root_that_is_no_folder_stops_before_the_run(spec, answers, tmp_path):
    with pytest.raises(RunError, match="there is no folder") as caught:
        services(RunOptions(answers=answers, roots=(str(tmp_path / "gone"),)), spec)
    assert caught.value.exit_code == 2


def test_two_who_answer_are_refused(spec, answers):
    with pytest.raises(RunError, match="exclude each other"):
        services(RunOptions(model="openai:x", answers=answers), spec)
