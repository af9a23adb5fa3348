"""The parts of a graph that a module of `flowc compile` puts together."""

from __future__ import annotations

import sys
from pathlib import Path

import flowc


def calls_for(count: int, folder: Path) -> int:
    """Calls of Python functions while the functions of so many nodes are made."""
    file = folder / f"{count}.flow.yaml"
    nodes = "".join(f"  - {{name: n{at}, assign: {{x: {at}}}}}\n" for at in range(count))
    file.write_text(f"flow: 1\nname: long\nstate: {{x: integer}}\nnodes:\n{nodes}outputs: [x]\n")
    parts = flowc.load(file).parts
    calls = 0

    def count_calls(frame: object, event: str, argument: object) -> None:
        nonlocal calls
        calls += event == "call"

    sys.setprofile(count_calls)
    try:
        for at in range(count):
            parts.node(f"n{at}")
    finally:
        sys.setprofile(None)
    return calls


def test_a_long_workflow_is_looked_through_once_and_not_for_each_node(tmp_path: Path) -> None:
    calls_for(2, tmp_path)  # what is imported late
    assert calls_for(200, tmp_path) < 6 * calls_for(50, tmp_path)
