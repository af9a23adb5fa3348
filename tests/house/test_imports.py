"""Who may import whom, and what a command may load."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from pathlib import Path

import pytest
from flowc.compiler.frontends import FRONTENDS

HEAVY = (
    "langgraph",
    "langchain",
    "langchain_core",
    "openai",
    "numpy",
    "rich",
    "pedalboard",
    "httpx",
)
"""Packages that only the commands that need them load."""


def test_the_import_contracts_of_pyproject_hold(root):
    import os

    done = subprocess.run(
        [sys.executable, "-c", "from importlinter.cli import lint_imports_command as f; f()"],
        cwd=root,
        env={**os.environ, "PYTHONPATH": str(root / ".types")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_front_ends_do_not_import_each_other(root, tree):
    """The files of one front end share a first word (`flowchart_…`); what front ends have in common
    has names of its own and knows none of them."""
    families = {f.parse.__module__.rpartition(".")[2].split("_")[0] for f in FRONTENDS}
    found = []
    for file in sorted((root / "compiler/frontends").glob("*.py")):
        for other in _siblings(tree(file)):
            family = other.split("_")[0]
            if file.stem != "__init__" and family in families - {file.stem.split("_")[0]}:
                found.append(f"{file.name} imports {other}")
    assert found == []


def test_the_compiler_raises_for_no_mistake_of_a_user(root, sources, tree):
    """Front ends and checks put a diagnostic into the sink. What they may raise says "a bug"."""
    folders = (root / "compiler/frontends", root / "compiler/passes")
    found = [
        f"{file.relative_to(root)}:{node.lineno}"
        for file in sources
        if file.parent in folders
        for node in ast.walk(tree(file))
        if isinstance(node, ast.Raise) and node.exc is not None
        if not ast.unparse(node.exc).startswith("AssertionError(")
    ]
    assert found == []


@pytest.mark.parametrize("name", ["flowc", "flowc.compiler.driver", "flowc.runtime.cli"])
def test_importing_what_check_needs_loads_nothing_heavy(name, python):
    done = python("-c", f"import json, sys, {name}; print(json.dumps(sorted(sys.modules)))")
    assert done.returncode == 0, done.stderr
    assert _heavy(json.loads(done.stdout)) == []


def test_checking_a_file_loads_nothing_heavy(tmp_path, python):
    """Cold, a check takes a quarter of a second; langgraph alone takes longer to import."""
    (tmp_path / "empty.md").write_text("nothing to run\n", encoding="utf-8")
    script = (
        "import json, sys\n"
        "from flowc.runtime.cli import main\n"
        "sys.argv = ['flowc', 'check', 'empty.md']\n"
        "try:\n    code = main()\nexcept SystemExit as stop:\n    code = stop.code\n"
        "print(json.dumps([code, sorted(sys.modules)]))\n"
    )
    done = python("-c", script, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    code, modules = json.loads(done.stdout.splitlines()[-1])
    assert code == 1
    assert _heavy(modules) == []


def _heavy(modules: list[str]) -> list[str]:
    return sorted({m for m in modules if m.split(".")[0] in HEAVY})


def _siblings(module: ast.Module) -> list[str]:
    """Modules of the same folder that are imported, by their bare names."""
    names = []
    for node in ast.walk(module):
        if isinstance(node, ast.ImportFrom) and node.level == 1:
            names += [node.module.split(".")[0]] if node.module else [a.name for a in node.names]
    return [name for name in names if Path(name).suffix == ""]
