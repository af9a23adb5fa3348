"""A keystroke in an editor: until the diagnostics are there, beside compiling the same text."""

from __future__ import annotations

import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

from flowc.compiler.driver import compile_text
from texts import step_document
from timing import line, medians

if TYPE_CHECKING:
    from lsp_client import LspClient

STEPS = 1_000
ROUNDS = 15


def report() -> None:
    """Print the time of one keystroke in a file of a thousand steps, and what it consists of."""
    sys.path.append(str(Path(__file__).resolve().parents[1] / "fixtures"))
    from lsp_client import LspClient

    text = step_document(STEPS * 463)
    count = text.count("WORKFLOW STEP:")
    compiling = medians({"compile": lambda: compile_text(text, "big.md")}, 5)["compile"]
    with tempfile.TemporaryDirectory() as folder:
        client = LspClient(Path(folder))
        begin = time.perf_counter()
        client.open("big.md", text)
        opened = time.perf_counter() - begin
        client.hover("big.md", "read¦_file")
        typed, named, asked = [], [], []
        for n in range(ROUNDS):
            typed.append(_seconds(client, "Keep the notes short", f"Keep the notes short {n} "))
            begin = time.perf_counter()
            client.hover("big.md", "read¦_file")
            asked.append(time.perf_counter() - begin)
            named.append(_seconds(client, "STEP: Look at part", f"STEP: Look {n} at part"))
            client.replace("big.md", f"STEP: Look {n} at part", "STEP: Look at part")
            client.diagnostics("big.md")
        client.kill()
    print(f"a keystroke in a file of {count} steps, {len(text.encode()) / 1e6:.1f} MB")
    line("text to diagnostics, cold", f"{compiling * 1000:.0f} ms")
    line("opened, until the diagnostics are there", f"{opened * 1000:.0f} ms")
    typical = statistics.median(typed) * 1000
    line(
        "a word of a prompt, until the diagnostics are there", f"{typical:.0f} ms", "target: 60 ms"
    )
    line("the slowest of them", f"{max(typed) * 1000:.0f} ms")
    other = statistics.median(named) * 1000
    line("a name, until the diagnostics are there", f"{other:.0f} ms", "target: 60 ms")
    line("hover right after it", f"{statistics.median(asked) * 1000:.0f} ms")


def _seconds(client: LspClient, old: str, new: str) -> float:
    """The time from an edit to its diagnostics."""
    begin = time.perf_counter()
    client.replace("big.md", old, new)
    client.diagnostics("big.md")
    return time.perf_counter() - begin
