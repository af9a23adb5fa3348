"""What differs between two runs."""

from __future__ import annotations

from typing import Any

from flowc.runtime.events import RunEvent
from flowc.runtime.graph.run_diff import ComparedRun, compare, steps_of


def events(*nodes: str) -> list[RunEvent]:
    """`a`, `sub/b`, `c=case`, `d@2` (in step 2): each begun and finished."""
    found: list[RunEvent] = []
    for number, text in enumerate(nodes):
        name, _, step = text.partition("@")
        name, _, case = name.partition("=")
        *path, node = name.split("/")
        where: dict[str, Any] = {"node": node, "path": tuple(path)}
        begun = {"step": int(step or number + 100)}
        found.append(RunEvent("node_started", "r", "", data=begun, **where))
        found.append(RunEvent("node_finished", "r", "", data={"case": case}, **where))
    return found


def test_the_same_way_whichever_branch_was_through_first() -> None:
    one, two = events("a", "b@1", "c@1", "d"), events("a", "c@1", "b@1", "d")
    assert steps_of(one) == steps_of(two) == ["a", "b", "c", "d"]
    assert not compare(ComparedRun(one, {}, "success"), ComparedRun(two, {}, "success"))


def test_the_way_the_variables_and_the_end() -> None:
    one = ComparedRun(events("a", "check=true", "b"), {"x": 1, "y": 0}, "success", "r")
    two = ComparedRun(events("a", "check=false", "sub/c"), {"x": 2, "z": 3, "y": 0}, "failed", "r")
    found = compare(one, two)
    assert found
    assert found.path == (
        (" ", "a"), ("-", "check → true"), ("-", "b"), ("+", "check → false"), ("+", "sub/c"),
    )  # fmt: skip
    assert found.variables == {"x": (1, 2), "z": (None, 3)}
    assert found.ends == {"status": ("success", "failed")}


def test_costs_are_told_and_are_no_difference() -> None:
    one = ComparedRun(events("a"), {}, "success", usage={"input_tokens": 3})
    two = ComparedRun(events("a"), {}, "success", usage={"input_tokens": 5})
    found = compare(one, two)
    assert not found
    assert found.costs["input_tokens"] == (3, 5)
