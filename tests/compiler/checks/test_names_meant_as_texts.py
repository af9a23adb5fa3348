"""What is said of a name that nothing writes and that may be meant as a text."""

from __future__ import annotations

import pytest
from flowc.compiler.driver import compile_text


@pytest.mark.parametrize(
    ("written", "help"),
    [
        ("assign: {x: good}", """; a text has quotes within quotes: `'"good"'`"""),
        ('assign: {x: "good"}', """; a text has quotes within quotes: `'"good"'`"""),
        ("assert: line == good", '; a text stands in quotes: `"good"`'),
        ('ask: "{{ good }}"\n    into: x', "a parameter"),
        ('ask: "Is it {{ good }}?"\n    into: x', "a parameter"),
        ("assign: {x: good day}", """a text has quotes within quotes: `'"good day"'`"""),
        ("assign: {x: 'good day'}", """a text has quotes within quotes: `'"good day"'`"""),
        ("assert: line andd good", "did you mean `and`?"),
        ("assert: line good", "put an operator before it, or quotes around text"),
    ],
)
def test_how_a_text_is_quoted_is_said_where_a_name_may_be_meant_as_one(written, help):
    text = f"flow: 1\nparams: {{line: text}}\nnodes:\n  - name: a\n    {written}\n"
    said = [d for d in compile_text(text, "a.flow.yaml").diagnostics if d.code != "FC3003"]
    assert [d.help[-len(help) :] for d in said] == [help]
