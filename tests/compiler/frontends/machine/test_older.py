"""The older dialect of state machines: inline code, sent messages, transitions (J33–J43)."""

from __future__ import annotations

from typing import Any

import pytest
from flowc.compiler.expr.evaluate import evaluate
from flowc.compiler.ir import AgentNode, MessageNode, ScriptNode
from machines import compile_machine, handlers, machine, node, said, value_of

START = {"name": "start"}
ROLE = {"agent_role": "host", "context": "hall", "role": "assistant"}


@pytest.fixture
def read(tmp_path):
    def compile_here(value: Any, **files: Any) -> Any:
        return compile_machine(tmp_path, value, **files)

    return compile_here


def older(*transitions: dict[str, Any], **state: Any) -> dict[str, Any]:
    return {"name": "start", **state, "transition": list(transitions)}


def to(target: str, condition: str = "true", **more: str) -> dict[str, Any]:
    return {"target": target, "condition": condition, **more}


def test_script_then_agent_then_transitions_j33(read) -> None:
    state = older(to("stop"), agent="host", input="Hello", action={"script": "common_data.a = 1"})
    result = read(machine(state))
    assert result.diagnostics == ()
    ids = [n.id for n in result.workflow.nodes if n.group == "start"]
    assert ids == ["start.enter", "start.script", "start"]


@pytest.mark.parametrize("key", ["action", "transition"])
def test_one_state_makes_the_whole_file_an_older_one_j33(read, key) -> None:
    other = {"name": "other", "action": {}} if key == "action" else older(name="other")
    result = read(machine({"name": "start", "agent": "host", "input": "Hello"}, other))
    assert node(result, "start").prompt is not None


@pytest.mark.parametrize("part", ["target", "condition"])
def test_a_transition_needs_target_and_condition_j33(read, part) -> None:
    whole = to("stop")
    del whole[part]
    assert said(read(machine(older(whole)))) == [
        ("FC1003", f"a transition of state `start` has no `{part}`")
    ]


@pytest.mark.parametrize(
    ("function", "kind", "mode"),
    [
        (None, "agent", None), ("sendMessage", "agent", None), ("sendUserMessage", "agent", None),
        ("addUserMessage", "message", "append"), ("clearConversation", "message", "clear"),
    ],
)  # fmt: skip
def test_what_is_done_with_the_agent_j34(read, function, kind, mode) -> None:
    action = {"function": function} if function else {}
    result = read(machine(older(to("stop"), agent="host", input="Hello", action=action)))
    assert result.diagnostics == ()
    found = node(result, "start")
    assert (found.kind, getattr(found, "mode", None)) == (kind, mode)


def test_the_oldest_form_names_agent_and_message_in_the_action_j34(read) -> None:
    state = older(to("stop"), action={"agent_role": "host", "message": "Hi {{common_data.guest}}"})
    result = read(machine(state))
    found = node(result, "start")
    assert isinstance(found, AgentNode)
    assert found.prompt is not None
    assert evaluate(found.prompt, {"common_data": {"guest": "Ada"}}) == "Hi Ada"


def test_a_function_that_is_none_j34(read) -> None:
    state = older(to("stop"), agent="host", input="x", action={"function": "sendMesage"})
    ((code, message),) = said(read(machine(state)))
    assert code == "FC1005"
    assert "`sendMesage`" in message


@pytest.mark.parametrize(
    ("written", "sent"),
    [
        ("common_data.guest", "Ada"),
        ("'Dear ' + common_data.guest + '!'", "Dear Ada!"),
        ("Dear {{ common_data.guest }}, {{common_data.n}}", "Dear Ada, 3"),
        ("Plain words.", "Plain words."),
        ("common_data.missing || common_data.guest", "Ada"),
    ],
)
def test_what_is_sent_j35(read, written, sent) -> None:
    result = read(machine(older(to("stop"), agent="host", input=written)))
    assert result.diagnostics == ()
    found = node(result, "start")
    assert evaluate(found.prompt, {"common_data": {"guest": "Ada", "n": 3}}) == sent


