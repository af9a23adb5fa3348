"""What one more costs: rows of the table in CONTRIBUTING.md, performed on a copy of the tree."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

PRODUCT = ("compiler", "runtime", "grammar", ".types")


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
                shutil.copytree(source, target, symlinks=True)
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

from ..catalog.catalog import Catalog
from ..diagnostics.diagnostic import Code, Diagnostic
from ..diagnostics.examples import flow, mend
from ..ir import Program, Workflow
from .check import Check


def placeholders(workflow: Workflow, program: Program, catalog: Catalog) -> Iterator[Diagnostic]:
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
