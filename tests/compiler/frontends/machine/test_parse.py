"""State machines in JSON: what is read, what is refused, and the graph of it (J1–J21)."""

from __future__ import annotations

import json
from itertools import pairwise
from typing import Any

import pytest
from flowc.compiler.expr.evaluate import evaluate
from flowc.compiler.ir import Case, Seed
from flowc.compiler.summary import summarize
from machines import SMALL, compile_machine, handlers, machine, node, said, value_of

START = {"name": "start"}
ROLE = {"agent_role": "host", "context": "hall", "role": "assistant"}


@pytest.fixture
def read(tmp_path):
    def compile_here(value: Any, **files: Any) -> Any:
        return compile_machine(tmp_path, value, **files)

    return compile_here


# ---- loading ----


@pytest.mark.parametrize("key", [key for key in SMALL if key != "states"])
def test_each_missing_field_is_named_j1(read, key) -> None:
    assert ("FC1003", f"the workflow has no `{key}`") in said(read(machine(**{key: None})))


def test_an_empty_text_is_missing_and_an_unknown_key_a_warning_j1(read) -> None:
    result = read(machine(description=" ", colour="red", variables=None))
    assert said(result) == [
        ("FC1003", "the workflow has no `description`"),
        ("FC1002", "the workflow has a key `colour`, which has no meaning there"),
    ]
    assert [d.severity for d in result.diagnostics] == ["error", "warning"]


@pytest.mark.parametrize("key", ["input", "output"])
@pytest.mark.parametrize("part", ["name", "type", "description"])
def test_input_and_output_need_name_type_and_description_j2(read, key, part) -> None:
    whole = {"name": "x", "type": "string", "description": "y"}
    result = read(machine(**{key: {k: v for k, v in whole.items() if k != part}}))
    assert said(result) == [("FC1003", f"`{key}` has no `{part}`")]


def test_input_and_output_are_single_objects_j2(read) -> None:
    assert ("FC1005", "`input` is a list, not an object") in said(read(machine(input=[{}])))


@pytest.mark.parametrize("key", ["input", "output"])
def test_a_name_of_the_machine_itself_is_refused_j2(read, key) -> None:
    whole = {"name": "common_data", "type": "object", "description": "all there is"}
    message = f"`{key}` is called `common_data`, which is a name of the machine itself"
    assert said(read(machine(**{key: whole}))) == [("FC1005", message)]


@pytest.mark.parametrize(
    ("written", "type"), [("string", "text"), ("number", "number"), ("a|b", "any")]
)
def test_the_input_is_the_only_parameter_j2(read, written, type) -> None:
    result = read(machine(input={"name": "n", "type": written, "description": "d"}))
    (param,) = result.workflow.params
    assert (param.name, param.type, param.required) == ("n", type, True)


def test_contexts_j3(read) -> None:
    contexts = [
        {"name": "a", "max_length": 0},
        {
            "name": "b",
            "max_length": 12,
            "starting_messages": [{"role": "elf", "content": "x"}],
        },
        {"name": "hall"},
    ]
    result = read(machine(contexts=contexts))
    assert result.diagnostics == ()
    threads = {t.id: (t.max_chars, t.seed) for t in result.workflow.threads}
    assert threads == {
        "a": (50_000, ()),
        "b": (12, (Seed(role="elf", content="x"),)),
        "hall": (50_000, ()),
    }


@pytest.mark.parametrize(
    ("contexts", "code"),
    [
        ([], "FC1003"),
        ([{"name": "hall"}, {"name": "hall"}], "FC1004"),
        ([{"name": "hall", "starting_messages": {}}], "FC1005"),
        ([{"name": "hall", "max_length": -1}], "FC1005"),
        ([{"name": "hall", "max_length": "12"}], "FC1005"),
        ([{"name": "hall", "starting_messages": [{"role": "user", "content": ""}]}], "FC1003"),
        ([{}, {"name": "hall"}], "FC1003"),
        ({"name": "hall"}, "FC1005"),
        (["hall"], "FC1005"),
    ],
)
def test_faults_of_contexts_j3_j11(read, contexts, code) -> None:
    assert code in {c for c, _ in said(read(machine(contexts=contexts)))}


@pytest.mark.parametrize(
    ("agents", "code"),
    [
        ([], "FC1003"),
        ([ROLE, ROLE], "FC1004"),
        ([{**ROLE, "role": "system"}], "FC1005"),
        ([{**ROLE, "context": "kitchen"}], "FC1005"),
        ([{**ROLE, "agent_role": None}], "FC1003"),
        ([{**ROLE, "context": None}], "FC1003"),
        ([{**ROLE, "role": None}], "FC1003"),
    ],
)
def test_faults_of_agents_j4(read, agents, code) -> None:
    assert [c for c, _ in said(read(machine(agents=agents)))] == [code]


