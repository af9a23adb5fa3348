"""Flowchart workflows: activities, variables and checks, rule by rule."""

from __future__ import annotations

import pytest
from flowc.compiler.expr.ast import Call, Literal, Name, Text
from flowc.compiler.expr.parse import parse
from flowc.compiler.ir import (
    AgentNode,
    AskNode,
    AssignNode,
    CallNode,
    ChooseNode,
    EndNode,
    ExecNode,
    MessageNode,
)
from flowcharts import compiled, document, faults, node, read, ways, written

# --- activities (M9–M14) ---


def test_m9_every_kind_has_its_node():
    workflow = read(
        "START --> SET_A[A=1] --> ASSIGN_A[A] --> PROMPT_S[System] --> PROMPT_A[Assistant A]\n"
        "PROMPT_A --> PROMPT_U[User U] --> ASK_P --> EXECUTE_E --> CALL_C[other.wf.md]\n"
        "CALL_C --> CHECKPOINT_P --> CHECK_C{A == 1}\n"
        "CHECK_C -->|NO| FAILED\nON_FAILED --> ASK_WHY",
        "## System\nS\n## Assistant A\nA\n## User U\nU",
        other__wf__md=document("START --> SUCCESS"),
    )
    kinds = {n.id: type(n) for n in workflow.nodes}
    assert kinds == {
        "START": AssignNode, "SET_A": AssignNode, "ASSIGN_A": AssignNode, "PROMPT_S": MessageNode,
        "PROMPT_A": MessageNode, "PROMPT_U": AgentNode, "ASK_P": AskNode, "EXECUTE_E": ExecNode,
        "CALL_C": CallNode, "CHECKPOINT_P": AssignNode, "CHECK_C": ChooseNode, "FAILED": EndNode,
        "ON_FAILED": AssignNode, "ASK_WHY": AskNode, "SUCCESS": EndNode,
    }  # fmt: skip
    assert node(workflow, "CHECKPOINT_P").assignments == ()


@pytest.mark.parametrize(
    ("id", "help"),
    [
        ("PROMT_PLAN", "did you mean `PROMPT_PLAN`?"),
        ("start", "did you mean `START`?"),
        ("ON_START", "did you mean `ON_SUCCESS`?"),
    ],
)
def test_m9_m48_an_unknown_kind_is_reported_at_the_id_with_the_nearest_one(id, help):
    result = compiled(f"START --> ASK_A\n{id} --> ASK_A")
    found = [d for d in result.diagnostics if d.code == "FC1002"]
    assert [(written(result, d.primary), d.help) for d in found] == [(id, help)]


def test_m9_an_unknown_kind_takes_nothing_with_it():
    result = compiled("START --> WAIT_A[x] --> ASK_B --> SUCCESS")
    assert faults(result) == [("FC1002", "WAIT_A")]


def test_m11_ids_may_hold_digits():
    assert node(read("START --> ASK_2ND_TRY1"), "ASK_2ND_TRY1")


@pytest.mark.parametrize(
    "caption",
    [
        "[{}]",
        "[[{}]]",
        "{{{}}}",
        "({})",
        "([{}])",
        '["{}"]',
        '{{"{}"}}',
        '@{{ shape: rect, label: "{}" }}',
    ],
)
def test_m12_captions_stand_in_any_shape_and_the_visual_prefix_is_dropped(caption):
    for words in ("'x: y'", "Assign: 'x: y'", "assign :'x: y'"):
        result = compiled("START --> ASSIGN_A" + caption.format(words))
        assert result.diagnostics == ()
        (assignment,) = node(result.workflow, "ASSIGN_A").assignments
        assert assignment.value.value == "x: y"
        assert written(result, assignment.value.span) == "x: y"


def test_m13_only_known_prefixes_are_dropped():
    workflow = read("START --> CHECK_A{RESULT == 'a:b'}")
    assert node(workflow, "CHECK_A").on.right.value == "a:b"


def test_m12_entities_are_decoded_and_places_stay_those_of_the_file():
    result = compiled('START --> EXECUTE_A["echo #quot;{{RESULT}}#quot; ok"]')
    command = node(result.workflow, "EXECUTE_A").source
    assert [getattr(part, "value", "RESULT") for part in command.parts] == [
        'echo "',
        "RESULT",
        '" ok',
    ]
    assert written(result, command.parts[1].span) == "{{RESULT}}"


def test_m14_the_last_caption_that_is_not_empty_counts():
    workflow = read("START --> SET_A[A=1]\nSET_A[A=2] --> ASK\nSET_A[]")
    assert node(workflow, "SET_A").assignments[0].value.value == "2"


