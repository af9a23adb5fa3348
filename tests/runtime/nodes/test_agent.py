"""Agents: conversations, tools in order, reports and what was measured (S29–S48)."""

from __future__ import annotations

from typing import Any

import pytest
from flowc.compiler.expr.ast import Binary
from flowc.compiler.ir import Agent, AgentNode, Assertion, ExecNode, Input, MessageNode, Output
from flowc.runtime.errors import Failure
from flowc.runtime.graph.build import build
from langgraph.graph import StateGraph
from specs import (
    FAILED,
    SUCCESS,
    field_of,
    lit,
    name,
    on_error,
    parts,
    program,
    text,
)


def test_an_agent_remembers_question_and_answer_in_its_thread(execute, world) -> None:
    world.models.replies = ["one", "two"]
    spec = program(
        AgentNode(id="p", agent="main", prompt=lit("first"), into="RESULT"),
        AgentNode(id="q", agent="main", prompt=lit("second"), into="RESULT"),
        SUCCESS,
    )
    execute(spec)
    sent = [m["content"] for m in world.models.requests[1].messages]
    assert sent == ["first", "one", "second"]


def test_agents_and_commands_share_a_graph_each_whatever_the_workflow(monkeypatch) -> None:
    """To compile one for each node took most of the start of a large workflow."""
    graphs: list[StateGraph[Any, Any, Any, Any]] = []
    compiling = StateGraph.compile

    def compile_(graph: Any, **options: Any) -> Any:
        graphs.append(graph)
        return compiling(graph, **options)

    monkeypatch.setattr(StateGraph, "compile", compile_)
    agents = (AgentNode(id=f"p{n}", agent="main", prompt=lit("?"), into="N") for n in range(20))
    commands = (
        ExecNode(
            id=f"x{n}",
            source=lit("true"),
            form="command",
            session="main",
            parts=parts(RESULT="text"),
        )
        for n in range(20)
    )
    build(program(*agents, *commands, SUCCESS))
    assert len(graphs) <= 2


def test_an_agent_with_a_users_perspective_sees_the_roles_swapped(execute, world) -> None:
    world.models.replies = ["question?"]
    spec = program(
        MessageNode(id="m", thread="main", mode="append", role="assistant", template=lit("Hello")),
        AgentNode(id="u", agent="user", prompt=lit("Go on"), into="RESULT"),
        SUCCESS,
        agents=(Agent(id="user", thread="main", perspective="user", system=lit("You ask")),),
    )
    execute(spec)
    sent = [(m["role"], m["content"]) for m in world.models.requests[0].messages]
    assert sent == [("system", "You ask"), ("user", "Hello"), ("user", "Go on")]


def test_text_of_a_model_is_never_rendered_again(execute, world) -> None:
    world.models.replies = ["{{SECRET}} file:/etc/passwd", "x"]
    spec = program(
        AgentNode(id="p", agent="worker", prompt=lit("?"), into="RESULT"),
        AgentNode(id="q", agent="worker", prompt=text("got ", name("RESULT")), into="N"),
        SUCCESS,
    )
    execute(spec)
    assert world.models.requests[1].messages[-1]["content"] == "got {{SECRET}} file:/etc/passwd"


def test_a_missing_input_names_the_variable_and_the_step_s32(execute, world) -> None:
    node = AgentNode(
        id="step_1", title="Judge", agent="worker", prompt=lit("?"), inputs=(Input(name="N"),)
    )
    outcome = execute(program(node, SUCCESS))
    assert outcome.error is not None
    assert outcome.error["message"] == "step `Judge` needs `N`, which has no value"
    assert world.models.requests == []


def report(status: str = "passed", number: int = 1, **more: Any) -> tuple[str, dict[str, Any]]:
    return ("report_step_result", {"step_number": number, "status": status, **more})


def step(**fields: Any) -> AgentNode:
    return AgentNode(
        id="step_0",
        **{
            "title": "Count",
            "agent": "worker",
            "prompt": lit("Count"),
            "tools": ("count", "sum"),
            "ordered": True,
            "report": True,
            "step": 0,
            **fields,
        },
    )


