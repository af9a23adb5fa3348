"""FC3006: expressions that fail in every run."""

from __future__ import annotations

import pytest
from flowc.compiler.checks.guards import bad_expressions
from flowc.compiler.expr.parse import parse
from flowc.compiler.expr.walk import map_spans
from flowc.compiler.ir import (
    Agent,
    AgentNode,
    AskNode,
    Assertion,
    AssertNode,
    Assignment,
    AssignNode,
    CallNode,
    ChooseNode,
    EndNode,
    ErrorRule,
    ExecNode,
    ForeachNode,
    GateNode,
    Limit,
    MessageNode,
    Prompt,
    ScriptNode,
    TaskNode,
    ToolNode,
)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("lenght(A) > 1", "there is no function `lenght`"),
        ("length(A, B)", "`length` takes 1 argument, not 2"),
        ("join()", "`join` takes 1 to 2 arguments, not 0"),
        ("coalesce()", "`coalesce` takes 1 or more arguments, not 0"),
        ("A matches '('", "the regular expression is invalid: a `(` is not closed"),
        (
            "A matches 'a(?=b)'",
            "the regular expression is invalid: `(?=` does not exist: look-around is not supported",
        ),
        ("A / 0", "division by zero"),
    ],
)
def test_what_no_run_can_evaluate(flow, found, text, message):
    flow.choose("START", text)
    (item,) = found(bad_expressions, flow.workflow())
    assert (item.code, item.severity, item.message) == ("FC3006", "error", message)


@pytest.mark.parametrize(
    "text",
    [
        "A - 1",
        "A matches B",
        "A matches '(a+)+$'",
        "'3' * 2",
        "A < 'b'",
        "length(keys(A)) > 1",
        "A.length / B",
        "read_file('notes.md')",
    ],
)
def test_what_only_the_run_can_tell_is_left_to_it(flow, said, text):
    flow.choose("START", text)
    assert said(bad_expressions, flow.workflow()) == []


def test_every_place_of_an_expression_is_looked_at(flow, found):
    bad = "nope()"
    flow.set("START", A=bad)
    workflow = flow.workflow(
        limits=(Limit(name="visits", value=flow.expr(bad)),),
        prompts=(Prompt(id="p", role="user", template=flow.expr(bad)),),
    )
    assert len({item.primary for item in found(bad_expressions, workflow)}) == 3


def test_an_unknown_function_is_shown_with_the_one_that_was_meant(flow, found):
    flow.choose("START", "lenght(A)")
    (item,) = found(bad_expressions, flow.workflow())
    assert item.help == "did you mean `length`?"


BAD = parse("nope()", "a.md", 0)
SETS = (Assignment(target="X", value=BAD),)
PROSE = Assertion(text="It is good.")
MEASURED = Assertion(text="nope()", expr=BAD)
EVERY_PLACE = (
    (AgentNode(id="n", agent="a", prompt=BAD), 1),
    (AgentNode(id="n", agent="a", asserts=(PROSE, MEASURED, MEASURED)), 2),
    (MessageNode(id="n", thread="t", mode="append", role="user", template=BAD), 1),
    (ToolNode(id="n", tool="t", args=SETS), 1),
    (ExecNode(id="n", source=BAD, form="command", session="s"), 1),
    (ChooseNode(id="n", on=BAD), 1),
    (AskNode(id="n", question=BAD, into="X"), 1),
    (AssignNode(id="n", assignments=SETS), 1),
    (EndNode(id="n", outcome="success", assignments=SETS), 1),
    (CallNode(id="n", workflow="w", passes=SETS, returns=SETS), 2),
    (ScriptNode(id="n", script="s", function="f", args=(BAD, BAD)), 2),
    (TaskNode(id="n", role="r", prompt=BAD, criteria=(PROSE, MEASURED), into="X"), 2),
    (GateNode(id="n", form="approval", score=BAD, question=BAD), 2),
    (GateNode(id="n", form="approval"), 0),
    (AssertNode(id="n", condition=BAD, message=BAD), 2),
    (AssertNode(id="n", condition=BAD), 1),
    (ForeachNode(id="n", items=BAD, workflow="w", item="I", passes=SETS, until=BAD, into="X"), 3),
)


@pytest.mark.parametrize(("node", "count"), EVERY_PLACE, ids=lambda p: getattr(p, "kind", None))
def test_the_expressions_of_every_kind_of_node_are_looked_at(flow, found, node, count):
    flow.add(node)
    assert len(found(bad_expressions, flow.workflow())) == count


@pytest.mark.parametrize(
    "more",
    [
        {"agents": (Agent(id="a", system=BAD), Agent(id="b"))},
        {"on_error": (ErrorRule(kinds=("failure",), assignments=SETS),)},
    ],
)
def test_the_expressions_beside_the_nodes_are_looked_at(flow, found, more):
    assert len(found(bad_expressions, flow.workflow(**more))) == 1


def test_an_expression_that_has_a_place_is_pointed_at_there(flow, found):
    flow.add(ChooseNode(id="n", on=flow.expr("nope()"), span=flow.span()))
    (fault,) = found(bad_expressions, flow.workflow())
    assert fault.primary == flow.nodes["n"].on.span


def test_an_expression_without_a_place_is_pointed_at_by_what_holds_it(flow, found):
    homeless = map_spans(BAD, lambda span: None)
    limit = Limit(name="visits", value=homeless, span=flow.span())
    node = ChooseNode(id="n", on=homeless, limits=(limit,), span=flow.span())
    flow.add(node)
    faults = found(bad_expressions, flow.workflow())
    assert [fault.primary for fault in faults] == [limit.span, node.span]
    flow.add(ChooseNode(id="n", on=homeless))
    assert found(bad_expressions, flow.workflow()) == []


@pytest.mark.parametrize(
    ("condition", "says"),
    [
        ("true", "always holds"),
        ("false", "never holds"),
        ("[a > 1]", "always holds"),
        ("[]", "not a condition"),
        ("a == a", "compared with itself"),
        ("a.b != a.b", "compared with itself"),
        ("a > 1", ""),
        ("1 == 1 and a == b", ""),
        ("null", "never holds"),
        ("a.lenght > 2", "nearly `length`"),
        ("a.length > 2", ""),
    ],
)
def test_conditions_that_are_always_the_same(flow, found, condition, says):
    flow.add(AssertNode(id="n", condition=flow.expr(condition), span=flow.span()))
    told = [fault.message for fault in found(bad_expressions, flow.workflow())]
    assert [says in one for one in told] == ([True] if says else [])
