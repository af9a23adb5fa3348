"""The map of the house: packages that one can hold in the head, in layers without circles.

The layers themselves are contracts of the import linter in pyproject.toml. Imports are those that
stand in the code anywhere: inside functions and for type checkers too.
"""

from __future__ import annotations

import ast
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterable, Mapping
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

TOPS = ("compiler", "runtime", "grammar")
MAX_MODULES = 15
MAX_ROOT = 10
FLOORS = {"compiler": 10, "runtime": 14, "grammar": 1}
"""How many packages may stand above one another at most."""

Imports = Mapping[str, Iterable[str]]


GRAPH = """
import grimp, json
graph = grimp.build_graph("flowc", cache_dir=None)
modules = {m: sorted(graph.find_modules_directly_imported_by(m)) for m in graph.modules}
json.dump(modules, open(1, "w"))
"""


@cache
def _modules() -> dict[str, set[str]]:
    """Every module of flowc with the modules of flowc that it imports. In a process of its own:
    here flowc is imported already, from where grimp would not see its parts."""
    done = subprocess.run(
        [sys.executable, "-c", GRAPH],
        env={**os.environ, "PYTHONPATH": str(Path(__file__).resolve().parents[2] / ".types")},
        capture_output=True,
        check=True,
    )
    imports = json.loads(done.stdout)
    ours = {m for m in imports if m.split(".")[1:2] and m.split(".")[1] in TOPS}
    return {m: set(imports[m]) & ours for m in ours}


@cache
def _packages() -> dict[str, list[str]]:
    """Every package with its modules, its `__init__` left out."""
    packages = {m for m in _modules() if any(o.startswith(f"{m}.") for o in _modules())}
    members: dict[str, list[str]] = {package: [] for package in sorted(packages)}
    for module in sorted(set(_modules()) - packages):
        members[module.rpartition(".")[0]].append(module)
    return members


def _between_packages(top: str) -> dict[str, set[str]]:
    home = {m: p for p, modules in _packages().items() for m in (p, *modules)}
    between: dict[str, set[str]] = {p: set() for p in _packages() if p.split(".")[1] == top}
    for module, others in _modules().items():
        if module.split(".")[1] == top:
            between[home[module]] |= {home[o] for o in others if o.split(".")[1] == top}
    return {package: others - {package} for package, others in between.items()}


def _order(imports: Imports) -> list[str]:
    """What is imported comes first. Raises `graphlib.CycleError`, which names the circle."""
    return list(TopologicalSorter(imports).static_order())


def test_no_files_import_each_other_in_a_circle():
    assert len(_order(_modules())) == len(_modules())


@pytest.mark.parametrize("top", TOPS)
def test_no_packages_import_each_other_in_a_circle(top):
    between = _between_packages(top)
    assert len(_order(between)) == len(between)


@pytest.mark.parametrize("top", TOPS)
def test_the_floors_of_packages_are_few(top):
    between = _between_packages(top)
    floor: dict[str, int] = {}
    for package in _order(between):
        floor[package] = 1 + max((floor[other] for other in between[package]), default=0)
    assert max(floor.values()) <= FLOORS[top]


def test_no_package_has_more_modules_than_one_can_hold_in_the_head():
    sizes = {package: len(modules) for package, modules in _packages().items()}
    assert {p: n for p, n in sizes.items() if n > MAX_MODULES} == {}
    assert {top: sizes[f"flowc.{top}"] for top in TOPS if sizes[f"flowc.{top}"] > MAX_ROOT} == {}


PAGE = Path(__file__).resolve().parents[2] / "docs/architecture.md"
BEGIN, END = "<!-- packages -->\n", "<!-- end -->\n"
ROWS = {
    "compiler": "the layers of the compiler",
    "runtime": "the layers of the runtime",
}
"""The contract of pyproject.toml that has the rows of each half, by the beginning of its name."""


def _rows(project, top: str) -> list[str]:
    contracts = project["tool"]["importlinter"]["contracts"]
    return next(c["layers"] for c in contracts if c["name"].startswith(ROWS[top]))


def _sentence(folder: Path) -> str:
    """The first sentence of a package's docstring, or of a module's."""
    file = folder / "__init__.py" if folder.is_dir() else folder.with_suffix(".py")
    text = ast.get_docstring(ast.parse(file.read_text(encoding="utf-8"))) or ""
    return " ".join(text.partition("\n\n")[0].split())


def _picture(project) -> list[str]:
    lines = ["```"]
    for top in ("runtime", "compiler"):
        rows = _rows(project, top)
        lines.append(f"{top}/")
        lines += [f"  {len(rows) - i}  {row.replace(' : ', '   ')}" for i, row in enumerate(rows)]
        lines.append("─" * 96)
    return [*lines, "grammar/", "```", ""]


def _table(project, top: str) -> list[str]:
    root = PAGE.parents[1]
    lines = [f"| row | {top}/ | holds |", "| --- | --- | --- |"]
    rows = _rows(project, top)
    for number, row in zip(range(len(rows), 0, -1), rows, strict=True):
        for name in re.findall(r"\w+", row):
            home = root / top / name
            lines.append(f"| {number} | `{name}` | {_sentence(home)} |")
            inner = sorted(f.parent for f in home.rglob("__init__.py") if f.parent != home)
            lines += [
                f"| | `{'/'.join(folder.relative_to(root / top).parts)}` | {_sentence(folder)} |"
                for folder in inner
            ]
    return [*lines, ""]


MODULES = PAGE.with_name("modules.md")
MODULES_HEAD = """# Every module in one line

What each file is, by its own first line. `make docs` writes this page from the code;
[architecture.md](architecture.md) says how the folders stand on each other.
"""


def test_the_generated_list_of_modules_is_up_to_date(root, sources, golden):
    lines, folder = [MODULES_HEAD.rstrip()], None
    for file in sorted(sources, key=lambda file: (file.parent, file)):
        if file.parent != folder:
            folder = file.parent
            lines += ["", f"## {folder.relative_to(root)}", ""]
        lines.append(f"- [{file.name}](../{file.relative_to(root)}): {_headline(file)}")
    golden(MODULES, "\n".join([*lines, ""]))


def _headline(file: Path) -> str:
    """The first paragraph of a module's docstring, in one line."""
    text = ast.get_docstring(ast.parse(file.read_text(encoding="utf-8"))) or ""
    return " ".join(text.partition("\n\n")[0].split())


def test_the_generated_map_in_the_architecture_is_up_to_date(project, golden):
    """`make docs` writes it anew."""
    text = PAGE.read_text(encoding="utf-8")
    before, after = text.partition(BEGIN)[0], text.partition(END)[2]
    lines = [*_picture(project), *_table(project, "compiler"), *_table(project, "runtime")]
    golden(PAGE, f"{before}{BEGIN}" + "\n".join(lines) + f"{END}{after}")