@pytest.mark.parametrize(
    ("states", "code"),
    [
        ([], "FC1008"),
        ([START, START], "FC1004"),
        ([{"name": "begin"}], "FC1003"),
        ([{"name": "start", "agent": "nobody"}], "FC4001"),
        ([{"name": ""}, START], "FC1003"),
        (["start"], "FC1005"),
    ],
)
def test_faults_of_states_j5(read, states, code) -> None:
    assert code in {c for c, _ in said(read(machine(states=states)))}


def test_stop_need_not_be_declared_and_a_state_may_have_no_agent_j5(read) -> None:
    result = read(machine(START))
    assert result.diagnostics == ()
    assert node(result, "stop").outcome == "success"


def test_a_handler_that_the_script_does_not_have_is_an_error_j6(read) -> None:
    states = [{"name": "start", "pre_handler": "gret", "post_handler": None}]
    result = read(machine(*states), script=handlers(greet="return 1"))
    ((code, message),) = said(result)
    assert code == "FC4001"
    assert message.startswith("the pre-handler of state `start` is `gret`, and ")
    assert result.diagnostics[0].help == "did you mean `greet`?"


def test_without_a_script_each_function_is_missing_once_j6(read) -> None:
    state = {"name": "start", "pre_handler": "a", "post_handler": "a", "transition_handler": "b"}
    assert [d.code for d in read(machine(state)).diagnostics] == ["FC4001", "FC4001"]


def test_a_script_that_does_not_parse_is_an_error_in_it_j7(read, tmp_path) -> None:
    state = {"name": "start", "pre_handler": "greet"}
    result = read(machine(state), script="export default {\n  greet() { retrun 1 }\n};\n")
    ((code, _),) = said(result)
    place = result.diagnostics[0].primary
    assert (code, place.file) == ("FC4003", str(tmp_path / "greeting/script.js"))
    assert result.diagnostics[0].severity == "error"
    assert result.sources.files[place.file].position(place.start).line == 2


def test_a_python_script_is_read_where_there_is_no_other_j7(read) -> None:
    state = {"name": "start", "pre_handler": "greet"}
    result = read(machine(state), script="def greet(self):\n    pass\n", language="py")
    assert result.diagnostics == ()
    assert [(s.language, s.functions) for s in result.workflow.scripts] == [("python", ("greet",))]
    both = read(machine(state), script=handlers(greet=""))
    assert [s.language for s in both.workflow.scripts] == ["javascript"]


def test_a_script_that_cannot_be_read_says_why_j7(read, tmp_path) -> None:
    (tmp_path / "greeting/script.js").mkdir(parents=True)
    ((code, message),) = said(read(machine(START)))
    assert code == "FC0001"
    assert message.endswith("is a folder, not a file")


def test_the_name_is_the_content_s_j8(read) -> None:
    assert read(machine(workflow_name="other")).workflow.name == "other"


def test_inspect_shows_what_a_machine_is_j9(read) -> None:
    state = {
        "name": "start", "agent": "host", "pre_handler": "greet", "post_handler": "thank",
        "transition_handler": "on",
    }  # fmt: skip
    script = handlers(greet="", thank="", on="return 'start'")
    result = read(machine(state, {"name": "stop"}), script=script)
    summary = summarize(
        result.path, "machine", result.parsed, result.workflow, result.diagnostics, result.sources
    )
    assert (summary["name"], summary["description"]) == ("greeting", "Greets a guest.")
    assert [p["name"] for p in summary["params"]] == ["guest"]
    assert [(a["id"], a["thread"], a["perspective"]) for a in summary["agents"]] == [
        ("host", "hall", "assistant"),
        ("visitor", "hall", "user"),
    ]
    assert [(n["id"], n["line"] is not None) for n in summary["nodes"]] == [
        ("start", True),
        ("stop", True),
    ]
    assert summary["nodes"][0]["detail"] == {
        "agent": "host", "pre": "greet", "post": "thank", "transition": "on",
    }  # fmt: skip
    assert summary["edges"] == [{"source": "start", "target": "start", "label": "start"}]
    assert summary["scripts"] == [
        {"name": "script", "language": "javascript", "functions": ["greet", "thank", "on"]}
    ]


# ---- the graph ----


def test_a_state_is_a_group_in_the_order_of_its_parts_j19(read) -> None:
    state = {
        "name": "start", "agent": "host", "pre_handler": "a", "post_handler": "b",
        "transition_handler": "c",
    }  # fmt: skip
    result = read(machine(state), script=handlers(a="", b="", c=""))
    kinds = [(n.id, n.kind) for n in result.workflow.nodes if n.group == "start"]
    assert kinds == [
        ("start.enter", "assign"),
        ("start.pre", "script"),
        ("start", "agent"),
        ("start.post", "script"),
        ("start.next", "script"),
        ("start.to", "choose"),
    ]
    chain = {(e.source, e.target) for e in result.workflow.edges}
    assert {(a, b) for (a, _), (b, _) in pairwise(kinds)} <= chain


