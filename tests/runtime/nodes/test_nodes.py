"""What each node kind does in a real graph on a store in memory."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest
from flowc.compiler.expr.ast import Binary, Call
from flowc.compiler.ir import (
    AgentNode,
    AskNode,
    Assignment,
    CallNode,
    ChooseNode,
    EndNode,
    ErrorRule,
    ExecNode,
    Limit,
    MessageNode,
    ToolNode,
)
from flowc.runtime.errors import RunError
from flowc.runtime.events import RunEvent
from specs import (
    FAILED,
    SUCCESS,
    assign,
    case,
    edge,
    field_of,
    lit,
    name,
    on_error,
    parts,
    plus,
    program,
    program_of,
    text,
    workflow,
)
from worlds import LIMIT, overrun


def test_assignments_see_earlier_ones_of_the_same_node(execute) -> None:
    outcome = execute(program(assign("a", N=lit(1), RESULT=plus(name("N"), lit(1))), SUCCESS))
    assert (outcome.status, outcome.result) == ("success", 2)


def test_choose_evaluates_once_and_its_edges_read_the_case(execute) -> None:
    spec = program(
        assign("start", N=lit(0)),
        ChooseNode(id="small", on=Binary(op="<", left=name("N"), right=lit(2))),
        assign("more", N=plus(name("N"), lit(1))),
        SUCCESS,
        edges=(
            case("small", "true", "more"),
            case("small", "false", "SUCCESS"),
            edge("more", "small"),
        ),
    )
    assert execute(spec).variables["N"] == 2


def test_a_value_no_edge_takes_is_a_failure_that_names_the_cases(execute) -> None:
    spec = program(
        ChooseNode(id="c", on=lit("blue")),
        SUCCESS,
        edges=(case("c", "red", "SUCCESS"), case("c", "green", "SUCCESS")),
    )
    outcome = execute(spec)
    assert outcome.status == "error"
    assert outcome.error is not None
    assert outcome.error["message"] == "no edge of `c` takes `blue`; there are `red`, `green`"


def test_system_prompt_starts_afresh_and_assistant_prompt_only_speaks_m27(execute, world) -> None:
    world.models.replies = ["answer"]
    spec = program(
        assign("a", RESULT=lit("old")),
        MessageNode(
            id="sys", thread="main", mode="reset", role="system", template=lit("S"), into="RESULT"
        ),
        MessageNode(
            id="as", thread="main", mode="append", role="assistant", template=lit("A"), into="N"
        ),
        AgentNode(id="user", agent="main", prompt=text("Q", name("RESULT")), into="RESULT"),
        SUCCESS,
    )
    outcome = execute(spec)
    sent = [(m["role"], m["content"]) for m in world.models.requests[0].messages]
    assert sent == [("system", "S"), ("assistant", "A"), ("user", "Q")]
    assert (outcome.result, outcome.variables["N"]) == ("answer", "A")


def test_a_tool_node_calls_with_computed_arguments(execute, world) -> None:
    world.tools.functions = {"double": lambda n: {"n": n * 2}}
    arguments = (Assignment(target="n", value=plus(lit(1), lit(2))),)
    spec = program(ToolNode(id="t", tool="double", args=arguments, into="RESULT"), SUCCESS)
    assert execute(spec).result == {"n": 6}


def test_an_unknown_tool_is_a_failure_with_the_node(execute) -> None:
    outcome = execute(program(ToolNode(id="t", tool="nowhere"), SUCCESS))
    assert outcome.status == "error"
    assert outcome.error is not None
    assert (outcome.error["node"], outcome.error["kind"]) == ("t", "failure")
    assert "nowhere" in outcome.error["message"]


COMMANDS = "Do:\n```bash\n$ cd /tmp\nfalse\n```\n"


def test_commands_run_one_by_one_in_a_session_that_carries_on_m36_m39(execute, world) -> None:
    def run(node: str, source: str, form: Any = "blocks") -> ExecNode:
        return ExecNode(
            id=node,
            source=lit(source),
            form=form,
            session="main",
            parts=parts(RESULT="transcript", N="code"),
        )

    outcome = execute(program(run("e", COMMANDS), run("f", "pwd", "command"), SUCCESS))
    assert world.shell.ran == ["cd /tmp", "false", "pwd"]
    assert outcome.result == "$ pwd\nout 2"
    assert outcome.variables["N"] == 0


def test_a_text_without_fenced_commands_runs_nothing_and_empties_the_result_m36(
    execute, world
) -> None:
    node = ExecNode(
        id="e", source=lit("prose"), form="blocks", session="main", parts=parts(RESULT="transcript")
    )
    outcome = execute(program(assign("a", RESULT=lit("x")), node, SUCCESS))
    assert (outcome.status, outcome.result, world.shell.ran) == ("success", "", [])


def test_a_failure_takes_its_error_edge_and_the_rules_assign_m35(execute) -> None:
    rule = ErrorRule(
        kinds=("failure",),
        assignments=(
            Assignment(target="STATUS", value=lit("FAILED")),
            Assignment(target="RESULT", value=text("FAILED\n", field_of("error", "message"))),
        ),
    )
    spec = program(
        ToolNode(id="t", tool="nowhere"),
        SUCCESS,
        FAILED,
        edges=(on_error("t", "FAILED"),),
        on_error=(rule,),
    )
    outcome = execute(spec)
    assert (outcome.status, outcome.variables["STATUS"]) == ("failed", "FAILED")
    assert str(outcome.result).startswith("FAILED\nnothing provides the tool")


def test_the_fifth_entry_of_an_activity_fails_when_the_limit_is_three_m45(execute) -> None:
    bound = plus(Call(function="coalesce", args=(name("MAX_ACTIVITY_HITS"), lit(3))), lit(1))
    spec = program(
        assign("begin", N=lit(0)),
        assign("again", N=plus(name("N"), lit(1))),
        SUCCESS,
        FAILED,
        edges=(
            edge("again", "again"),
            on_error("again", "FAILED", "limit"),
        ),
        limits=(Limit(name="visits", value=bound),),
        on_error=(
            ErrorRule(
                kinds=("limit",),
                assignments=(
                    Assignment(target="RESULT", value=text(field_of("error", "message"))),
                ),
            ),
        ),
    )
    outcome = execute(spec)
    assert (outcome.status, outcome.variables["N"]) == ("failed", 4)
    assert outcome.result == "`again` was entered 4 times, which is its limit"


def test_handlers_run_once_before_the_end_m47_m49(execute) -> None:
    spec = program(
        assign("a", N=lit(0)),
        assign("tidy", N=plus(name("N"), lit(1)), RESULT=text("tidied in ", name("STATUS"))),
        EndNode(
            id="SUCCESS",
            outcome="success",
            assignments=(Assignment(target="STATUS", value=lit("SUCCESS")),),
        ),
        edges=(edge("a", "SUCCESS"), edge("tidy", "SUCCESS")),
        on_success="tidy",
    )
    outcome = execute(spec)
    assert (outcome.status, outcome.variables["N"]) == ("success", 1)
    assert outcome.result == "tidied in ", "while the handler runs the status is not yet set"


def test_a_failed_handlers_chain_may_end_in_success_m49(execute) -> None:
    spec = program(
        assign("a"),
        FAILED,
        assign("repair", RESULT=lit("repaired")),
        SUCCESS,
        on_failed="repair",
    )
    assert (execute(spec).status, execute(spec).result) == ("success", "repaired")


def test_a_call_shares_variables_and_the_session_m43(execute, world) -> None:
    inner = workflow(
        ExecNode(
            id="e", source=lit("pwd"), form="command", session="main", parts=parts(RESULT="text")
        ),
        assign("n", N=plus(name("N"), lit(1))),
        SUCCESS,
    )
    outer = workflow(
        assign("a", N=lit(1)),
        ExecNode(
            id="e", source=lit("cd x"), form="command", session="main", parts=parts(RESULT="text")
        ),
        CallNode(id="c", workflow="inner", passes_all=True, returns_all=True, shares_sessions=True),
        ExecNode(
            id="f", source=lit("ls"), form="command", session="main", parts=parts(STATUS="text")
        ),
        SUCCESS,
    )
    outcome = execute(program_of(outer, inner=inner))
    assert outcome.status == "success"
    assert (outcome.variables["N"], outcome.result) == (2, "out 1")
    assert outcome.variables["STATUS"] == "out 2"


def test_a_called_workflow_that_ends_failed_fails_the_call_and_returns_its_variables_m44(
    execute,
) -> None:
    inner = workflow(assign("a", RESULT=lit("why")), FAILED)
    outer = workflow(
        CallNode(id="c", workflow="inner", passes_all=True, returns_all=True),
        SUCCESS,
        FAILED,
        edges=(on_error("c", "FAILED"),),
        on_error=(
            ErrorRule(
                kinds=("failure",), assignments=(Assignment(target="RESULT", value=lit("rule")),)
            ),
        ),
    )
    outcome = execute(program_of(outer, inner=inner))
    assert (outcome.status, outcome.result) == ("failed", "why")


@pytest.mark.parametrize("end", [SUCCESS, FAILED])
def test_a_call_sets_what_it_names_after_a_success(execute, end: EndNode) -> None:
    returns = (
        Assignment(target="N", value=name("winner")),
        Assignment(target="RESULT", value=plus(name("winner"), name("N"))),
    )
    inner = workflow(assign("a", winner=lit(4), N=lit(3)), end, variables=("winner", "N"))
    call = CallNode(id="c", workflow="inner", returns=returns)
    main = workflow(assign("a", N=lit(1)), call, SUCCESS, FAILED, edges=(on_error("c", "FAILED"),))
    outcome = execute(program_of(main, inner=inner))
    expected = ("success", 4, 7) if end is SUCCESS else ("failed", 1, None)
    assert (outcome.status, outcome.variables["N"], outcome.variables["RESULT"]) == expected


def test_events_of_a_called_workflow_carry_the_path_of_calls(execute) -> None:
    events: list[RunEvent] = []
    inner = workflow(assign("deep"), SUCCESS)
    outer = workflow(CallNode(id="c", workflow="inner"), SUCCESS)
    execute(program_of(outer, inner=inner), listeners=(events.append,))
    paths = {event.node: event.path for event in events if event.kind == "node_started"}
    assert (paths["deep"], paths["c"]) == (("c",), ())


def test_an_undeclared_write_is_refused_instead_of_dropped(execute) -> None:
    spec = program(assign("a", RESULT=lit(1)), SUCCESS)
    narrow = dataclasses.replace(spec.nodes[0], writes=("$visits",))
    spec = dataclasses.replace(spec, nodes=(narrow, *spec.nodes[1:]))
    with pytest.raises(RunError, match="`a` writes `RESULT`, which it does not declare"):
        execute(spec)


def test_the_step_limit_of_the_person_who_runs_it_stops_resumably(execute, world) -> None:
    world.max_steps = 3
    spec = program(assign("a"), edges=(edge("a", "a"),))
    outcome = execute(spec)
    assert (outcome.status, outcome.nodes) == ("stopped", 3)
    assert outcome.error is not None


def test_a_node_that_takes_too_long_fails_as_timeout(execute, world) -> None:
    async def slow(request: Any) -> Any:
        await overrun()

    world.models.reply = slow
    node = AgentNode(id="p", agent="worker", prompt=lit("?"), into="RESULT", timeout=LIMIT)
    outcome = execute(program(node, SUCCESS, FAILED, edges=(on_error("p", "FAILED", "timeout"),)))
    assert outcome.status == "failed"


def test_ask_takes_an_answer_given_in_advance(execute, world) -> None:
    class Answers:
        def answer(self, kind: str, node: str, visit: int) -> str:
            return f"{kind} {node} {visit}"

    world.people = Answers()
    spec = program(AskNode(id="q", question=lit("?"), into="RESULT"), SUCCESS)
    assert execute(spec).result == "ask q 1"


def test_a_file_that_the_workflow_writes_counts_from_the_workflows_file_m22(execute, world) -> None:
    world.tools.functions = {"write_file": lambda path, content: None}
    arguments = (
        Assignment(target="path", value=lit("out.txt")),
        Assignment(target="content", value=lit(3)),
    )
    execute(program(ToolNode(id="t", tool="write_file", args=arguments), SUCCESS))
    assert world.files.texts == {"out.txt": "3"}
