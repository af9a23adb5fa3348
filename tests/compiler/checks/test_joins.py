"""FC2003: a join waits only for what is sure to come."""

from __future__ import annotations

import dataclasses
import time
from typing import Any

import pytest
from flowc.compiler.checks.joins import endless_waits


@pytest.fixture
def judged(flow, said):
    """What is said of a graph in which J waits for all."""

    def run(text: str, **more: Any) -> list[str]:
        for name in ("J", *(more.pop("waits", ()))):
            flow.set(name)
            flow.nodes[name] = dataclasses.replace(flow.nodes[name], join="all")
        for line in text.strip().splitlines():
            source, *rest = line.split()
            for arrow, target in zip(rest[::2], rest[1::2], strict=True):
                flow.edge(f"{source} {arrow} {target}")
        return [message for _, _, message in said(endless_waits, flow.workflow(**more))]

    return run


SOUND = {
    "two branches": """
        START > A > B
        A > J
        B > J
        J > END""",
    "one shorter than the other": """
        START > A > J
        A > J
        J > END""",
    "failures end the run": """
        START > A > B
        A > J !> FAILED
        B > J ?> FAILED
        J > END""",
    "every answer leads on": """
        START > C > B
        C yes> D no> E
        D > M
        E > M
        M > J
        B > J
        J > END""",
    "a loop inside a branch": """
        START > A > B
        A > C
        C yes> A no> J
        B > J
        J > END""",
    "a loop around the join": """
        START > A > B
        A > J
        B > J
        J yes> START no> END""",
    "a join in a join": """
        START > A > B
        A > D > E
        D > K
        E > K
        K > J
        B > J
        J > END""",
    "branches that nobody waits for": """
        START > A > B > C
        A > J
        B > J
        C > END
        J > END""",
    "a failed check ends the run": """
        START > A > B
        A > C
        C yes> J no> FAILED
        B > J
        J > END""",
    "a choice before the branches part": """
        START > C
        C no> END yes> A yes> B
        A > J
        B > J
        J > END""",
    "a choice of two sets of branches": """
        START > C
        C no> A no> B yes> A yes> B
        A > J
        B > J
        J > END""",
    "the join begins the loop": """
        START > A > B
        A > START
        B > START""",
}


@pytest.mark.parametrize("name", SOUND)
def test_sound_joins(name: str, judged) -> None:
    waits = {"a join in a join": ("K",), "the join begins the loop": ("START",)}.get(name, ())
    assert judged(SOUND[name], waits=waits) == []


UNSOUND = {
    "one of two answers": (
        """
        START > C
        C yes> A no> B
        A > J
        B > J
        J > END""",
        "B",
    ),
    "a way round": (
        """
        START > A > C
        A > J
        C yes> J no> END
        J > END""",
        "C",
    ),
    "a failure that is mended": (
        """
        START > A > B
        A > J !> H
        H > J
        B > J
        J > END""",
        "A",
    ),
    "it comes after the join": (
        """
        START > A > J
        A > J
        J > K
        K yes> J no> END""",
        "K",
    ),
    "back to before the branches": (
        """
        START > A > B
        A > C
        C yes> START no> J
        B > J
        J > END""",
        "C",
    ),
    "nothing leads there": (
        """
        START > A
        A > J
        X > J
        J > END""",
        "X",
    ),
}


@pytest.mark.parametrize("name", UNSOUND)
def test_unsound_joins(name: str, judged) -> None:
    text, source = UNSOUND[name]
    assert judged(text) == [f"`J` waits for `{source}`, which may never come"]


@pytest.mark.parametrize(
    ("edges", "places"),
    [
        (("START > A", "A > C", "A > J", "C yes> J", "C no> END"), {"C": "here another way"}),
        (
            ("START > A", "A > B", "A > D", "B > C", "C yes> K", "C no> END", "K > J", "D > J"),
            {"C": "here another way", "K": "waited for"},
        ),
    ],
    ids=["the source itself", "a node before it"],
)
def test_the_node_is_named_where_another_way_can_be_taken(flow, found, edges, places) -> None:
    """The first on the way to the source; not one that is passed on every way."""
    flow.set("J")
    flow.nodes["J"] = dataclasses.replace(flow.nodes["J"], join="all")
    for edge in (*edges, "J > END"):
        flow.edge(edge)
    (fault,) = found(endless_waits, flow.workflow())
    at = {node.span: name for name, node in flow.nodes.items()}
    named = {at[label.span]: label.text for label in fault.labels}
    assert named.keys() == places.keys()
    assert all(named[name].startswith(words) for name, words in places.items())


def test_a_wide_join_is_judged_in_time(judged) -> None:
    width = 4000
    lines = ["START " + " ".join(f"> N{n}" for n in range(width))]
    lines += [f"N{n} > J" for n in range(width)]
    started = time.process_time()
    assert judged("\n".join([*lines, "J > END"])) == []
    assert time.process_time() - started < 5
