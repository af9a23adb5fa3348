"""What one more costs: rows of the table in CONTRIBUTING.md, performed on a copy of the tree."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

PRODUCT = ("compiler", "runtime", "grammar", ".types")
HALF_WRITTEN = shutil.ignore_patterns("*.pyc.*")
"""What other tests' processes write beside a cache, and rename: it is gone when it is copied."""


@dataclass(frozen=True)
class Copy:
    """A copy of the product in which a test may write."""

    root: Path
    folder: Path

    def bring(self, *paths: str) -> None:
        """Copy further files and folders of the repository."""
        for path in paths:
            source, target = self.root / path, self.folder / path
            target.parent.mkdir(parents=True, exist_ok=True)
            if source.is_dir():
                shutil.copytree(source, target, symlinks=True, ignore=HALF_WRITTEN)
            else:
                shutil.copy2(source, target)

    def write(self, path: str, text: str) -> None:
        """Add a file."""
        (self.folder / path).parent.mkdir(parents=True, exist_ok=True)
        (self.folder / path).write_text(text, encoding="utf-8")

    def edit(self, path: str, *lines: tuple[str, str]) -> None:
        """Put a line behind one that is there, which begins as said."""
        rows = (self.folder / path).read_text(encoding="utf-8").splitlines()
        for before, line in lines:
            (place,) = (n for n, row in enumerate(rows) if row.startswith(before))
            rows.insert(place + 1, line)
        (self.folder / path).write_text("\n".join([*rows, ""]), encoding="utf-8")

    def run(self, *args: str) -> subprocess.CompletedProcess[str]:
        """Run a module with the copy as `flowc`."""
        return subprocess.run(
            [sys.executable, "-m", *args],
            cwd=self.folder,
            env={**os.environ, "PYTHONPATH": str(self.folder / ".types")},
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )

    def failures(self, *args: str) -> set[str]:
        """Run tests in the copy: the names of those that fail."""
        result = self.run("pytest", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", *args)
        assert result.returncode in (0, 1), result.stdout + result.stderr
        rows = (row.split(" - ")[0] for row in result.stdout.splitlines())
        return {row.rpartition("::")[2] for row in rows if row.startswith("FAILED")}


@pytest.fixture
def copy(root: Path, tmp_path: Path) -> Copy:
    made = Copy(root, tmp_path)
    made.bring(*PRODUCT)
    return made


CHECK = '''
"""Placeholders: nodes whose name says that they are not done (FC2010)."""

from __future__ import annotations

from collections.abc import Iterator

from ..diagnostics.diagnostic import Code, Diagnostic
from ..diagnostics.examples import flow, mend
from ..ir import Program, Workflow
from .check import Check


def placeholders(workflow: Workflow, program: Program) -> Iterator[Diagnostic]:
    """FC2010, at each such node."""
    for node in workflow.nodes:
        if node.id == "todo" and node.span is not None:
            yield PLACEHOLDERS.code.diagnostic("this is still to be done", node.span)


PLACEHOLDERS = Check(
    Code(
        "FC2010",
        "placeholder",
        "warning",
        title="A node that is not done.",
        why="Its name says so.",
        examples=lambda: mend(flow("nodes: [{name: todo, assign: {}}]"), "FAULT", "made"),
    ),
    placeholders,
)
'''.lstrip()
PAGE = "tests/compiler/diagnostics/test_codes.py"
CASES = ("tests/corpus/test_checks.py", "tests/corpus/test_corpus.py")
LACKING = "example and FC2010 or has_a_golden"


def test_a_check_is_one_file_and_one_line(copy: Copy) -> None:
    """`flowc check`, `flowc explain` and the generated page know it; an example that does not show
    it and a golden that is not there each fail a test that names them."""
    copy.bring("pyproject.toml", "docs/diagnostics.md", "tests/conftest.py", "tests/fixtures")
    copy.bring(PAGE, "tests/corpus", "docs/formats")
    file = "compiler/checks/placeholders.py"
    copy.write(file, CHECK.replace("FAULT", "nothing"))
    copy.edit(
        "compiler/checks/__init__.py",
        ("from .mismatches", "from .placeholders import PLACEHOLDERS"),
        ("    MISMATCHES,", "    PLACEHOLDERS,"),
    )
    assert copy.failures(PAGE, *CASES, "-k", LACKING) == {
        "test_the_good_example_is_silent[FC2010]",
        "test_every_check_has_a_golden",
        "test_every_code_has_a_golden",
    }
    copy.write(file, CHECK.replace("FAULT", "todo"))
    main = "tests/corpus/flow/err/fc2010-todo/main.flow.yaml"
    copy.write(main, "flow: 1\nname: review\nnodes: [{name: todo, assign: {}}]\n")
    assert (
        copy.failures(PAGE, *CASES, "-k", f"{LACKING} or generated_page", "--update-golden")
        == set()
    )
    assert "## FC2010 placeholder" in (copy.folder / "docs/diagnostics.md").read_text("utf-8")
    assert "FC2010" in copy.run("flowc", "check", main).stdout
    assert "Its name says so." in copy.run("flowc", "explain", "placeholder").stdout


EMITTER = '''
"""A workflow in PlantUML's language."""

from __future__ import annotations

from ...ir import Workflow
from .picture import Overlay, picture_of


def emit_plantuml(workflow: Workflow, overlay: Overlay | None = None) -> str:
    """Return the diagram's text."""
    picture = picture_of(workflow, overlay)
    return "\\n".join(["@startuml", *(node.id for node in picture.nodes), "@enduml", ""])
'''.lstrip()
ROW = '    WorkflowEmitter(Form("plantuml", "PlantUML", (".puml",)), emit_plantuml),'


def test_an_emitter_is_one_file_and_one_line(copy: Copy) -> None:
    """`flowc graph` takes it by its name and by its suffix, and lists it."""
    copy.write("compiler/emit/picture/plantuml.py", EMITTER)
    copy.edit(
        "compiler/emit/__init__.py",
        ("from .picture.picture", "from .picture.plantuml import emit_plantuml"),
        ("    DOT,", ROW),
    )
    copy.write("a.flow.yaml", "flow: 1\nname: review\nnodes: [{name: idle, assign: {}}]\n")
    drawn = copy.run("flowc", "graph", "a.flow.yaml", "-f", "plantuml").stdout
    assert drawn.startswith("@startuml\n")
    assert copy.run("flowc", "graph", "a.flow.yaml", "-o", "a.puml").returncode == 0
    assert (copy.folder / "a.puml").read_text(encoding="utf-8") == drawn
    help = copy.run("flowc", "graph", "--help").stdout
    assert "mermaid|dot|plantuml|svg" in help
    assert "mermaid, Graphviz, PlantUML, svg" in help


FRONTEND = '''
"""Notes: a line names a step, one after the other."""

from __future__ import annotations

from ...diagnostics.diagnostic import Sink
from ...ir import AssignNode, Edge, EndNode, Workflow
from ...reading.protocol import Frontend, Parsed, Reader
from ...source.source import Source, SourceSet


def _claims(source: Source) -> int:
    return 90 if source.path.endswith(".notes") else 0


def _parse(source: Source, sources: SourceSet, sink: Sink) -> Parsed:
    names = source.text.split()
    for name in {name for name in names if names.count(name) > 1}:
        place = source.text.rindex(name)
        sink.report("FC1004", f"two steps `{name}`", source.span(place, place + len(name)))
    ids = [*dict.fromkeys(names), "END"]
    edges = tuple(Edge(source=a, target=b) for a, b in zip(ids, ids[1:], strict=False))
    nodes = (*(AssignNode(id=id) for id in ids[:-1]), EndNode(id="END", outcome="success"))
    return Parsed(Workflow(name="notes", nodes=nodes, edges=edges, entry=ids[0]))


NOTES = Frontend("notes", "Notes", (".notes",), _claims, lambda: Reader(_parse), ("#", ""))
'''.lstrip()


def test_a_format_is_a_front_end_and_one_line(copy: Copy) -> None:
    """A test asks for its cases and its page; then it is checked, drawn and converted."""
    copy.bring("pyproject.toml", "tests/conftest.py", "tests/fixtures", "docs/formats")
    copy.bring("tests/corpus/test_corpus.py")
    copy.write("compiler/frontends/notes/__init__.py", '"""The front end of notes."""\n')
    copy.write("compiler/frontends/notes/frontend.py", FRONTEND)
    copy.edit(
        "compiler/frontends/__init__.py",
        ("from .machine.frontend", "from .notes.frontend import NOTES"),
        ("FRONTENDS: tuple", "FRONTENDS = (*FRONTENDS, NOTES)"),
    )
    corpus = ("tests/corpus/test_corpus.py", "-k", "notes")
    assert copy.failures(*corpus) == {"test_every_format_has_cases_and_a_page[notes]"}
    copy.write("docs/formats/notes.md", "# Notes\n")
    for number in range(3):
        copy.write(f"tests/corpus/notes/ok/case-{number}/main.notes", "tea cake\n")
        copy.write(f"tests/corpus/notes/err/fc1004-{number}/main.notes", "tea cake tea\n")
    assert copy.failures(*corpus, "--update-golden") == set()
    main = "tests/corpus/notes/ok/case-0/main.notes"
    assert "0 errors" in copy.run("flowc", "check", main).stdout
    assert "cake" in copy.run("flowc", "graph", main).stdout
    assert "name: cake" in copy.run("flowc", "convert", main, "--to", "flow").stdout


NODE = '''
@dataclass(frozen=True, slots=True, kw_only=True)
class SleepNode(NodeBase):
    """Wait."""

    seconds: Expr
    kind: Lit["sleep"] = "sleep"


Node = (
    SleepNode |
'''.strip()


def test_the_type_checker_and_a_test_list_what_a_kind_of_node_lacks(copy: Copy) -> None:
    """What lowers, checks, draws, writes and runs nodes."""
    copy.bring("pyproject.toml", "tests/conftest.py", "tests/fixtures")
    copy.bring("tests/house/conftest.py", "tests/house/test_registries.py")
    copy.bring("docs/language.md", "tests/corpus/flow/ok/every-kind")
    nodes = (copy.folder / "compiler/ir/nodes.py").read_text(encoding="utf-8")
    copy.write("compiler/ir/nodes.py", nodes.replace("Node = (", NODE))
    parts = ("lowering", "checks", "analysis", "emit", "flow_yaml")
    packages = (f"--package=flowc.compiler.{part}" for part in parts)
    quick = ("--no-incremental", "--no-site-packages", "--ignore-missing-imports")
    faults = copy.run("mypy", *quick, *packages).stdout.splitlines()
    files = {
        row.split(":")[0].removeprefix(".types/flowc/") for row in faults if "sleep" in row.lower()
    }
    assert files == {
        "compiler/analysis/variables.py",
        "compiler/editor/about.py",
        "compiler/emit/picture/picture.py",
        "compiler/flow_yaml/implied.py",
        "compiler/lowering/lower.py",
    }
    assert copy.failures("tests/house/test_registries.py", "-k", "kind") == {
        "test_every_kind_of_node_runs",
        "test_every_kind_of_node_can_be_written_in_flow_yaml",
        "test_every_kind_of_node_is_on_the_page_and_has_a_golden",
    }


SOURCE = '''
"""Tools that tell the time."""

from __future__ import annotations

from typing import Any

from ..services import Json, ToolSchema


class ClockTools:
    """One tool."""

    name = "clock"

    async def open(self) -> tuple[ToolSchema, ...]:
        """Return the tool."""
        return (ToolSchema("what_time", "Tell the time.", {"type": "object"}, "pure"),)

    async def call(self, tool: str, args: dict[str, Any]) -> Json:
        """Return the time."""
        return "noon"

    async def close(self) -> None:
        """Do nothing."""
'''.lstrip()


def test_a_source_of_tools_is_one_file_and_one_line(copy: Copy) -> None:
    """`flowc tools list` shows its tool, and a workflow calls it."""
    copy.write("runtime/tools/clock.py", SOURCE)
    copy.edit(
        "runtime/tools/sources.py",
        ("from .builtin import", "from .clock import ClockTools"),
        ("TOOL_SOURCES: tuple", "    SourceKind(ClockTools, lambda run: [ClockTools()]),"),
    )
    assert "what_time" in copy.run("flowc", "tools", "list").stdout
    copy.write(
        "a.flow.yaml",
        "flow: 1\nname: ask\nnodes: [{name: ask, tool: what_time, args: {}, into: time}]\n"
        "outputs: [time]\n",
    )
    assert copy.run("flowc", "run", "a.flow.yaml", "--quiet").stdout.strip() == "noon"


def test_every_benchmark_can_be_asked_for():
    """Two modules of one name, in the folders that the benchmarks look into, would be one."""
    command = [sys.executable, "tests/bench/run.py", "--help"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
