"""The built-in tool `search_files` over a large folder, beside `grep -r` of the same text: by the
clock, and what the same tool takes to list the folder."""

from __future__ import annotations

import subprocess
import tempfile
from pathlib import Path

from timing import line, medians

FOLDERS, FILES, ROUNDS = 2000, 100, 2
RARE = "a needle"
_TEXT = "def one(more):\n    return more + 1\n" * 12


def report() -> None:
    """Print seconds."""
    from flowc.runtime.files.roots import Roots
    from flowc.runtime.tools.builtin import FUNCTIONS, BuiltinTools

    print(f"{FOLDERS * FILES:,} files in {FOLDERS:,} folders, {len(_TEXT)} bytes each")
    with tempfile.TemporaryDirectory() as place:
        _lay_out(Path(place))
        tools = BuiltinTools(Roots(Path(place)))

        def search(**args: object) -> int:
            given = tools.defaults("search_files") | {"text": RARE} | args
            return FUNCTIONS["search_files"](tools.roots, **given)["count"]

        def listed() -> int:
            given = tools.defaults("list_files") | {"pattern": "*.none"}
            return FUNCTIONS["list_files"](tools.roots, **given)["count"]

        def grep(*flags: str) -> int:
            words = ["grep", "-r", "-F", "-I", *flags, "-e", RARE, place]
            return len(subprocess.run(words, capture_output=True, check=True).stdout.splitlines())

        assert search() == grep() == 2
        took = medians(
            {
                "search": search,
                "grep": grep,
                "ignoring": lambda: search(ignore_case=True),
                "grep ignoring": lambda: grep("-i"),
                "list": listed,
                "find": lambda: subprocess.run(
                    ["find", place, "-name", "*.none"], capture_output=True, check=True
                ),
            },
            ROUNDS,
        )
    for ours, theirs, title in (
        ("search", "grep", "search_files, beside grep -rF"),
        ("ignoring", "grep ignoring", "the same, A as a, beside grep -rFi"),
        ("list", "find", "list_files, beside find"),
    ):
        ratio = took[ours] / took[theirs]
        line(title, f"{took[ours]:.2f} s", f"{took[theirs]:.2f} s: {ratio:.1f} times")


def _lay_out(place: Path) -> None:
    for folder in range(FOLDERS):
        inner = place / f"p{folder // 50}" / f"m{folder}"
        inner.mkdir(parents=True)
        for file in range(FILES):
            (inner / f"f{file}.py").write_text(_TEXT)
    for folder in (0, FOLDERS - 1):
        (place / f"p{folder // 50}" / f"m{folder}" / "f7.py").write_text(f"{_TEXT}{RARE}\n")
