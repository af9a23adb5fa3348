"""What a check costs grows with the length of a file, not with its square: counted in instructions
of Python that run, so that a slow machine is as good as a fast one. A comprehension is one line,
and an instruction for each of its items."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

import pytest
from flowc.compiler.driver import compile_text

from tests.bench.texts import SHAPE, SHAPES
from tests.fuzz.growing_data import DATA
from tests.fuzz.growing_markdown import CHART, MARKDOWN, Family


def _shape(node: str) -> Family:
    def family(n: int) -> str:
        nodes = "".join(node.format(n=at, next=at + 1) for at in range(n))
        return SHAPE.format(nodes=nodes, last=n)

    return family


_SHAPES = [(f"flow nodes: {what}", "main.flow.yaml", _shape(node)) for what, node in SHAPES.items()]
FAMILIES = (*MARKDOWN, *DATA, *_SHAPES)

SMALL = 40
"""Parts of the smaller file; the larger one has four times as many."""
MANY = 300
"""The same where there is time: what a square has in front of it may be small."""
SLACK = 1.15
"""What the growth may be by n log n: a square is at 3 there."""


def instructions_run(text: str, name: str) -> int:
    """Return how many instructions of Python a compilation runs."""
    count = 0

    def instruction(frame: FrameType, event: str, argument: Any) -> Callable[..., Any]:
        nonlocal count
        if event == "call":
            frame.f_trace_lines, frame.f_trace_opcodes = False, True
        count += event == "opcode"
        return instruction

    before = sys.gettrace()
    sys.settrace(instruction)
    try:
        compile_text(text, name)
    finally:
        sys.settrace(before)
    return count


def growth(family: Family, name: str, parts: int) -> float:
    """Return how many times as many instructions four times as many parts run, by n log n."""
    compile_text(family(2), name)
    fixed = instructions_run(family(2), name)
    small, large = (instructions_run(family(n), name) - fixed for n in (parts, 4 * parts))
    return large / max(small, 1) / (4 * math.log(4 * parts) / math.log(parts))


def test_there_are_sixty_families_and_no_two_of_one_name():
    assert len({title for title, _, _ in FAMILIES}) == len(FAMILIES) >= 60


@pytest.mark.parametrize(("title", "name", "family"), FAMILIES[::5])
def test_a_sample_of_them_grows_no_faster_than_n_log_n(title, name, family):
    assert growth(family, name, SMALL) <= SLACK, title


@pytest.mark.soak
@pytest.mark.parametrize(("title", "name", "family"), FAMILIES)
def test_no_family_grows_faster_than_n_log_n(title, name, family):
    assert growth(family, name, MANY) <= SLACK, title


def test_a_square_would_be_seen():
    def family(n: int) -> str:
        return CHART.format("START --> SUCCESS") + "## User A\nAsk.\n" * (n * n // 20)

    assert growth(family, "main.wf.md", SMALL) > SLACK
