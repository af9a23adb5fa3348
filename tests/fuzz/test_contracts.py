"""Contracts and teams that are broken in every way: each ends in time, without a traceback."""

from __future__ import annotations

import json
import time
from copy import deepcopy

import pytest
from contracts import contract, gate, read, step, team
from flowc.compiler.driver import compile_text
from flowc.compiler.source.source import SourceSet
from hypothesis import given
from hypothesis import strategies as st

WHOLE = contract(
    step("a"),
    step("b", "a", form="decision"),
    step("c", "a", "b", form="synchronization"),
    step("d", "c", form="review", estimated_duration=3),
    gates=(gate("g"), gate("h", "approval")),
    input_parameters={"x": [1, {}]},
    execution_config={"max_iterations": 3, "auto_retry": True, "timeout_minutes": 5},
)


def _ring(n: int) -> str:
    return contract(*(step(f"s{i}", f"s{(i + 1) % n}") for i in range(n)))


def _layers(count: int, width: int) -> str:
    """Every step of a layer depends on every one of the layer before; a review behind each."""
    steps, before = [], []
    for layer in range(count):
        ids = [f"l{layer}_{n}" for n in range(width)]
        steps += [step(id, *before) for id in ids]
        steps.append(step(f"r{layer}", *ids, form="review"))
        before = [f"r{layer}"]
    return contract(*steps)


CASES = {
    "a circle of 5,000": _ring(5_000),
    "a chain of 5,000": contract(*(step(f"s{n}", *[f"s{n - 1}"] * (n > 0)) for n in range(5_000))),
    "a chain of 1,000 reviews": contract(
        step("s0"), *(step(f"s{n}", f"s{n - 1}", form="review") for n in range(1, 1_000))
    ),
    "2,000 first steps and a review of all": contract(
        *(step(f"s{n}") for n in range(2_000)),
        step("r", *(f"s{n}" for n in range(2_000)), form="review"),
    ),
    "200 reviews of one step": contract(
        step("a"), *(step(f"r{n}", "a", form="review") for n in range(200))
    ),
    "50 layers of 20": _layers(50, 20),
    "a step of 20,000 dependencies on nothing": contract(
        step("a", *(f"x{n}" for n in range(20_000)))
    ),
    "5,000 steps of one id": contract(*(step("a") for _ in range(5_000))),
    "20,000 gates": contract(step("a"), gates=tuple(gate(f"g{n}") for n in range(20_000))),
    "input parameters nested 1,000 deep": contract(step("a")).replace(
        '"steps"', '"input_parameters": {"x": ' + "[" * 1_000 + "]" * 1_000 + '}, "steps"'
    ),
    "steps nested 100,000 deep": '{"workflow_type": "parallel", "steps": ' + "[" * 100_000,
    "20,000 unknown keys": contract(step("a", **{f"key_{n}": n for n in range(20_000)})),
    "20,000 double keys": '{"workflow_type": 1' + ', "workflow_type": 1' * 20_000 + "}",
    "criteria of 1 MB": contract(step("a", success_criteria="good " * 200_000)),
    "10 MB of steps": contract(*(step(f"s{n}", success_criteria="x" * 20_000) for n in range(500))),
    "not JSON at all": '{"required_role": ' + "}{" * 50_000,
}


@pytest.mark.parametrize("text", CASES.values(), ids=CASES.keys())
def test_it_ends_within_seconds(text, compiled):
    begin = time.process_time()
    compiled(text, "contract")
    assert time.process_time() - begin < 30


@given(at=st.integers(0, len(WHOLE)), length=st.integers(0, 60), put=st.text(max_size=4))
def test_a_contract_with_a_piece_torn_out(at, length, put, compiled):
    compiled(WHOLE[:at] + put + WHOLE[at + length :], "contract")


ODD = st.sampled_from(
    [None, True, -1, 0.5, 1e300, "", " ", "a", "review", "sequential", "a:b", [], ["a"], [[]], {}]
)


@given(data=st.data())
def test_a_contract_with_odd_values_anywhere(data, compiled):
    whole = json.loads(WHOLE)
    for _ in range(data.draw(st.integers(1, 4))):
        place = data.draw(st.sampled_from([whole, *_objects(whole)]))
        place[data.draw(st.sampled_from([*place, "new"]))] = deepcopy(data.draw(ODD))
    compiled(json.dumps(whole), "contract")


def _objects(value):
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    for item in inner:
        if isinstance(item, dict):
            yield item
        yield from _objects(item)


TEAM = team("cook", "taster", people=("owner",))


@given(data=st.data())
def test_a_team_with_odd_values_anywhere(data):
    whole = json.loads(TEAM)
    for _ in range(data.draw(st.integers(1, 3))):
        place = data.draw(st.sampled_from([whole, *_objects(whole)]))
        place[data.draw(st.sampled_from([*place, "configuration", "agent_roles"]))] = deepcopy(
            data.draw(ODD)
        )
    sources = SourceSet(overrides={"team.json": json.dumps(whole)})
    result = compile_text(WHOLE, "menu.json", sources=sources, team="team.json")
    files = {"menu.json", "team.json"}
    assert {d.primary.file for d in result.diagnostics} <= files


@pytest.mark.parametrize(
    "ends", ["\r\n", "\n"], ids=["the line ends of Windows", "with a byte-order mark"]
)
def test_places_are_right_whatever_the_line_ends(ends):
    text = contract(step("a"), step("b", "c")).replace("\n", ends)
    (found,) = read("\ufeff" + text if ends == "\n" else text).diagnostics
    assert text[found.primary.start : found.primary.end] == "c"


@pytest.mark.parametrize("path", ["", ".", "nowhere.json"])
def test_a_team_that_cannot_be_read_is_said(path, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    found = compile_text(WHOLE, "menu.json", team=path).diagnostics
    assert [d.code for d in found] == ["FC0001"]
