"""A wheel holds the whole package and nothing else."""

from __future__ import annotations

import ast
import re
import zipfile
from pathlib import Path

from clean_installs import TOPS
from flowc.runtime.config.extras import EXTRAS

GONE = {
    "aifc", "asynchat", "asyncore", "audioop", "cgi", "cgitb", "chunk", "crypt", "distutils",
    "imghdr", "imp", "lib2to3", "mailcap", "msilib", "nis", "nntplib", "ossaudiodev", "pipes",
    "smtpd", "sndhdr", "spwd", "sunau", "telnetlib", "uu", "xdrlib",
}  # fmt: skip
"""Modules of the standard library that Python 3.12 or 3.13 no longer has."""
ROOT_FILES = ("__init__.py", "__init__.pyi", "__main__.py", "errors.py", "py.typed")


def _installed_name(file: Path) -> str:
    """Where a file of the repository lies in the wheel."""
    parts = file.parts[2:] if file.parts[:2] == ("compiler", "_root") else file.parts
    return "/".join(("flowc", *parts))


def test_every_package_on_disk_is_listed_and_every_listed_one_is_on_disk(root, sources, project):
    """setuptools leaves an unlisted package out of the wheel without a word."""
    folders = {file.relative_to(root).parent for file in sources}
    on_disk = {_installed_name(f).replace("/", ".") for f in folders}
    assert sorted(project["tool"]["setuptools"]["packages"]) == sorted(on_disk)


def test_every_package_has_an_init_module(root, sources):
    bare = {f.parent for f in sources if not (f.parent / "__init__.py").is_file()}
    assert not bare


def test_type_checkers_see_the_trees_where_they_are(root):
    """`.types/flowc` is a farm of links; a link that leads nowhere hides a tree from mypy."""
    farm = (root / ".types/flowc").iterdir()
    links = {link.name: link.resolve() for link in farm if link.name != "__pycache__"}
    assert set(links) == {*TOPS, *ROOT_FILES}
    assert all(target.exists() for target in links.values())


def test_the_wheel_holds_every_file_of_the_package_and_nothing_else(root, files, wheel):
    """Grammars, shipped workflows, shell and type markers are data: a missing glob loses them."""
    expected = {
        _installed_name(file.relative_to(root))
        for file in files
        if file.relative_to(root).parts[0] in TOPS
    }
    held = {name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name}
    assert sorted(held) == sorted(expected)
    assert {"flowc/py.typed", "flowc/__main__.py"} <= held


def test_the_wheel_names_its_licence_and_its_command(wheel):
    archive = zipfile.ZipFile(wheel)
    inside = {Path(name).name: name for name in archive.namelist() if ".dist-info/" in name}
    assert {"LICENSE", "NOTICE", "METADATA", "entry_points.txt"} <= set(inside)
    assert b"flowc = flowc.runtime.cli:main" in archive.read(inside["entry_points.txt"])


def test_the_unpacked_wheel_compiles_its_own_workflows_away_from_the_repository(
    tmp_path, wheel, python
):
    zipfile.ZipFile(wheel).extractall(tmp_path)
    script = (
        "import sys, pathlib, flowc.workflows\n"
        "from flowc.compiler.driver import compile_file\n"
        "folder = pathlib.Path(flowc.workflows.__file__).parent\n"
        "assert str(folder).startswith(sys.argv[1]), folder\n"
        "found = list(folder.rglob('*.md'))\n"
        "bad = [(p, r.diagnostics) for p in found if not (r := compile_file(str(p))).ok]\n"
        "assert not bad, bad\n"
    )
    done = python("-c", script, str(tmp_path), cwd=tmp_path, PYTHONPATH=str(tmp_path))
    assert done.returncode == 0, done.stderr


def test_constraints_are_versions_by_name_and_cover_what_is_declared(root, project):
    """No registry's address, no path, no editable line; every requirement has its version."""
    lines = (root / "constraints.txt").read_text(encoding="utf-8").split()
    assert [
        line
        for line in lines
        if not re.fullmatch(
            r"[a-z0-9][a-z0-9-]*==[0-9][\w.+!]*(;python_version==\"3\.\d+\")?", line
        )
    ] == []
    assert lines == sorted(set(lines))
    pinned = {line.split("==")[0] for line in lines}
    extras = project["project"]["optional-dependencies"].values()
    declared = [*project["project"]["dependencies"], *(r for extra in extras for r in extra)]
    names = {re.split(r"[\[<>=~! ]", need)[0].lower().replace("_", "-") for need in declared}
    assert names - {"flowc"} <= pinned


def test_the_extras_that_errors_name_are_those_of_the_project(project):
    """`all` is every one of them but `draw`, which needs headers of Graphviz's."""
    declared = dict(project["project"]["optional-dependencies"])
    del declared["dev"]
    [whole] = declared.pop("all")
    assert sorted(EXTRAS) == sorted(declared)
    assert whole == f"flowc[{','.join(sorted(set(declared) - {'draw'}))}]"


def test_the_page_of_installed_packages_names_each_direct_one(root, project):
    page = (root / "docs/install.md").read_text(encoding="utf-8")
    rows = [line.split("|")[1] for line in page.splitlines() if re.match(r"\| [a-z`]", line)]
    named = {name.strip(" `") for row in rows for name in row.split(",")}
    about = project["project"]
    base = {re.split(r"[<>=\[]", need)[0] for need in about["dependencies"]}
    assert base | set(about["optional-dependencies"]) == named - {"package", "extra"}


def test_every_python_that_is_promised_has_the_modules_that_are_imported(sources, tree, project):
    """What a later Python has dropped, nothing imports."""
    promised = [
        tuple(map(int, line.rpartition(" ")[2].split(".")))
        for line in project["project"]["classifiers"]
        if re.search(r":: 3\.\d+$", line)
    ]
    assert promised == [(3, 11), (3, 12), (3, 13)]
    assert {file.name: gone for file in sources if (gone := GONE & _tops(tree(file)))} == {}


def _tops(module: ast.Module) -> set[str]:
    """The top-level packages that a module imports, wherever it does."""
    names = [name.name for n in ast.walk(module) if isinstance(n, ast.Import) for name in n.names]
    froms = [n.module for n in ast.walk(module) if isinstance(n, ast.ImportFrom) and not n.level]
    return {name.partition(".")[0] for name in (*names, *froms) if name}
