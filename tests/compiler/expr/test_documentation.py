"""docs/expressions.md says what the language does: its examples are executed."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from flowc.compiler.expr.evaluate import EvaluationError
from flowc.compiler.expr.functions import BY_GROUP, FUNCTIONS, Function

FILE = Path(__file__).parents[3] / "docs/expressions.md"
PAGE = FILE.read_text(encoding="utf-8")
EXAMPLE = re.compile(r"^- `((?:[^`\n])+)` → (.+)$", re.MULTILINE)
EXAMPLES = EXAMPLE.findall(PAGE)
VARIABLES = json.loads(PAGE.partition("```json\n")[2].partition("```")[0])
START, END = "<!-- functions -->\n", "<!-- end -->"


def section() -> str:
    """The functions as the page lists them."""
    return "\n".join(_group(title, rows) for title, rows in BY_GROUP)


def _group(title: str, rows: tuple[Function, ...]) -> str:
    table = "".join(f"| `{row.signature}` | {row.result} | {row.summary} |\n" for row in rows)
    examples = "".join(f"- `{text}` → {value}\n" for row in rows for text, value in row.examples)
    return f"### {title}\n\n| | gives | |\n|---|---|---|\n{table}\n{examples}"


def test_the_generated_list_of_functions_is_up_to_date(golden):
    before, _, rest = PAGE.partition(START)
    golden(FILE, f"{before}{START}{section()}{END}{rest.partition(END)[2]}")


def test_the_page_has_examples():
    assert len(EXAMPLES) == sum(line.startswith("- `") for line in PAGE.splitlines()) > 90


@pytest.mark.parametrize(("text", "expected"), EXAMPLES, ids=[text for text, _ in EXAMPLES])
def test_example(value, text, expected):
    if expected.startswith("*fails:* "):
        with pytest.raises(EvaluationError, match=re.escape(expected.removeprefix("*fails:* "))):
            value(text, **VARIABLES)
        return
    assert repr(value(text, **VARIABLES)) == repr(json.loads(expected))


def test_every_function_that_needs_nothing_from_outside_has_an_example():
    assert {row.name for row in FUNCTIONS.values() if not row.examples} == {"now", "read_file"}
