"""FC2007 and FC2008: choices with a gap, conditions that hide each other."""

from __future__ import annotations

import time

import pytest
from flowc.compiler.checks.branches import hidden_branches, known_values, open_branches
from flowc.compiler.driver import compile_text
from flowc.compiler.expr.ast import Call, Literal
from flowc.compiler.ir import AgentNode, AskNode, ChooseNode, Edge, Otherwise, StateField


def which(flow, *conditions, otherwise=False, types=()):
    args = tuple(flow.expr(text) for text in conditions)
    on = Call(function="which", args=args, span=args[0].span)
    flow.add(ChooseNode(id="START", on=on, span=flow.span()))
    for number, _ in enumerate(conditions, start=1):
        flow.edge(f"START {number}> END")
    if otherwise:
        flow.edges.append(Edge(source="START", target="END", guard=Otherwise()))
    flow.state += [StateField(name=name, type=type) for name, type in types]
    return flow.workflow()


def messages(said):
    return [message for _, _, message in said]


def test_a_gap_between_two_ranges_is_shown_by_a_value(flow, said):
    workflow = which(flow, "score > 0.8", "score < 0.5", types=[("score", "number")])
    assert said(open_branches, workflow) == [
        ("FC2007", "warning", "no edge of `START` is taken when `score` is 0.5")
    ]


@pytest.mark.parametrize(
    "conditions",
    [
        ("score > 0.8", "score <= 0.8"),
        ("n == 1", "n != 1"),
        ("n < 3", "n >= 3 and n < 7", "n >= 7"),
        ("verdict.ok", "not verdict.ok"),
    ],
)
def test_ranges_that_meet_leave_no_gap(flow, said, conditions):
    types = [("score", "number"), ("n", "integer")]
    assert said(open_branches, which(flow, *conditions, types=types)) == []


def test_whole_numbers_have_nothing_between_them(flow, said):
    workflow = which(flow, "n < 3", "n > 2", types=[("n", "integer")])
    assert said(open_branches, workflow) == []


def test_texts_that_no_condition_names_are_a_gap(flow, said):
    workflow = which(flow, "kind == 'a'", "kind == 'b'", types=[("kind", "text")])
    assert messages(said(open_branches, workflow)) == [
        'no edge of `START` is taken when `kind` is "anything else"'
    ]


def test_an_edge_for_everything_else_closes_the_gap(flow, said):
    assert said(open_branches, which(flow, "a == 1", otherwise=True)) == []


def test_a_condition_with_one_edge(flow, said):
    flow.choose("START", "a == 1")
    flow.edge("START true> END")
    assert messages(said(open_branches, flow.workflow())) == [
        "no edge of `START` is taken when the condition is false"
    ]


def ask(flow, *cases):
    question = Literal(value="?")
    node = AskNode(id="START", question=question, into="word", choices=("yes", "no", "later"))
    flow.add(node)
    flow.choose("PICK", "word")
    flow.edge("START > PICK")
    for case in cases:
        flow.edge(f"PICK {case}> END")
    return flow.workflow()


def test_the_choices_of_a_question_are_all_there_is(flow, said):
    assert said(open_branches, ask(flow, "yes", "no", "later")) == []


def test_a_choice_without_an_edge_is_named(flow, said):
    assert messages(said(open_branches, ask(flow, "yes", "no"))) == [
        "no edge of `PICK` is taken when it is `later`"
    ]


@pytest.mark.parametrize(("cases", "said_so"), [(("good", "bad"), []), (("good",), ["`bad`"])])
def test_the_words_of_a_schema_are_all_there_is(flow, said, cases, said_so):
    schema = {"properties": {"word": {"enum": ["good", "bad"]}}, "required": ["word"]}
    flow.add(AgentNode(id="START", agent="a", prompt=None, schema=schema, into="verdict"))
    flow.choose("PICK", "verdict.word")
    flow.edge("START > PICK")
    for case in cases:
        flow.edge(f"PICK {case}> END")
    found = messages(said(open_branches, flow.workflow()))
    assert [text.rpartition("it is ")[2] for text in found] == said_so


def test_any_text_may_come(flow, said):
    flow.choose("START", "word")
    flow.edge("START a> END")
    assert messages(said(open_branches, flow.workflow())) == [
        "no edge of `START` is taken when it is none of `a`"
    ]


def test_a_condition_that_an_earlier_one_covers(flow, said):
    workflow = which(flow, "score > 0.5", "score > 0.8", otherwise=True)
    assert said(hidden_branches, workflow) == [
        (
            "FC2008",
            "warning",
            "this condition is never the first that holds: when `score` is 1.8, both do",
        )
    ]


def test_ranges_that_meet_halfway(flow, said):
    workflow = which(flow, "n > 3", "n < 7", types=[("n", "integer")])
    assert messages(said(hidden_branches, workflow)) == [
        "this condition holds together with an earlier one: when `n` is 5, both do"
    ]


@pytest.mark.parametrize(
    "conditions",
    [
        ("score > 0.8", "score > 0.5"),
        ("urgent", "score > 0.5"),
        ("kind == 'a'", "kind == 'b'"),
        ("kind == 'a' and urgent", "kind == 'a'"),
    ],
)
def test_a_special_case_before_a_general_one_is_meant_so(flow, said, conditions):
    assert said(hidden_branches, which(flow, *conditions, otherwise=True)) == []


