"""Inputs are typed as the workflow declares them; what is missing or wrong is said before a run."""

from __future__ import annotations

import json

import pytest
from flowc.compiler.ir import Param, StateField, Workflow
from flowc.compiler.source.source import Source, SourceSet
from flowc.runtime.assembly.inputs import type_changes, type_inputs
from flowc.runtime.cli.inputs import read_inputs
from flowc.runtime.errors import RunError

TEXT = "GOAL: what it is for\nCOUNT: how often\n"
SOURCES = SourceSet()
FILE = SOURCES.add(Source("plan.md", TEXT))


def param(name: str, **about) -> Param:
    at = TEXT.index(name) if name in TEXT else 0
    return Param(name=name, span=FILE.span(at, at + len(name)), **about)


def workflow(*params: Param, state: tuple[StateField, ...] = ()) -> Workflow:
    return Workflow(name="plan", params=params, state=state)


def beside(path: str) -> str:
    return f"content of {path} beside the workflow"


def inputs(flow: Workflow, *pairs: str, files: tuple[str, ...] = (), ask=None) -> dict:
    return type_inputs(read_inputs(pairs, files, beside), flow, SOURCES, ask)


def refusal(flow: Workflow, *pairs: str, files: tuple[str, ...] = ()) -> str:
    with pytest.raises(RunError) as refused:
        inputs(flow, *pairs, files=files)
    assert refused.value.exit_code == 2
    return f"{refused.value.message}\n{refused.value.help}"


@pytest.mark.parametrize(
    ("type", "text", "value"),
    [
        ("text", "3", "3"),
        ("text", "a=b=c", "a=b=c"),
        ("text", "", ""),
        ("any", "yes", "yes"),
        ("integer", " 12 ", 12),
        ("integer", "-3", -3),
        ("number", "2.5", 2.5),
        ("number", "4", 4),
        ("boolean", "true", True),
        ("boolean", "No", False),
        ("object", '{"a": 1}', {"a": 1}),
        ("list", "[1, 2]", [1, 2]),
    ],
)
def test_a_text_is_read_as_the_declared_type(type, text, value):
    found = inputs(workflow(param("COUNT", type=type)), f"COUNT={text}")
    assert found == {"COUNT": value}
    assert isinstance(found["COUNT"], bool) == isinstance(value, bool)


@pytest.mark.parametrize(
    ("type", "text"),
    [
        ("integer", "2.5"),
        ("integer", "1_000"),
        ("integer", "9" * 5000),
        ("number", "nan"),
        ("number", "inf"),
        ("number", "many"),
        ("boolean", "maybe"),
        ("object", "[1]"),
        ("list", "1, 2"),
        ("list", "[" * 100_000),
    ],
)
def test_a_text_of_another_type_is_refused_with_the_line_that_declares_it(type, text):
    said = refusal(workflow(param("COUNT", type=type)), f"COUNT={text}")
    assert "`COUNT` must be" in said
    assert "plan.md:2:1: COUNT: how often" in said


def test_every_missing_input_is_named_with_its_line():
    flow = workflow(param("GOAL", required=True, description="what for"), param("COUNT"))
    said = refusal(flow)
    assert "the input `GOAL` is missing, a text (what for)" in said
    assert "plan.md:1:1: GOAL: what it is for" in said
    assert "COUNT" not in said
    assert "-i GOAL=…" in said


def test_a_default_and_a_listed_environment_variable_are_not_missing(monkeypatch):
    monkeypatch.setenv("PLAN_GOAL", "ship")
    flow = workflow(
        param("GOAL", required=True, env="PLAN_GOAL"), param("COUNT", required=True, default=3)
    )
    assert inputs(flow) == {}
    monkeypatch.delenv("PLAN_GOAL")
    assert "`GOAL` is missing" in refusal(flow)


def test_an_unknown_name_is_refused_with_the_nearest_one():
    assert "did you mean `GOAL`?" in refusal(workflow(param("GOAL")), "GAOL=x")
    assert "did you mean `GOAL`?" in refusal(workflow(param("GOAL")), "goal=x")
    assert "no parameters" in refusal(workflow(), "GOAL=x")


def test_all_mistakes_are_said_at_once():
    said = refusal(workflow(param("COUNT", type="integer")), "COUNT=x", "OTHER=1")
    assert "`COUNT` must be a whole number" in said
    assert "no parameter `OTHER`" in said


def test_a_variable_that_is_not_a_parameter_is_no_input():
    flow = workflow(param("GOAL"), state=(StateField(name="GOALS"),))
    said = refusal(flow, "GOALS=10")
    assert "`plan` has no parameter `GOALS`: it is a variable, which its nodes set" in said
    assert "its parameters: GOAL (optional)" in said


def test_a_pair_without_a_value_is_refused():
    assert "gives no value" in refusal(workflow(param("GOAL")), "GOAL")
    assert "gives no value" in refusal(workflow(param("GOAL")), "=x")


