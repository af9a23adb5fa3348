"""Values of flow YAML that are not what their key takes, with what to write."""

from __future__ import annotations

import pytest
from findings import findings

NODE = """\
flow: 1
nodes:
  - name: draft
    agent: writer
    prompt: Write a line.
    {}
    into: line
outputs: [line]
"""
RUN = """\
flow: 1
params: {{who: text, copies: integer}}
{}
nodes:
  - {{name: draft, agent: writer, prompt: 'For {{{{ who }}}}, {{{{ copies }}}} times.', into: line}}
outputs: [line]
"""
CODE = """\
flow: 1
nodes:
  - {{name: list, exec: ls, into: {{status: code}}}}
  - {{name: fine, assert: {}}}
"""


@pytest.mark.parametrize(
    ("written", "help"),
    [
        ("timeout: 60s", "it is in seconds: write `60`"),
        ("timeout: 1h30m", "it is in seconds: write `5400`"),
        ('timeout: "60"', "write `60`, without quotes"),
        ('retry: "3"', "write `3`, without quotes"),
        ("settings: {temp: 0.4}", "here it is `temperature:`"),
        ("settings: {topP: 0.4}", "here it is `top_p:`"),
        ("settings: {max_output_tokens: 9}", "here it is `max_tokens:`"),
        ("settings: {reasoning_effort: low}", "here it is `reasoning:`"),
        ("model: opnai:gpt-5", "did you mean `openai:gpt-5`?"),
        ("model: OpenAI:gpt-5", "did you mean `openai:gpt-5`?"),
        ("model: [openai:gpt-5, gemini:flash]", "did you mean `google_genai:flash`?"),
        ("model: openai/gpt-5", "did you mean `openai:gpt-5`?"),
        ("model: Offline", "did you mean `offline`?"),
        ("model: 3", "write `provider:name`, such as `openai:gpt-5-mini`"),
    ],
)
def test_it_is_told_in_its_line(written, help):
    found = findings(NODE.format(written), "main.flow.yaml")
    assert [(h, line) for _, h, line in found] == [(help, 6)]


@pytest.mark.parametrize(
    "model", ["openai:gpt-5", "gpt-5-mini", "meta-llama/llama", "cerebras:big", "[ollama:a, xai:b]"]
)
def test_a_model_may_be_of_a_provider_that_is_not_known_here(model):
    assert findings(NODE.format(f"model: {model}"), "main.flow.yaml") == []


@pytest.mark.parametrize(
    ("limits", "help"),
    [
        ("{steps: {max: 5}}", "write for instance `50`, or `{value: 50}`"),
        ("{steps: true}", "write for instance `50`, or `{value: 50}`"),
        ("{max_steps: 5}", "here it is `steps:`"),
        ("{time: 5}", "here it is `seconds:`"),
    ],
)
def test_a_bound_is_a_number(limits, help):
    found = findings(RUN.format(f"limits: {limits}"), "main.flow.yaml")
    assert [(h, line) for _, h, line in found] == [(help, 3)]


@pytest.mark.parametrize(
    ("inputs", "messages"),
    [
        ("{who: Ada, copies: 3}", []),
        ('{who: 3, copies: "3"}', []),
        ("{who: Ada, copies: many}", ["`copies` takes a whole number, not `many`"]),
        ("{who: [Ada], copies: 1}", ["`who` takes a text, not a list"]),
    ],
)
def test_what_a_schedule_gives_is_of_the_parameter_s_type(inputs, messages):
    text = RUN.format(f"on: [{{schedule: 0 7 * * *, with: {inputs}}}]")
    assert [m for m, _, _ in findings(text, "main.flow.yaml")] == messages


def test_a_number_has_no_length():
    ((message, _, line),) = findings(CODE.format("length(status) == 0"), "main.flow.yaml")
    assert (message, line) == ("length needs a text, a list or an object, not a whole number", 4)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        ("round(status, 'a')", "round needs a whole number, not a text"),
        ("round(status, 1.5)", "round needs a whole number, not a number"),
        ("slice(text(status), 'a')", "slice needs a whole number, not a text"),
        ("split(text(status), '')", "split needs a separator that is not empty"),
        ("number(keys({}))", "number needs a number or its text, not a list"),
        ("min(1, 2)", "min needs a list, not a whole number"),
        ("map('ab', item)", "map needs a list, not a text"),
        ("time_between(status, status, 'months')", "months have no fixed length: take days"),
        ("format_time(status, 'YYYY-MM-DD')",
         "`YYYY` is not a part of a time: write `%Y-%m-%d %H:%M:%S`"),
        ("add_time(status, 'one', 'day')", "add_time needs a number, not a text"),
    ],
)  # fmt: skip
def test_an_argument_that_its_function_never_takes_is_told(call, message):
    found = findings(CODE.format(f'"{call} == 0"'), "main.flow.yaml")
    assert [(m, line) for m, _, line in found] == [(message, 4)]