# --- variables (M20–M25) ---


def test_m20_parameters_with_defaults_blanks_and_quotes():
    result = compiled(
        "PARAMS@{ shape: comment, label: \"CITY=Oslo, \\n DAYS,<br> GREETING='a, b=c', NOTE=\" }\n"
        "START --> ASSIGN_A[DAYS]"
    )
    params = result.workflow.params
    assert [(p.name, p.default, p.required) for p in params] == [
        ("CITY", "Oslo", False),
        ("DAYS", None, True),
        ("GREETING", "a, b=c", False),
        ("NOTE", "", False),
    ]
    assert [written(result, p.span) for p in params] == ["CITY", "DAYS", "GREETING", "NOTE"]


def test_m20_a_parameter_that_nothing_reads_need_not_be_given():
    assert not read("PARAMS[CITY] -.- START\nSTART --> ASK_A").params[0].required


@pytest.mark.parametrize(
    ("label", "code", "place"),
    [
        ("A, A=x", "FC1004", "A"),
        ("STATUS", "FC1005", "STATUS"),
        ("a-b=1", "FC1005", "a-b"),
    ],
)
def test_m20_a_parameter_that_cannot_be_is_reported(label, code, place):
    assert faults(compiled(f"PARAMS[{label}] -.- START\nSTART --> ASK_A")) == [(code, place)]


@pytest.mark.parametrize(
    ("label", "code", "place"),
    [
        ("A=env:", "FC1005", "env:"),
        ("A=env:MY NAME", "FC1005", "MY NAME"),
        ("A, =3", "FC1003", ""),
        ("MAX_ACTIVITY_HITS=many", "FC1005", "many"),
    ],
)
def test_m20_m21_m45_a_parameters_value_that_cannot_be_is_reported(label, code, place):
    assert faults(compiled(f"PARAMS[{label}] -.- START\nSTART --> ASK_A")) == [(code, place)]


@pytest.mark.parametrize("value", ["5", "'5'", "{{N}}", "N", "RESULT"])
def test_m45_the_limit_may_be_a_number_or_what_holds_one(value):
    read(f"PARAMS[N=2] -.- START\nSTART --> SET_A[MAX_ACTIVITY_HITS={value}]")


def test_m21_the_environment_is_read_only_where_a_parameter_says_so():
    (param,) = read("PARAMS[USER=env:LOGNAME] -.- START\nSTART --> ASSIGN_A[USER]").params
    assert (param.env, param.required, param.default) == ("LOGNAME", False, None)
    assert faults(compiled("START --> ASSIGN_A[HOME]")) == [("FC3001", "HOME")]


def test_m21_names_are_looked_up_in_order():
    workflow = read(
        "PARAMS[CITY=Oslo] -.- START\nSTART --> ASSIGN_A['CITY'] --> ASSIGN_B[CITY] --> "
        "ASSIGN_C[CONTENT] --> ASSIGN_D[User A] --> ASSIGN_E[file:a/b.md] --> ASSIGN_F[STATUS]",
        "## User A\nIn {{CITY}}.",
    )
    values = [node(workflow, f"ASSIGN_{x}").assignments[0].value for x in "ABCDEF"]
    assert values == [
        Literal(value="CITY"),
        Name(name="CITY"),
        Name(name="RESULT"),
        Text(parts=(Literal(value="In "), Name(name="CITY"), Literal(value="."))),
        Call(function="read_file", args=(Literal(value="a/b.md"),)),
        Name(name="STATUS"),
    ]


def test_m21_a_long_text_is_no_name():
    text = "word " * 21
    assert (
        node(read(f"START --> ASSIGN_A[{text}]"), "ASSIGN_A").assignments[0].value.value
        == text.strip()
    )


def test_m22_a_file_is_written_by_set_and_read_by_start_for_a_parameter():
    workflow = read(
        "PARAMS[NOTES=file:notes.md] -.- START\nSTART --> SET_F[file:out/log.md={{NOTES}} end]"
    )
    tool = node(workflow, "SET_F")
    assert (tool.tool, [a.target for a in tool.args]) == ("write_file", ["path", "content"])
    assert tool.args[0].value.value == "out/log.md"
    assert workflow.tools[0].id == "write_file"
    given = node(workflow, "START").assignments[-1]
    assert given.target == "NOTES"
    assert [getattr(a, "function", "") for a in given.value.args] == ["", "read_file"]


