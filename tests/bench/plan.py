"""A living document of 1 and 10 MB: read whole, and one field of it set, beside markdown-it-py."""

from __future__ import annotations

from flowc.compiler.plan import read_plan
from markdown_it import MarkdownIt
from texts import living_document
from timing import line, medians

SIZES = {1: 7, 10: 3}
"""Megabytes and rounds."""
UPDATES = 100


def report() -> None:
    """Print megabytes a second of reading, and the time of one update and of writing it out."""
    speeds: dict[int, float] = {}
    for size, rounds in SIZES.items():
        text = living_document(size * 1_000_000)
        bytes = len(text.encode()) / 1e6
        document = read_plan(text)
        middle = f"step_{len(document.steps) // 2}"

        def update(document=document, middle=middle) -> None:
            for n in range(UPDATES):
                document = document.set("Status", ("READY", "RUNNING")[n % 2], step=middle)

        def log(document=document) -> None:
            for n in range(UPDATES):
                document = document.append_log("2031-05-01 14:10:00", f"Line {n}.")

        sides = {
            "read": lambda text=text: read_plan(text),
            "update": update,
            "log": log,
            "write": lambda document=document: document.text,
            "markdown-it-py": lambda text=text: MarkdownIt().parse(text),
        }
        times = medians(sides, rounds)
        speeds[size] = bytes / times["read"]
        print(f"a living document of {size} MB, {len(document.steps)} steps")
        line("flowc, text to document", f"{speeds[size]:.1f} MB/s", "target: 5 MB/s")
        line("markdown-it-py, text to tokens", f"{bytes / times['markdown-it-py']:.1f} MB/s")
        line("one field set", f"{times['update'] / UPDATES * 1e3:.2f} ms", "no re-reading")
        line("one line appended to the log", f"{times['log'] / UPDATES * 1e3:.2f} ms")
        line("written out", f"{times['write'] * 1e3:.2f} ms")
    line("slower at 10 MB than at 1 MB by", f"{speeds[1] / speeds[10]:.2f} x", "target: 1.3 x")
