"""How many workflows another dialect says without loss, and what is not counted as one.

`pytest -rP` prints the sums. That a run of what was written is a run of its source is tried in
tests/e2e/test_converted_runs.py, for every conversion without loss.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
from flowc.compiler.analysis.diff import differences
from flowc.compiler.analysis.unseen import without_unreached_limit, without_unseen
from flowc.compiler.conversion import Conversion, convert_file
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
KIND = re.compile(r"would not accept|makes the [a-z ]+|the [a-z][a-z ]*[a-z]")
"""The kinds of losses in a message, without names."""


def losses_of(file: Path, monkeypatch) -> tuple[str, dict[str, list[str]]]:
    """The dialect of a file, and for each dialect what it cannot say of it."""
    monkeypatch.chdir(file.parent)
    result = compile_file(file.name)
    assert result.parsed is not None
    source = result.sources.files[file.name]
    return result.frontend.name, {
        dialect.name: [
            loss.message
            for loss in convert_file(result.parsed, source, dialect, f"out{dialect.suffix}").losses
        ]
        for dialect in DIALECTS
    }


def measure(files: list[Path], monkeypatch) -> int:
    """How many are said elsewhere; all are said by flow YAML."""
    every, flow, elsewhere, kinds = Counter(), Counter(), Counter(), Counter()
    for file in files:
        own, found = losses_of(file, monkeypatch)
        others = {name: told for name, told in found.items() if name not in ("flow", own)}
        every[own] += 1
        flow[own] += not found["flow"]
        elsewhere[own] += not all(others.values())
        least = ", ".join(f"{name} {len(told)}" for name, told in others.items())
        print(f"{file.relative_to(ROOT)}: {least}")
        fewest = min(others.values(), key=len)
        kinds.update(kind for told in fewest for kind in KIND.findall(told))
    for kind, count in kinds.most_common(20):
        print(f"{count:4} × {kind}")
    for own, count in sorted(every.items()):
        print(f"{own:<10} {count:3} files, {flow[own]:3} to flow, {elsewhere[own]:3} elsewhere")
    print(f"{elsewhere.total()} of {every.total()} elsewhere than to flow without a loss")
    assert flow == every
    return elsewhere.total()


def test_a_sample_is_said_by_flow_yaml_in_full(monkeypatch):
    assert measure(SAMPLE, monkeypatch) >= 9


@pytest.mark.soak
def test_every_workflow_is_said_by_flow_yaml_in_full(monkeypatch):
    assert measure(FILES, monkeypatch) >= 54


TWO_PROMPTS = """flow: 1
nodes:
  - {name: draft, agent: writer, prompt: Write a line., into: line}
  - {name: polish, agent: writer, prompt: Make it shorter., into: line}
outputs: [line]
"""


def converted(text: str, to: str) -> Conversion:
    result = compile_text(text, "a.flow.yaml")
    dialect = dialect_named(to)
    source = result.sources.files["a.flow.yaml"]
    return convert_file(result.parsed, source, dialect, f"out{dialect.suffix}")


def losses(text: str, to: str) -> str:
    return "\n".join(loss.message for loss in converted(text, to).losses)


def written(text: str) -> str:
    """The text as a flowchart, which says all of it."""
    done = converted(text, "flowchart")
    assert done.losses == ()
    return done.files["out.wf.md"]


def test_variables_of_the_format_itself_are_no_loss():
    """Every run of a flowchart has RESULT and STATUS, and rules that set them."""
    said = losses(TWO_PROMPTS, "flowchart")
    assert "RESULT" not in said
    assert "STATUS" not in said
    assert "the rules for failures" not in said
    assert "the assignments of" not in said


def test_a_variable_of_the_format_that_the_workflow_has_itself_is_not_set_by_the_format():
    text = TWO_PROMPTS.replace("into: line", "into: RESULT").replace("[line]", "[RESULT]")
    assert "on_error: null" in written(text)
    assert "on_error" not in written(TWO_PROMPTS)


def test_what_a_run_may_show_stays():
    """A parameter that has to be given, a value that may fail to be worked out, and outputs."""
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
    assert after.outputs == ("line", "kept")
    assert [a.target for a in after.nodes[0].assignments] == ["kept", "line"]


CHART = """# Workflow

