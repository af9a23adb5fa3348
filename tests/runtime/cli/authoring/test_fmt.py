"""`flowc fmt` and `flowc schema` from the outside."""

from __future__ import annotations

import json

import pytest
from flowc.compiler.driver import compile_text
from flowc.compiler.editor.layout import MAX_LAID_OUT, layout_of
from lsp_texts import CHART, CONTRACT, FLOW, STEPS

UNTIDY = """flow:  1
nodes:
- name:  look   # around
  # the question
  ask: Well?
  into:   answer
outputs: [answer]
"""
TIDY = """flow: 1

nodes:
  - name: look  # around
    # the question
    ask: Well?
    into: answer

outputs: [answer]
"""


def test_a_file_is_laid_out_once(flowc, tmp_path):
    file = tmp_path / "a.flow.yaml"
    file.write_text(UNTIDY)
    done = flowc("fmt", "a.flow.yaml")
    assert (done.returncode, done.stdout) == (0, "a.flow.yaml\n")
    assert file.read_text() == TIDY
    again = flowc("fmt", "a.flow.yaml")
    assert (again.returncode, again.stdout) == (0, "")


def test_check_changes_nothing_and_ends_with_1(flowc, tmp_path):
    file = tmp_path / "a.flow.yaml"
    file.write_text(UNTIDY)
    done = flowc("fmt", "--check", ".")
    assert (done.returncode, done.stdout) == (1, "a.flow.yaml\n")
    assert file.read_text() == UNTIDY
    file.write_text(TIDY)
    assert flowc("fmt", "--check", "a.flow.yaml").returncode == 0


def test_standard_input_is_laid_out_to_standard_output(flowc):
    done = flowc("fmt", "-", input=UNTIDY)
    assert (done.returncode, done.stdout) == (0, TIDY)


def test_byte_order_mark_and_windows_line_ends_stay(flowc, tmp_path):
    file = tmp_path / "a.flow.yaml"
    file.write_bytes(b"\xef\xbb\xbf" + UNTIDY.replace("\n", "\r\n").encode())
    assert flowc("fmt", "a.flow.yaml").returncode == 0
    assert file.read_bytes() == b"\xef\xbb\xbf" + TIDY.replace("\n", "\r\n").encode()


def test_a_file_with_errors_is_left_as_it_is(flowc, tmp_path):
    file = tmp_path / "a.flow.yaml"
    file.write_text(UNTIDY.replace("into:", "intoo:"))
    done = flowc("fmt", "a.flow.yaml")
    assert done.returncode == 1
    assert "FC1002" in done.stderr
    assert "intoo:  " in file.read_text()


def test_the_command_lays_out_what_the_editor_lays_out(flowc, tmp_path):
    for name, text in (("a.md", STEPS), ("c.json", CONTRACT), ("b.wf.md", CHART), ("d.yaml", FLOW)):
        wide = text.replace("{\n  ", "{\n\t   ").replace("\n", " \n\n", 1)
        (tmp_path / name).write_text(wide + "\n\n")
        layout = layout_of(compile_text(wide + "\n\n", name))
        assert layout != wide + "\n\n"
        done = flowc("fmt", name)
        assert (done.returncode, done.stdout) == (0, f"{name}\n"), done.stderr
        assert (tmp_path / name).read_text() == layout
    done = flowc("fmt", "--check", ".")
    assert (done.returncode, done.stdout) == (0, "")
    assert "4 as they should be" in done.stderr


def test_a_name_that_is_not_known_keeps_no_file_from_its_layout(flowc, tmp_path):
    """How a file is read decides whether it can be laid out, not what is wrong with its meaning."""
    (tmp_path / "a.flow.yaml").write_text(UNTIDY.replace("[answer]", "[anwser]"))
    assert flowc("fmt", "a.flow.yaml").returncode == 0
    assert (tmp_path / "a.flow.yaml").read_text() == TIDY.replace("[answer]", "[anwser]")


