"""A script that writes its answer itself, or changes what does, gets no further than its node."""

from __future__ import annotations

import json

import pytest
from flowc.runtime.errors import Failure
from flowc.runtime.services import ScriptResult
from script_calls import call, of, run

TRUE = {"value": 1, "shares": {}, "kept": None, "threads": {}, "logs": [], "left": 0}
PLACE = "[1, 1]"
FORGED = {
    "a variable of another node": {**TRUE, "shares": {"other": 1}},
    "a conversation of another node": {**TRUE, "threads": {"other": {"append": []}}},
    "a way to change one": {**TRUE, "threads": {"other": {"burn": []}}},
    "a count without end": {**TRUE, "left": float("inf")},
    "logs of numbers": {**TRUE, "logs": 7},
    "no parts": {},
    "a list": [1],
    "a deep value": {**TRUE, "value": "DEEP"},
}


def forge(*frames: str) -> ScriptResult | Failure:
    """What comes of a script in Python that writes these frames in place of its answers."""
    source = f"""
import os, struct

def go(self):
    for text in {frames!r}:
        text = text.replace('"DEEP"', "[" * 3_000_000)
        data = text.encode()
        for pipe in range(3, 9):
            try:
                os.write(pipe, b"")
            except OSError:
                continue
            data = struct.pack("!I", len(data)) + data
            while data:
                data = data[os.write(pipe, data):]
            break
    os._exit(0)
"""
    (result,) = run(of(source, language="python", shares={"data": 1}, fixed=()))
    return result


@pytest.mark.parametrize("name", FORGED)
def test_a_forged_answer_is_a_failure_of_its_node(name: str) -> None:
    result = forge(json.dumps(FORGED[name]))
    assert isinstance(result, Failure)
    assert str(result.place).startswith("script.py:")


def test_a_forged_place_is_no_place() -> None:
    (result,) = run(of("import os\nos._exit(3)\n\ndef go(self):\n    pass\n", language="python"))
    assert isinstance(result, Failure)
    assert "ended with an exit of its own" in result.message


def test_what_is_fixed_stays_whoever_says_otherwise() -> None:
    """The inside of `data` may change; another value in its place is not taken, of whatever."""
    shares = {"data": {"a": 1}, "count": 1, "name": "x"}
    fixed = ("data", "count", "name")
    body = (
        "Array.prototype.includes = () => false; this.count = 2; this.name = 'y';"
        " this.data.a = 2; this.data = { lost: true }; return 0;"
    )
    (result,) = run(call(body, shares=shares, fixed=fixed))
    assert isinstance(result, ScriptResult)
    assert result.shares == {"data": {"a": 2}}


@pytest.mark.parametrize("value", [2, [1], None, "TAMPERED"])
def test_a_forged_change_of_what_is_fixed_is_forgotten(value: object) -> None:
    answer = json.dumps({**TRUE, "shares": {"data": value}})
    source = f"""
import os, struct

def go(self):
    data = {answer!r}.encode()
    for pipe in range(3, 9):
        try:
            os.write(pipe, struct.pack("!I", len(data)) + data)
            break
        except OSError:
            pass
    os._exit(0)
"""
    (result,) = run(of(source, language="python", shares={"data": {"a": 1}}))
    assert isinstance(result, ScriptResult), result
    assert result.shares == {}
