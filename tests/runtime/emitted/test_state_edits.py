"""In whose name an edit of the state is made, where nobody says."""

from __future__ import annotations

from typing import Any

import flowc
import pytest
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.errors import InvalidUpdateError
from langgraph.types import Command

FLOW = """\
flow: 1
name: edited
state: {A: text, B: text, C: text}
nodes:
  - {name: a, assign: {A: '"1"'}}
  - {name: q, ask: 'well?', into: B}
  - {name: c, assign: {C: 'A + B'}}
outputs: [C]
"""
SIDES = """\
flow: 1
name: sides
state: {A: text, B: text}
nodes:
  - {name: both, assign: {A: '"0"'}, next: [left, right]}
  - {name: left, assign: {A: '"1"'}, next: q}
  - {name: right, assign: {B: '"2"'}, next: q}
  - {name: q, ask: 'well?', into: B, join: all}
outputs: [A]
"""
CALLS = """\
flow: 1
name: outer
nodes:
  - {name: deep, call: inner, returns: {R: C}}
outputs: [R]
flows:
  - name: inner
    state: {A: text, B: text, C: text}
    nodes:
      - {name: a, assign: {A: '"1"'}}
      - {name: q, ask: 'well?', into: B}
      - {name: c, assign: {C: 'A + B'}}
    outputs: [C]
"""


def config(thread: str = "t") -> Any:
    return {"configurable": {"thread_id": thread}}


def graph(text: str, tmp_path: Any) -> Any:
    return flowc.load(text, journal=f"sqlite:///{tmp_path}/journal.db").graph(InMemorySaver())


def test_an_edit_is_the_last_node_s(tmp_path: Any) -> None:
    app = graph(FLOW, tmp_path)
    app.invoke({}, config())
    app.update_state(config(), {"A": "edited "})
    app.update_state(config(), {"A": "edited twice "})
    assert app.get_state(config()).next == ("q",)
    app.invoke(None, config())
    assert app.invoke(Command(resume="yes"), config())["C"] == "edited twice yes"
    app.update_state(config(), {"C": "after the end"})
    assert app.get_state(config()).next == ()


def test_before_the_first_node_it_is_the_start_s(tmp_path: Any, wait: Any) -> None:
    app = graph(FLOW, tmp_path)
    app.invoke({}, config(), interrupt_before=["a"])
    wait(app.aupdate_state(config(), {"B": "early"}))
    assert app.get_state(config()).next == ("a",)


def test_of_several_that_ran_last_one_has_to_be_named(tmp_path: Any) -> None:
    app = graph(SIDES, tmp_path)
    app.invoke({}, config(), interrupt_after=["left", "right"])
    with pytest.raises(InvalidUpdateError, match=r"several nodes ran last, left, right: say"):
        app.update_state(config(), {"A": "x"})
    app.update_state(config(), {"A": "x"}, as_node="left")


def test_a_command_goes_to_a_node_of_the_file(tmp_path: Any) -> None:
    app = graph(FLOW, tmp_path)
    app.invoke({}, config())
    assert app.invoke(Command(goto="c", update={"B": "gone"}), config())["C"] == "1gone"


def test_a_debug_stream_shows_nothing_of_the_services(tmp_path: Any) -> None:
    app = graph(FLOW, tmp_path)
    for mode in ("debug", "checkpoints", "tasks"):
        text = str(list(app.stream({}, config(mode), stream_mode=mode)))
        assert "Services" not in text
        assert "flowc_surroundings" not in text


def test_an_edit_of_something_that_is_not_there_is_refused(tmp_path: Any) -> None:
    app = graph(FLOW, tmp_path)
    app.invoke({}, config())
    with pytest.raises(InvalidUpdateError, match=r"the state has no key `Aa`: .*A, B, C"):
        app.update_state(config(), {"Aa": "x"})


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"A": ["x"]}, r"`A` must be a text, not `\[\"x\"\]`"),
        ({"A": {"x"}}, "`A` must be a text"),
        ({"A": "y", "B": {"x": 1}}, "`B` must be a text"),
    ],
)
def test_an_edit_by_a_value_that_the_variable_does_not_hold_is_refused(
    tmp_path: Any, values: Any, words: str
) -> None:
    app = graph(FLOW, tmp_path)
    app.invoke({}, config())
    with pytest.raises(InvalidUpdateError, match=words):
        app.update_state(config(), values)
    app.update_state(config(), {"A": 3, "B": None})
    assert app.get_state(config()).values["A"] == "3"
