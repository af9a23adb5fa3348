"""A keystroke in an editor: until the diagnostics are there, beside compiling the same text."""

from __future__ import annotations

import statistics
import sys
import tempfile
import time
from pathlib import Path

from flowc.compiler.driver import compile_text
from texts import step_document
from timing import line, medians

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
        typed, asked = [], []
        for n in range(ROUNDS):
            begin = time.perf_counter()
            client.replace("big.md", "Keep the notes short", f"Keep the notes short {n} ")
            client.diagnostics("big.md")
            typed.append(time.perf_counter() - begin)
            begin = time.perf_counter()
            client.hover("big.md", "read¦_file")
            asked.append(time.perf_counter() - begin)
        client.kill()
    print(f"a keystroke in a file of {count} steps, {len(text.encode()) / 1e6:.1f} MB")
    line("text to diagnostics, cold", f"{compiling * 1000:.0f} ms")
    line("opened, until the diagnostics are there", f"{opened * 1000:.0f} ms")
    typical = statistics.median(typed) * 1000
    line("a keystroke, until the diagnostics are there", f"{typical:.0f} ms", "target: 300 ms")
    line("the slowest of them", f"{max(typed) * 1000:.0f} ms")
    line("hover right after it", f"{statistics.median(asked) * 1000:.0f} ms")
