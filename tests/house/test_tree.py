"""What may lie in the repository, and how large it may be."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

SCRIPTS_IN_PYTHON = "runtime/sandbox/scripts/worker_python.py"
SNIPPETS = "runtime/sandbox/launch/host.py"
"""Runs what a person wrote, in a process that flowc starts for it, and tells flowc all about it."""
MAX_FILE = 400
MAX_FUNCTION = 50

DRAWERS = {"utils", "util", "helpers", "helper", "common", "misc", "base", "core", "manager"}
"""Names under which things are put that nobody has named."""

LOCKS = {"uv.lock", "poetry.lock", "Pipfile.lock", "pdm.lock", "package-lock.json", "yarn.lock"}

ELSEWHERE = re.compile(
    r"/(?:work|root|opt|tmp/fc)/\w"  # folders of one machine
    r"|/home/[a-z]\w*/|/Users/[A-Z]\w*/"
    r"|\.\./shared\b"
    r"|\bpypi\.(?:org|io)\b|\bpythonhosted\.org\b|\bnpmjs\.(?:com|org)\b|\bdeb\.debian\.org\b",
)
"""Paths of somebody's machine, and hosts of package registries."""


def test_no_file_has_the_name_of_a_drawer(root, files):
    """The grammar's `common.lark` holds the terminals that dialects share: Lark's own custom."""
    names = [f for f in files if f.stem in DRAWERS or set(f.relative_to(root).parts) & DRAWERS]
    assert [f for f in names if f.name != "common.lark"] == []


def test_no_lock_file_is_committed(files):
    assert [f for f in files if f.name in LOCKS] == []


def test_no_file_names_a_machine_s_folder_or_a_registry_s_host(root, files):
    found = [
        f"{file.relative_to(root)}:{number}: {match[0]}"
        for file in files
        if file.name != "test_tree.py"
        for number, line in enumerate(_lines(file), 1)
        if (match := ELSEWHERE.search(line))
    ]
    assert found == []


def test_no_python_file_has_more_than_400_lines(root, files):
    sizes = {str(f.relative_to(root)): len(_lines(f)) for f in files if f.suffix == ".py"}
    assert {name: n for name, n in sizes.items() if n > MAX_FILE} == {}


def test_no_function_has_more_than_50_lines(root, files, tree):
    long = [
        f"{file.relative_to(root)}:{function.lineno} {function.name}: {size} lines"
        for file in files
        if file.suffix == ".py" and "corpus" not in file.parts[:-1]
        for function, size in _functions(tree(file))
        if size > MAX_FUNCTION
    ]
    assert long == []


def test_nothing_catches_everything(root, sources, tree):
    """`except Exception` hides bugs. Three things may: the last line before a person, which turns a
    bug into exit code 3; that of an execution, whose bug must not end those beside it; and code
    that raises: again, or to name the foreign code that failed."""
    last_lines = ("runtime/cli/app.py", SCRIPTS_IN_PYTHON, "runtime/service/worker.py")
    found = [
        f"{file.relative_to(root)}:{node.lineno}"
        for file in sources
        for node in ast.walk(tree(file))
        if isinstance(node, ast.ExceptHandler) and _is_broad(node)
    ]
    allowed = [place for place in found if place.startswith(last_lines)]
    assert len(allowed) <= len(last_lines)
    assert [place for place in found if place not in allowed] == []


def test_nothing_is_evaluated_as_python(root, sources, tree):
    """No `eval`, no `exec`, no `compile` of text; `re.compile` and methods are something else. The
    places that run a person's script and a model's snippet are processes of their own."""
    found = [
        f"{file.relative_to(root)}:{node.lineno} {node.func.id}"
        for file in sources
        for node in ast.walk(tree(file))
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id in {"eval", "exec", "compile", "__import__"}
        and str(file.relative_to(root)) not in (SCRIPTS_IN_PYTHON, SNIPPETS)
    ]
    assert found == []


def _lines(file) -> list[str]:
    try:
        return file.read_text(encoding="utf-8").splitlines()
    except UnicodeDecodeError:
        return []


def _functions(module: ast.Module) -> Iterator[tuple[ast.FunctionDef | ast.AsyncFunctionDef, int]]:
    for node in ast.walk(module):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node, (node.end_lineno or node.lineno) - node.lineno + 1


def _is_broad(handler: ast.ExceptHandler) -> bool:
    if handler.type is None:
        names = {"BaseException"}
    else:
        names = {node.id for node in ast.walk(handler.type) if isinstance(node, ast.Name)}
    raises = any(isinstance(node, ast.Raise) for node in handler.body)
    return bool(names & {"Exception", "BaseException"}) and not raises
