"""Contracts: what is refused and where, and what a file becomes (C1 to C8, C15, C16, C23)."""

from __future__ import annotations

import json

import pytest
from contracts import contract, faults, gate, read, step
from flowc.compiler.analysis.schedule import schedule_of
from flowc.compiler.driver import compile_text
from flowc.compiler.frontends import detect
from flowc.compiler.ir import AssignNode, GateNode, TaskNode
from flowc.compiler.source.source import Source


def edges(text: str) -> set[tuple[str, str]]:
    result = read(text)
    assert result.diagnostics == ()
    return {(edge.source, edge.target) for edge in result.workflow.edges}


def order(text: str) -> list[str]:
    result = read(text)
    assert result.diagnostics == ()
    return [node.id for node in result.workflow.nodes if isinstance(node, TaskNode)]


def test_one_object_is_one_workflow_c1() -> None:
    text = contract(step("soup"), description="Good", form="sequential")
    workflow = read(text).workflow
    assert (workflow.name, workflow.title, workflow.description) == ("menu", "Menu", "Good")
    (found,) = compile_text(f"[{text}]", "menu.json", format="contract").diagnostics
    assert (found.code, found.message) == ("FC1005", "the workflow is a list, not an object")


@pytest.mark.parametrize(
    ("text", "code", "place"),
    [
        (contract(), "FC1008", "[]"),
        (contract(step("a", "b")), "FC2001", "b"),
        (contract(step("a", "a")), "FC2004", "a"),
        (contract(step("start"), step("a", "start", "b"), step("b", "a")), "FC2004", "b"),
        (contract(step("a", role="")), "FC1003", '"required_role"'),
        (contract(step("a", role=None)), "FC1003", '"required_role"'),
        (contract(step("a", success_criteria=" ")), "FC1003", '"success_criteria"'),
        (contract({"step_id": "a", "required_role": "r"}), "FC1003", "{"),
        ('{"workflow_name": "Menu", "workflow_type": "parallel"}', "FC1003", "{"),
    ],
)
def test_what_makes_a_workflow_invalid_c2(text, code, place) -> None:
    assert faults(text) == [(code, place)]
    assert not read(text).ok


def test_a_circle_is_printed_whole_wherever_it_lies_c2() -> None:
    ring = [step(f"s{n}", f"s{(n + 1) % 5}") for n in range(5)]
    (found,) = read(contract(step("first"), *ring, step("last", "s3"))).diagnostics
    assert found.message.endswith("circle: s0 → s1 → s2 → s3 → s4 → s0")
    assert [label.text for label in found.labels] == [
        f"`s{n}` waits for `s{(n + 1) % 5}`" for n in range(1, 5)
    ]


def test_an_unknown_dependency_is_answered_with_the_nearest_step_c2() -> None:
    (found,) = read(contract(step("simmer"), step("serve", "simer"))).diagnostics
    assert found.help == "did you mean `simmer`?"


@pytest.mark.parametrize(
    ("text", "code", "place"),
    [
        (contract(step("a"), step("a")), "FC1004", "a"),
        (contract(step("a"), gates=(gate("a"),)), "FC1004", "a"),
        (contract(step("a"), form="serial"), "FC1005", "serial"),
        (contract(step("a"), form=None), "FC1003", '"workflow_type"'),
        (contract(step("a"), workflow_name=" "), "FC1003", '"workflow_name"'),
        (contract(step("a"), {**step("b"), "step_id": None}), "FC1003", '"step_id"'),
        (contract(step("a"), gates=(gate("g", None),)), "FC1003", '"gate_type"'),
        (contract(step("a"), gates=(gate(None),)), "FC1003", '"gate_id"'),
        (contract(step("a", form="work")), "FC1005", "work"),
        (contract(step("a"), gates=(gate("g", "check"),)), "FC1005", "check"),
        (contract(step("a"), gates=(gate("g", score=1.01),)), "FC1005", "1.01"),
        (contract(step("a"), gates=(gate("g", score=-1),)), "FC1005", "-1"),
        (contract(step("a"), gates=(gate("g", score=None),)), "FC1003", '"required_score"'),
        (contract(step("a", estimated_duration=-1)), "FC1005", "-1"),
        (contract(step("a", estimated_duration=1000001)), "FC1005", "1000001"),
        (contract(step("a", estimated_duration=True)), "FC1005", "true"),
        (contract(step("a", colour="red")), "FC1002", "colour"),
        (contract(step("a"), colour="red"), "FC1002", "colour"),
        (contract(step("a"), gates=(gate("g", colour="red"),)), "FC1002", "colour"),
        (contract(step("a"), execution_config={"colour": "red"}), "FC1002", "colour"),
        (contract(step("a|b")), "FC1005", "a|b"),
        (contract(step("a:b")), "FC1005", "a:b"),
        (contract(step("a\tb")), "FC1005", "a\\tb"),
        (contract(step("$visits")), "FC1005", "$visits"),
        (contract(step(" a")), "FC1005", " a"),
    ],
)
def test_what_the_reference_would_accept_c3(text, code, place) -> None:
    assert faults(text) == [(code, place)]


