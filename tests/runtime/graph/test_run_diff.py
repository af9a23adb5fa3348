"""What differs between two runs."""

from __future__ import annotations

from flowc.runtime.events import RunEvent
from flowc.runtime.graph.run_diff import ComparedRun, compare, steps_of


def started(text: str, step: int) -> RunEvent:
    *path, node = text.split("/")
    return RunEvent("node_started", "r", "", node, tuple(path), {"step": step})


def ended(text: str, case: str = "") -> RunEvent:
    *path, node = text.split("/")
    return RunEvent("node_finished", "r", "", node, tuple(path), {"case": case})


def retried(text: str, attempt: int) -> RunEvent:
    *path, node = text.split("/")
    return RunEvent("node_retry", "r", "", node, tuple(path), {"attempt": attempt})


def events(*nodes: str) -> list[RunEvent]:
    """`a`, `b=case`, `c@2` (in step 2): each begun and finished."""
    found: list[RunEvent] = []
    for number, text in enumerate(nodes):
        name, _, step = text.partition("@")
        name, _, case = name.partition("=")
        found += [started(name, int(step or number)), ended(name, case)]
    return found


def test_the_same_way_whichever_branch_was_through_first() -> None:
    one, two = events("a", "b@1", "c@1", "d"), events("a", "c@1", "b@1", "d")
    assert steps_of(one) == steps_of(two) == ["a", "b", "c", "d"]
    assert not compare(ComparedRun(one, {}, "success"), ComparedRun(two, {}, "success"))


def test_the_way_the_variables_and_the_end() -> None:
    one = ComparedRun(events("a", "check=true", "b"), {"x": 1, "y": 0}, "success", "r")
    two = ComparedRun(events("a", "check=false", "c"), {"x": 2, "z": 3, "y": 0}, "failed", "r")
    found = compare(one, two)
    assert found
    assert found.path == (
        (" ", "a"), ("-", "check → true"), ("-", "b"), ("+", "check → false"), ("+", "c"),
    )  # fmt: skip
    assert found.variables == {"x": (1, 2), "z": (None, 3)}
    assert found.ends == {"status": ("success", "failed")}


def test_what_was_wrong_is_told_and_is_a_difference() -> None:
    one = ComparedRun(events("a"), {}, "error", error="this")
    assert not compare(one, ComparedRun(events("a"), {}, "error", error="this"))
    found = compare(one, ComparedRun(events("a"), {}, "error", error="that"))
    assert found
    assert found.ends == {"error": ("this", "that")}


def test_costs_are_told_and_are_no_difference() -> None:
    one = ComparedRun(events("a"), {}, "success", usage={"input_tokens": 3})
    two = ComparedRun(events("a"), {}, "success", usage={"input_tokens": 5})
    found = compare(one, two)
    assert not found
    assert found.costs["input_tokens"] == (3, 5)


def test_attempts_are_told_of_a_node_and_of_what_it_runs() -> None:
    once = [started("mid", 0), *events("mid/ask"), ended("mid"), *events("after@1")]
    more = [retried("mid/ask", n) for n in range(1, 11)]
    twice = [
        started("mid", 0), *events("mid/ask"), retried("mid", 1),
        started("mid/ask", 0), *more, ended("mid/ask"), ended("mid"), *events("after@1"),
    ]  # fmt: skip
    assert steps_of(twice) == [
        "mid/ask", "mid failed", "mid~2/ask failed",
        *[f"mid~2/ask~{n} failed" for n in range(2, 11)], "mid~2/ask~11", "mid~2", "after",
    ]  # fmt: skip
    found = compare(ComparedRun(once, {}, "success"), ComparedRun(twice, {}, "success"))
    assert found
    assert found.path[:3] == ((" ", "mid/ask"), ("-", "mid"), ("+", "mid failed"))


def test_elements_side_by_side_stand_in_their_order_and_are_tried_again() -> None:
    one = [started(f"each#{n}/a", 0) for n in (1, 2)]
    way = ["each#1/a", "each#2/a", "each failed", "each~2#2/a", "each~2"]
    for first, second in ((1, 2), (2, 1)):
        ends = [ended(f"each#{first}/a"), ended(f"each#{second}/a")]
        again = [retried("each", 1), started("each#2/a", 0), ended("each#2/a"), ended("each")]
        assert steps_of([started("each", 0), *one, *ends, *again]) == way
