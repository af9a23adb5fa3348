"""FC5001: what acts once and may act twice, and commands that somebody else writes."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest
from flowc.compiler.checks.effects import unsafe_effects
from flowc.compiler.expr.ast import Call, Literal, Name, Text
from flowc.compiler.ir import (
    Agent,
    AgentNode,
    AskNode,
    Assignment,
    CallNode,
    ExecNode,
    Param,
    Retry,
    Tool,
    ToolNode,
)
from specs import parts

MAIL = Tool(id="mail", source="lock", effect="once")
RETRY = Retry(attempts=2)


def send(flow, id: str = "SEND", **fields: Any) -> None:
    reads = fields.pop("reads", "guest")
    args = (Assignment(target="to", value=Name(name=reads)),)
    flow.add(ToolNode(id=id, tool="mail", args=args, span=flow.span(), **fields))


def command(flow, before: str, name: str, how: str = "word") -> None:
    value = Call(function="shell_quote", args=(Name(name=name), Literal(value=how)))
    source = Text(parts=(Literal(value=before), value))
    flow.add(ExecNode(id="RUN", source=source, form="command", session="s", parts=parts(log="text"),
                      span=flow.span()))  # fmt: skip
    flow.edge("START > RUN")


def model(flow, into: str) -> None:
    flow.add(AgentNode(id="ASK", agent="a", prompt=Literal(value="?"), into=into, span=flow.span()))
    flow.edge("START > ASK")


def codes(said, workflow) -> list[str]:
    return [message for _, _, message in said(unsafe_effects, workflow)]


@pytest.mark.parametrize("effect", ["once", "idempotent", "pure"])
@pytest.mark.parametrize("source", ["lock", "declared", "unknown"])
def test_a_repetition_calls_a_tool_again(flow, said, effect, source):
    send(flow, retry=RETRY)
    tool = dataclasses.replace(MAIL, effect=effect, source=source)
    found = codes(said, flow.workflow(tools=(tool,)))
    assert len(found) == (effect == "once" and source != "unknown")


def test_a_tool_whose_call_is_an_answer_is_never_executed(flow, said):
    send(flow, retry=RETRY)
    tool = dataclasses.replace(MAIL, source="declared", result="answer")
    assert codes(said, flow.workflow(tools=(tool,))) == []


def circle(flow) -> None:
    flow.choose("AGAIN", "verdict == 'no'")
    for text in ("START > SEND", "SEND > JUDGE", "JUDGE > AGAIN", "AGAIN true> SEND"):
        flow.edge(text)
    flow.edge("AGAIN false> END")


def test_a_loop_that_sends_the_same_in_every_round(flow, said):
    send(flow)
    flow.set("JUDGE", verdict="'no'")
    circle(flow)
    assert len(codes(said, flow.workflow(tools=(MAIL,)))) == 1


def test_a_loop_that_sends_what_it_has_changed_is_what_loops_are_for(flow, said):
    send(flow, reads="verdict")
    flow.set("JUDGE", verdict="'no'")
    circle(flow)
    assert codes(said, flow.workflow(tools=(MAIL,))) == []


def test_a_tool_that_no_loop_leads_back_to(flow, said):
    send(flow)
    flow.edge("START > SEND")
    assert codes(said, flow.workflow(tools=(MAIL,))) == []


def test_a_model_that_begins_anew_may_call_again(flow, said):
    agent = Agent(id="a", tools=("mail",))
    node = AgentNode(id="START", agent="a", prompt=Literal(value="?"), span=flow.span())
    flow.add(node)
    assert codes(said, flow.workflow(tools=(MAIL,), agents=(agent,))) == []
    flow.add(dataclasses.replace(node, retry=RETRY))
    assert len(codes(said, flow.workflow(tools=(MAIL,), agents=(agent,)))) == 1


@pytest.mark.parametrize(
    ("before", "told"),
    [
        ("bash -c ", True),
        ("cd x && sh -ec ", True),
        ("eval ", True),
        ('python3 -c "', True),
        ("git log ", False),
        ("echo bash -c done; cat ", False),
        ("medieval ", False),
    ],
)
def test_a_quoted_value_is_a_program_only_for_who_runs_programs(flow, said, before, told):
    model(flow, "answer")
    command(flow, before, "answer")
    assert len(codes(said, flow.workflow())) == told


@pytest.mark.parametrize("whole", [True, False])
def test_a_command_that_is_nothing_but_a_value(flow, said, whole):
    model(flow, "answer")
    node = ExecNode(id="RUN", source=Name(name="answer"), session="s", parts=parts(log="text"),
                    form="command" if whole else "blocks", span=flow.span())  # fmt: skip
    flow.add(node)
    assert len(codes(said, flow.workflow())) == whole


def test_whose_text_it_is(flow, said):
    command(flow, "bash -c ", "job")
    assert codes(said, flow.workflow()) == [], "nobody wrote it who is not the file's author"
    assert "who starts the run" in codes(said, flow.workflow(params=(Param(name="job"),)))[0]
    number = Param(name="job", type="integer")
    assert codes(said, flow.workflow(params=(number,))) == []
    flow.add(AskNode(id="START", question=Literal(value="?"), into="wish", span=flow.span()))
    flow.set("KEEP", job="trim(wish)")
    assert "a person" in codes(said, flow.workflow())[0]


def test_the_nodes_of_the_loop_are_shown(flow, found):
    send(flow)
    flow.set("JUDGE", verdict="'no'")
    circle(flow)
    (item,) = found(unsafe_effects, flow.workflow(tools=(MAIL,)))
    assert item.primary == flow.nodes["SEND"].span
    others = [flow.nodes[id].span for id in ("AGAIN", "JUDGE")]
    assert sorted(label.span.start for label in item.labels) == sorted(s.start for s in others)


def test_a_loop_in_which_a_call_may_change_everything_sends_something_new(flow, said):
    send(flow)
    flow.add(CallNode(id="JUDGE", workflow="w.md", returns_all=True, span=flow.span()))
    circle(flow)
    assert codes(said, flow.workflow(tools=(MAIL,))) == []


def test_a_loop_that_no_run_comes_to_sends_nothing(flow, said):
    send(flow)
    flow.set("JUDGE", verdict="'no'")
    circle(flow)
    flow.edges = [edge for edge in flow.edges if edge.source != "START"]
    assert codes(said, flow.workflow(tools=(MAIL,))) == []


def test_a_failure_that_the_format_adds_closes_no_loop(flow, said):
    send(flow)
    for edge in ("START > SEND", "SEND > END", "SEND ?> START"):
        flow.edge(edge)
    assert codes(said, flow.workflow(tools=(MAIL,))) == []
    flow.edge("SEND !> START")
    assert len(codes(said, flow.workflow(tools=(MAIL,)))) == 1


def test_the_tools_that_a_model_may_call_again_are_named(flow, found):
    tools = tuple(dataclasses.replace(MAIL, id=id) for id in ("mail", "call", "log", "pay"))
    tools = (*tools[:2], dataclasses.replace(tools[2], effect="pure"), tools[3])
    node = AgentNode(id="START", agent="a", tools=("mail", "log"), retry=RETRY, span=flow.span())
    flow.add(node)
    agents = (Agent(id="a", tools=("call",)), Agent(id="other", tools=("pay",)))
    (item,) = found(unsafe_effects, flow.workflow(tools=tools, agents=agents))
    assert "`call`, `mail` act once" in item.message
    (item,) = found(unsafe_effects, flow.workflow(tools=tools, agents=()))
    assert "`mail` acts once" in item.message


def test_the_value_that_is_run_is_pointed_at(flow, found):
    model(flow, "answer")
    place = flow.span()
    value = Call(function="shell_quote", args=(Name(name="answer", span=place),))
    source = Text(parts=(Literal(value="sh -c "), value))
    flow.add(
        ExecNode(id="RUN", source=source, form="command", session="s", parts=parts(log="text"))
    )
    (item,) = found(unsafe_effects, flow.workflow())
    assert item.primary == place
    assert "`answer` is run as a command, and a model writes it" in item.message


def test_only_the_word_right_after_the_interpreter_is_a_program(flow, said):
    model(flow, "answer")
    value = Call(function="shell_quote", args=(Name(name="answer"),))
    first = Call(function="shell_quote", args=(Literal(value="ls"),))
    source = Text(parts=(Literal(value="sh -c "), first, value))
    flow.add(ExecNode(id="RUN", source=source, form="command", session="s", parts=parts(log="text"),
                      span=flow.span()))  # fmt: skip
    assert codes(said, flow.workflow()) == []


def test_a_part_of_a_command_that_nobody_quotes_is_a_program(flow, said):
    model(flow, "answer")
    source = Text(parts=(Literal(value="ls "), flow.expr("trim(answer)")))
    flow.add(ExecNode(id="RUN", source=source, form="command", session="s", parts=parts(log="text"),
                      span=flow.span()))  # fmt: skip
    assert len(codes(said, flow.workflow())) == 1


def test_what_is_made_of_a_model_s_words_is_a_model_s_words(flow, said):
    model(flow, "answer")
    flow.set("A", second="first + '!'", first="answer")
    command(flow, "bash -c ", "second")
    assert "a model writes it" in codes(said, flow.workflow())[0]


def test_an_assignment_of_something_else_changes_nothing(flow, said):
    model(flow, "answer")
    flow.set("A", other="1")
    command(flow, "bash -c ", "answer")
    assert len(codes(said, flow.workflow())) == 1
