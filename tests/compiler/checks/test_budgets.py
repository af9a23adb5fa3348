"""FC5002: what a careful author writes, reported with --strict alone."""

from __future__ import annotations

import dataclasses

import pytest
from flowc.compiler.checks.budgets import MISSING_BUDGETS, missing_budgets
from flowc.compiler.checks.check import Check
from flowc.compiler.driver import compile_file, compile_text
from flowc.compiler.expr.ast import Literal
from flowc.compiler.ir import (
    Agent,
    AgentNode,
    AskNode,
    CallNode,
    Limit,
    Program,
    StateField,
    TaskNode,
    Workflow,
)
from flowc.compiler.source.source import SourceSet


def paced(flow, node=None) -> None:
    ask = AskNode(id="LIKE", question=Literal(value="?"), into="verdict", span=flow.span())
    flow.add(node or AgentNode(id="WRITE", agent="a", into="line", span=flow.span()))
    flow.add(ask)
    flow.choose("DECIDE", "verdict == 'no'")
    for text in ("START > WRITE", "WRITE > LIKE", "LIKE > DECIDE", "DECIDE true> WRITE"):
        flow.edge(text)
    flow.edge("DECIDE false> END")


def limit(name: str) -> Limit:
    return Limit(name=name, value=Literal(value=5))


def test_a_loop_through_a_model_that_a_person_paces(flow, said):
    paced(flow)
    message = "nothing limits what the model calls of `WRITE` may use up"
    assert said(missing_budgets, flow.workflow()) == [("FC5002", "warning", message)]


@pytest.mark.parametrize("name", ["visits", "steps", "seconds", "tokens", "cost"])
def test_a_limit_of_the_workflow_or_of_a_node_is_a_budget(flow, said, name):
    paced(flow)
    assert said(missing_budgets, flow.workflow(limits=(limit(name),))) == []
    flow.add(dataclasses.replace(flow.nodes["WRITE"], limits=(limit(name),)))
    assert said(missing_budgets, flow.workflow()) == []


def test_a_loop_without_a_model_costs_nothing(flow, said):
    flow.set("WRITE", line="'a line'")
    paced(flow, flow.nodes["WRITE"])
    assert said(missing_budgets, flow.workflow()) == []


@pytest.mark.parametrize("asks", [True, False])
def test_a_called_workflow_may_call_a_model(flow, said, asks):
    paced(flow, CallNode(id="WRITE", workflow="inner.md", span=flow.span()))
    nodes = (AgentNode(id="A", agent="a"),) if asks else ()
    inner = Workflow(name="inner", nodes=nodes, entry="A")
    assert len(said(missing_budgets, flow.workflow(), inner)) == asks


def test_a_loop_that_counts_its_rounds_ends_by_itself(flow, said):
    flow.set("ROUND", N="coalesce(N, 0) + 1")
    flow.add(AgentNode(id="WRITE", agent="a", into="line", span=flow.span()))
    flow.choose("DECIDE", "N < 3")
    for text in ("START > ROUND", "ROUND > WRITE", "WRITE > DECIDE", "DECIDE true> ROUND"):
        flow.edge(text)
    flow.edge("DECIDE false> END")
    assert said(missing_budgets, flow.workflow()) == []


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("Use AKIAABCDEFGHIJKLMNOP.", "this looks like a key"),
        ("Read /Users/ada/notes.", "`/Users/ada` is a folder of one machine"),
        (r"Read C:\Users\ada\notes.", r"`C:\Users\ada` is a folder of one machine"),
        ("Ask for sk-learn, the tasks and AKIA.", None),
        ("See https://example.org/Users/ada and ~/notes, /etc/hosts or /usr/bin.", None),
    ],
)
def test_texts_of_one_person(flow, said, text, told):
    flow.add(
        AgentNode(id="START", agent="a", prompt=Literal(value=text, span=flow.span()), into="x")
    )
    assert [m for _, _, m in said(missing_budgets, flow.workflow())] == ([told] if told else [])


FILE = """flow: 1
nodes:
  - {name: look, agent: a, prompt: Read /Users/ada/notes., into: text}%s
outputs: [text]
"""


def test_strict_alone_reports_it_and_an_allowance_counts_with_and_without():
    text = FILE % ""
    assert compile_text(text, "a.flow.yaml").diagnostics == ()
    (found,) = compile_text(text, "a.flow.yaml", strict=True).diagnostics
    assert (found.code, found.severity) == ("FC5002", "warning")
    for strict in (False, True):
        allowed = "# flowc: allow FC5002\n" + text
        assert compile_text(allowed, "a.flow.yaml", strict=strict).diagnostics == ()


def test_strict_makes_an_error_of_an_unsafe_effect():
    text = FILE.replace("Read /Users/ada/notes.", "Which?") % (
        '\n  - {name: run, exec: "bash -c {{ text }}", into: text}'
    )
    levels = [
        [d.severity for d in compile_text(text, "a.flow.yaml", strict=strict).diagnostics]
        for strict in (False, True)
    ]
    assert levels == [["warning"], ["error"]]