def test_what_is_no_workflow_is_refused(flowc, tmp_path):
    (tmp_path / "read.md").write_text("# Read me\n\nProse. \n")
    done = flowc("fmt", "read.md")
    assert done.returncode == 1
    assert "FC1008" in done.stderr
    assert flowc("fmt", ".").returncode == 2
    (tmp_path / "long.md").write_text(STEPS + "x" * MAX_LAID_OUT)
    done = flowc("fmt", "long.md")
    assert done.returncode == 1
    assert "`long.md` stays as it is: the text is longer than 2,000,000 characters" in done.stderr
    assert flowc("fmt").returncode == 2
    assert flowc("fmt", "nowhere.flow.yaml").returncode == 1


def test_schemas_are_json(flowc):
    done = flowc("schema", "flow")
    assert done.returncode == 0
    assert {"$defs", "properties"} & json.loads(done.stdout).keys()
    assert "flow" in flowc("schema").stdout


def test_a_schema_that_is_not_there(flowc):
    done = flowc("schema", "flwo")
    assert done.returncode == 2
    assert "one of: flow" in done.stderr


@pytest.mark.parametrize(
    "text", ["answers:\n  flow: [a, b]\n", "mcpServers:\n  flow: {command: x}\n", "flow: [yes]\n"]
)
def test_other_yaml_files_are_no_workflows(flowc, tmp_path, text):
    (tmp_path / "answers.yaml").write_text(text)
    (tmp_path / "a.flow.yaml").write_text(TIDY)
    assert "in 1 file (" in flowc("check", ".").stdout
    assert "FC1008" in flowc("check", "answers.yaml").stdout


@pytest.mark.parametrize("name", ["a.yaml", "a.yml", "a.txt", "-"])
def test_a_version_at_the_top_makes_a_workflow(flowc, tmp_path, name):
    text = "# a comment\n---\n" + TIDY
    if name != "-":
        (tmp_path / name).write_text(text)
    assert flowc("check", name, input=text).returncode == 0


BAD = {
    "empty": "flow: 1",
    "cut": TIDY[:-40],
    "deep": "flow: 1\nnodes: " + "[" * 1000,
    "deeper": "flow: 1\nnodes: " + "[" * 100_000,
    "deep blocks": "flow: 1\nnodes:\n" + "\n".join("  " * n + "-" for n in range(1, 1000)),
    "bomb": "flow: 1\na: &a [x,x]\n"
    + "".join(f"b{n}: &b{n} [*{'a' if n == 0 else f'b{n - 1}'},*a]\n" * 1 for n in range(60)),
    "wide bomb": "flow: 1\nb0: &b0 [x,x,x,x,x,x,x,x,x]\n"
    + "".join(f"b{n}: &b{n} [{','.join([f'*b{n - 1}'] * 9)}]\n" for n in range(1, 30)),
    "twice": TIDY + TIDY,
    "types": "flow: 1\nname: [a]\nparams: 3\nstate: [x]\nagents: x\ntools: 1\nthreads: {a: 1}\n"
    "scripts: x\nprompts: [1]\ngroups: 5\nlimits: [a]\non_error: 7\non_input: [1]\ndefaults: 3\n"
    "start: {}\nnodes: {a: b}\nworkflows: [1]\n",
    "control": "flow: 1\ntitle: \x07\n",
    "long": TIDY.replace("Well?", "{{ answer }} " * 200_000),
}  # fmt: skip


@pytest.mark.parametrize("name", BAD)
def test_bad_input_is_an_error_and_no_traceback(flowc, tmp_path, name):
    (tmp_path / "a.flow.yaml").write_text(BAD[name])
    done = flowc("check", "a.flow.yaml", timeout=150)
    assert done.returncode in (0, 1), done.stderr
    assert "Traceback" not in done.stdout + done.stderr
    assert flowc("fmt", "a.flow.yaml", timeout=150).returncode in (0, 1)