def test_a_path_among_words_is_sent_as_it_stands_and_told_j35(read) -> None:
    written = "Look at common_data.guest first"
    result = read(machine(older(to("stop"), agent="host", input=written)))
    assert [(d.code, d.help) for d in result.diagnostics] == [
        ("FC3001", "write `{{common_data.guest}}`")
    ]
    assert evaluate(node(result, "start").prompt, {"common_data": {"guest": "Ada"}}) == written


@pytest.mark.parametrize("written", ["", "  "])
def test_an_empty_message_is_an_error_j35(read, written) -> None:
    state = older(to("stop"), agent="host", input=written)
    assert [c for c, _ in said(read(machine(state)))] == ["FC1003"]


def test_input_that_only_javascript_can_say_is_a_script_j35(read) -> None:
    state = older(to("stop"), agent="host", input="common_data.guest.toUpperCase()")
    result = read(machine(state))
    assert result.diagnostics == ()
    assert isinstance(node(result, "start.input"), ScriptNode)


def test_the_side_decides_under_which_role_a_message_is_stored_j36(read) -> None:
    def role(agent: str) -> str:
        state = older(to("stop"), agent=agent, input="x", action={"function": "addUserMessage"})
        found = node(read(machine(state)), "start")
        assert isinstance(found, MessageNode)
        return found.role

    assert (role("host"), role("visitor")) == ("user", "assistant")
    agents = read(machine(older(to("stop")))).workflow.agents
    assert {a.remember for a in agents} == {"both"}
    assert {a.remember for a in read(machine(START)).workflow.agents} == {"none"}


CALLED = {"content": "", "tool_calls": [{"id": "1", "name": "done", "args": {"ok": False, "n": 4}}]}


@pytest.mark.parametrize(
    ("condition", "holds", "without_call"),
    [
        ("function.done.arguments.ok === false", True, False),
        ("function.done.arguments.ok === true", False, False),
        ("function.done.arguments.ok !== true", True, False),
        ("!function.done.arguments.ok", True, False),
        ("function.done.arguments.n > 3", True, False),
        ("function.other.arguments.n > 3", False, False),
        ("function.done.arguments.n > 3 || common_data.n > 3", True, False),
        ("common_data.n === 3", True, True),
        ("this.common_data.n < 3", False, False),
        ("getToolCalls('host').length > 0", True, False),
        ("common_data.none", False, False),
        ("common_data.list", True, True),
        ("!common_data.none && common_data.n == 3", True, True),
    ],
)
def test_conditions_as_expressions_j37_j38(read, condition, holds, without_call) -> None:
    states = [older(to("a", condition), agent="host", input="x"), {"name": "a"}]
    result = read(machine(*states))
    assert result.diagnostics == ()
    data = {"n": 3, "list": []}
    assert value_of(result, "start.if", common_data=data, last_response=CALLED) is holds
    assert value_of(result, "start.if", common_data=data, last_response=None) is without_call


def test_conditions_that_are_functions_or_javascript_are_scripts_j37_j38(read) -> None:
    state = older(to("a", "isLate"), to("a", "common_data.guest.startsWith('A')"))
    result = read(machine(state, {"name": "a"}), script=handlers(isLate="return true"))
    assert result.diagnostics == ()
    assert node(result, "start.test").function == "isLate"
    inline = node(result, "start.test2")
    (script,) = (s for s in result.workflow.scripts if s.id == inline.script)
    assert "common_data.guest.startsWith('A')" in script.source


def test_inline_code_stands_at_its_own_line_and_column_j38(read) -> None:
    result = read(machine(older(to("stop", "common_data.guest.includes('A')"))))
    script = result.workflow.scripts[0]
    span = script.span
    at = result.sources.files[span.file].position(span.start)
    line = script.source.split("\n")[at.line - script.line]
    assert line.index("common_data") == at.column - 1


def test_a_condition_that_names_no_function_is_an_error_j37(read) -> None:
    result = read(machine(older(to("stop", "isLte"))), script=handlers(isLate="return true"))
    assert [(d.code, d.help) for d in result.diagnostics] == [("FC4001", "did you mean `isLate`?")]


