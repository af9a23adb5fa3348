"""FC3001 and FC3002: what nothing writes, and what some path does not write."""

from __future__ import annotations

from dataclasses import replace

import pytest
from flowc.compiler.checks.dataflow import early_reads, undefined_variables
from flowc.compiler.checks.unused import unused_outputs
from flowc.compiler.ir import (
    AgentNode,
    Assertion,
    CallNode,
    ChooseNode,
    EndNode,
    ExecNode,
    Input,
    Output,
    Param,
    StateField,
)
from specs import parts


def step(flow, number, *, inputs=(), outputs=()):
    """A step that needs and puts out variables."""
    flow.add(
        AgentNode(
            id=f"step_{number}",
            title="Look",
            agent="worker",
            prompt=flow.expr("''"),
            step=number,
            inputs=tuple(Input(name=n, span=flow.span(len(n))) for n in inputs),
            outputs=tuple(Output(source="r", name=n, span=flow.span(len(n))) for n in outputs),
            span=flow.span(),
        )
    )


def test_a_name_that_nothing_lists_is_an_error_with_the_name_that_was_meant(flow, found):
    flow.set("START", GRADE="1")
    flow.choose("B", "GRADES > 1")
    flow.edge("START > B")
    (item,) = found(undefined_variables, flow.workflow())
    assert (item.code, item.severity) == ("FC3001", "error")
    assert item.message == "`B` reads `GRADES`, which nothing writes"
    assert item.help == "did you mean `GRADE`?"
    assert [label.text for label in item.labels] == ["written here"]
    assert item.fix is not None
    assert item.fix.text == "GRADE"


@pytest.mark.parametrize(
    ("name", "is_left", "is_said"),
    [("goal", True, False), ("GOAL", True, True), ("grads", True, True), ("goal", False, True)],
)
def test_what_a_format_leaves_as_written_is_prose_unless_it_looks_like_a_name(
    flow, said, name, is_left, is_said
):
    """Capitals make a name, and so does a variable that is written almost alike."""
    flow.set("START", grade="1", out=f"coalesce({name}, '')")
    node = flow.nodes["START"]
    grade, out = node.assignments
    if is_left:  # a call that a format puts around a placeholder stands where the placeholder does
        out = replace(out, value=replace(out.value, span=out.value.args[0].span))
    else:
        out = replace(out, value=out.value.args[0])
    flow.nodes["START"] = replace(node, assignments=(grade, out))
    assert bool(said(undefined_variables, flow.workflow())) is is_said


def test_a_name_that_is_listed_may_come_from_the_caller(flow, said):
    flow.listed("CITY")
    flow.set("START", OUT="CITY")
    assert said(undefined_variables, flow.workflow()) == [
        ("FC3001", "warning", "`START` reads `CITY`, which nothing writes")
    ]


def test_one_name_is_one_fault_however_often_it_is_read(flow, found):
    flow.set("START", A="X", B="X + X")
    (item,) = found(undefined_variables, flow.workflow())
    assert [label.text for label in item.labels] == ["also read here"] * 2


@pytest.mark.parametrize(
    "more",
    [
        {"params": (Param(name="X"),)},
        {"state": (StateField(name="X", default=""),)},
    ],
)
def test_parameters_and_defaults_are_there_from_the_start(flow, said, more):
    flow.set("START", A="X")
    workflow = flow.workflow(**({} if "state" in more else more))
    if "state" in more:
        from dataclasses import replace

        workflow = replace(workflow, **more)
    assert said(undefined_variables, workflow) == []
    assert said(early_reads, workflow) == []


def test_a_parameter_that_only_its_use_lists_is_warned_of(flow, said):
    """S32: an input that no step puts out has to be given by the caller."""
    step(flow, 0, inputs=["REPO"])
    flow.edge("START > step_0")
    (entry,) = flow.nodes["step_0"].inputs
    params = (Param(name="REPO", required=True, span=entry.span),)
    assert said(undefined_variables, flow.workflow(params=params)) == [
        ("FC3001", "warning", "step 1 (`Look`) needs `REPO`, which nothing writes")
    ]
    listed = (Param(name="REPO", required=True, span=flow.span()),)
    assert said(undefined_variables, flow.workflow(params=listed)) == []


