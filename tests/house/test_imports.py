"""Who may import whom, and what a command may load."""

from __future__ import annotations

import ast
import json
import subprocess
import sys

import pytest

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


def test_the_compiler_raises_for_no_mistake_of_a_user(root, sources, tree):
    """Front ends and checks put a diagnostic into the sink. What they may raise says "a bug"."""
    folders = {root / "compiler" / name for name in ("reading", "frontends", "checks", "linking")}
    found = [
        f"{file.relative_to(root)}:{node.lineno}"
        for file in sources
        if folders & set(file.parents)
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


def test_pedalboard_is_imported_by_one_module_of_the_worker(root, sources, tree):
    """It is under the GPL: it may run in a process of its own, never in flowc's. That nothing
    imports the worker's package is a contract of pyproject.toml."""
    users = {f for f in sources if any(m.split(".")[0] == "pedalboard" for m in _imported(tree(f)))}
    assert users == {root / "runtime/audio/tools/plugins.py"}


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
