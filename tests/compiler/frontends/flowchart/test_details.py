"""Details: a block of flow YAML beside the chart (docs/formats/flowchart.md)."""

from __future__ import annotations

import pytest
from flowc.compiler.driver import compile_text
from flowc.compiler.editor.rename import Refusal, rename
from flowc.compiler.frontends.flowchart.links import meaning_of
from flowc.compiler.ir import AssignNode, Case, ChooseNode, EndNode, OnError, Otherwise
from flowc.compiler.source.source import SourceSet, Span

WORK = AssignNode(id="a")
CHOICE = ChooseNode(id="a", on=None)  # type: ignore[arg-type]
USUAL = OnError(errors=("failure", "timeout", "refused"))


def document(chart: str, details: str, more: str = "") -> str:
    lines = "\n".join(f"    {line}" for line in chart.split("\n"))
    block = f"```yaml flow\n{details}```\n" if details else ""
    return f"# Workflow\n\n```mermaid\nflowchart TD\n{lines}\n```\n\n{block}{more}"


def read(chart: str, details: str, more: str = ""):
    result = compile_text(document(chart, details, more), "a.wf.md")
    assert [d.message for d in result.diagnostics if d.severity == "error"] == []
    return result.workflow


def ways(workflow, source: str):
    return [(e.target, e.guard) for e in workflow.edges if e.source == source]


DRAFT = "nodes: [{name: draft, agent: writer, prompt: Write., into: line}]\n"


def test_an_activity_of_the_details_has_any_id_and_its_caption_is_its_title():
    workflow = read("START --> draft[Write<br>a line]", DRAFT)
    draft = next(node for node in workflow.nodes if node.id == "draft")
    assert (draft.kind, draft.title, draft.into) == ("agent", "Write a line", "line")
    titled = read("START --> draft[Caption]", DRAFT.replace("draft,", "draft, title: Own,"))
    assert next(node.title for node in titled.nodes if node.id == "draft") == "Own"


def test_without_a_link_on_it_ends_in_success_and_no_failure_leads_anywhere():
    workflow = read("START --> draft", DRAFT)
    assert ways(workflow, "draft") == [("SUCCESS", None)]
    assert ways(read("START --> draft\ndraft -->|ERROR| FAILED", DRAFT), "draft") == [
        ("FAILED", USUAL),
        ("SUCCESS", None),
    ]


def test_every_link_without_a_case_is_taken():
    workflow = read(
        "START --> fork\nfork --> draft & CHECKPOINT_B\ndraft & CHECKPOINT_B --> join",
        DRAFT.replace("]", ", {name: fork, assign: {}}, {name: join, assign: {}, join: all}]"),
    )
    assert ways(workflow, "fork") == [("draft", None), ("CHECKPOINT_B", None)]


@pytest.mark.parametrize(
    ("text", "node", "means"),
    [
        ("", WORK, (None, "")),
        ("later on", WORK, (None, "later on")),
        ("error", WORK, (USUAL, "")),
        ("NO: not there", WORK, (USUAL, "not there")),
        (": NO", WORK, (None, "NO")),
        ("ON timeout, limit: slow", WORK, (OnError(errors=("timeout", "limit")), "slow")),
        ("On timeout", WORK, (None, "On timeout")),
        ("", CHOICE, (Otherwise(), "")),
        ("ELSE: all others", CHOICE, (Otherwise(), "all others")),
        ("TRUE", CHOICE, (Case(value="true"), "")),
        ("'TRUE'", CHOICE, (Case(value="TRUE"), "")),
        ("'a: b': c", CHOICE, (Case(value="a: b"), "c")),
        ("''", CHOICE, (Case(value=""), "")),
        ("no", CHOICE, (Case(value="no"), "")),
        ("it's", CHOICE, (Case(value="it's"), "")),
        ("ERROR", CHOICE, (USUAL, "")),
    ],
)
def test_what_a_label_means(text, node, means):
    assert meaning_of(text, node) == means


def test_declarations_take_the_place_of_those_of_the_chart():
    workflow = read(
        "PARAMS[SIZE=2, KEPT=x] -.- START\nSTART --> SET_A[A={{SIZE}}]",
        "params: {SIZE: {type: integer, default: 3}}\nstate: {A: text}\noutputs: [A]\n"
        "limits: null\non_error: null\n",
    )
    assert {p.name: (p.type, p.default) for p in workflow.params} == {
        "SIZE": ("integer", 3),
        "KEPT": ("text", "x"),
    }
    assert {s.name: s.type for s in workflow.state}["A"] == "text"
    assert (workflow.outputs, workflow.limits, workflow.on_error) == (("A",), (), ())


def test_a_chart_and_its_details_share_variables_and_the_conversation():
    workflow = read(
        "START --> draft --> PROMPT_A[User A] --> say",
        DRAFT.replace("]", ", {name: say, message: Bye., thread: main}]"),
        "\n# Prompts\n\n## User A\n\nShorter: {{line}}\n",
    )
    assert [agent.id for agent in workflow.agents] == ["writer", "main"]
    assert [thread.id for thread in workflow.threads] == ["main"]
    prompt = next(node.prompt for node in workflow.nodes if node.id == "PROMPT_A")
    assert prompt.parts[1].kind == "name"


def test_a_param_that_only_the_details_read_has_to_be_given():
    workflow = read(
        "PARAMS[WHO] -.- START\nSTART --> draft", DRAFT.replace("Write.", '"{{ WHO }}"')
    )
    assert [param.required for param in workflow.params] == [True]


def test_start_and_the_ends_can_have_details_of_their_own():
    workflow = read(
        "START --> SUCCESS",
        "nodes: [{name: START, assign: {n: 1}}, {name: SUCCESS, end: success, set: {n: n + 1}}]\n",
    )
    assert workflow.entry == "START"
    end = next(node for node in workflow.nodes if isinstance(node, EndNode))
    assert [a.target for a in end.assignments] == ["n"]


def test_a_block_in_an_included_file_keeps_its_places():
    block = "Some words.\n\n```yaml flow\noutputs: [lime]\nnodes: []\n```\n"
    sources = SourceSet(overrides={"block.md": block})
    text = document("START --> SUCCESS", "", "!INCLUDE block.md\n")
    result = compile_text(text, "a.wf.md", sources=sources)
    (found,) = [d for d in result.diagnostics if d.code == "FC3001"]
    assert block[found.primary.start : found.primary.end] == "lime"
    assert found.primary.file == "block.md"


def test_a_block_elsewhere_or_without_its_second_word_is_text():
    plain = "```yaml\nnodes: 7\n```\n"
    assert read("START --> SUCCESS", "", plain + "# Notes\n\n```yaml flow\nnodes: 7\n```\n").nodes


def test_an_open_fence_of_details_is_told():
    text = document("START --> SUCCESS", "", "```yaml flow\noutputs: [RESULT]\n")
    messages = [d.message for d in compile_text(text, "a.wf.md").diagnostics]
    assert messages == ["this fence is not closed"]


def test_a_new_name_is_written_in_the_chart_and_in_the_details():
    text = document("START --> draft", DRAFT)
    at = text.index("draft")
    changed = rename("a.wf.md", Span("a.wf.md", at, at), "write", {"a.wf.md": text})
    assert not isinstance(changed, Refusal)
    assert len(changed.spans) == 2