def chosen(names, *conditions):
    ways = "".join(f"      - {{when: {text}, to: end}}\n" for text in conditions)
    params = ", ".join(f"{name}: integer" for name in names)
    node = f"  - name: a\n    assign: {{}}\n    next:\n{ways}      - {{to: failed}}\n"
    text = f"flow: 1\nparams: {{{params}}}\nnodes:\n{node}"
    return compile_text(text, "main.flow.yaml").diagnostics


def test_a_condition_is_not_called_hidden_when_not_every_value_was_tried():
    names = [f"v{n}" for n in range(9)]
    assert chosen(names, "v0 < 5", " and ".join(f"{name} < 9" for name in names)) == ()


def test_many_conditions_of_many_variables_end_within_seconds():
    begin = time.process_time()
    names = [f"v{n}" for n in range(5)]
    every = [" and ".join(f"{name} == {n}" for name in names) for n in range(300)]
    assert chosen(names, *every) == ()
    assert time.process_time() - begin < 20


SCHEMA = {
    "properties": {"word": {"enum": ["good", "bad"]}, "flag": {"type": "boolean"}, "text": {}},
    "required": ["word", "flag", "text"],
}


@pytest.mark.parametrize(
    ("on", "schema", "values"),
    [
        ("v.word", SCHEMA, ("good", "bad")),
        ("v.flag", SCHEMA, ("true", "false")),
        ("v.text", SCHEMA, None),
        ("v.gone", SCHEMA, None),
        ("v", SCHEMA, None),
        ("other.word", SCHEMA, None),
        ("v.word", {**SCHEMA, "required": ["flag"]}, None),
        ("v.word", {**SCHEMA, "required": "word"}, None),
        ("v.word", {"required": ["word"]}, None),
        ("v.word", {"properties": {"word": {"enum": ["a", 1]}}, "required": ["word"]}, None),
        ("v.word", {"properties": {"word": {"enum": "ab"}}, "required": ["word"]}, None),
        ("v.word", None, None),
        ("v.a.word", SCHEMA, None),
    ],
)
def test_the_values_that_a_schema_allows(flow, on, schema, values):
    flow.add(AgentNode(id="START", agent="a", schema=schema, into="v"))
    assert known_values(flow.expr(on), flow.workflow()) == values


def test_the_choices_of_all_questions_are_the_values(flow):
    for id, choices in (("A", ("yes", "no")), ("B", ("no", "later"))):
        flow.add(AskNode(id=id, question=Literal(value="?"), into="word", choices=choices))
    assert known_values(flow.expr("word"), flow.workflow()) == ("yes", "no", "later")
    assert known_values(flow.expr("word.length"), flow.workflow()) is None
    flow.set("C", word="'else'")
    assert known_values(flow.expr("word"), flow.workflow()) is None


def test_a_question_without_choices_may_be_answered_by_anything(flow):
    flow.add(AskNode(id="A", question=Literal(value="?"), into="word"))
    assert known_values(flow.expr("word"), flow.workflow()) is None


def test_what_else_is_written_does_not_matter(flow):
    flow.set("B", other="1")
    flow.add(AskNode(id="A", question=Literal(value="?"), into="word", choices=("yes",)))
    assert known_values(flow.expr("word"), flow.workflow()) == ("yes",)


def test_a_condition_with_both_edges_is_closed(flow, said):
    flow.choose("START", "a == 1")
    flow.edge("START true> A")
    flow.edge("START false> B")
    assert said(open_branches, flow.workflow()) == []


def test_a_choice_that_lists_no_case_is_not_open(flow, said):
    flow.choose("START", "word")
    flow.edge("START > END")
    assert said(open_branches, flow.workflow()) == []


def test_cases_are_listed_in_the_order_of_letters(flow, said):
    flow.choose("START", "word")
    for case in ("b", "a"):
        flow.edge(f"START {case}> END")
    assert messages(said(open_branches, flow.workflow()))[0].endswith("none of `a`, `b`")


def test_the_earlier_condition_is_labelled(flow, found):
    (item,) = found(hidden_branches, which(flow, "s > 5", "s > 8", otherwise=True))
    on = flow.nodes["START"].on
    assert item.primary == on.args[1].span
    assert [label.span for label in item.labels] == [on.args[0].span]
    assert item.help == "put the special case before the general one"


def test_a_condition_is_compared_with_each_earlier_one_and_reported_once(flow, found):
    conditions = ("a == 1", "b > 5", "b > 6", "b > 7")
    items = found(hidden_branches, which(flow, *conditions, otherwise=True))
    on = flow.nodes["START"].on
    assert [item.primary for item in items] == [on.args[2].span, on.args[3].span]
    assert [item.labels[0].span for item in items] == [on.args[1].span] * 2


def test_conditions_on_two_variables_may_overlap(flow, said):
    """Which of them is meant is then a matter of their order, as it mostly is."""
    assert said(hidden_branches, which(flow, "a > 1", "b > 1", otherwise=True)) == []


def test_a_witness_of_two_variables_names_both(flow, said):
    workflow = which(flow, "a == 1 and b == 'x'", "a == 1 and b == 'x'", otherwise=True)
    (message,) = messages(said(hidden_branches, workflow))
    assert message.endswith('when `a` is 1 and `b` is "x", both do')