def test_an_input_that_is_put_out_later_is_an_error(flow, found):
    step(flow, 0, inputs=["ID"])
    step(flow, 1, outputs=["ID"])
    flow.edge("START > step_0")
    flow.edge("step_0 > step_1")
    (item,) = found(early_reads, flow.workflow())
    assert (item.code, item.severity) == ("FC3002", "error")
    assert item.message == "step 1 (`Look`) needs `ID`, which is written only later"
    assert [label.span for label in item.labels] == [flow.nodes["step_1"].outputs[0].span]


def test_a_branch_that_does_not_write_is_shown_as_a_path(flow, found):
    flow.choose("CHECK", "1 == 1")
    flow.set("SET", CITY="'Oslo'")
    flow.set("USE", OUT="CITY")
    for edge in ("START > CHECK", "CHECK true> SET", "SET > USE", "CHECK false> USE"):
        flow.edge(edge)
    (item,) = found(early_reads, flow.workflow())
    assert (item.code, item.severity) == ("FC3002", "warning")
    assert item.message == "`USE` reads `CITY`, which not every path has written"
    assert item.notes == ("not written on the path START → CHECK → USE",)


def test_both_branches_write(flow, said):
    flow.choose("CHECK", "1 == 1")
    flow.set("A", CITY="'Oslo'")
    flow.set("B", CITY="'Bergen'")
    flow.set("USE", OUT="CITY")
    for edge in ("START > CHECK", "CHECK true> A", "CHECK false> B", "A > USE", "B > USE"):
        flow.edge(edge)
    assert said(early_reads, flow.workflow()) == []


def test_a_loop_that_writes_at_its_end_is_read_too_early_the_first_time(flow, said):
    flow.set("USE", OUT="CITY")
    flow.set("SET", CITY="'Oslo'")
    for edge in ("START > USE", "USE > SET", "SET > USE"):
        flow.edge(edge)
    assert [message for _, _, message in said(early_reads, flow.workflow())] == [
        "`USE` reads `CITY`, which not every path has written"
    ]


def test_a_failure_leaves_before_the_value_is_written(flow, said):
    step(flow, 0, outputs=["ID"])
    flow.set("USE", OUT="ID")
    for edge in ("START > step_0", "step_0 > END", "step_0 !> USE"):
        flow.edge(edge)
    assert len(said(early_reads, flow.workflow())) == 1


def test_commands_that_fail_leave_nothing_though_a_variable_gets_the_code(flow, said):
    """Where the code is taken, those alone fail that were refused or whose output is no JSON."""
    flow.add(
        ExecNode(
            id="RUN", source=flow.expr("'make'"), form="command", session="main",
            parts=parts(OUT="text", CODE="code"), span=flow.span(),
        )
    )  # fmt: skip
    flow.set("USE", SHOWN="CODE")
    for edge in ("START > RUN", "RUN > END", "RUN !> USE"):
        flow.edge(edge)
    assert said(early_reads, flow.workflow()) == [
        ("FC3002", "warning", "`USE` reads `CODE`, which is written only later")
    ]


def test_a_command_that_has_to_succeed_leaves_nothing_when_it_fails(flow, said):
    flow.add(
        ExecNode(
            id="RUN", source=flow.expr("'make'"), form="command", session="main",
            parts=parts(OUT="text"), span=flow.span(),
        )
    )  # fmt: skip
    flow.set("USE", SHOWN="OUT")
    for edge in ("START > RUN", "RUN > END", "RUN !> USE"):
        flow.edge(edge)
    assert len(said(early_reads, flow.workflow())) == 1


def test_an_assignment_may_read_what_the_one_before_it_wrote(flow, said):
    flow.set("START", A="1", B="A + 1")
    assert said(early_reads, flow.workflow()) == []


