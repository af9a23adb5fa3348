"""Another process swaps a folder and a link all the time: nothing is read or written behind it."""

from __future__ import annotations

import asyncio
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from datetime import datetime
from pathlib import Path

import pytest
from flowc.compiler.source.source import SourceSet, Unreadable
from flowc.runtime.audio.calls.call import check_call
from flowc.runtime.audio.calls.subprocess_call import AudioWorkers
from flowc.runtime.documents.create import new_document
from flowc.runtime.errors import Failure
from flowc.runtime.files.roots import RootedFiles, Roots
from flowc.runtime.sandbox.confinement import Confinement
from flowc.runtime.sandbox.generated.snippet import run_snippet
from flowc.runtime.sandbox.modules import OwnModules
from flowc.runtime.tools.builtin import FUNCTIONS, BuiltinTools
from flowc.runtime.tools.document import DocumentTools
from sounds import noise, write
from tool_runs import builtin

WHO = ("-c", "user.name=A", "-c", "user.email=a@b")
RATE, OTHER_RATE = 8000, 11025
COPY = """import soundfile
sound, rate = soundfile.read(INPUT)
print(rate)
soundfile.write(OUTPUT, sound, rate)
"""
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
        plan = new_document("plan", f"Make it {text}", "in.wav", datetime(2026, 1, 1))
        (folder / "deep/plan.md").write_text(plan)
        rate = RATE if text == "inside" else OTHER_RATE
        write(folder / "deep/in.wav", noise(0.1, rate=rate), rate)
    write(place / "own.wav", noise(0.1, rate=RATE), RATE)
    for words in (["init", "-q"], ["add", "d/deep/f"], [*WHO, "commit", "-qm", "Begin"]):
        subprocess.run(["git", *words], cwd=place, check=True)
    (place / "link").symlink_to("../outside")
    words = [sys.executable, "-c", SWAP]
    with subprocess.Popen(words, cwd=place, stdout=subprocess.PIPE, text=True) as swapper:
        assert swapper.stdout is not None
        assert swapper.stdout.readline() == "ready\n"
        yield place
        swapper.kill()


def files_outside(project: Path) -> dict[str, bytes]:
    outside = project.parent / "outside"
    files = (file for file in outside.rglob("*") if file.is_file())
    return {str(file.relative_to(outside)): file.read_bytes() for file in files}


def tool(name: str, **args: object) -> Callable[[Path], str]:
    def call(project: Path) -> str:
        tools = BuiltinTools(Roots(project))
        return str(FUNCTIONS[name](tools.roots, **tools.defaults(name) | args))

    return call


def git(name: str) -> Callable[[Path], str]:
    """A tool that asks git, of a repository with the folder that is swapped."""

    def call(project: Path) -> str:
        return str(asyncio.run(builtin(project).call(name, {})))

    return call


def document(name: str, **args: object) -> Callable[[Path], str]:
    """A tool on the living document in the folder that is swapped."""

    def call(project: Path) -> str:
        tools = DocumentTools(Roots(project))
        return str(asyncio.run(tools.call(name, {"document": "d/deep/plan.md", **args})))

    return call


def with_rate(said: str) -> str:
    """The rate of the sound outside as OUTSIDE; the digits may be part of another number."""
    return re.sub(rf"(?<![\w.-]){OTHER_RATE}(?!\d)", "OUTSIDE", said)


def sound(read: str, write: str) -> Callable[[Path], str]:
    """An audio tool in its process: the file outside has another rate."""

    def call(project: Path) -> str:
        workers = AudioWorkers(OwnModules(Confinement(project, project / ".flowc/own")))
        asked = check_call("clip", {"input": read, "output": write, "start_s": 0, "end_s": 0.05})
        said = str(asyncio.run(workers.do_call(asked, Roots(project).locate)))
        return with_rate(said)

    return call


def free_code(read: str, write: str) -> Callable[[Path], str]:
    """Code of a step that is no call."""

    def call(project: Path) -> str:
        roots = Roots(project)
        done = run_snippet(COPY, reads=[roots.locate(read)], output=roots.locate(write))
        return with_rate(f"{done.message} {done.printed}")

    return call


def remove(project: Path) -> str:
    Roots(project).remove("d/deep/f")
    return ""


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
    "document_read": document("document_read"),
    "document_log": document("document_log", text="written again"),
    "git_status": git("git_status"),
    "git_diff": git("git_diff"),
    "audio, read": sound("d/deep/in.wav", "heard.wav"),
    "audio, written": sound("own.wav", "d/deep/heard.wav"),
    "free code, read": free_code("d/deep/in.wav", "heard.wav"),
    "free code, written": free_code("own.wav", "d/deep/heard.wav"),
    "a file that has done its work": remove,
    "a node that writes": write_by_node,
    "the compiler": read_by_compiler,
}


@pytest.mark.parametrize("times", [60, pytest.param(2000, marks=pytest.mark.soak)])
@pytest.mark.parametrize("name", WAYS)
def test_no_swap_leads_outside(project, name, times):
    before, way = files_outside(project), WAYS[name]
    found: Counter[str] = Counter()
    started = name.startswith(("audio", "free", "git"))
    for _ in range(3 if started and times < 2000 else times):
        try:
            said = way(project)
        except (Failure, Unreadable) as refused:
            said = str(refused)
            found["refused"] += 1
        found["outside"] += "OUTSIDE" in said
    print(found, times)  # for `pytest -rP`
    assert found["outside"] == 0
    assert files_outside(project) == before
