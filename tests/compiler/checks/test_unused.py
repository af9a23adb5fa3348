"""FC3003: values that are written and never read."""

from __future__ import annotations

import sys
from dataclasses import replace

from flowc.compiler.analysis.variables import names_written
from flowc.compiler.checks.unused import unused_outputs
from flowc.compiler.driver import compile_text
from flowc.compiler.ir import AgentNode, Assignment, CallNode, EndNode, Limit, Output, Prompt


def test_a_value_that_nothing_reads(flow, found):
    flow.set("START", JUNK="1")
    flow.set("B", JUNK="2")
    flow.edge("START > B")
    (item,) = found(unused_outputs, flow.workflow())
    assert (item.code, item.severity) == ("FC3003", "warning")
    assert item.message == "`START` writes `JUNK`, which nothing reads"
    assert item.primary == flow.nodes["START"].assignments[0].span
    assert [label.text for label in item.labels] == ["also written here"]


def test_what_is_read_anywhere_is_used(flow, said):
    flow.set("START", A="1", B="2", C="3")
    flow.choose("CHECK", "A exists")
    flow.edge("START > CHECK")
    workflow = flow.workflow(
        limits=(Limit(name="visits", value=flow.expr("coalesce(B, 3)")),),
        prompts=(Prompt(id="p", role="user", template=flow.expr("C")),),
    )
    assert said(unused_outputs, workflow) == []


def test_what_a_workflow_lists_as_its_result_is_read(flow, said):
    flow.set("START", EARLY="1", LOST="2")
    flow.set("LAST", LATE="2")
    flow.edge("START > LAST")
    flow.edge("LAST > END")
    workflow = flow.workflow(outputs=("EARLY", "LATE"))
    assert said(unused_outputs, workflow) == [
        ("FC3003", "warning", "`START` writes `LOST`, which nothing reads")
    ]


def test_of_what_agents_report_the_last_is_the_result(flow, said):
    for name, variable in (("START", "EARLY"), ("LAST", "LATE")):
        output = Output(source="result", name=variable, span=flow.span())
        flow.add(AgentNode(id=name, agent="a", prompt=None, outputs=(output,), span=flow.span()))
    flow.edge("START > LAST")
    flow.edge("LAST > END")
    workflow = flow.workflow(outputs=("LATE", "EARLY"))
    assert said(unused_outputs, workflow) == [
        ("FC3003", "warning", "`START` writes `EARLY`, which nothing reads")
    ]


def test_a_misspelt_read_is_one_fault_and_not_two(flow, said):
    flow.set("START", GRADE="1")
    flow.choose("CHECK", "GRADES > 1")
    flow.edge("START > CHECK")
    assert said(unused_outputs, flow.workflow()) == []


def test_what_no_path_leads_to_is_reported_as_that_alone(flow, said):
    flow.edge("START > END")
    flow.set("LOST", JUNK="1")
    flow.edge("LOST > END")
    assert said(unused_outputs, flow.workflow()) == []


def test_a_called_workflow_reads_what_it_is_handed(flow, said):
    flow.set("START", CITY="1")
    flow.add(CallNode(id="CALL", workflow="sub.md", passes_all=True, span=flow.span()))
    flow.edge("START > CALL")
    called = type(flow)()
    called.set("START", OUT="CITY")
    assert said(unused_outputs, flow.workflow(), replace(called.workflow(), name="sub")) == []


def test_nothing_is_said_beside_a_call_that_could_not_be_followed(flow, said):
    flow.set("START", CITY="1")
    flow.add(CallNode(id="CALL", workflow="gone.md", passes_all=True, span=flow.span()))
    flow.edge("START > CALL")
    assert said(unused_outputs, flow.workflow()) == []


NODES = """
flow: 1
scripts: {rules: {source: "export function check() { this.seen = 1 }"}}
nodes:
  - {name: install, exec: make install, into: {transcript: text, code: code}}
  - {name: each, foreach: '["a", "b"]', do: one, item: file, into: results}
  - {name: remember, script: rules, function: check, keeps: memory}
  - {name: tidy, task: Tidy up., role: cleaner, into: tidied}
  - {name: fit, gate: milestone, into: passed}
  - {name: think, agent: sage, prompt: What is it?, into: thought}
workflows:
  one:
    params: {file: text}
    nodes:
      - {name: install, exec: "cp {{ file }} there", into: transcript}
"""


def test_what_is_done_for_its_effect_need_not_be_read():
    """A part of a command's output is taken by choice, its code so that the run goes on."""
    result = compile_text(NODES, "main.flow.yaml")
    assert [d.message for d in result.diagnostics] == [
        "`install` writes `transcript`, which nothing reads",
        "`think` writes `thought`, which nothing reads",
        "`install` writes `transcript`, which nothing reads",
    ]


def test_what_the_next_assignment_reads_is_used(flow, said):
    flow.set("START", A="1", B="A + 1", C="B")
    workflow = flow.workflow(outputs=("B",))
    assert said(unused_outputs, workflow) == [
        ("FC3003", "warning", "`START` writes `C`, which nothing reads")
    ]


def test_a_program_is_walked_once_however_many_workflows_ask():
    walks = 0

    def count(frame, event, arg):
        nonlocal walks
        walks += event == "call" and frame.f_code is names_written.__wrapped__.__code__

    body = "{state: {X: {type: integer}}, nodes: [{name: a, assign: {X: X + 1}}]}"
    parts = "".join(f"  w{n}: {body}\n" for n in range(30))
    calls = "".join(f"  - {{name: c{n}, call: w{n}, with_all: true}}\n" for n in range(30))
    text = f"flow: 1\ntitle: Many\nnodes:\n{calls}workflows:\n{parts}"
    sys.setprofile(count)
    try:
        compile_text(text, "many.flow.yaml")
    finally:
        sys.setprofile(None)
    assert 0 < walks < 30 * 30


def test_three_of_the_other_places_are_shown(flow, found):
    for id in ("START", "B", "C", "D", "E"):
        flow.set(id, JUNK="1")
    for edge in ("START > B", "B > C", "C > D", "D > E"):
        flow.edge(edge)
    (item,) = found(unused_outputs, flow.workflow())
    places = [flow.nodes[id].assignments[0].span for id in "BCD"]
    assert [label.span for label in item.labels] == places


def test_what_an_assignment_reads_of_itself_is_no_use(flow, said):
    flow.set("START", A="1", B="B + 1")
    messages = [message for _, _, message in said(unused_outputs, flow.workflow())]
    assert "`START` writes `A`, which nothing reads" in messages


def test_an_end_that_writes_gives_a_result(flow, said):
    sets = (Assignment(target="OUT", value=flow.expr("1"), span=flow.span()),)
    flow.add(EndNode(id="END", outcome="success", assignments=sets, span=flow.span()))
    flow.edge("START > END")
    assert said(unused_outputs, flow.workflow(outputs=("OUT",))) == []


def test_an_output_that_is_written_before_a_failure_is_no_result(flow, said):
    output = Output(source="r", name="OUT", span=flow.span())
    flow.add(AgentNode(id="START", agent="a", outputs=(output,), span=flow.span()))
    flow.edge("START !> FAILED")
    flow.edge("START > B")
    flow.edge("B > END")
    assert said(unused_outputs, flow.workflow(outputs=("OUT",))) == [
        ("FC3003", "warning", "`START` writes `OUT`, which nothing reads")
    ]