@pytest.mark.parametrize("guarded", ["coalesce(CITY, 'none')", "CITY exists", "default(CITY, 1)"])
def test_the_author_who_wrote_what_to_do_without_a_value_is_not_warned(flow, said, guarded):
    flow.set("USE", OUT=guarded)
    flow.set("SET", CITY="'Oslo'")
    flow.edge("START > USE")
    flow.edge("USE > SET")
    assert said(early_reads, flow.workflow()) == []


def test_a_handler_sees_what_every_way_to_its_end_has_written(flow, said):
    flow.set("A", CITY="'Oslo'")
    flow.set("ON_SUCCESS", OUT="CITY")
    flow.add(EndNode(id="END", outcome="success"))
    for edge in ("START > A", "A > END", "ON_SUCCESS > END"):
        flow.edge(edge)
    assert said(early_reads, flow.workflow(on_success="ON_SUCCESS")) == []


def test_a_called_workflow_may_write_whatever_the_file_lists(flow, said):
    flow.listed("CITY")
    flow.add(CallNode(id="CALL", workflow="sub.md", returns_all=True, span=flow.span()))
    flow.set("USE", OUT="CITY")
    flow.edge("START > CALL")
    flow.edge("CALL > USE")
    assert said(undefined_variables, flow.workflow()) == []
    assert said(early_reads, flow.workflow()) == []


def test_what_the_caller_hands_over_is_there(flow, said):
    from dataclasses import replace

    flow.listed("CITY")
    flow.set("START", OUT="CITY")
    called = replace(flow.workflow(), name="sub")
    caller = type(flow)()
    caller.set("START", CITY="'Oslo'")
    caller.add(CallNode(id="CALL", workflow="main.md", passes_all=True, span=caller.span()))
    caller.edge("START > CALL")
    assert said(undefined_variables, called) != []
    assert said(undefined_variables, called, caller.workflow()) == []


def test_a_node_that_no_path_leads_to_reads_nothing_too_early(flow, said):
    flow.set("USE", OUT="CITY")
    flow.set("SET", CITY="'Oslo'")
    flow.edge("START > SET")
    flow.edge("USE > END")
    assert said(early_reads, flow.workflow()) == []


def test_a_long_path_is_shown_by_its_ends(flow, found):
    for number in range(20):
        flow.edge(f"{'START' if number == 0 else f'N{number}'} > N{number + 1}")
    flow.set("N20", OUT="CITY")
    flow.set("SET", CITY="1")
    flow.edge("N20 > SET")
    (item,) = found(early_reads, flow.workflow())
    assert item.notes == (
        "not written on the path START → N1 → N2 → N3 → … → N17 → N18 → N19 → N20",
    )


@pytest.mark.timeout(60)
def test_ten_thousand_variables_that_are_all_read_too_early(flow, said):
    """Every variable costs one look at a tree of paths, not a search of its own."""
    count = 10_000
    for number in range(count):
        step(flow, number, inputs=[f"V{number}"], outputs=[f"V{number}"])
        flow.edge(f"{'START' if number == 0 else f'step_{number - 1}'} > step_{number}")
        flow.edge(f"step_{number} ?> FAILED")
    assert len(said(early_reads, flow.workflow())) == count


def test_assertions_read_the_result_tools_by_name_and_what_the_step_puts_out(flow, said):
    texts = ("result.ok", "find.count > 0", "ID exists", "OTHER == 1")
    flow.add(
        AgentNode(
            id="step_0",
            title="Look",
            agent="worker",
            prompt=flow.expr("''"),
            tools=("find",),
            step=0,
            outputs=(Output(source="r", name="ID", span=flow.span(2)),),
            asserts=tuple(Assertion(text=text, expr=flow.expr(text)) for text in texts),
            span=flow.span(),
        )
    )
    flow.edge("START > step_0")
    assert said(undefined_variables, flow.workflow()) == [
        ("FC3001", "error", "step 1 (`Look`) reads `OTHER`, which nothing writes")
    ]
    assert said(unused_outputs, flow.workflow()) == []


