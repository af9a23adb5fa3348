"""Names and signs of a machine that are nearly what was meant."""

from __future__ import annotations

import json

import pytest
from flowc.compiler.driver import compile_file

ROLES = {
    "clerk": {
        "systemMessage": "You sort.",
        "parsingTools": [
            {
                "type": "function",
                "function": {
                    "name": "file_under",
                    "parameters": {"type": "object", "properties": {"topic": {}}},
                },
            }
        ],
    }
}


REPLY = "common_data.reply = 'x'"


def said(
    tmp_path, monkeypatch, *, input="{{common_data.message}}", condition="true", stop="stop",
    before=REPLY,
):  # fmt: skip
    machine = {
        "workflow_name": "desk",
        "description": "Sorts.",
        "input": {"name": "message", "type": "string", "description": "said"},
        "output": {"name": "reply", "type": "string", "description": "answered"},
        "variables": {"attempts": 0},
        "contexts": [{"name": "talk"}],
        "agents": [{"agent_role": "clerk", "context": "talk", "role": "assistant"}],
        "states": [
            {
                "name": "start",
                "agent": "clerk",
                "input": input,
                "transition": [
                    {"target": stop, "condition": condition, "before": before},
                    {"target": stop, "condition": "true"},
                ],
            },
            {"name": stop, "input": "common_data.reply"},
        ],
    }
    monkeypatch.chdir(tmp_path)
    (tmp_path / "desk.json").write_text(json.dumps(machine, indent=2))
    (tmp_path / "desk").mkdir()
    (tmp_path / "desk/roles.json").write_text(json.dumps(ROLES))
    return [(d.message, d.help) for d in compile_file("desk.json").diagnostics]


def test_the_good_one_is_good(tmp_path, monkeypatch):
    condition = "common_data.attempts < 3 && function.file_under.arguments.topic === 'a=b'"
    assert said(tmp_path, monkeypatch, condition=condition) == []


@pytest.mark.parametrize(
    "before",
    [
        f"{REPLY}; common_data.note = 'b'",
        f"{REPLY}; common_data.messages = ['b']; common_data.message = common_data.messages[0]",
        f"{REPLY}; common_data.messages = 1; common_data.message = JSON.stringify(common_data)",
        f"{REPLY}; common_data.messages = 1; common_data.attempts = common_data[lastAgentResponse]",
    ],
)
def test_a_field_that_is_set_and_may_be_read_is_good(tmp_path, monkeypatch, before):
    assert said(tmp_path, monkeypatch, before=before) == []


