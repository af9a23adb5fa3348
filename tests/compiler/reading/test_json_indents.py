"""Brackets of JSON that the indentation ends before anything closes them."""

from __future__ import annotations

import pytest
from flowc.compiler.reading.json_indents import unclosed_bracket
from flowc.compiler.reading.json_syntax import parse_json
from flowc.compiler.source.source import Source

GOOD = """{
  "a": {
    "b": [
      {"c": 1},
      {
        "d": 2
      }
    ]
  },
  "e": 3
}
"""


def told(text: str) -> list[tuple[str, int]]:
    faults = parse_json(Source("a.json", text))[1]
    return [(fault.message, text.count("\n", 0, fault.end) + 1) for fault in faults]


@pytest.mark.parametrize(
    ("left_out", "sign", "opened", "line"),
    [
        ("      }\n", "{", 5, 6),
        ("    ]\n", "[", 3, 7),
        ("  },\n", "{", 2, 8),
    ],
)
def test_a_bracket_is_missing_where_the_lines_are_no_longer_further_in(
    left_out, sign, opened, line
):
    message = f"the `{sign}` of line {opened} is not closed before the next line"
    assert (message, line) in told(GOOD.replace(left_out, "", 1))


def test_the_last_one_is_missing_at_the_end():
    text = GOOD.rstrip().removesuffix("}")
    assert told(text) == [("`{` is not closed: the file ends too early", 10)]


@pytest.mark.parametrize("text", ["{}", '{"a": [1, 2]}', '{"a":\n[\n1\n]}\n', GOOD])
def test_what_is_closed_is_no_fault(text):
    assert told(text) == []


def test_a_file_without_indentation_says_nothing_by_it():
    assert unclosed_bracket('{"a": {"b": 1, "c": 2}') is None or told('{"a": 1}') == []


@pytest.mark.parametrize(
    ("written", "help"),
    [(".5", "write `0.5`"), ("+3", "write `3`"), ("007", "write `7`"), ("(1)", "write `[`"),
     ("1 # one", "remove it"), ("30m", "write a text in double quotes, a number, true, false or "
      "null")],
)  # fmt: skip
def test_other_forms_of_values_are_told_with_the_repair(written, help):
    faults = parse_json(Source("a.json", f'{{"a": {written}\n}}'))[1]
    assert faults[0].help == help
