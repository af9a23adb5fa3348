"""Reading step documents of 1 and 10 MB, beside markdown-it-py on the same text."""

from __future__ import annotations

from flowc.compiler.checks import CODES
from flowc.compiler.diagnostics.diagnostic import Sink
from flowc.compiler.driver import compile_text
from flowc.compiler.frontends import by_name
from flowc.compiler.source.source import Source, SourceSet
from markdown_it import MarkdownIt
from texts import step_document
from timing import line, medians

SIZES = {1: 7, 10: 3}
"""Megabytes and rounds."""


def report() -> None:
    """Print megabytes a second of both, and how the speed holds from 1 MB to 10 MB."""
    speeds: dict[int, dict[str, float]] = {}
    for size, rounds in SIZES.items():
        text = step_document(size * 1_000_000)
        sides = {
            "flowc": lambda text=text: read(text),
            "compile": lambda text=text: compile_text(text, "bench.md"),
            "markdown-it-py": lambda text=text: MarkdownIt().parse(text),
        }
        bytes = len(text.encode()) / 1e6
        speeds[size] = {name: bytes / t for name, t in medians(sides, rounds).items()}
    for size, speed in speeds.items():
        print(f"reading {size} MB of step markdown")
        line("flowc, text to IR", f"{speed['flowc']:.1f} MB/s", "target: 5 MB/s")
        line("flowc, the whole check", f"{speed['compile']:.1f} MB/s")
        line("markdown-it-py, text to tokens", f"{speed['markdown-it-py']:.1f} MB/s")
        ratio = speed["flowc"] / speed["markdown-it-py"]
        line("flowc is faster by", f"{ratio:.1f} x", "target: 4 x")
    slower = speeds[1]["flowc"] / speeds[10]["flowc"]
    line("slower at 10 MB than at 1 MB by", f"{slower:.2f} x", "target: 1.3 x or less")


def read(text: str) -> None:
    """Text to IR, without the checks."""
    frontend = by_name("steps")
    assert frontend is not None
    sources = SourceSet()
    parsed = frontend.parse(sources.add(Source("bench.md", text)), sources, Sink(CODES))
    assert parsed.workflow is not None
