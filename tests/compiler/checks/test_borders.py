"""What crosses from one workflow to another, and what an answer holds."""

from __future__ import annotations

import pytest
from flowc.compiler.driver import compile_text

HEAD = """flow: 1
params: {topic: text}
agents: {judge: {system: You judge.}}
nodes:
"""
CALLED = """
workflows:
  sub:
    params: {page: text, tone: {type: text, default: calm}}
    nodes: [{name: only, assign: {result: page + tone}}]
    outputs: [result]
"""
JUDGE = (
    "  - {name: ask, agent: judge, prompt: Judge, schema: {type: object, properties: "
    "{mark: {type: number}}}, into: judged}\n"
)


def said(nodes: str, outputs: str = "[]") -> list[tuple[str, str, str]]:
    result = compile_text(f"{HEAD}{nodes}outputs: {outputs}{CALLED}", "main.flow.yaml")
    found = [d for d in result.diagnostics if d.severity == "error"]
    return [(d.code, d.message, d.help) for d in found]


@pytest.mark.parametrize(
    ("nodes", "outputs", "message", "help"),
    [
        (
            "  - {name: a, assign: {answer: topic}}\n", "[anwser]",
            "the output `anwser` is not a variable of the workflow", "did you mean `answer`?",
        ),
        (
            "  - {name: a, assign: {answer: topic}}\n", "3",
            "the output `3` is not a variable of the workflow",
            "name what a node writes `into`, or a parameter",
        ),
        (
            "  - {name: a, call: sub, with: {page: topic}, returns: {z: rezult}}\n", "[z]",
            "`sub` has no `rezult`", "did you mean `result`?",
        ),
        (
            "  - {name: a, call: sub, with: {tone: topic}, returns: {z: result}}\n", "[z]",
            "`a` does not give `page`, which `sub` requires", "give it: `with: {page: …}`",
        ),
        (
            "  - {name: a, foreach: '[topic]', do: sub, item: i, with: {page: topic}, into: z}\n",
            "[z]", "`sub` takes no `i`", "it takes `result`, `page`, `tone`",
        ),
        (
            "  - {name: a, tool: read_file, args: {pth: topic}, into: z}\n", "[z]",
            "`read_file` takes no `pth`", "did you mean `path`?",
        ),
        (
            "  - {name: a, tool: read_file, args: {start_line: 3}, into: z}\n", "[z]",
            "`read_file` needs `path`, which the node does not give",
            "give it: `args: {path: …}`",
        ),
        (
            JUDGE + "  - {name: a, assert: judged.makr > 3}\n", "[]",
            "`judged` has no `makr`", "did you mean `mark`?",
        ),
        (
            "  - {name: b, tool: git_log, into: log}\n"
            "  - {name: a, assert: 'log.commits[0].sbuject != topic'}\n", "[]",
            "`log.commits[0]` has no `sbuject`", "did you mean `subject`?",
        ),
    ],
)  # fmt: skip
def test_a_name_that_the_other_end_does_not_have_is_an_error(nodes, outputs, message, help):
    found = said(nodes, outputs)
    assert [(m, h) for _, m, h in found] == [(message, help)]


@pytest.mark.parametrize(
    ("nodes", "outputs"),
    [
        ("  - {name: a, assign: {answer: topic}}\n", "[answer, topic]"),
        ("  - {name: a, call: sub, with: {page: topic}, returns: {z: result}}\n", "[z]"),
        ("  - {name: a, foreach: '[topic]', do: sub, item: page, into: z}\n", "[z]"),
        ("  - {name: a, tool: somewhere_else, args: {any: topic}, into: z}\n", "[z]"),
        (JUDGE + "  - {name: a, assert: judged.mark > 3}\n", "[]"),
        ("  - {name: a, tool: git_log, into: log}\n  - {name: b, assert: log.other > 3}\n", "[]"),
        ("  - {name: a, tool: my_log, into: log}\n  - {name: b, assert: log.conut > 3}\n", "[]"),
        (
            JUDGE + "  - {name: b, assign: {judged: 'either(judged, topic)'}}\n"
            "  - {name: a, assert: judged.makr > 3}\n",
            "[]",
        ),
    ],
)
def test_what_fits_or_cannot_be_known_raises_no_alarm(nodes, outputs):
    assert [m for _, m, _ in said(nodes, outputs) if "has no" in m or "takes" in m] == []


def test_a_default_of_another_type_is_an_error():
    text = (
        'flow: 1\nparams: {n: {type: integer, default: "three"}}\nnodes: [{name: a, assign: {}}]\n'
    )
    (found,) = compile_text(text, "main.flow.yaml").diagnostics
    assert found.message == "`n` holds a whole number, its default is a text"


ASK = "  - {name: ask, ask: How?, choices: [good, bad], into: mood}\n"


@pytest.mark.parametrize(
    ("condition", "told"),
    [
        ('mood == "maybe"', True),
        ('"godo" != mood', True),
        ('mood == "good"', False),
        ('mood == ""', False),
        ('topic == "maybe"', False),
    ],
)
def test_a_comparison_with_what_is_never_chosen_is_an_error(condition, told):
    found = said(f"{ASK}  - {{name: a, assert: '{condition}'}}\n")
    assert [m.startswith("`mood` is never `") for _, m, _ in found] == [True] * told


def test_a_function_that_the_script_does_not_name_is_an_error():
    script = "scripts: {s: {source: 'export function double(n) { return 2 * n }'}}\n"
    head = f"flow: 1\nparams: {{n: number}}\n{script}nodes:\n"
    node = "  - {name: a, script: s, function: doulbe, args: [n], into: z}\noutputs: [z]\n"
    (found,) = compile_text(head + node, "main.flow.yaml").diagnostics
    assert found.message == "the script `s` has no function `doulbe`"
    assert found.help == "did you mean `double`?"
    assert compile_text(head + node.replace("doulbe", "double"), "main.flow.yaml").diagnostics == ()
