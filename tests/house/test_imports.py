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


def test_pedalboard_is_imported_by_one_module_that_only_the_worker_reaches(root, sources, tree):
    """It is under the GPL: it may run in a process of its own, never in flowc's."""
    audio = root / "runtime/audio"
    users = {f for f in sources if any(m.split(".")[0] == "pedalboard" for m in _imported(tree(f)))}
    assert users == {audio / "effects.py"}
    reached = {"effects"}
    for _ in range(3):
        reached |= {
            file.stem
            for file in audio.glob("*.py")
            for name in _siblings(tree(file))
            if name in reached
        }
    assert reached == {"effects", "limiting", "chains", "whole", "worker"}
    outside = [
        f"{file.relative_to(root)} imports {name}"
        for file in sources
        if file.parent != audio
        for name in _imported(tree(file))
        if name.split(".")[-1] in reached and "audio" in name
    ]
    assert outside == []
    assert (
        'WORKER, PICTURES = "flowc.runtime.audio.tools.worker"' in (audio / "child.py").read_text()
    )


def test_measuring_and_applying_load_no_sound_library_into_the_command(tmp_path, python):
    script = (
        "import json, sys, wave\n"
        "from flowc.runtime.cli.app import run\n"
        "with wave.open('a.wav', 'wb') as file:\n"
        "    file.setparams((1, 2, 8000, 0, 'NONE', ''))\n"
        "    file.writeframes(bytes(range(256)) * 50)\n"
        "codes = [run(['audio', 'measure', 'a.wav']),\n"
        "         run(['audio', 'apply', 'GAIN(input=\"a.wav\", output=\"b.wav\", gain_db=1)'])]\n"
        "print(json.dumps([codes, sorted(sys.modules)]))\n"
    )
    done = python("-c", script, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    codes, modules = json.loads(done.stdout.splitlines()[-1])
    assert codes == [0, 0], done.stderr
    assert {m.split(".")[0] for m in modules} & {"pedalboard", "soundfile", "numpy"} == set()


def _imported(module: ast.Module) -> list[str]:
    """Every module that is named in an import, wherever it stands."""
    names = []
    for node in ast.walk(module):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            names += [node.module or ""]
            names += [f"{node.module or ''}.{alias.name}" for alias in node.names]
    return names


def _heavy(modules: list[str]) -> list[str]:
    return sorted({m for m in modules if m.split(".")[0] in HEAVY})


def _siblings(module: ast.Module) -> list[str]:
    """Modules of the same folder that are imported, by their bare names."""
    names = []
    for node in ast.walk(module):
        if isinstance(node, ast.ImportFrom) and node.level == 1:
            names += [node.module.split(".")[0]] if node.module else [a.name for a in node.names]
    return [name for name in names if Path(name).suffix == ""]