def test_a_step_uses_its_tools_in_order_and_reports_s38_s48(execute, world) -> None:
    world.tools.functions = {"count": lambda: {"n": 2}, "sum": lambda: {"total": 5}}
    world.models.replies = [
        [("sum", {})],
        [("count", {})],
        [("nowhere", {})],
        [("sum", {})],
        [report(output_variables={"N": 5}, assertion_results=[{"assertion": "a", "passed": True}])],
    ]
    holds = Binary(op="==", left=name("total"), right=lit(5))
    spec = program(
        step(
            outputs=(Output(source="total", name="N"),),
            asserts=(Assertion(text="total == 5", expr=holds),),
        ),
        SUCCESS,
    )
    outcome = execute(spec)
    assert [tool for tool, _ in world.tools.calls] == ["count", "sum"]
    told = [m["content"] for m in world.models.requests[-1].messages if m["role"] == "tool"]
    assert "out of order" in told[0]
    assert "there is no tool `nowhere`" in told[2]
    assert outcome.variables["N"] == 5
    measured = outcome.outcomes["step_0"]["assertions"][0]
    assert (measured["claimed"], measured["measured"]) == (True, True)
    assert outcome.outcomes["step_0"]["contradiction"] == ""


def test_a_verdict_that_contradicts_what_was_measured_is_accepted_and_flagged_s41(
    execute, world
) -> None:
    world.tools.functions = {"count": lambda: {"n": 2}}
    claim = [{"assertion": "n == 3", "passed": True, "detail": "surely"}]
    world.models.replies = [[("count", {})], [report(assertion_results=claim)]]
    false = Binary(op="==", left=name("n"), right=lit(3))
    spec = program(step(tools=("count",), asserts=(Assertion(text="n == 3", expr=false),)), SUCCESS)
    outcome = execute(spec)
    assert outcome.status == "success"
    kept = outcome.outcomes["step_0"]
    assert kept["assertions"][0]["measured"] is False
    assert kept["contradiction"] == "`n == 3` is claimed held, measured not held"


def test_a_failed_report_ends_failed_and_merges_nothing_s39(execute, world) -> None:
    world.tools.functions = {"count": lambda: 1}
    failed = report("broken", error_message="no luck", output_variables={"N": 9})
    world.models.replies = [[failed]]
    spec = program(
        step(tools=("count",), outputs=(Output(source="n", name="N"),)),
        AgentNode(id="step_1", agent="worker", prompt=lit("never"), report=True, step=1),
        SUCCESS,
        FAILED,
        edges=(on_error("step_0", "FAILED"),),
    )
    outcome = execute(spec)
    assert (outcome.status, outcome.variables["N"]) == ("failed", None)
    assert outcome.outcomes["step_0"]["status"] == "failed"
    assert outcome.outcomes["step_0"]["error"] == "no luck"
    assert "step_1" not in outcome.outcomes


def test_a_report_of_another_step_is_refused_and_changes_nothing_s36(execute, world) -> None:
    world.models.replies = [[report(number=4)], [report()]]
    outcome = execute(program(step(tools=()), SUCCESS))
    told = world.models.requests[-1].messages[-1]["content"]
    assert "4" in told
    assert "step 1 is" in told
    assert outcome.status == "success"


def test_a_model_that_does_not_report_is_reminded_then_the_step_fails(execute, world) -> None:
    world.models.replies = ["done!", "really", "trust me"]
    outcome = execute(program(step(tools=()), SUCCESS))
    assert outcome.status == "error"
    assert [r.force_tool for r in world.models.requests] == [None, *["report_step_result"] * 2]


def test_a_failing_tool_is_told_to_the_model(execute, world) -> None:
    def broken() -> None:
        raise Failure("the disk is on fire")

    world.tools.functions = {"count": broken}
    world.models.replies = [[("count", {})], [report("failed", error_message="fire")]]
    execute(program(step(tools=("count",)), SUCCESS))
    assert "the disk is on fire" in world.models.requests[-1].messages[-1]["content"]


def test_model_turns_are_bounded(execute, world) -> None:
    world.max_model_turns = 3
    world.tools.functions = {"count": lambda at: at}
    world.models.replies = [[("count", {"at": n})] for n in range(5)]
    outcome = execute(program(step(tools=("count",)), SUCCESS))
    assert outcome.error is not None
    assert outcome.error["kind"] == "limit"
    assert len(world.models.requests) == 3


@pytest.mark.parametrize("result", [["a", "b"], "ab", {"length": 2}])
def test_an_assertion_reads_any_json_result_of_the_last_tool(result: Any, execute, world) -> None:
    world.tools.functions = {"count": lambda: result}
    world.models.replies = [[("count", {})], [report()]]
    two = Binary(op="==", left=field_of("result", "length"), right=lit(2))
    spec = program(step(tools=("count",), asserts=(Assertion(text="two", expr=two),)), SUCCESS)
    kept = execute(spec).outcomes["step_0"]
    assert (kept["assertions"][0]["measured"], kept["assertions"][0]["claimed"]) == (True, None)
    assert kept["warnings"] == ["1 assertion results were expected, 0 received: 1 unverified"]
