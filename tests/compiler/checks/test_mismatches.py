"""FC3005: a value of one kind where another is needed."""

from __future__ import annotations

import pytest
from flowc.compiler.checks.mismatches import fits, mismatches
from flowc.compiler.expr.ast import Literal
from flowc.compiler.ir import (
    AgentNode,
    AskNode,
    Assignment,
    AssignNode,
    CallNode,
    ForeachNode,
    GateNode,
    Param,
    StateField,
    Workflow,
)


def messages(said):
    assert {(code, severity) for code, severity, _ in said} <= {("FC3005", "error")}
    return [message for _, _, message in said]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("'x' - 1", "`-` needs numbers, not the text `x`"),
        ("keys(A) * 2", "`*` needs numbers, not a list"),
        ("keys(A) > 2", "`>` compares numbers or texts, not a list"),
        ("-(A == 1)", "`-` needs numbers, not a truth value"),
        ("LIST + 1 - LIST", "`-` needs numbers, not a list"),
        ("A == 'x' or 'y'", "the text `y` alone is always true"),
        ("A == 'x' and 'y'", "the text `y` alone is always true"),
        ("'y' or A == 'x'", "the text `y` alone is always true"),
    ],
)
def test_operands_that_an_operator_never_takes(flow, said, text, message):
    flow.set("START", X=text)
    params = (Param(name="LIST", type="list"),)
    assert messages(said(mismatches, flow.workflow(params=params))) == [message]


@pytest.mark.parametrize(
    ("declared", "text", "message"),
    [
        ("list", "'none'", "`X` holds a list, this is a text"),
        ("object", "keys(A)", "`X` holds an object, this is a list"),
        ("text", "keys(A)", "`X` holds a text, this is a list"),
        ("integer", "'three'", "`X` holds a whole number, this is a text"),
        ("boolean", "'perhaps'", "`X` holds true or false, this is a text"),
    ],
)
def test_a_variable_that_gets_another_kind(flow, said, declared, text, message):
    flow.set("START", X=text)
    flow.state.append(StateField(name="X", type=declared))
    assert messages(said(mismatches, flow.workflow())) == [message]


@pytest.mark.parametrize(
    ("declared", "text"),
    [
        ("integer", "'3'"),
        ("number", "2"),
        ("text", "3 + 4"),
        ("boolean", "'False'"),
        ("list", "A"),
        ("any", "keys(A)"),
    ],
)
def test_what_may_well_fit_is_left_to_the_run(flow, said, declared, text):
    flow.set("START", X=text)
    flow.state.append(StateField(name="X", type=declared))
    assert said(mismatches, flow.workflow()) == []


def test_a_list_that_grows_takes_single_elements(flow, said):
    flow.set("START", X="'one'")
    flow.state.append(StateField(name="X", type="list", reducer="append"))
    assert said(mismatches, flow.workflow()) == []


@pytest.mark.parametrize(("reducer", "needed"), [("append", "list"), ("merge", "object")])
def test_a_reducer_that_cannot_grow_the_variable(flow, found, reducer, needed):
    flow.set("START")
    flow.state.append(StateField(name="X", type="text", reducer=reducer, span=flow.span()))
    (item,) = found(mismatches, flow.workflow())
    assert item.message == f"`X` holds a text, which `{reducer}` cannot grow"
    assert item.help == f"declare it as {needed}"


def test_what_a_called_workflow_is_given(flow, said):
    passes = (Assignment(target="parts", value=flow.expr("'one'"), span=flow.span()),)
    flow.add(CallNode(id="START", workflow="other.md", passes=passes, span=flow.span()))
    other = Workflow(name="other", params=(Param(name="parts", type="list"),))
    assert messages(said(mismatches, flow.workflow(), other)) == [
        "`parts` holds a list, this is a text"
    ]


