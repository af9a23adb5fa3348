"""Reading JSON of 1 and 10 MB into a tree with places, beside json.loads, which keeps none."""

from __future__ import annotations

import json

from flowc.compiler.collector import collector_at_rest
from flowc.compiler.frontends.json_syntax import parse_json
from texts import state_machine
from timing import line, medians

SIZES = {1: 7, 10: 3}
"""Megabytes and rounds."""


def report() -> None:
    """Print megabytes a second of both, and how the speed holds from 1 MB to 10 MB."""
    speeds: dict[int, dict[str, float]] = {}
    for size, rounds in SIZES.items():
        text = state_machine(size * 1_000_000)
        sides = {
            "flowc": lambda text=text: read(text),
            "json": lambda text=text: json.loads(text),
        }
        speeds[size] = {n: len(text) / 1e6 / t for n, t in medians(sides, rounds).items()}
    for size, speed in speeds.items():
        print(f"reading {size} MB of JSON")
        line("flowc, text to a tree with places", f"{speed['flowc']:.1f} MB/s", "target: 3 MB/s")
        line("json.loads, values alone", f"{speed['json']:.1f} MB/s")
    slower = speeds[1]["flowc"] / speeds[10]["flowc"]
    line("slower at 10 MB than at 1 MB by", f"{slower:.2f} x", "target: 1.3 x or less")


def read(text: str) -> None:
    """Text to tree."""
    with collector_at_rest():
        assert parse_json(text)[1] == []
