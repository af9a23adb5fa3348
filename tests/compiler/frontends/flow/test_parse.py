"""Flow YAML files that are not as they should be: what is said about them, and where."""

from __future__ import annotations

import sys

import pytest
from flowc.compiler.checks import CODES
from flowc.compiler.diagnostics.diagnostic import Sink
from flowc.compiler.driver import compile_text
from flowc.compiler.ir import EndNode
from flowc.compiler.source.source import Span
from jsonschema import Draft202012Validator

HEAD = "flow: 1\nnodes:\n  - name: greet\n    agent: writer\n"


def compiled(text):
    return compile_text(text, "main.flow.yaml")


def faults(result):
    return [d for d in result.diagnostics if d.severity == "error"]


@pytest.mark.parametrize("sign", ["\u2028", "\u2029", "\x85"])
@pytest.mark.parametrize(
    "text", ["# one{}two\n" + HEAD + "    prompt: Hello\n", HEAD + '    prompt: "one{} two"\n']
)
def test_a_line_separator_from_a_page_is_named(text, sign):
    text = text.format(sign)
    (fault,) = faults(compiled(text))
    assert (fault.code, fault.primary.start) == ("FC1001", text.index(sign))
    assert f"U+{ord(sign):04X}" in fault.message
    assert f'"\\u{ord(sign):04x}"' in fault.help


def test_a_line_separator_may_be_written_as_an_escape():
    result = compiled(HEAD + '    prompt: "one\\u2028two"\n    into: x\noutputs: [x]\n')
    assert result.diagnostics == ()


@pytest.mark.parametrize("required", ["true", "null", "grade", "{grade: 1}", "[[grade]]"])
def test_a_schema_whose_required_keys_are_no_list_is_told_and_no_crash(required):
    schema = f"{{properties: {{grade: {{enum: [a, b]}}}}, required: {required}}}"
    answer = f"    prompt: Hello\n    schema: {schema}\n    into: answer\n"
    choice = (
        "  - name: choose\n    choose: answer.grade\n    cases: {a: end}\n    otherwise: failed\n"
    )
    (fault,) = faults(compiled(HEAD + answer + choice + "outputs: [answer]\n"))
    assert fault.code == "FC1005"
    assert fault.message.startswith("not a JSON Schema: ")


@pytest.mark.parametrize(
    "text",
    [
        "flow: 1\nnodes:\n  -\n",
        "flow: 1\nnodes: [a]\n",
        "flow: 1\nworkflows: []\nnodes: []\n",
        "flow: 1\ndefaults: 3\nnodes: []\n",
        "flow: 1\nthreads: {hall: 5}\nnodes: []\n",
        "flow: 1\nscripts: {grades: there.js}\nnodes: []\n",
        "flow: 1\nstart: [a]\nnodes: []\n",
        HEAD + "    prompt: Hello\n    timeout: soon\n",
        HEAD + "    prompt: Hello\n    next: [[a]]\n",
        "flow: 1\nnodes: " + "[" * 200 + "]" * 200 + "\n",
    ],
)
def test_every_fault_says_what_to_write(text):
    found = faults(compiled(text))
    assert found
    assert all(fault.help for fault in found)


def test_a_name_of_a_thousand_characters_does_not_fill_the_screen():
    name = "x" * 1000
    (fault,) = faults(compiled(HEAD + f"    prompt: '{{{{ {name} }}}}'\n"))
    assert fault.code == "FC3001"
    assert len(fault.message) < 200


@pytest.mark.parametrize(
    ("target", "ends"),
    [
        ("end", {"end": "success"}),
        ("success", {"success": "success"}),
        ("failed", {"failed": "failed"}),
        ("[success, failed]", {"success": "success", "failed": "failed"}),
    ],
)
def test_an_end_that_an_edge_names_needs_no_node(target, ends):
    """Only those ends are there that something leads to."""
    workflow = compiled(HEAD + f"    prompt: Hello\n    next: {target}\n").workflow
    assert workflow is not None
    assert {n.id: n.outcome for n in workflow.nodes if isinstance(n, EndNode)} == ends