def test_what_a_handler_is_seen_to_return_is_checked_j21(read) -> None:
    states = [{"name": "start", "transition_handler": "c"}, {"name": "farewell"}]
    script = handlers(c="if (this.x) { return 'farwell'; }\n    return 'stop';")
    result = read(machine(*states), script=script)
    ((code, message),) = said(result)
    assert (code, message) == (
        "FC2001", "`c` returns `farwell`, and there is no state of that name",
    )  # fmt: skip
    source = result.sources.files[result.diagnostics[0].primary.file]
    span = result.diagnostics[0].primary
    assert source.text[span.start : span.end] == "'farwell'"


def test_a_handler_that_may_return_anything_leads_everywhere_j21(read) -> None:
    states = [{"name": "start", "transition_handler": "c"}, {"name": "other"}]
    result = read(machine(*states), script=handlers(c="return this.common_data.next"))
    assert result.diagnostics == ()
    cases = {e.guard.value for e in result.workflow.edges if isinstance(e.guard, Case)}
    assert cases == {"start", "other", "stop", ""}


def test_what_a_run_keeps_and_how_far_it_goes_j28_j31(read) -> None:
    workflow = read(machine(START)).workflow
    assert workflow.outputs == ("greeting", "states_visited", "common_data")
    (limit,) = workflow.limits
    assert (limit.name, limit.value.value, limit.then) == ("steps", 10_000, "stop")


@pytest.mark.parametrize("name", ["a|b", "a:b", "Über uns", "stop.", "start.enter", "end", "x y"])
def test_names_of_states_may_be_any_text(read, name) -> None:
    states = [{"name": "start", "transition_handler": "c"}, {"name": name}]
    result = read(machine(*states), script=handlers(c=f"return {json.dumps(name)}"))
    assert result.diagnostics == ()
    assert result.spec.nodes
    ids = [n.id for n in result.workflow.nodes]
    assert len(ids) == len(set(ids))


def test_a_line_given_unasked_goes_to_resume_or_to_the_beginning_j45(read) -> None:
    spoken = read(machine(START, {"name": "resume"})).workflow.on_input
    assert spoken.target == "resume.enter"
    (made,) = spoken.assignments
    given = {"common_data": {"a": 1}, "input": "Wait!"}
    assert evaluate(made.value, given) == {"a": 1, "resume_input": "Wait!"}
    anew = read(machine(START)).workflow.on_input
    assert (anew.target, [a.target for a in anew.assignments]) == ("begin", ["guest"])


# ---- any input ----

WRONG: list[Any] = [None, True, 3, "x", [], {}, [None], [3], [[]], [{}], {"a": 1}]


@pytest.mark.parametrize("wrong", WRONG, ids=json.dumps)
@pytest.mark.parametrize("key", [*SMALL, "variables"])
def test_a_wrong_type_is_a_diagnostic_and_never_more(read, key, wrong) -> None:
    value = {**SMALL, key: wrong}
    result = read(json.dumps(value))
    assert all(d.primary.file == result.path for d in result.diagnostics)


@pytest.mark.parametrize("wrong", WRONG, ids=json.dumps)
@pytest.mark.parametrize(
    "key",
    ["name", "agent", "pre_handler", "post_handler", "transition_handler", "input", "action",
     "transition"],
)  # fmt: skip
def test_a_wrong_type_in_a_state_is_a_diagnostic_and_never_more(read, key, wrong) -> None:
    read(json.dumps(machine({"name": "start", key: wrong}, {"name": "start"})))
    read(
        json.dumps(
            machine(
                {"name": "start", "transition": [{"target": "x", "condition": "y", key: wrong}]}
            )
        )
    )
    read(
        json.dumps(
            machine({"name": "start", "agent": "host", "action": {"script": "x", key: wrong}})
        )
    )


@pytest.mark.parametrize(
    "text", ["", " ", "{", "[]", "3", "null", '{"states":', "[" * 1000, '{"states":' * 1000]
)
def test_what_is_no_machine_is_said_so(read, text) -> None:
    result = read(text)
    assert result.diagnostics
    assert result.workflow is None


@pytest.mark.parametrize("make", [lambda t: t.replace("\n", "\r\n"), lambda t: "\ufeff" + t])
def test_line_ends_and_a_byte_order_mark_do_not_matter(read, make) -> None:
    assert read(make(json.dumps(machine(START), indent=2))).diagnostics == ()


def test_values_keep_their_types(read) -> None:
    variables = {"a": [1, {"b": None}], "c": 1.5, "d": True, "e": "x"}
    result = read(machine(START, variables=variables))
    assert value_of(result, "begin", guest="Ada") == {**variables, "guest": "Ada"}


def test_a_file_that_is_cut_off_has_one_fault(read) -> None:
    text = json.dumps(machine(START), indent=2)
    assert [c for c, _ in said(read(text[: text.index("assistant") + 4]))] == ["FC1001"]