```mermaid
flowchart TD
    START --> %s
```
"""


def of_chart(way: str, before: str) -> str:
    """What a chart has beside a workflow, as a conversion to it would tell."""
    result = compile_text(before, "a.flow.yaml").workflow
    chart = compile_text(CHART % way, "a.wf.md").workflow
    return " ".join(d.element for d in differences(*seen(result, chart)))


def seen(before, after):
    after = without_unseen(before, after)
    return without_unreached_limit(before, after), without_unreached_limit(after, before)


ONE = "flow: 1\nnodes: [{name: CHECKPOINT_A, assign: {}}, {name: CHECKPOINT_B, assign: {}}]\n"


def test_a_beginning_that_does_nothing_and_a_limit_that_nothing_reaches_are_no_loss():
    told = of_chart("CHECKPOINT_A --> CHECKPOINT_B", ONE)
    assert "START" not in told
    assert "visits" not in told


def test_a_limit_that_a_loop_may_reach_is_told():
    assert "visits" in of_chart("CHECKPOINT_A --> CHECKPOINT_B --> CHECKPOINT_A", ONE)


@pytest.mark.parametrize(
    "text",
    [
        "limits: {visits: 0}\nnodes: [{name: a, assign: {}}]\n",
        "params: {n: integer}\nlimits: {visits: n}\nnodes: [{name: a, assign: {}}]\n",
        "limits: {visits: 1}\nnodes:\n  - {name: a, assign: {}, next: [b, c]}\n"
        "  - {name: b, assign: {}, next: d}\n  - {name: c, assign: {}, next: d}\n"
        "  - {name: d, assign: {}}\n",
    ],
    ids=["none is allowed", "the caller says", "branches meet"],
)
def test_a_limit_that_may_be_reached_stays(text):
    workflow = compile_text(f"flow: 1\n{text}", "a.flow.yaml").workflow
    bare = replace(workflow, limits=())
    assert without_unreached_limit(workflow, bare).limits == workflow.limits != ()


ALL_LIMITS = """flow: 1
limits: {visits: 4, steps: 9}
nodes: [{name: a, assign: {}}, {name: b, assign: {}}]
"""


def test_a_limit_that_both_have_is_no_loss():
    """Also where only one of them has a loop that may reach it, or a beginning."""
    once = compile_text(ALL_LIMITS, "a.flow.yaml").workflow
    back = replace(once.edges[0], source="b", target="a")
    loop = replace(once, edges=(*once.edges, back))
    for before in (once, loop, replace(once, entry="")):
        for after in (once, loop):
            assert [d for d in differences(*seen(before, after)) if "limit" in d.element] == []


def test_a_picture_becomes_a_chart_that_begins_where_no_edge_leads():
    result = compile_text("flowchart TD\n    a[One] --> b\n", "a.mmd", format="mermaid")
    dialect = dialect_named("flowchart")
    done = convert_file(result.parsed, result.sources.files["a.mmd"], dialect, "out.wf.md")
    assert done.losses == ()
    assert done.renamed == {"out.wf.md": {"a": "CHECKPOINT_a", "b": "CHECKPOINT_b"}}
    assert "START --> CHECKPOINT_a[One]" in done.files["out.wf.md"]
    assert "CHECKPOINT_b[b]" in done.files["out.wf.md"]


def test_lines_of_a_caption_are_one_title():
    """Where the lines of a label begin, nobody sees the blanks."""
    chart = 'flowchart TD\n    a["`several\n      lines`"] --> b["two<br>   more"]\n'
    result = compile_text(chart, "a.mmd", format="mermaid")
    assert [node.title for node in result.workflow.nodes] == ["several lines", "two more"]
    dialect = dialect_named("flowchart")
    done = convert_file(result.parsed, result.sources.files["a.mmd"], dialect, "out.wf.md")
    assert done.losses == ()


def test_an_end_that_the_format_names_itself_is_no_other_end():
    told = losses("flow: 1\nnodes: [{name: a, assign: {}}]\n", "flowchart")
    assert "end `" not in told
    assert "FAILED" not in losses(TWO_PROMPTS + "defaults: {on_error: failed}\n", "flowchart")


def test_a_second_end_with_one_outcome_is_told():
    text = (
        "flow: 1\nnodes:\n  - {name: a, ask: 'Go on?', choices: [far, near], into: way}\n"
        "  - {name: which, choose: way, cases: {far: one, near: other}}\n"
        "  - {name: one, end: success}\n  - {name: other, end: success}\n"
    )
    told = losses(text, "steps")
    assert "the success end `one`" in told
    assert "the success end `other`" in told


def test_a_circle_of_a_picture_is_no_program():
    result = compile_text("flowchart TD\n    a --> b\n    b --> a\n", "a.mmd", format="mermaid")
    dialect = dialect_named("flowchart")
    done = convert_file(result.parsed, result.sources.files["a.mmd"], dialect, "out.wf.md")
    (loss,) = done.losses
    assert "would not accept it: " in loss.message
    assert "the loop that begins at `CHECKPOINT_a`" in loss.message