def agent(flow, id: str) -> None:
    flow.add(AgentNode(id=id, agent="a", into="line", span=flow.span()))


def test_the_first_model_of_the_loop_in_the_file_is_named(flow, found):
    agent(flow, "SECOND")
    agent(flow, "THIRD")
    paced(flow)
    flow.edge("LIKE yes> THIRD")
    flow.edge("THIRD > SECOND")
    flow.edge("SECOND > DECIDE")
    (item,) = found(missing_budgets, flow.workflow())
    assert item.primary == flow.nodes["SECOND"].span


def test_a_model_without_a_place_is_not_named(flow, found):
    paced(flow, AgentNode(id="WRITE", agent="a", into="line"))
    assert found(missing_budgets, flow.workflow()) == []


def test_only_the_first_loop_is_named(flow, found):
    for name in ("A", "B"):
        agent(flow, name)
        flow.choose(f"{name}_AGAIN", "X")
        for edge in (f"{name} > {name}_AGAIN", f"{name}_AGAIN true> {name}"):
            flow.edge(edge)
    for edge in ("START > A", "A_AGAIN false> B", "B_AGAIN false> END"):
        flow.edge(edge)
    assert len(found(missing_budgets, flow.workflow())) == 1


@pytest.mark.parametrize(
    ("more", "is_paid"),
    [
        ({}, True),
        ({"agent": "bot"}, True),
        ({"agent": "ann"}, False),
        ({"form": "synchronization"}, False),
        ({"form": "review"}, True),
    ],
)
def test_a_task_is_paid_for_unless_a_person_or_nobody_does_it(flow, said, more, is_paid):
    prompt = Literal(value="?")
    task = TaskNode(id="WRITE", role="r", prompt=prompt, into="R", span=flow.span(), **more)
    paced(flow, task)
    team = (Agent(id="ann", person=True), Agent(id="bot"))
    assert bool(said(missing_budgets, flow.workflow(agents=team))) is is_paid


def test_a_workflow_that_calls_one_that_calls_a_model_is_paid_for(flow, said):
    paced(flow, CallNode(id="WRITE", workflow="outer.md", span=flow.span()))
    call = CallNode(id="C", workflow="inner.md")
    outer = Workflow(name="outer", nodes=(call,), entry="C")
    inner = Workflow(name="inner", nodes=(AgentNode(id="A", agent="a"),), entry="A")
    assert len(said(missing_budgets, flow.workflow(), outer, inner)) == 1


def test_a_limit_of_the_main_workflow_is_a_budget_for_those_it_calls(flow, found):
    paced(flow)
    main = Workflow(name="main", nodes=(), entry="", limits=(limit("cost"),))
    inner = flow.workflow()
    for limits, count in ((main.limits, 0), ((), 1)):
        rows = (("main.md", dataclasses.replace(main, limits=limits)), ("w.md", inner))
        program = Program(entry="main.md", workflows=rows)
        assert len([*missing_budgets(inner, program)]) == count


def test_a_failure_that_the_format_adds_closes_no_loop(flow, said):
    agent(flow, "A")
    for edge in ("START > A", "A > END", "A ?> START"):
        flow.edge(edge)
    assert said(missing_budgets, flow.workflow()) == []


def test_a_text_stands_at_its_own_place(flow, found):
    text = Literal(value="Read /Users/ada/notes.", span=flow.span())
    flow.add(AgentNode(id="START", agent="a", prompt=text, into="x", span=flow.span()))
    (item,) = found(missing_budgets, flow.workflow())
    assert item.primary == text.span


def test_a_sum_counts_the_rounds_too(flow, said):
    flow.set("ROUND", N="1")
    agent(flow, "WRITE")
    flow.choose("DECIDE", "N < 3")
    for text in ("START > ROUND", "ROUND > WRITE", "WRITE > DECIDE", "DECIDE true> ROUND"):
        flow.edge(text)
    flow.edge("DECIDE false> END")
    flow.state.append(StateField(name="N", type="integer", reducer="add"))
    assert said(missing_budgets, flow.workflow()) == []


def test_nobody_looks_for_budgets_who_does_not_hear_of_them():
    """Without --strict only an allowance makes the check run: it cost a third of the others."""
    asked = []
    check = Check(
        MISSING_BUDGETS.code, lambda workflow, program: iter(asked.append(workflow) or ())
    )
    text = "flow: 1\nnodes:\n  - {name: a, agent: w, prompt: Say it., into: x}\noutputs: [x]\n"
    for strict, said, runs in (
        (False, "", 0),
        (True, "", 1),
        (False, "# flowc: allow FC5002\n", 2),
    ):
        sources = SourceSet(overrides={"a.flow.yaml": said + text})
        compile_file("a.flow.yaml", sources=sources, strict=strict, checks=(check,))
        assert len(asked) == runs
