"""What does not fit a schema, whoever wrote that: a model's tool server, a document, a stranger."""

from __future__ import annotations

import cProfile
import datetime
import re
import time
from collections.abc import Callable

import pytest
from flowc.runtime.state.schemas import BrokenSchema, misfits

EVIL, LONG = "^(a+)+$", "a" * 5000 + "!"
DRAFT = "https://json-schema.org/draft/2020-12/schema"


@pytest.mark.parametrize(
    ("schema", "value"),
    [
        ({"pattern": EVIL}, LONG),
        ({"$schema": DRAFT, "items": {"$schema": DRAFT, "pattern": EVIL}}, [LONG]),
        ({"$schema": DRAFT, "items": {"$ref": "#/$defs/a"},
          "$defs": {"a": {"$schema": DRAFT, "pattern": EVIL}}}, [LONG]),
        ({"items": {"$schema": "http://json-schema.org/draft-07/schema#", "pattern": EVIL}},
         [LONG]),
        ({"propertyNames": {"pattern": EVIL}}, {LONG: 1}),
        ({"patternProperties": {EVIL: {}}, "additionalProperties": False}, {LONG: 1}),
        ({"not": {"not": {"contains": {"pattern": EVIL}}}}, [LONG]),
    ],
)  # fmt: skip
def test_no_pattern_takes_longer_than_its_text(schema, value):
    """With Python's own patterns each of these goes on for longer than there has been a universe,
    and no limit of time ends it."""
    begin = time.thread_time()
    assert misfits(schema, value) != ""
    assert time.thread_time() - begin < 2


@pytest.mark.parametrize(
    ("schema", "value", "said"),
    [
        ({"pattern": "^a"}, "ba", "'ba' does not match '^a'"),
        ({"pattern": "^a"}, "ab", ""),
        ({"pattern": "^a"}, 5, ""),
        ({"patternProperties": {"^n": {"type": "integer"}}}, {"n1": "x", "m": "x"}, "n1: 'x' is"),
        ({"patternProperties": {"^n": {}}, "additionalProperties": False}, {"n": 1}, ""),
        ({"patternProperties": {"^n": {}}, "additionalProperties": False}, {"m": 1}, "'m' was"),
        ({"patternProperties": {"^n": {}}, "properties": {"a": {}},
          "additionalProperties": {"type": "string"}}, {"a": 1, "n": 1, "m": 1}, "m: 1 is not"),
        ({"properties": {"$schema": {"type": "integer"}}}, {"$schema": "x"}, "'x' is not of"),
        ({"$schema": DRAFT, "unevaluatedProperties": False}, {"a": 1}, "Unevaluated properties"),
    ],
)  # fmt: skip
def test_patterns_say_the_same_as_before(schema, value, said):
    told = misfits(schema, value)
    assert said in told
    assert bool(told) is bool(said)


@pytest.mark.parametrize(
    ("schema", "value", "said"),
    [
        ({"pattern": "("}, "a", "is not a 'regex'"),
        ({"pattern": "(?=a)"}, "a", "look-around is not supported"),
        ({"pattern": r"(a)\1"}, "a", "back references are not supported"),
        ({"type": "nothing"}, 1, "is not valid"),
        ({"$ref": "file:///etc/passwd"}, 1, "Unresolvable"),
        ({"unevaluatedProperties": False, "allOf": [{"patternProperties": {EVIL: {}}}]}, {LONG: 1},
         "are not checked together"),
    ],
)  # fmt: skip
def test_a_schema_that_cannot_be_used_says_why(schema, value, said):
    with pytest.raises(BrokenSchema, match=re.escape(said)):
        misfits(schema, value)


def _calls_of(work: Callable[[], object]) -> int:
    """Return how many functions are called."""
    profile = cProfile.Profile()
    profile.runcall(work)
    return sum(entry.callcount for entry in profile.getstats())


def test_a_schema_is_checked_when_it_is_new_and_not_with_each_value():
    names = [f"name_{number}" for number in range(30)]
    schema = {"type": "object", "properties": {name: {"type": "string"} for name in names}}
    value = dict.fromkeys(names, "text")
    first, again = (_calls_of(lambda: misfits({**schema}, value)) for _ in range(2))
    assert again < first / 5


def test_a_schema_that_was_changed_is_another():
    schema = {"properties": {"a": {"type": "string"}}}
    assert misfits(schema, {"a": "text"}) == ""
    schema["properties"]["a"]["type"] = "integer"
    assert misfits(schema, {"a": "text"}) != ""


def test_a_schema_that_is_not_json_is_one_nevertheless():
    day = datetime.date(2024, 1, 1)
    assert misfits({"const": day}, day) == ""
    assert misfits({"const": day}, "2024-01-01") != ""
