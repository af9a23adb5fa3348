"""docs/expressions.md says what the language does: its examples are executed."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from flowc.compiler.expr.evaluate import EvaluationError
from flowc.compiler.expr.functions import FUNCTIONS

PAGE = (Path(__file__).parents[3] / "docs/expressions.md").read_text(encoding="utf-8")
EXAMPLE = re.compile(r"^- `((?:[^`\n])+)` → (.+)$", re.MULTILINE)
EXAMPLES = EXAMPLE.findall(PAGE)
VARIABLES = json.loads(PAGE.partition("```json\n")[2].partition("```")[0])


def test_the_page_has_examples():
    assert len(EXAMPLES) == sum(line.startswith("- `") for line in PAGE.splitlines()) > 50


@pytest.mark.parametrize(("text", "expected"), EXAMPLES, ids=[text for text, _ in EXAMPLES])
def test_example(value, text, expected):
    if expected.startswith("*fails:* "):
        with pytest.raises(EvaluationError, match=re.escape(expected.removeprefix("*fails:* "))):
            value(text, **VARIABLES)
        return
    assert repr(value(text, **VARIABLES)) == repr(json.loads(expected))


def test_every_function_is_listed_with_its_summary():
    rows = re.findall(r"^\| `(\w+)\(([^)]*)\)` \| (.+) \|$", PAGE, re.MULTILINE)
    assert [(name, summary) for name, _, summary in rows] == [
        (function.name, function.summary) for function in FUNCTIONS.values()
    ]
    for name, written, _ in rows:
        assert FUNCTIONS[name].least <= len(written.split(", "))
