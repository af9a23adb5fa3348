"""A workflow is named by its file or its name; scripted answers never come in unasked."""

from __future__ import annotations

import os

import pytest
from flowc.runtime.cli.locate import known_workflows, locate, locate_answers, name_of
from flowc.runtime.errors import RunError
from flowc.runtime.store.names import new_run_name

CHART = "# A\n\n# Workflow\n\n```mermaid\nflowchart TD\nSTART --> SUCCESS\n```\n"


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def put(folder, name: str, text: str = CHART) -> str:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return name


def test_a_file_is_itself(here):
    assert locate(put(here, "a/chart.wf.md")) == "a/chart.wf.md"


def test_a_name_is_looked_up_in_workflows_then_configured_folders_then_shipped(here):
    put(here, "more/toolchain.wf.md")
    assert "examples" in locate("toolchain")
    assert locate("toolchain", ["more"]) == "more/toolchain.wf.md"
    put(here, "workflows/deep/toolchain.wf.md")
    assert locate("toolchain", ["more"]) == "workflows/deep/toolchain.wf.md"


def test_a_folder_of_the_same_name_does_not_hide_a_workflow(here):
    (here / "toolchain").mkdir()
    assert locate("toolchain").endswith("toolchain.wf.md")


def test_prose_is_no_workflow(here):
    put(here, "workflows/readme.md", "# Read me\n\nNothing to run.\n")
    put(here, "workflows/chart.wf.md")
    names = [known.name for known in known_workflows() if not os.path.isabs(known.path)]
    assert names == ["chart"]


@pytest.mark.parametrize(
    ("target", "help"),
    [
        ("toolchian", "did you mean `toolchain`?"),
        ("zzzzzz", "workflows that can be run by name: "),
        ("chrat.wf.md", "did you mean `chart.wf.md`?"),
        ("nowhere/chart.wf.md", "there is no folder `nowhere`"),
    ],
)
def test_what_is_not_there_is_said_with_what_is(here, target, help):
    put(here, "chart.wf.md")
    with pytest.raises(RunError) as refused:
        locate(target)
    assert help in refused.value.help
    assert refused.value.exit_code == 2


def test_a_name_that_means_two_files_is_refused(here):
    put(here, "workflows/a/chart.wf.md")
    put(here, "workflows/b/chart.wf.md")
    with pytest.raises(RunError, match="names 2 workflows") as refused:
        locate("chart")
    assert "workflows/a/chart.wf.md or workflows/b/chart.wf.md" in refused.value.help


def test_answers_are_a_file_or_a_name_beside_the_workflow(here):
    chart = put(here, "a/chart.wf.md")
    put(here, "a/quick.answers.yaml", "")
    assert locate_answers("quick", chart) == "a/quick.answers.yaml"
    assert locate_answers("a/quick.answers.yaml", chart) == "a/quick.answers.yaml"
    with pytest.raises(RunError) as refused:
        locate_answers("slow", chart)
    assert refused.value.help == "beside the workflow: --answers quick"


@pytest.mark.parametrize("path", ["a/chart.wf.md", "chart.md", "chart"])
def test_the_name_of_a_file_has_no_ending(path):
    assert name_of(path) == "chart"


def test_run_names_are_easy_to_say_and_differ():
    names = {new_run_name() for _ in range(200)}
    assert len(names) == 200
    quality, animal, tail = new_run_name().split("-")
    assert quality.isalpha()
    assert animal.isalpha()
    assert len(tail) == 4