def test_a_merge_key_is_named():
    text = HEAD.replace("- name", "- &first\n    name") + "    prompt: Hello\n"
    fault = faults(compiled(text + "  - <<: *first\n    name: again\n"))[0]
    assert (fault.code, fault.message) == ("FC1001", "`<<` merges nothing here")


def test_in_a_long_message_only_long_names_are_shortened():
    sink = Sink(CODES)
    message = "`a` has " + "many words " * 40 + "and `b` and `" + "c" * 100 + "`"
    sink.report("FC1001", message, Span("main.md", 0, 0))
    (fault,) = sink.all()
    assert fault.message == message.replace("c" * 100, "c" * 60 + "…")


def test_variables_have_the_types_of_the_parts_that_they_get():
    text = "flow: 1\nnodes:\n"
    text += "  - {name: a, exec: ls, into: {out: stdout, n: code, data: json, both: text}}\n"
    text += "  - {name: b, exec: ls, into: {both: code, n: code}}\noutputs: [out, n, data, both]\n"
    result = compiled(text)
    assert result.diagnostics == ()
    types = {field.name: field.type for field in result.workflow.state}
    assert types == {"out": "text", "n": "integer", "data": "any", "both": "any"}


def test_a_node_whose_parts_cannot_be_read_still_writes_its_variables():
    text = "flow: 1\nnodes:\n  - {name: a, exec: ls, timeout: [], into: {out: stdut}, form: x}\n"
    codes = {fault.code for fault in compiled(text + "outputs: [out]\n").diagnostics}
    assert codes == {"FC1005"}


@pytest.mark.parametrize("where", ["state", "params"])
@pytest.mark.parametrize(
    ("value", "shown", "type"),
    [
        ("0", "0", "integer"),
        ("1.5", "1.5", "number"),
        ("true", "true", "boolean"),
        ('""', '""', "text"),
        ("[]", "[]", "list"),
        ("[1, 2]", "[…]", "list"),
    ],
)
def test_a_value_in_the_place_of_a_type_is_told_how_it_is_a_default(where, value, shown, type):
    (fault,) = faults(compiled(f"{HEAD}    prompt: Hello\n{where}: {{n: {value}}}\n"))
    assert (fault.code, fault.message) == (
        "FC1005",
        f"`{shown}` is a value, and here stands the type",
    )
    assert f"`{{type: {type}, default: {shown}}}`" in fault.help


@pytest.mark.parametrize("word", ["texf", "hello", "2026-01-01", "'3'"])
def test_a_word_in_the_place_of_a_type_is_meant_as_one(word):
    (fault,) = faults(compiled(f"{HEAD}    prompt: Hello\nstate: {{n: {word}}}\n"))
    assert fault.message.startswith("`type` is not `")


def test_a_schedule_and_an_attempt_have_no_default():
    result = compiled(f"{HEAD}    prompt: Hello\n    retry: 3\n    into: x\noutputs: [x]\n")
    assert result.diagnostics == ()


def test_a_schema_that_stands_there_again_is_looked_through_once():
    looks = 0
    looked = Draft202012Validator.check_schema.__func__.__code__

    def count(frame, event, arg):
        nonlocal looks
        looks += event == "call" and frame.f_code is looked

    node = "  - {{name: n{0}, agent: judge, prompt: Go., schema: {1}, into: x{0}}}\n"
    good, bad = "{properties: {only_here: {}}}", "{required: 3}"
    nodes = "".join(node.format(n, bad if n % 10 == 0 else good) for n in range(30))
    sys.setprofile(count)
    try:
        found = faults(compiled(f"flow: 1\nnodes:\n{nodes}"))
    finally:
        sys.setprofile(None)
    assert looks == 4  # and each faulty one
    assert [fault.code for fault in found] == ["FC1005"] * 3
