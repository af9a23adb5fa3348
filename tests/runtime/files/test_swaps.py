"""Another process swaps a folder and a link all the time: nothing is read or written behind it."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from flowc.compiler.source.source import SourceSet, Unreadable
from flowc.runtime.errors import Failure
from flowc.runtime.files.roots import RootedFiles, Roots
from flowc.runtime.tools.builtin import FUNCTIONS, BuiltinTools

SWAP = """import ctypes
libc = ctypes.CDLL(None)
print("ready", flush=True)
while True:
    libc.renameat2(-100, b"d", -100, b"link", 2)
"""


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Path]:
    """A folder with `d` and `link`, which are swapped until the test ends; `link` leads to
    `outside`, beside it."""
    place = tmp_path / "project"
    for folder, text in ((place / "d", "inside"), (tmp_path / "outside", "OUTSIDE")):
        (folder / "deep").mkdir(parents=True)
        (folder / "deep/f").write_text(text)
        (folder / f"deep/only {text}").write_text("")
    (place / "link").symlink_to("../outside")
    words = [sys.executable, "-c", SWAP]
    with subprocess.Popen(words, cwd=place, stdout=subprocess.PIPE, text=True) as swapper:
        assert swapper.stdout is not None
        assert swapper.stdout.readline() == "ready\n"
        yield place
        swapper.kill()


def files_outside(project: Path) -> list[str]:
    outside = project.parent / "outside"
    return sorted(str(file.relative_to(outside)) for file in outside.rglob("*"))


def tool(name: str, **args: object) -> Callable[[Path], str]:
    def call(project: Path) -> str:
        tools = BuiltinTools(Roots(project))
        return str(FUNCTIONS[name](tools.roots, **tools.defaults(name) | args))

    return call


def write_by_node(project: Path) -> str:
    return asyncio.run(RootedFiles().write("d/deep/n", "new", str(project / "flow.md")))


def read_by_compiler(project: Path) -> str:
    sources = SourceSet(entry=str(project / "flow.md"))
    return sources.read(str(project / "d/deep/f")).text


WAYS = {
    "read_file": tool("read_file", path="d/deep/f"),
    "write_file": tool("write_file", path="d/deep/w", content="new"),
    "write_file in new folders": tool("write_file", path="d/new/er/w", content="new"),
    "list_files": tool("list_files", path="d"),
    "list_files of all": tool("list_files"),
    "search_files": tool("search_files", text="SIDE", path=".", ignore_case=True),
    "query_json": tool("query_json", path="d/deep/f", expression="data"),
    "a node that writes": write_by_node,
    "the compiler": read_by_compiler,
}


@pytest.mark.parametrize("times", [60, pytest.param(2000, marks=pytest.mark.soak)])
@pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)
def test_no_swap_leads_outside(project, way, times):
    before = files_outside(project)
    found: Counter[str] = Counter()
    for _ in range(times):
        try:
            said = way(project)
        except (Failure, Unreadable) as refused:
            said = str(refused)
            found["refused"] += 1
        found["outside"] += "OUTSIDE" in said
    assert found["outside"] == 0
    assert files_outside(project) == before