@pytest.mark.parametrize(
    ("where", "text", "message", "help"),
    [
        ("input", "{{common_data.mesasge}}", "nothing sets `common_data.mesasge`",
         "did you mean `message`?"),
        ("condition", "common_data.atetmpts < 3", "nothing sets `common_data.atetmpts`",
         "did you mean `attempts`?"),
        ("input", "You: {{common_data.1message}}", "nothing sets `common_data.1message`",
         "did you mean `message`?"),
        ("input", "You: {{common_data.message}",
         "`{{common_data.message}` is not a placeholder, so it stays as it is written",
         "write `{{common_data.message}}`"),
        ("condition", "common_data.attempts = 3",
         "a condition sets a value here, where it should compare", "write `===` or `==`"),
        ("condition", "lastAgenRtesponse.length > 0", "nothing is called `lastAgenRtesponse`",
         "did you mean `lastAgentResponse`?"),
        ("condition", "function.file_nuder.arguments.topic === 'a'",
         "no role has the tool `file_nuder`", "did you mean `file_under`?"),
        ("condition", "function.file_under.arguments.toipc === 'a'",
         "`file_under` takes no `toipc`", "did you mean `topic`?"),
        ("before", f"{REPLY}; common_data.mesasge = 'b'", "nothing reads `common_data.mesasge`",
         "is `message` meant?"),
        ("before", f"{REPLY}; common_data.Message += 'b'", "nothing reads `common_data.Message`",
         "is `message` meant?"),
        ("before", f"{REPLY}; common_data['messages'] = 'b'", "nothing reads "
         "`common_data.messages`", "is `message` meant?"),
        ("condition", "len(lastAgentResponse) > 0", "nothing is called `len`",
         "did you mean `.length`?"),
        ("condition", "attempts < 3 && true", "nothing is called `attempts`",
         "did you mean `common_data.attempts`?"),
        ("condition", "data.attempts < 3", "nothing is called `data`",
         "did you mean `common_data`?"),
        ("condition", "common_data[attempts] < 3", "nothing is called `attempts`",
         "did you mean `common_data.attempts`?"),
        ("condition", "lastAgentResponse.strip() != ''", "texts and lists have no `strip()`",
         "did you mean `trim`?"),
        ("condition", "lastAgentResponse.length() > 0", "texts and lists have no `length()`",
         "did you mean `length`?"),
        ("condition", "common_data.attempts =< 3", "`=<` is not an operator", "write `<=`"),
        ("input", "commno_data.message", "`commno_data.message` is not a field of the data, "
         "so it stays as it is written", "did you mean `common_data.message`?"),
        ("input", "common_data:message", "`common_data:message` is not a field of the data, "
         "so it stays as it is written", "did you mean `common_data.message`?"),
        ("input", "You: {{common_data message}}", "`{{common_data message}}` is not a "
         "placeholder, so it stays as it is written", "write `{{common_data.message}}`"),
        ("input", "You: [[common_data.message]]", "`[[common_data.message]]` is not a "
         "placeholder, so it stays as it is written", "write `{{common_data.message}}`"),
        ("input", "common_data.message}} it is", "`common_data.message}}` is not a "
         "placeholder, so it stays as it is written", "write `{{common_data.message}}`"),
        ("input", "{{common_data.message}}, common_data.message", "`common_data.message` is not a "
         "placeholder, so it stays as it is written", "write `{{common_data.message}}`"),
        ("input", "$.common_data.message", "`$.common_data.message` is not a field of the data, "
         "so it stays as it is written", "did you mean `common_data.message`?"),
        ("input", "Answer common_data.message now.", "`common_data.message` is not a "
         "placeholder, so it stays as it is written", "write `{{common_data.message}}`"),
        ("condition", "function.file_under.args.topic === 'a'",
         "`function.file_under.args` has no value: behind a tool stand its `arguments`",
         "write `function.file_under.arguments`"),
        ("condition", "function.file_under.topic === 'a'",
         "`function.file_under.topic` has no value: behind a tool stand its `arguments`",
         "write `function.file_under.arguments.topic`"),
        ("condition", "this.lastAnswer.length > 0", "nothing is called `lastAnswer`",
         "`this` has `common_data`, `last_response`, `lastAgentResponse`, `workflow_contexts`"),
        ("condition", "otherwise", "a condition of state `start` is `otherwise`, but there is no "
         "script that could have it", "did you mean `true`?"),
        ("stop", "stpo", "`stpo` is a state like any other: there is no `stop`",
         "did you mean `stop`?"),
    ],
)  # fmt: skip
def test_it_is_told(where, text, message, help, tmp_path, monkeypatch):
    assert (message, help) in said(tmp_path, monkeypatch, **{where: text})


def test_what_the_code_itself_sets_on_this_is_known(tmp_path, monkeypatch):
    condition = "(this.counter = 3) && this.counter > 2"
    assert not any("counter" in m for m, _ in said(tmp_path, monkeypatch, condition=condition))


def test_javascript_may_ask_for_what_is_not_there(tmp_path, monkeypatch):
    assert said(tmp_path, monkeypatch, condition="common_data.unheard_of === undefined") == []


@pytest.mark.parametrize(
    "condition",
    [
        "[1].map((n) => n + common_data.attempts).some(n => n > 2)",
        "(() => { const { a, b } = common_data; let c = 1, d = 2; return a + b + c + d; })()",
        "JSON.stringify({size: 1, total: common_data.attempts}).includes('size')",
        "/len(data)/.test(lastAgentResponse) && new Set([1]).size > 0",
        "common_data.attempts > 0 ? getToolCalls('clerk').length : Math.max(1, 2)",
        "`${common_data.attempts} and data`.length > 3",
    ],
)
def test_what_code_declares_and_what_javascript_has_is_known(condition, tmp_path, monkeypatch):
    assert said(tmp_path, monkeypatch, condition=condition) == []


@pytest.mark.timeout(20)
def test_a_long_condition_takes_no_longer_than_its_length(tmp_path, monkeypatch):
    condition = f"{'a' * 200_000} = common_data.{'x' * 100_000}"
    found = said(tmp_path, monkeypatch, condition=condition)
    assert any("sets a value here" in message for message, _ in found)