def test_blanks_around_a_role_are_told_c3() -> None:
    (found,) = read(contract(step("a", role=" cook "))).diagnostics
    assert (found.code, found.severity, found.help) == ("FC1005", "warning", "write `cook`")


def test_a_step_without_a_type_is_a_task_and_other_gates_need_no_score_c3() -> None:
    text = contract(step("a", form=None), gates=(gate("g", "approval", None),))
    result = read(text)
    assert result.diagnostics == ()
    assert [n.form for n in result.workflow.nodes if isinstance(n, TaskNode)] == ["task"]


def test_ids_that_are_no_words_are_kept_as_they_are_c3() -> None:
    names = ["2 eggs", "2_eggs", "and", "result", "über-x", "end", "start", "a.again"]
    text = contract(*(step(name) for name in names), step("mix", *names))
    workflow = read(text).workflow
    assert [n.id for n in workflow.nodes if isinstance(n, TaskNode)] == [*names, "mix"]
    variables = [n.into for n in workflow.nodes if isinstance(n, TaskNode)]
    assert len(set(variables)) == len(variables)
    assert all(name.replace("_", "a").isalnum() and name.isascii() for name in variables)
    assert not {"and", "result"} & set(variables)
    assert {"end", "start"} < {n.id for n in workflow.nodes if isinstance(n, TaskNode)}


def test_a_dependency_may_name_a_later_step_c4() -> None:
    text = contract(step("c", "b"), step("b", "a"), step("a"), form="sequential")
    assert order(text) == ["a", "b", "c"]


@pytest.mark.parametrize("form", ["sequential", "parallel", "hybrid"])
def test_the_total_is_the_sum_whatever_the_type_c5(form) -> None:
    a, b = step("a", estimated_duration=5), step("b", "a", estimated_duration=20)
    c, d = step("c", "a", estimated_duration=7.5), step("d", "b", "c")
    schedule = schedule_of(read(contract(a, b, c, d, form=form)).workflow)
    assert schedule.total == 32.5
    alone = form == "sequential"
    assert schedule.critical == (32.5 if alone else 25)
    assert schedule.critical_path == (("a", "b", "c") if alone else ("a", "b"))


def test_the_critical_path_takes_no_way_back_c5() -> None:
    text = contract(
        step("route", estimated_duration=1),
        step("texts", "route", estimated_duration=9),
        step("plan", "route", estimated_duration=5),
        step("both", "texts", "plan", form="synchronization"),
        step("check", "both", form="review", estimated_duration=2),
        step("all", "check", "route", form="review", estimated_duration=1),
    )
    schedule = schedule_of(read(text).workflow)
    assert schedule.critical_path == ("route", "texts", "check", "all")
    assert (schedule.total, schedule.critical) == (18, 13)


def test_a_workflow_without_estimates_has_no_schedule_c5() -> None:
    assert schedule_of(read(contract(step("a"))).workflow) is None


def test_warnings_do_not_keep_a_workflow_from_being_used_c6(tmp_path) -> None:
    (tmp_path / "team.json").write_text(
        json.dumps(
            {
                "team_name": "T",
                "team_type": "research",
                "agents": [
                    {"role": "cook", "configuration": {"tools": ["stove"]}},
                    {"role": "x"},
                ],
            }
        )
    )
    result = compile_text(contract(step("a")), "menu.json", team=str(tmp_path / "team.json"))
    assert [(d.code, d.severity) for d in result.diagnostics] == [("FC4001", "warning")]
    assert result.ok


def test_a_sequential_workflow_takes_ties_in_file_order_c7() -> None:
    text = contract(
        step("z"), step("c", "z"), step("a"), step("b", "a"), step("d", "c"), form="sequential"
    )
    assert order(text) == ["z", "c", "a", "b", "d"]
    chain = {("z", "c"), ("c", "a"), ("a", "b"), ("b", "d"), ("d", "end")}
    assert edges(text) == chain


@pytest.mark.parametrize("form", ["parallel", "hybrid"])
def test_other_workflows_do_whatever_can_be_done_c7(form) -> None:
    text = contract(step("a"), step("b"), step("c", "a", "b"), step("d", "a"), form=form)
    assert edges(text) == {
        ("start", "a"),
        ("start", "b"),
        ("a", "c"),
        ("b", "c"),
        ("a", "d"),
        ("c", "end"),
        ("d", "end"),
    }
    waits = {node.id: node.join for node in read(text).workflow.nodes}
    assert (waits["c"], waits["d"], waits["end"]) == ("all", "any", "all")


@pytest.mark.parametrize("form", ["task", "decision", "synchronization", "review"])
def test_the_types_of_steps_c7(form) -> None:
    (task, *_) = read(contract(step("a", form=form))).workflow.nodes
    assert isinstance(task, TaskNode)
    assert task.form == form


