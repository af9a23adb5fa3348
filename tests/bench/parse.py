"""Reading step documents of 1 and 10 MB and flow YAML, beside other readers of the same text; and
`flowc check` of 10 MB of each in a folder, as it comes: with its start and its processes."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path
from time import perf_counter

import yaml
from flowc.compiler.checks import CODES
from flowc.compiler.diagnostics.diagnostic import Sink
from flowc.compiler.driver import compile_text
from flowc.compiler.frontends import by_name
from flowc.compiler.source.gc_pause import own_process
from flowc.compiler.source.source import Source, SourceSet
from markdown_it import MarkdownIt
from texts import flow_chain, flow_shapes, step_document
from timing import line, medians

SIZES = {1: 7, 10: 3}
"""Megabytes and rounds."""


FLOW_NODES = 8000
FILES = 100
"""Files of a folder."""


def report() -> None:
    """Print megabytes a second, and how the speed holds from 1 MB to 10 MB."""
    with own_process():  # as the command line and the language server compile
        report_steps()
        report_flow()
    report_folders(FILES)
    report_folders(1)


def report_folders(files: int) -> None:
    """Print the speed of a first check of a folder, 10 MB in all."""
    steps, flow = step_document(10_000_000 // files), flow_chain(66_000 // files)
    print(f"checking a folder for the first time, 10 MB in files: {files}")
    for what, text, suffix, target in (
        ("step markdown", steps, ".md", "4 MB/s"),
        ("flow YAML", flow, ".flow.yaml", "1.5 MB/s"),
    ):
        with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as cache:
            for number in range(files):
                (Path(folder) / f"{number}{suffix}").write_text(f"{text}\n# {number}\n")
            bytes = sum(path.stat().st_size for path in Path(folder).iterdir()) / 1e6
            began = perf_counter()
            done = subprocess.run(
                [sys.executable, "-m", "flowc", "check", "--quiet", folder],
                env={**os.environ, "FLOWC_CACHE": cache},
                capture_output=True,
                check=False,
            )
            speed = bytes / (perf_counter() - began)
            assert done.returncode == 0, done.stderr
        line(f"flowc check, {bytes:.1f} MB of {what}", f"{speed:.1f} MB/s", f"target: {target}")


def report_flow() -> None:
    """Print the speed of the check of a large flow YAML file, beside libyaml's events."""
    text = flow_chain(FLOW_NODES)
    bytes = len(text.encode()) / 1e6
    sides = {
        "compile": lambda: compile_text(text, "bench.flow.yaml"),
        "libyaml": lambda: sum(1 for _ in yaml.parse(text, Loader=yaml.CSafeLoader)),
    }
    speed = {name: bytes / t for name, t in medians(sides, 5).items()}
    print(f"reading {bytes:.1f} MB of flow YAML")
    line("flowc, the whole check", f"{speed['compile']:.1f} MB/s", "target: 1.5 MB/s")
    line("libyaml, text to events", f"{speed['libyaml']:.1f} MB/s")
    for what, text in flow_shapes(400_000).items():
        result = compile_text(text, "bench.flow.yaml")
        assert result.ok, what
        assert not result.diagnostics, (what, result.diagnostics[:1])
        times = medians({"compile": lambda text=text: compile_text(text, "bench.flow.yaml")}, 3)
        line(f"flowc, {what}", f"{len(text.encode()) / 1e6 / times['compile']:.1f} MB/s")


def report_steps() -> None:
    """Print the speed of reading and of the check of step documents, beside markdown-it-py."""
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
        line("flowc, the whole check", f"{speed['compile']:.1f} MB/s", "target: 4 MB/s")
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