def test_what_foreach_goes_through(flow, said):
    node = ForeachNode(
        id="START", items=flow.expr("topic"), workflow="o", item="x", into="all", span=flow.span()
    )
    flow.add(node)
    flow.state += [StateField(name="topic", type="text"), StateField(name="all", type="text")]
    assert messages(said(mismatches, flow.workflow())) == [
        "`START` needs a list to go through, this is a text",
        "`START` gives a list, but `all` holds a text",
    ]


def test_the_score_of_a_gate(flow, said):
    flow.add(GateNode(id="START", form="quality_check", score=flow.expr("keys(A)"), required=0.8))
    assert messages(said(mismatches, flow.workflow())) == [
        "`START` needs a number as its score, this is a list"
    ]


def test_a_structured_answer_is_an_object(flow, said):
    flow.add(
        AgentNode(
            id="START",
            agent="a",
            prompt=None,
            schema={"type": "object"},
            into="X",
            span=flow.span(),
        )
    )
    flow.state.append(StateField(name="X", type="list"))
    assert messages(said(mismatches, flow.workflow())) == [
        "`START` gives an object, but `X` holds a list"
    ]


def test_a_case_that_the_value_never_has(flow, found):
    choices = ("accept", "reject")
    flow.add(AskNode(id="START", question=Literal(value="?"), into="word", choices=choices))
    flow.choose("PICK", "word")
    for text in ("START > PICK", "PICK acept> END", "PICK reject> END"):
        flow.edge(text)
    (item,) = found(mismatches, flow.workflow())
    assert item.message == "the value of `PICK` is never `acept`"
    assert item.help == "did you mean `accept`?"


def test_a_value_for_a_parameter_that_is_not_there(flow, found):
    passes = (Assignment(target="partz", value=flow.expr("'one'"), span=flow.span()),)
    flow.add(CallNode(id="START", workflow="other.md", passes=passes, span=flow.span()))
    other = Workflow(name="other", params=(Param(name="parts", type="text"),))
    (item,) = found(mismatches, flow.workflow(), other)
    assert (item.message, item.help) == ("`other` takes no `partz`", "did you mean `parts`?")


def test_answers_may_be_gathered_in_a_list(flow, said):
    schema = {"type": "object"}
    flow.add(AgentNode(id="START", agent="a", schema=schema, into="X", span=flow.span()))
    flow.state.append(StateField(name="X", type="list", reducer="append"))
    assert said(mismatches, flow.workflow()) == []


@pytest.mark.parametrize(
    ("needed", "given", "text", "may"),
    [
        ("any", "list", None, True),
        ("list", "any", None, True),
        ("list", "list", None, True),
        ("list", "object", None, False),
        ("object", "text", None, False),
        ("text", "list", None, False),
        ("number", "object", None, False),
        ("text", "number", None, True),
        ("number", "text", None, True),
        ("number", "text", "2.5", True),
        ("integer", "text", "many", False),
        ("number", "text", "many", False),
        ("boolean", "text", " TRUE ", True),
        ("boolean", "text", "perhaps", False),
        ("boolean", "number", None, True),
        ("text", "text", "many", True),
    ],
)
def test_what_can_stand_where_another_kind_is_needed(needed, given, text, may):
    assert fits(needed, given, None if text is None else Literal(value=text)) is may


def test_the_value_is_pointed_at_and_the_declaration_labelled(flow, found):
    flow.set("START", X="'none'")
    flow.state.append(StateField(name="X", type="list", span=flow.span()))
    (item,) = found(mismatches, flow.workflow())
    assert item.primary == flow.nodes["START"].assignments[0].value.span
    assert [label.span for label in item.labels] == [flow.state[0].span]
    assert item.help == "change the value, or what is declared"


def test_a_value_without_a_place_is_pointed_at_by_its_assignment(flow, found):
    place = flow.span()
    sets = (Assignment(target="X", value=Literal(value="none"), span=place),)
    flow.add(AssignNode(id="START", assignments=sets))
    flow.state.append(StateField(name="X", type="list"))
    (item,) = found(mismatches, flow.workflow())
    assert (item.primary, item.labels) == (place, ())