@pytest.mark.parametrize("path", ["../secret.txt", "/etc/passwd", "a/../../b"])
def test_m22_a_path_outside_the_folder_is_warned_of(path):
    result = compiled(f"START --> ASSIGN_A[file:{path}]")
    assert faults(result) == [("FC1005", path)]
    assert result.diagnostics[0].severity == "warning"


def test_m22_no_variable_can_become_a_path():
    assert faults(compiled("START --> ASSIGN_A[file:{{RESULT}}]")) == [("FC3006", "{{RESULT}}")]


def test_m22_a_prefix_in_a_value_means_nothing_by_itself():
    """A text that came from a model is never followed: `{{RESULT}}` is a part, not a path."""
    workflow = read("START --> SET_A[A={{RESULT}}]")
    assert node(workflow, "SET_A").assignments[0].value == Text(parts=(Name(name="RESULT"),))


def test_m23_placeholders_need_exact_braces_and_unknown_names_stay():
    result = compiled(
        "START --> SET_N[N=1] --> PROMPT_A[User A]",
        "## User A\n{{N}} {{ N }} {{other}} {N} {{N-1}}",
    )
    assert result.diagnostics == ()
    parts = node(result.workflow, "PROMPT_A").prompt.parts
    unknown = Call(function="coalesce", args=(Name(name="other"), Literal(value="{{other}}")))
    assert parts == (
        Name(name="N"),
        Literal(value=" {{ N }} "),
        unknown,
        Literal(value=" {N} {{N-1}}"),
    )
    assert written(result, parts[0].span) == "N"


def test_m23_a_placeholder_that_looks_like_a_misspelt_variable_is_warned_of():
    result = compiled(
        "START --> SET_CITY[CITY=Oslo] --> PROMPT_A[User A]", "## User A\nIn {{CITTY}}."
    )
    (warning,) = result.diagnostics
    assert (warning.code, warning.severity, warning.help) == (
        "FC3001",
        "warning",
        "did you mean `CITY`?",
    )
    assert written(result, warning.primary) == "CITTY"


def test_m24_set_splits_at_the_first_equal_sign_and_looks_the_value_up():
    workflow = read(
        "START --> SET_A[ A = x=y ] --> SET_B[B=A] --> SET_C[CONTENT=] --> SET_D[STATUS=DOING]"
    )
    assigned = [node(workflow, f"SET_{x}").assignments[0] for x in "ABCD"]
    assert [(a.target, a.value) for a in assigned] == [
        ("A", Literal(value="x=y")),
        ("B", Name(name="A")),
        ("RESULT", Literal(value="")),
        ("STATUS", Literal(value="DOING")),
    ]


@pytest.mark.parametrize(
    ("caption", "code", "place"),
    [
        ("STATUS=DONE", "FC1005", "DONE"),
        ("'x'=1", "FC1005", "'x'"),
        ("a b=1", "FC1005", "a b"),
        ("just words", "FC1001", "just words"),
    ],
)
def test_m24_what_cannot_be_set_is_reported(caption, code, place):
    assert faults(compiled(f"START --> SET_A[{caption}]")) == [(code, place)]


def test_m25_status_goes_from_created_to_doing_to_the_end():
    workflow = read("START --> SUCCESS")
    (status,) = [f for f in workflow.state if f.name == "STATUS"]
    assert status.default == "CREATED"
    assert [node(workflow, id).assignments[0].value.value for id in ("START", "SUCCESS")] == [
        "DOING",
        "SUCCESS",
    ]


# --- running (M26–M43) ---


@pytest.mark.parametrize("caption", ["CTIY", "hello there"])
def test_m26_assign_of_an_unknown_name_is_an_error(caption):
    result = compiled(f"PARAMS[CITY] -.- START\nSTART --> ASSIGN_A[{caption}]")
    assert faults(result) == [("FC3001", caption)]


def test_m27_m28_the_role_comes_from_the_prompts_heading():
    workflow = read(
        "START --> PROMPT_A[System Two] --> PROMPT_B[Assistant B] --> PROMPT_C[User C]",
        "## System Two\nS\n## Assistant B\nA\n## User C\nU",
    )
    system, assistant, user = (node(workflow, f"PROMPT_{x}") for x in "ABC")
    assert (system.mode, system.role, system.into) == ("reset", "system", "RESULT")
    assert (assistant.mode, assistant.role) == ("append", "assistant")
    assert (user.agent, user.into, user.prompt_id) == ("main", "RESULT", "User C")


