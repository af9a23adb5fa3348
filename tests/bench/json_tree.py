"""Reading JSON of 1 and 10 MB into a tree with places and on into the IR, beside json.loads."""

from __future__ import annotations

import json

from flowc.compiler.checks import CODES
from flowc.compiler.diagnostics.diagnostic import Sink
from flowc.compiler.expr import parse as expressions
from flowc.compiler.frontends import by_name
from flowc.compiler.reading.json_syntax import parse_json
from flowc.compiler.source.gc_pause import collector_at_rest, own_process
from flowc.compiler.source.source import Source, SourceSet
from texts import state_machine
from timing import line, medians

SIZES = {1: 5, 10: 1}
"""Megabytes and rounds."""


def report() -> None:
    """Print megabytes a second of both, and how the speed holds from 1 MB to 10 MB."""
    speeds: dict[int, dict[str, float]] = {}
    for size, rounds in SIZES.items():
        text = state_machine(size * 1_000_000)
        sides = {
            "flowc": lambda text=text: read(text),
            "ir": lambda text=text: machine(text),
            "json": lambda text=text: json.loads(text),
        }
        speeds[size] = {n: len(text) / 1e6 / t for n, t in medians(sides, rounds).items()}
    for size, speed in speeds.items():
        print(f"reading {size} MB of JSON")
        line("flowc, text to a tree with places", f"{speed['flowc']:.1f} MB/s", "target: 3 MB/s")
        line("flowc, state machine to IR", f"{speed['ir']:.1f} MB/s", "target: 3 MB/s")
        line("json.loads, values alone", f"{speed['json']:.1f} MB/s")
    for name, side in (("tree", "flowc"), ("IR", "ir")):
        slower = speeds[1][side] / speeds[10][side]
        line(
            f"slower at 10 MB than at 1 MB by ({name})", f"{slower:.2f} x", "target: 1.3 x or less"
        )


def read(text: str) -> None:
    """Text to tree."""
    with own_process(), collector_at_rest():
        assert parse_json(Source("bench.json", text))[1] == []


def machine(text: str) -> None:
    """Text to IR, without the checks; no expression is known from the round before."""
    expressions._known.clear()
    frontend = by_name("machine")
    assert frontend is not None
    sources = SourceSet()
    parsed = frontend.parse(sources.add(Source("bench.json", text)), sources, Sink(CODES))
    assert parsed.workflow is not None
