"""Texts of flow YAML that stand in files of their own."""

from __future__ import annotations

from pathlib import Path

from flowc.compiler.driver import CompileResult, compile_file
from flowc.compiler.expr.ast import Name, Text

FLOW = """\
flow: 1
params: {topic: text}
agents:
  writer: {system: {file: texts/system.md}}
prompts:
  Draft: {file: texts/draft.md}
nodes:
  - {name: draft, agent: writer, uses: Draft, into: draft}
outputs: [draft]
"""


def compiled(folder: Path, text: str = FLOW, **files: str) -> CompileResult:
    (folder / "texts").mkdir()
    for name, content in files.items():
        (folder / "texts" / f"{name}.md").write_bytes(content.encode())
    file = folder / "w.flow.yaml"
    file.write_text(text)
    return compile_file(str(file))


def test_a_prompt_and_a_system_text_are_read_with_their_values(tmp_path):
    result = compiled(tmp_path, system="Be brief.\n", draft="Write about {{ topic }}.\n")
    assert result.ok, result.diagnostics
    prompt = result.spec.nodes[0].op.prompt
    assert isinstance(prompt, Text)
    assert [part.name for part in prompt.parts if isinstance(part, Name)] == ["topic"]
    assert result.spec.agents[0].system.value == "Be brief.\n"


def test_a_fault_in_the_file_is_shown_there(tmp_path):
    result = compiled(tmp_path, system="a", draft="one\nWrite about {{ topic + }}.\n")
    fault = result.diagnostics[0]
    assert (fault.code, Path(fault.primary.file).name) == ("FC3006", "draft.md")
    assert result.sources.get(fault.primary.file).position(fault.primary.start).line == 2


def test_a_variable_that_nothing_writes_is_found_in_the_file(tmp_path):
    result = compiled(tmp_path, system="a", draft="About {{ topik }}.")
    found = [d for d in result.diagnostics if d.code == "FC3001"]
    assert [Path(d.primary.file).name for d in found] == ["draft.md"]


def test_a_file_that_is_not_there_is_shown_where_it_is_named(tmp_path):
    result = compiled(tmp_path, system="a")
    fault = result.diagnostics[0]
    assert (fault.code, fault.message) == ("FC2001", "the text `texts/draft.md` is not there")


def test_a_file_outside_of_the_folder_is_not_opened(tmp_path):
    (tmp_path / "secret.md").write_text("a secret")
    inside = tmp_path / "flow"
    inside.mkdir()
    text = FLOW.replace("texts/draft.md", "../secret.md")
    result = compiled(inside, text, system="a")
    fault = result.diagnostics[0]
    assert "lies outside the workflow's folder, and nobody granted it" in fault.message


def test_the_text_of_a_command_is_never_in_a_file(tmp_path):
    text = FLOW.replace("agent: writer, uses: Draft", "exec: {file: texts/draft.md}")
    result = compiled(tmp_path, text, system="a", draft="rm -r {{ topic }}")
    assert "FC1005" in {d.code for d in result.diagnostics}