def test_an_at_sign_reads_a_file_of_the_caller(tmp_path):
    (tmp_path / "goal.md").write_text("ship\nit\n", encoding="utf-8")
    flow = workflow(param("GOAL"))
    assert inputs(flow, f"GOAL=@{tmp_path}/goal.md") == {"GOAL": "ship\nit\n"}
    assert inputs(flow, "GOAL=@@octocat") == {"GOAL": "@octocat"}
    said = refusal(flow, "GOAL=@octocat")
    assert "`octocat` not found" in said
    assert "write `@@octocat`" in said


def test_file_reads_beside_the_workflow_as_m22_says():
    flow = workflow(param("GOAL"))
    assert inputs(flow, "GOAL=file:goal.md") == {"GOAL": "content of goal.md beside the workflow"}


def test_the_content_of_a_file_is_never_read_as_a_path_again_m22(tmp_path):
    (tmp_path / "goal.md").write_text("file:/etc/passwd", encoding="utf-8")
    found = inputs(workflow(param("GOAL")), f"GOAL=@{tmp_path}/goal.md")
    assert found == {"GOAL": "file:/etc/passwd"}


@pytest.mark.parametrize("name", ["inputs.json", "inputs.yaml"])
def test_inputs_come_from_a_file_and_single_ones_override_it(tmp_path, name):
    file = tmp_path / name
    file.write_text(json.dumps({"GOAL": "ship", "COUNT": 3}), encoding="utf-8")
    flow = workflow(param("GOAL"), param("COUNT", type="integer"))
    assert inputs(flow, files=(str(file),)) == {"GOAL": "ship", "COUNT": 3}
    assert inputs(flow, "COUNT=4", files=(str(file),)) == {"GOAL": "ship", "COUNT": 4}


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("a.json", "{", "a.json:1:2: not valid JSON"),
        ("a.json", "[1]", "must hold an object"),
        ("a.json", '{"GOAL": NaN}', "JSON cannot say"),
        ("a.yaml", "GOAL: [", "not valid YAML"),
        ("a.yaml", "GOAL: 2026-01-01", "JSON cannot say"),
        ("a.yaml", "GOAL: !!python/object:os.system {}", "not valid YAML"),
        ("a.yaml", "GOAL: 2026-13-01", "month must be in 1..12"),
        ("a.json", '{"COUNT": ' + "1" * 5000 + "}", "4300 digits"),
        (
            "a.yaml",
            f"a: &a {'x' * 9000}\nb: &b [{', '.join(['*a'] * 90)}]\n"
            f"c: &c [{', '.join(['*b'] * 90)}]\nd: &d [{', '.join(['*c'] * 90)}]\n",
            "aliases repeat",
        ),
        ("a.yaml", "a: &a [*a]", "aliases repeat"),
        ("a.json", '{"COUNT": "3"}', '`COUNT` must be a whole number, not `"3"`'),
        ("a.json", '{"COUNT": true}', "`COUNT` must be a whole number, not `true`"),
    ],
)
def test_a_file_of_inputs_that_cannot_be_used_is_refused(tmp_path, name, text, said):
    (tmp_path / name).write_text(text, encoding="utf-8")
    flow = workflow(param("GOAL"), param("COUNT", type="integer"))
    assert said in refusal(flow, files=(str(tmp_path / name),))


def test_numbers_of_a_file_become_texts_where_texts_are_declared(tmp_path):
    (tmp_path / "a.json").write_text('{"GOAL": 3}', encoding="utf-8")
    assert inputs(workflow(param("GOAL")), files=(str(tmp_path / "a.json"),)) == {"GOAL": "3"}


def test_a_person_is_asked_until_the_answer_fits():
    answers = iter(["many", "3"])
    problems = []

    def ask(asked: Param, problem: str) -> str:
        problems.append(problem)
        return next(answers)

    found = inputs(workflow(param("COUNT", type="integer", required=True)), ask=ask)
    assert found == {"COUNT": 3}
    assert problems == ["", "that is `many`; it must be a whole number"]


def test_changes_of_a_fork_are_typed_like_inputs():
    types = {"ROUNDS": "integer", "PARTS": "list", "WORD": "text"}
    given = ["ROUNDS=3", 'PARTS=["a"]', "WORD=a=b", "OTHER=1"]
    expected = {"ROUNDS": 3, "PARTS": ["a"], "WORD": "a=b", "OTHER": "1"}
    assert type_changes(given, types) == expected


@pytest.mark.parametrize(("pair", "said"), [("ROUNDS", "no value"), ("ROUNDS=x", "whole number")])
def test_a_change_that_cannot_be_read_is_refused(pair, said):
    with pytest.raises(RunError, match=said):
        type_changes([pair], {"ROUNDS": "integer"})