def test_m29_a_prompt_that_nobody_wrote_is_one_error_however_many_name_it():
    result = compiled(
        "START --> PROMPT_A[User Plan] --> PROMPT_B[User Plan] --> PROMPT_C[User Pan]",
        "## User Pan\nFry.",
    )
    (fault,) = result.diagnostics
    assert (fault.code, fault.help) == ("FC1003", "did you mean `User Pan`?")
    assert [written(result, s) for s in (fault.primary, fault.labels[0].span)] == ["User Plan"] * 2


CHECKS = {
    "RESULT == SUCCESS": "first_line(RESULT) == 'SUCCESS'",
    "RESULT  equals   'two words' ": "first_line(RESULT) == 'two words'",
    "RESULT=='a:b'": "first_line(RESULT) == 'a:b'",
    "RESULT eq N": "first_line(RESULT) == trim(N)",
    "STATUS DIFFERS FAILED": "first_line(STATUS) != 'FAILED'",
    "CONTENT != x": "first_line(RESULT) != 'x'",
    "RESULT contains done": "RESULT contains 'done'",
    "RESULT MATCHES ^v[0-9]+": "RESULT matches '^v[0-9]+'",
    "N >= 3": "order(N, '3') >= 0",
    "N LESS_EQUAL 10": "order(N, '10') <= 0",
    "N gt M": "order(N, 'M') > 0",
    "Check_Result: SUCCESS": "first_line(RESULT) == 'SUCCESS'",
    "Check_Status: FAILED": "first_line(STATUS) == 'FAILED'",
    "Check: Result==SUCCESS?": "first_line(RESULT) == 'SUCCESS'",
    "Check: RESULT == 'why?'": "first_line(RESULT) == 'why?'",
}


@pytest.mark.parametrize("caption", CHECKS)
def test_m10_m30_to_m34_checks_become_expressions(caption):
    workflow = read(f"START --> SET_N[N=1] --> CHECK_A{{{caption}}}")
    assert node(workflow, "CHECK_A").on == parse(CHECKS[caption], "x", 0)


@pytest.mark.parametrize(
    ("id", "caption", "meaning"),
    [("CHECKRESULT_A", "OK", "first_line(RESULT) == 'OK'"),
     ("CHECKSTATUS_A", "FAILED?", "first_line(STATUS) == 'FAILED'")],
)  # fmt: skip
def test_m10_older_kinds_of_checks_name_only_the_value(id, caption, meaning):
    assert node(read(f"START --> {id}{{{caption}}}"), id).on == parse(meaning, "x", 0)


@pytest.mark.parametrize(
    ("caption", "code", "place"),
    [
        ("RESULT = x", "FC3006", "="),
        ("RESULT HAS x", "FC3006", "HAS"),
        ("RESULT", "FC3006", "RESULT"),
        ("RESULT ==", "FC3006", "RESULT =="),
        ("RESUTL == x", "FC3001", "RESUTL"),
        ("RESULT MATCHES (", "FC3006", "("),
        ("'x' == x", "FC3006", "'x'"),
        ("RESULT => 3", "FC3006", "=>"),
    ],
)
def test_m30_to_m35_a_check_that_cannot_be_is_an_error_before_the_run(caption, code, place):
    assert faults(compiled(f'START --> CHECK_A{{"{caption}"}}')) == [(code, place)]


def test_m35_a_check_that_fails_goes_where_false_goes():
    chart = "START --> SET_P[P=x] --> CHECK_A{RESULT MATCHES P} -->|NO| ASK_A"
    assert ways(read(chart), "CHECK_A")["error:failure"] == "ASK_A"


def test_m36_execute_runs_blocks_or_one_command():
    workflow = read('START --> EXECUTE_A[Execute:] --> EXECUTE_B["Execute: echo {{RESULT}}"]')
    blocks, command = node(workflow, "EXECUTE_A"), node(workflow, "EXECUTE_B")
    assert (blocks.form, blocks.source) == ("blocks", Name(name="RESULT"))
    assert (command.form, command.source) == (
        "command",
        Text(
            parts=(
                Literal(value="echo "),
                Call(function="shell_quote", args=(Name(name="RESULT"), Literal(value="word"))),
            )
        ),
    )
    given = {part.variable: part.part for part in blocks.parts}
    assert (given, blocks.session) == ({"RESULT": "transcript", "EXIT_CODE": "code"}, "main")


def test_m40_result_is_empty_from_the_start():
    (field,) = [f for f in read("START --> ASK_A").state if f.name == "RESULT"]
    assert field.default == ""


def test_m41_ask_shows_the_result_and_stores_the_answer_there():
    ask = node(read("START --> ASK_A[Ask: sure?]"), "ASK_A")
    assert (ask.question, ask.into, ask.title) == (Name(name="RESULT"), "RESULT", "sure?")
