"""A wheel holds the whole package and nothing else."""

from __future__ import annotations

import shutil
import zipfile
from pathlib import Path

import pytest

TOPS = ("compiler", "runtime", "grammar", "workflows")
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


@pytest.fixture(scope="module")
def wheel(tmp_path_factory, root, files):
    """A wheel built from what is or would be committed, without network."""
    import subprocess
    import sys

    copy = tmp_path_factory.mktemp("copy")
    for file in files:
        if file.relative_to(root).parts[0] in (
            *TOPS,
            "pyproject.toml",
            "README.md",
            "LICENSE",
            "NOTICE",
        ):
            target = copy / file.relative_to(root)
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(file, target)
    out = tmp_path_factory.mktemp("wheel")
    command = [
        sys.executable,
        "-m",
        "build",
        "--wheel",
        "--no-isolation",
        "--outdir",
        str(out),
        str(copy),
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=240)
    assert done.returncode == 0, done.stdout + done.stderr
    [built] = out.glob("*.whl")
    return built


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
    import re

    lines = (root / "constraints.txt").read_text(encoding="utf-8").split()
    assert [
        line for line in lines if not re.fullmatch(r"[a-z0-9][a-z0-9-]*==[0-9][\w.+!]*", line)
    ] == []
    assert lines == sorted(set(lines))
    pinned = {line.split("==")[0] for line in lines}
    extras = project["project"]["optional-dependencies"].values()
    declared = [*project["project"]["dependencies"], *(r for extra in extras for r in extra)]
    names = {re.split(r"[\[<>=~! ]", need)[0].lower().replace("_", "-") for need in declared}
    assert names <= pinned
