"""Other values of variables: of the right name and the right type."""

from __future__ import annotations

from typing import Any

import flowc
import pytest
from flowc.runtime.errors import RunError
from flowc.runtime.state.initial import variable_writes

FLOW = """\
flow: 1
name: typed
state: {COUNT: integer, NAME: text, PARTS: list}
nodes:
  - {name: a, assign: {COUNT: '1'}}
"""


def spec() -> Any:
    return flowc.load(FLOW).compiled.spec


def test_values_are_read_as_their_types_and_null_empties() -> None:
    given = {"COUNT": 2, "NAME": 7, "PARTS": None}
    assert variable_writes(spec(), given) == {"COUNT": 2, "NAME": "7", "PARTS": None}


@pytest.mark.parametrize(
    ("change", "words", "remedy"),
    [
        ({"COUNT": "two"}, '`COUNT` must be a whole number, not `"two"`', ""),
        ({"COUNT": True}, "`COUNT` must be a whole number, not `true`", ""),
        ({"PARTS": {}}, "`PARTS` must be a JSON list, not `{}`", ""),
        ({"PARTS": [float("nan")]}, "the value of `PARTS` cannot be kept", ""),
        ({"COUTN": 2}, "has no variable `COUTN`", "did you mean `COUNT`?"),
        ({"Z": 2}, "has no variable `Z`", "variables: COUNT, NAME, PARTS"),
    ],
)
def test_what_does_not_fit_is_refused(change: Any, words: str, remedy: str) -> None:
    with pytest.raises(RunError, match=words) as refusal:
        variable_writes(spec(), change)
    assert refusal.value.help == (remedy or refusal.value.help)