@pytest.mark.parametrize("word", ["strict", "lenient", "advisory", None])
def test_gates_are_enforced_as_the_file_says_c15(word) -> None:
    config = {"quality_enforcement": word} if word else {"auto_retry": False}
    gates = (gate("g"), gate("m", "milestone"))
    text = contract(step("a"), gates=gates, execution_config=config)
    gates = [n for n in read(text).workflow.nodes if isinstance(n, GateNode)]
    assert [g.mode for g in gates] == [word or "strict"] * 2


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("max_iterations", 0), ("max_iterations", 2.5), ("timeout_minutes", 0),
        ("timeout_minutes", -1), ("auto_retry", "yes"), ("quality_enforcement", "harsh"),
    ],
)  # fmt: skip
def test_what_no_execution_may_be_told_c15_c16(key, value) -> None:
    (found,) = read(contract(step("a"), execution_config={key: value})).diagnostics
    assert found.code == "FC1005"
    assert f"`{key}`" in found.message


def test_failures_are_taken_to_another_attempt_only_where_the_file_says_c16() -> None:
    plain = contract(step("a"), execution_config={"max_iterations": 3, "auto_retry": False})
    assert edges(plain) == {("a", "end")}
    text = contract(step("a"), execution_config={"max_iterations": 3, "auto_retry": True})
    assert edges(text) == {
        ("a", "a.retry"),
        ("a.retry", "a.anew"),
        ("a.anew", "a"),
        ("a.retry", "failed"),
        ("a", "end"),
    }


def test_the_time_and_the_inputs_of_the_file_c16() -> None:
    text = contract(
        step("a"), input_parameters={"eggs": 2}, execution_config={"timeout_minutes": 1.5}
    )
    workflow = read(text).workflow
    (limit,) = workflow.limits
    assert (limit.name, limit.value.value) == ("seconds", 90)
    assert workflow.params[0].default == {"eggs": 2}


def test_gates_stand_behind_the_last_steps_in_file_order_c23() -> None:
    gates = (gate("g1"), gate("g2", "approval"), gate("g3", "milestone"))
    text = contract(step("a"), step("b", "a"), step("c", "a"), gates=gates)
    assert edges(text) >= {("b", "g1"), ("c", "g1"), ("g1", "g2"), ("g2", "g3"), ("g3", "end")}
    nodes = {node.id: node for node in read(text).workflow.nodes}
    assert nodes["g1"].join == "all"


def test_a_review_leads_back_to_what_it_reviews_c23() -> None:
    text = contract(step("a"), step("b", "a"), step("c", "a", "b", form="review"))
    assert edges(text) == {
        ("a", "b"),
        ("a", "c"),
        ("b", "c"),
        ("c", "c.verdict"),
        ("c.verdict", "c.again"),
        ("c.again", "a"),
        ("c.verdict", "end"),
    }


def test_a_step_that_is_begun_again_waits_for_others_but_once_c23() -> None:
    text = contract(step("a"), step("b"), step("c", "a", "b"), step("d", "c", form="review"))
    assert edges(text) >= {("a", "c.ready"), ("b", "c.ready"), ("c.ready", "c"), ("d.again", "c")}
    door = next(n for n in read(text).workflow.nodes if n.id == "c.ready")
    assert isinstance(door, AssignNode)
    assert door.join == "all"


def test_nothing_is_built_on_a_step_before_its_review_has_passed_c23() -> None:
    text = contract(step("a"), step("check", "a", form="review"), step("b", "a"))
    assert ("check.verdict", "b") in edges(text)
    assert ("a", "b") not in edges(text)


def test_of_two_reviews_of_a_step_the_second_waits_for_the_first_c23() -> None:
    text = contract(step("a"), step("r", "a", form="review"), step("s", "a", form="review"))
    assert {("r.verdict", "s"), ("s.again", "a"), ("r.again", "a")} <= edges(text)
    assert ("a", "s") not in edges(text)


def test_what_went_into_a_synchronization_is_done_again_not_the_merging_c23() -> None:
    text = contract(
        step("a"),
        step("b"),
        step("both", "a", "b", form="synchronization"),
        step("check", "both", form="review"),
    )
    assert {("check.again", "a"), ("check.again", "b")} <= edges(text)
    assert ("check.again", "both") not in edges(text)


def test_in_a_sequence_everything_from_the_first_reviewed_step_is_done_again_c23() -> None:
    text = contract(
        step("a"),
        step("b"),
        step("c"),
        step("check", "c", "b", form="review"),
        form="sequential",
    )
    assert ("check.again", "b") in edges(text)
    assert ("check.again", "c") not in edges(text)


@pytest.mark.parametrize(
    ("path", "text", "claimed"),
    [
        ("x.json", '{"workflow_type": 1}', True),
        ("x.json", '{"steps": [{"step_id": 1}]}', True),
        ("x.contract.json", "{}", True),
        ("x.json", "{}", False),
        ("x.json", '{"states": [], "steps": []}', False),
        ("x.md", '# {"required_role": 1}', False),
    ],
)
def test_contracts_are_recognised_by_their_own_keys(path, text, claimed) -> None:
    assert ("contract" in [f.name for f in detect(Source(path, text))]) == claimed
