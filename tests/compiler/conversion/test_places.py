"""Where files stand: calls and texts in other folders, inner workflows, scripts beside machines."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from flowc.compiler.conversion import convert_file
from flowc.compiler.driver import compile_file
from flowc.compiler.source.source import SourceSet
from flowc.compiler.writers import dialect_named
from flowc.compiler.writers.flow import write_flow
from flowc.compiler.writers.manuscript import Dialect

CHART = "# Workflow\n\n```mermaid\nflowchart TD\n{}\n```\n"
NESTED = """flow: 1
name: outer
params: {names: {type: list, default: [Ada]}}
state: {greetings: list}
outputs: [greetings]
nodes:
  - name: each
    foreach: names
    do: greeting
    item: name
    into: greetings
workflows:
  greeting:
    name: greeting
    params: {name: text}
    state: {said: text}
    outputs: [said]
    nodes:
      - name: say
        assign: {said: '"Hello " + name'}
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def converted(file: str, to: str, out: str):
    result = compile_file(file)
    assert [d for d in result.diagnostics if d.severity == "error"] == []
    return convert_file(result.parsed, result.sources.files[file], dialect_named(to), out)


def test_a_call_names_the_same_file_from_another_folder(folder):
    (folder / "called.wf.md").write_text(CHART.format("START --> SUCCESS"))
    (folder / "main.wf.md").write_text(CHART.format("START --> CALL_IT[[called.wf.md]]"))
    (folder / "deep/er").mkdir(parents=True)
    done = converted("main.wf.md", "flow", "deep/er/main.flow.yaml")
    assert done.losses == ()
    assert 'call: "../../called.wf.md"' in done.files["deep/er/main.flow.yaml"]
    (folder / "deep/er/main.flow.yaml").write_text(done.files["deep/er/main.flow.yaml"])
    again = compile_file("deep/er/main.flow.yaml", sources=SourceSet(granted=None))
    assert [d for d in again.diagnostics if d.severity == "error"] == []
    assert [path for path, _ in again.program.workflows][1:] == ["called.wf.md"]


def test_a_text_that_is_read_from_the_workflows_folder_is_told_of(folder):
    (folder / "main.wf.md").write_text(CHART.format("START --> SET_A[A=file:notes.txt]"))
    assert converted("main.wf.md", "flow", "main.flow.yaml").losses == ()
    (loss,) = converted("main.wf.md", "flow", "sub/main.flow.yaml").losses
    assert loss.message == "flow would read `notes.txt` from the folder of the written file"
    text = (folder / "main.wf.md").read_text()
    assert text[loss.primary.start : loss.primary.end] == "file:notes.txt"


def test_inner_workflows_stay_inside_where_the_format_has_them(folder):
    (folder / "main.flow.yaml").write_text(NESTED)
    done = converted("main.flow.yaml", "flow", "copy.flow.yaml")
    assert done.losses == ()
    assert list(done.files) == ["copy.flow.yaml"]


def test_inner_workflows_become_files_in_a_folder_beside_the_main_one(folder):
    (folder / "main.flow.yaml").write_text(NESTED)
    done = converted("main.flow.yaml", "flowchart", "main.wf.md")
    assert list(done.files) == ["main.wf.md", "main/greeting.wf.md"]


def test_a_machine_brings_its_script_and_its_roles(folder):
    machine = {
        "workflow_name": "door",
        "description": "Opens.",
        "input": {"name": "guest", "type": "string", "description": "who"},
        "output": {"name": "door", "type": "string", "description": "how it is"},
        "contexts": [{"name": "hall"}],
        "agents": [{"agent_role": "host", "context": "hall", "role": "assistant"}],
        "states": [{"name": "start", "agent": "host", "pre_handler": "knock"}, {"name": "stop"}],
    }
    (folder / "door").mkdir()
    (folder / "door.json").write_text(json.dumps(machine))
    (folder / "door/script.js").write_text("export default { knock() {} };\n")
    (folder / "door/roles.json").write_text('{"host": {"systemMessage": "Be kind."}}')
    done = converted("door.json", "machine", "copy.json")
    assert done.losses == ()
    assert list(done.files) == ["copy.json", "copy/script.js", "copy/roles.json"]
    assert done.files["copy/script.js"] == "export default { knock() {} };\n"


def test_a_writer_that_forgets_a_feature_is_found_out(folder):
    """Nobody has to tell the account what a writer cannot say."""
    (folder / "main.flow.yaml").write_text(
        NESTED.replace("    into: greetings\n", "    into: greetings\n    concurrency: 3\n", 1)
    )

    def forgetful(manuscript):
        nodes = tuple(
            replace(node, concurrency=1) if node.kind == "foreach" else node
            for node in manuscript.workflow.nodes
        )
        return write_flow(replace(manuscript, workflow=replace(manuscript.workflow, nodes=nodes)))

    result = compile_file("main.flow.yaml")
    dialect = Dialect("flow", ".flow.yaml", forgetful, holds_parts=True)
    source = result.sources.files["main.flow.yaml"]
    (loss,) = convert_file(result.parsed, source, dialect, "out.flow.yaml").losses
    assert loss.message == "flow cannot say the concurrency of `each`"
    assert source.position(loss.primary.start).line == 7
