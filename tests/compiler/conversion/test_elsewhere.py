"""How many workflows another dialect says without loss, and what is not counted as one.

`pytest -rP` prints the sums. That a run of what was written is a run of its source is tried in
tests/e2e/test_converted_runs.py, for every conversion without loss.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from flowc.compiler.analysis.unseen import without_unseen
from flowc.compiler.conversion import convert_file
from flowc.compiler.driver import compile_file, compile_text
from flowc.compiler.frontends import is_workflow
from flowc.compiler.source.source import SourceSet
from flowc.compiler.writers import DIALECTS, dialect_named

ROOT = Path(__file__).resolve().parents[3]
ENDS = (".md", ".json", ".yaml", ".mmd")
FILES = sorted(
    file
    for pattern in ("tests/corpus/*/ok/*/main*", "workflows/*/*/*")
    for file in ROOT.glob(pattern)
    if file.name.endswith(ENDS) and is_workflow(SourceSet().read(str(file)))
)
SAMPLE = FILES[::6]


def lossless(file: Path, monkeypatch) -> tuple[str, list[str]]:
    """The dialect of a file, and the others that say all of it."""
    monkeypatch.chdir(file.parent)
    result = compile_file(file.name)
    assert result.parsed is not None
    source = result.sources.files[file.name]
    names = [
        dialect.name
        for dialect in DIALECTS
        if not convert_file(result.parsed, source, dialect, f"out{dialect.suffix}").losses
    ]
    return result.frontend.name, names


def measure(files: list[Path], monkeypatch) -> None:
    every, flow, elsewhere = Counter(), Counter(), Counter()
    for file in files:
        own, names = lossless(file, monkeypatch)
        every[own] += 1
        flow[own] += "flow" in names
        elsewhere[own] += any(name not in ("flow", own) for name in names)
    for own, count in sorted(every.items()):
        print(f"{own:<10} {count:3} files, {flow[own]:3} to flow, {elsewhere[own]:3} elsewhere")
    print(f"{elsewhere.total()} of {every.total()} elsewhere than to flow without a loss")
    assert flow == every


def test_a_sample_is_said_by_flow_yaml_in_full(monkeypatch):
    measure(SAMPLE, monkeypatch)


@pytest.mark.soak
def test_every_workflow_is_said_by_flow_yaml_in_full(monkeypatch):
    measure(FILES, monkeypatch)


TWO_PROMPTS = """flow: 1
nodes:
  - {name: draft, agent: writer, prompt: Write a line., into: line}
  - {name: polish, agent: writer, prompt: Make it shorter., into: line}
outputs: [line]
"""


def losses(text: str, to: str) -> str:
    result = compile_text(text, "a.flow.yaml")
    dialect = dialect_named(to)
    source = result.sources.files["a.flow.yaml"]
    done = convert_file(result.parsed, source, dialect, f"out{dialect.suffix}")
    return "\n".join(loss.message for loss in done.losses)


def test_variables_of_the_format_itself_are_no_loss():
    """Every run of a flowchart has RESULT and STATUS, and rules that set them."""
    said = losses(TWO_PROMPTS, "flowchart")
    assert "RESULT" not in said
    assert "STATUS" not in said
    assert "the rules for failures" not in said
    assert "the assignments of" not in said


def test_a_variable_of_the_format_that_the_workflow_has_itself_is_told():
    text = TWO_PROMPTS.replace("into: line", "into: RESULT").replace("[line]", "[RESULT]")
    assert "the rules for failures" in losses(text, "flowchart")


def test_what_a_run_may_show_stays():
    """A parameter that has to be given, a value that may fail to be worked out, and what reads."""
    before = compile_text(TWO_PROMPTS, "a.flow.yaml").workflow
    text = (
        "flow: 1\nparams:\n  must: {type: text, required: true}\n"
        "  may: {type: text, required: false}\n"
        "state: {kept: text}\nnodes:\n"
        "  - {name: set, assign: {may: '\"x\"', kept: number(must), line: may}}\n"
        "outputs: [line, kept]\n"
    )
    after = without_unseen(before, compile_text(text, "b.flow.yaml").workflow)
    assert [param.name for param in after.params] == ["must"]
    assert after.outputs == ("line",)
    assert [a.target for a in after.nodes[0].assignments] == ["kept", "line"]