def test_a_variable_that_grows_leaves_the_others(flow, said):
    flow.set("START", X="'one'", Y="'one'")
    flow.state.append(StateField(name="X", type="list", reducer="append"))
    flow.state.append(StateField(name="Y", type="list"))
    assert messages(said(mismatches, flow.workflow())) == ["`Y` holds a list, this is a text"]


@pytest.mark.parametrize(
    ("reducer", "type", "is_fault"),
    [
        ("append", "any", False),
        ("append", "list", False),
        ("merge", "list", True),
        ("merge", "object", False),
        ("add", "integer", False),
        ("add", "number", False),
        ("add", "list", True),
        ("replace", "text", False),
    ],
)
def test_which_kinds_a_reducer_can_grow(flow, said, reducer, type, is_fault):
    flow.set("START")
    flow.state.append(StateField(name="X", type=type, reducer=reducer, span=flow.span()))
    assert bool(said(mismatches, flow.workflow())) is is_fault


@pytest.mark.parametrize(
    ("score", "is_fault"),
    [
        ("N", False),
        ("T", False),
        ("'0.5'", False),
        ("'high'", True),
        ("A", False),
        ("1 == 1", False),
    ],
)
def test_a_score_may_be_what_reads_as_a_number(flow, said, score, is_fault):
    flow.add(GateNode(id="START", form="quality_check", score=flow.expr(score), required=0.8))
    flow.state += [StateField(name="N", type="number"), StateField(name="T", type="text")]
    assert bool(said(mismatches, flow.workflow())) is is_fault


def test_a_gate_without_a_score_and_an_agent_without_a_schema_need_nothing(flow, said):
    flow.add(GateNode(id="START", form="approval", span=flow.span()))
    flow.add(AgentNode(id="B", agent="a", into="X", span=flow.span()))
    flow.add(AgentNode(id="C", agent="a", schema={"type": "object"}, span=flow.span()))
    flow.state.append(StateField(name="X", type="list"))
    assert said(mismatches, flow.workflow()) == []


def test_what_is_given_to_each_of_a_list_is_looked_at(flow, said):
    passes = (Assignment(target="parts", value=flow.expr("'one'"), span=flow.span()),)
    flow.add(
        ForeachNode(
            id="START", items=flow.expr("A"), workflow="other.md", item="x", into="all",
            passes=passes, span=flow.span(),
        )
    )  # fmt: skip
    other = Workflow(name="other", params=(Param(name="parts", type="list"), Param(name="x")))
    assert messages(said(mismatches, flow.workflow(), other)) == [
        "`parts` holds a list, this is a text"
    ]


def call(flow, target: str) -> None:
    passes = (Assignment(target=target, value=flow.expr("'one'"), span=flow.span()),)
    flow.add(CallNode(id="START", workflow="other.md", passes=passes, span=flow.span()))


def test_what_a_called_workflow_takes_is_listed(flow, found):
    call(flow, "zzzzz")
    other = Workflow(name="other", params=(Param(name="a"),), state=(StateField(name="b"),))
    (item,) = found(mismatches, flow.workflow(), other)
    assert item.primary == flow.nodes["START"].passes[0].span
    assert sorted(item.help.removeprefix("it takes ").split(", ")) == ["`a`", "`b`"]
    (item,) = found(mismatches, flow.workflow(), Workflow(name="other"))
    assert item.help == "it takes nothing"


def test_a_workflow_that_is_not_there_is_another_check_s_business(flow, said):
    call(flow, "zzzzz")
    assert said(mismatches, flow.workflow()) == []


def test_a_case_that_never_comes_says_which_do(flow, found):
    choices = ("accept", "reject")
    flow.add(AskNode(id="START", question=Literal(value="?"), into="word", choices=choices))
    flow.choose("PICK", "word")
    for text in ("START > PICK", "PICK zzzzz> END", "PICK reject> END"):
        flow.edge(text)
    (item,) = found(mismatches, flow.workflow())
    assert (item.primary, item.help) == (
        flow.nodes["PICK"].span, "it is one of `accept`, `reject`"
    )  # fmt: skip