def test_true_and_false_j37(read) -> None:
    states = [older(to("a", "false"), to("b", "true"), to("c", "true"))]
    states += [{"name": name} for name in "abc"]
    result = read(machine(*states))
    assert said(result) == [("FC2002", "no path leads to `c`")]
    taken = {(e.source, e.target) for e in result.workflow.edges}
    assert ("start.if", "b.enter") in taken
    assert value_of(result, "start.if") is False
    assert all(target != "c.enter" for _, target in taken)


def test_transitions_are_tried_in_order_and_none_means_stop_j39(read) -> None:
    states = [
        older(to("a", "common_data.n > 1"), to("b", "common_data.n > 0")),
        {"name": "a"},
        {"name": "b"},
    ]
    result = read(machine(*states))
    ways = {
        (e.source, e.target, getattr(e.guard, "value", getattr(e.guard, "kind", None)))
        for e in result.workflow.edges
    }
    assert {
        ("start.if", "a.enter", "true"), ("start.if", "start.if2", "otherwise"),
        ("start.if2", "b.enter", "true"), ("start.if2", "stop", "otherwise"),
    } <= ways  # fmt: skip


def test_before_stands_behind_its_condition_j40(read) -> None:
    before = "common_data.answer = this.lastAgentResponse; common_data.n++; common_data.a.b += 2"
    states = [older(to("a", "common_data.n > 1", before=before)), {"name": "a"}]
    result = read(machine(*states))
    ways = {(e.source, e.target) for e in result.workflow.edges}
    assert {("start.if", "start.before"), ("start.before", "a.enter")} <= ways
    data = {"n": 2, "a": {"b": 1, "c": 5}}
    assert value_of(result, "start.before", common_data=data, lastAgentResponse="yes") == {
        "n": 3, "a": {"b": 3, "c": 5}, "answer": "yes",
    }  # fmt: skip


def test_the_last_answer_s_text_can_be_read_j41(read) -> None:
    state = older(
        to("stop", "true", before="common_data.said = lastAgentResponse"), agent="host", input="x"
    )
    result = read(machine(state))
    assert node(result, "start").into == "lastAgentResponse"
    data = value_of(result, "start.before", common_data={}, lastAgentResponse="Hello")
    assert data == {"said": "Hello"}


@pytest.mark.parametrize(("value", "codes"), [("other", []), (3, ["FC1005"])])
def test_a_sub_workflow_is_a_text_and_nothing_more_j42(read, value, codes) -> None:
    result = read(machine(older(to("stop"), action={"sub_workflow": value})))
    assert [c for c, _ in said(result)] == codes
    assert {n.kind for n in result.workflow.nodes} == {"assign", "end"}


def test_a_state_without_agent_only_runs_its_script_j43(read) -> None:
    result = read(machine(older(to("stop"), action={"script": "common_data.a = 'b'"})))
    assert result.diagnostics == ()
    assert value_of(result, "start.script", common_data={}) == {"a": "b"}


@pytest.mark.parametrize(
    "code",
    ["let x = 1; common_data.n = x", "common_data.list.push(3)",
     "common_data.n = common_data.a ? 1 : 2", "if (common_data.n) { common_data.n = 0; }",
     "common_data.t = `n is ${common_data.n}`"],
)  # fmt: skip
def test_code_that_is_more_than_assignments_is_a_script(read, code) -> None:
    result = read(machine(older(to("stop"), action={"script": code})))
    assert result.diagnostics == ()
    assert isinstance(node(result, "start.script"), ScriptNode)


def test_code_with_a_fault_points_into_the_json(read) -> None:
    result = read(machine(older(to("stop"), action={"script": 'common_data.a = "b" +* 3'})))
    (fault,) = result.diagnostics
    assert fault.code == "FC4003"
    source = result.sources.files[fault.primary.file]
    assert source.text[fault.primary.start : fault.primary.end] == "*"


def test_no_node_for_an_unknown_state_where_none_can_be_returned(read) -> None:
    result = read(machine(older(to("stop"), agent="host", input="Hello")))
    assert [n.id for n in result.workflow.nodes if n.kind == "end"] == ["stop"]
