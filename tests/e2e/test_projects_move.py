"""A project that is copied or moved goes on by itself, and leaves the original alone."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from documents import CARRY_ON
from stores import KINDS, fresh_store

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

SESSION = """\
# flowc: workspace out
flow: 1
state: {log: any, seen: text}
outputs: [seen]
nodes:
  - name: begin
    exec: |
      mkdir -p "$HOME/sub"; A=$PWD/a LIST=(x "$PWD"); declare -A MAP=([k]=$PWD/m); readonly STAYS=1
      export P=/usr/bin:$PWD/b:$PWD OPTS=--in=$PWD/a SIBLING=${PWD}s/a
      look() { show "$PWD" "$OLDPWD" "$HOME" "$A" "${LIST[1]}" "${MAP[k]}" "$P"; }
      show() { for it; do echo "$it"; done; }
      cd out; set -eu
    into: log
  - {name: who, ask: Who?, into: log}
  - name: look
    exec: |
      echo one > made; echo one > "$HOME/made"; look
    into: {seen: text}
  - {name: again, ask: Again?, into: log}
  - {name: last, exec: look, into: {seen: text}}
"""


def seen_in(folder: Path) -> list[str]:
    """What the commands of the session see in a project."""
    parts = ["out", "", ".flowc/own/r", "a", "", "m"]
    return [*(f"{folder}/{part}".rstrip("/") for part in parts), f"/usr/bin:{folder}/b:{folder}"]


TWO_QUESTIONS = """\
flow: 1
state: {who: text, when: text}
outputs: [said]
nodes:
  - {name: who, ask: Who?, into: who}
  - {name: when, ask: When?, into: when}
  - {name: both, assign: {said: {text: "{{ who }} {{ when }}"}}}
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


@pytest.mark.parametrize("place", ["two", "zwölf 12 'x'", "one/inner", "oneself"])
@pytest.mark.parametrize("how", ["copied", "moved"])
def test_a_shell_session_goes_with_the_project(flowc, project, how, place) -> None:
    """Commands of a copy begin where those of the original were, in the copy."""
    flowc.write("it.flow.yaml", SESSION)
    (project / "out").mkdir()
    options = ("--allow-exec", "--on-unknown", "repeat")
    assert flowc("run", "it.flow.yaml", "--run-id", "r", "--allow-exec").returncode == 4
    other, aside = project.parent / place, project.with_name("aside")
    if how == "copied":
        shutil.copytree(project, aside)
    else:
        project.rename(aside)
    other.parent.mkdir(exist_ok=True)
    aside.rename(other)
    before = {} if place == "one/inner" else everything(project)
    flowc.folder = other
    done = flowc("resume", "r", "--answer", "who=x", *options)
    assert done.returncode == 4, done.stderr
    assert variables(flowc)["seen"].splitlines() == seen_in(other)
    assert [(other / at).read_text() for at in ("out/made", ".flowc/own/r/made")] == ["one\n"] * 2
    assert before in ({}, everything(project))
    third = project.with_name("three")
    other.rename(third)
    flowc.folder = third
    done = flowc("resume", "r", "--answer", "again=x", *options)
    assert (done.returncode, done.stdout.splitlines()) == (0, seen_in(third)), done.stderr


def variables(flowc: Flowc) -> dict[str, str]:
    return json.loads(flowc("show", "r", "--json").stdout)["variables"]


def test_a_project_with_its_store_elsewhere_is_never_taken_for_its_copy(flowc, project) -> None:
    with fresh_store("sqlite", project.parent) as store:
        assert flowc("run", "it.flow.yaml", "--run-id", "r", "--store", store).returncode == 4
        other = project.with_name("two")
        shutil.copytree(project, other)
        before, flowc.folder = everything(project), other
        refused = flowc("resume", "r", "--answer", "who=Emil", "--store", store)
        assert refused.returncode == 2
        assert f"run r belongs to {project}; here is another it.flow.yaml" in refused.stderr
        assert f"cd {project}" in refused.stderr
        assert everything(project) == before
        shutil.rmtree(project)
        flowc.write("child.flow.yaml", said("two"))
        done = flowc("resume", "r", "--answer", "who=Emil", "--store", store, "--allow-exec")
        assert (done.returncode, done.stdout.strip()) == (0, "two Emil"), done.stderr
        assert "it goes on here" in done.stderr
        assert not project.exists()


@pytest.mark.parametrize("kind", KINDS)
def test_a_run_whose_project_moved_belongs_to_the_first_place_that_goes_on(
    flowc, project, kind
) -> None:
    flowc.write("it.flow.yaml", TWO_QUESTIONS)
    with fresh_store(kind, project.parent) as store:
        assert flowc("run", "it.flow.yaml", "--run-id", "r", "--store", store).returncode == 4
        moved, copied = project.with_name("two"), project.with_name("three")
        shutil.copytree(project, copied)
        project.rename(moved)
        flowc.folder = moved
        done = flowc("resume", "r", "--answer", "who=Emil", "--store", store)
        assert done.returncode == 4, done.stderr
        assert f"started in {project}, which is gone: it goes on here" in done.stderr
        before, flowc.folder = everything(moved), copied
        refused = flowc("resume", "r", "--answer", "when=soon", "--store", store)
        assert refused.returncode == 2
        assert f"run r belongs to {moved}; here is another it.flow.yaml" in refused.stderr
        assert f"cd {moved}" in refused.stderr
        assert everything(moved) == before
        flowc.folder = moved
        done = flowc("resume", "r", "--answer", "when=soon", "--store", store)
        assert (done.returncode, done.stdout.strip()) == (0, "Emil soon"), done.stderr
        assert "which is gone" not in done.stderr


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


PAY = """\
flow: 1
params: {n: {type: integer, required: true}}
state: {fine: text, done: integer}
outputs: [done]
nodes:
  - {name: ask, ask: Fine?, into: fine}
  - {name: pay, tool: pay, args: {n: n}, into: done}
"""


def test_a_copy_of_a_compiled_project_names_the_one_command_that_lets_it_go_on(flowc) -> None:
    """Its settings import a module into flowc's process, which is granted to a folder."""
    alone = {"XDG_CONFIG_HOME": str(flowc.folder / "settings")}
    flowc.write("pay.flow.yaml", PAY)
    flowc.write("pay_tools.py", 'def pay(n: int) -> int:\n    "Pay."\n    return n * 2\n')
    flowc.write("flowc.toml", 'tools.python = ["pay_tools:pay"]\n')
    assert flowc("compile", "pay.flow.yaml", "-o", "one", **alone).returncode == 0
    one, flowc.folder = flowc.folder / "one", flowc.folder / "one"
    assert flowc("trust", "--mine", ".", **alone).returncode == 0
    asked = flowc("run", "pay.flow.yaml", "-i", "n=3", "--run-id", "r", **alone)
    assert asked.returncode == 4, asked.stderr
    flowc.folder = one.with_name("two")
    shutil.copytree(one, flowc.folder)
    refused = flowc("resume", "r", "--answer", "ask=yes", **alone)
    assert refused.returncode == 8
    assert "help: flowc trust .: shows it and asks" in refused.stderr
    digest = json.loads(flowc("trust", ".", "--json", **alone).stdout)["digest"]
    assert flowc("trust", "--accept", digest, ".", **alone).returncode == 0
    done = flowc("resume", "r", "--answer", "ask=yes", **alone)
    assert (done.returncode, done.stdout.strip()) == (0, "6"), done.stderr
    flowc.folder = one
    assert json.loads(flowc("show", "r", "--json", **alone).stdout)["status"] == "paused"