def waiting(flow, name: str, **values: str) -> None:
    flow.set(name, **values)
    flow.nodes[name] = replace(flow.nodes[name], join="all")


def test_a_join_comes_after_all_that_it_waits_for(flow, said):
    flow.set("A", CITY="'Oslo'")
    flow.set("B", LAND="'Norway'")
    waiting(flow, "J", X="CITY", Y="LAND")
    flow.set("LATER", Z="CITY")
    for edge in ("START > A", "START > B", "A > J", "B > J", "J > LATER"):
        flow.edge(edge)
    assert said(early_reads, flow.workflow()) == []


def test_behind_a_join_what_a_choice_passes_over_may_still_be_missing(flow, said):
    flow.choose("C", "1")
    flow.set("A", CITY="'Oslo'")
    flow.set("B")
    waiting(flow, "J", X="CITY")
    for edge in ("START > C", "START > B", "C yes> A", "C no> M", "A > M", "M > J", "B > J"):
        flow.edge(edge)
    assert [code for code, _, _ in said(early_reads, flow.workflow())] == ["FC3002"]


def test_beside_the_writer_nothing_is_written_yet(flow, said):
    flow.set("A", CITY="'Oslo'")
    flow.set("B", X="CITY")
    waiting(flow, "J")
    for edge in ("START > A", "START > B", "A > J", "B > J"):
        flow.edge(edge)
    assert [code for code, _, _ in said(early_reads, flow.workflow())] == ["FC3002"]


def test_the_other_places_of_an_unknown_name_are_labelled(flow, found):
    flow.set("START", A="GONE", B="GONE")
    flow.set("C", D="GONE")
    flow.edge("START > C")
    (item,) = found(undefined_variables, flow.workflow())
    first, second = (a.value.span for a in flow.nodes["START"].assignments)
    third = flow.nodes["C"].assignments[0].value.span
    assert item.primary == first
    assert [(label.span, label.text) for label in item.labels] == [
        (second, "also read here"), (third, "also read here")
    ]  # fmt: skip
    assert item.help.startswith("write it in an earlier node, or list it as a parameter; ")
    assert item.fix is None


def test_a_listed_name_may_be_given_with_the_run(flow, found):
    flow.listed("CITY")
    flow.set("START", OUT="CITY")
    (item,) = found(undefined_variables, flow.workflow())
    assert item.help == "write it before, or give it when the workflow is run: `-i CITY=…`"


def test_a_step_needs_its_inputs_and_reads_everything_else(flow, said):
    step(flow, 1, inputs=("CITY",))
    flow.edge("START > step_1")
    assert said(undefined_variables, flow.workflow())[0][2].endswith(
        "needs `CITY`, which nothing writes"
    )


def test_the_place_where_the_name_is_written_is_shown(flow, found):
    flow.set("START", GRADE="1")
    flow.set("B", OUT="GRADES + 1")
    flow.set("C", GRADE="2")
    (item,) = found(undefined_variables, flow.workflow())
    assert item.labels[0].span == flow.nodes["START"].assignments[0].span


def test_a_name_inside_of_braces_is_not_replaced(flow, found):
    flow.set("START", GRADE="1")
    read = replace(flow.expr("GRADES"), span=flow.span(20))
    flow.add(ChooseNode(id="B", on=read, span=flow.span()))
    (item,) = found(undefined_variables, flow.workflow())
    assert (item.help, item.fix) == ("did you mean `GRADE`?", None)


def test_two_writers_in_a_loop_around_a_join_leave_nothing_early(flow, said):
    flow.set("A", CITY="'Oslo'")
    flow.set("B", TOWN="'Ulm'")
    waiting(flow, "J", X="CITY", Y="TOWN")
    for edge in ("START > A", "START > B", "A > J", "B > J", "J yes> START", "J no> END"):
        flow.edge(edge)
    assert said(early_reads, flow.workflow()) == []
