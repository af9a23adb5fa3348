"""A project that is copied or moved goes on by itself, and leaves the original alone."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from documents import CARRY_ON
from stores import fresh_store

from .conftest import Flowc

CHILD = (
    "flow: 1\nparams: {who: text}\noutputs: [said]\nnodes:\n  - {name: say, assign: {said: SAID}}\n"
)
PROJECT = """\
# flowc: workspace out
flow: 1
state: {who: text, log: any, said: text}
outputs: [said]
nodes:
  - {name: who, ask: Who?, into: who}
  - {name: keep, exec: "pwd; echo {{ who }} >> out/names; echo {{ who }} >> $HOME/own", into: log}
  - {name: child, call: child.flow.yaml, with: {who: who}, returns: {said: said}}
"""


def said(by: str) -> str:
    return CHILD.replace("SAID", f'{{text: "{by} {{{{ who }}}}"}}')


def everything(folder: Path) -> dict[str, tuple[bytes, int]]:
    files = [path for path in sorted(folder.rglob("*")) if path.is_file()]
    return {str(file): (file.read_bytes(), file.stat().st_mtime_ns) for file in files}


@pytest.fixture
def project(flowc: Flowc) -> Path:
    """A run that waits, in a project of its own."""
    flowc.folder = flowc.folder / "one"
    flowc.write("it.flow.yaml", PROJECT)
    flowc.write("child.flow.yaml", said("one"))
    return flowc.folder


@pytest.mark.parametrize("how", ["copied", "moved"])
def test_a_project_resumes_itself_and_never_the_original(flowc, project, how) -> None:
    asked = flowc("run", "it.flow.yaml", "--run-id", "r", "--allow-exec", "--record", "tape")
    assert asked.returncode == 4, asked.stderr
    other = project.with_name("two")
    if how == "copied":
        shutil.copytree(project, other)
    else:
        project.rename(other)
    before = everything(project)
    flowc.folder = other
    flowc.write("child.flow.yaml", said("two"))
    assert json.loads(flowc("show", "r", "--json").stdout)["options"]["folder"] == str(other)
    done = flowc("resume", "r", "--answer", "who=Emil")
    assert (done.returncode, done.stdout.strip()) == (0, "two Emil"), done.stderr
    assert (other / "out/names").read_text() == "Emil\n"
    assert (other / ".flowc/own/r/own").read_text() == "Emil\n"
    assert len((other / "tape").read_text()) > 0
    assert everything(project) == before
    assert flowc("runs", "prune", "--all", "--older-than", "0s").returncode == 0
    assert everything(project) == before


def test_a_project_with_its_store_elsewhere_is_never_taken_for_its_copy(flowc, project) -> None:
    with fresh_store("sqlite", project.parent) as store:
        assert flowc("run", "it.flow.yaml", "--run-id", "r", "--store", store).returncode == 4
        other = project.with_name("two")
        shutil.copytree(project, other)
        before, flowc.folder = everything(project), other
        refused = flowc("resume", "r", "--answer", "who=Emil", "--store", store)
        assert refused.returncode == 2
        assert f"run r was started in {project}; here is another it.flow.yaml" in refused.stderr
        assert f"cd {project}" in refused.stderr
        assert everything(project) == before
        shutil.rmtree(project)
        flowc.write("child.flow.yaml", said("two"))
        done = flowc("resume", "r", "--answer", "who=Emil", "--store", store, "--allow-exec")
        assert (done.returncode, done.stdout.strip()) == (0, "two Emil"), done.stderr
        assert "it goes on here" in done.stderr
        assert not project.exists()


def test_a_living_document_is_carried_on_where_the_copy_is(flowc, project) -> None:
    steps = [{"title": "Listen", "code": "N/A"}, {"title": "Last", "output": "last.wav"}]
    flowc.write("carry.flow.yaml", CARRY_ON)
    flowc.write("in.wav", "sound")
    inputs = {"request": "Make it so.", "audio": "in.wav", "steps": steps}
    flowc.write("inputs.json", json.dumps(inputs))
    asked = flowc("run", "carry.flow.yaml", "--inputs", "inputs.json", "--run-id", "r")
    assert asked.returncode == 4, asked.stderr
    other = project.with_name("two")
    shutil.copytree(project, other)
    before, flowc.folder = everything(project), other
    (place,) = other.glob("workflow_*.md")
    done = flowc("resume", place.name, "--answer", "I like it.")
    assert done.returncode == 0, done.stderr
    assert "I like it." in place.read_text()
    assert (other / "last.wav").exists()
    assert everything(project) == before
