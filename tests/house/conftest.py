"""What the tests of the house look at: the files of the repository."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
import tomllib
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from clean_installs import build_wheel

ROOT = Path(__file__).resolve().parents[2]
TREES = {"compiler": "flowc.compiler", "runtime": "flowc.runtime", "grammar": "flowc.grammar"}


@cache
def _listed() -> tuple[Path, ...]:
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        check=True,
        text=True,
    ).stdout.split("\0")
    return tuple(sorted(ROOT / name for name in listed if name and os.path.lexists(ROOT / name)))


@cache
def parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"), str(path))


@pytest.fixture(scope="session")
def root() -> Path:
    """The top folder of the repository."""
    return ROOT


@pytest.fixture(scope="session")
def files() -> tuple[Path, ...]:
    """Every file that is or would be committed, symbolic links left out."""
    return tuple(path for path in _listed() if not path.is_symlink())


@pytest.fixture(scope="session")
def sources(files: tuple[Path, ...]) -> tuple[Path, ...]:
    """Every Python file of the package, without the tests and the scripts of workflows, which are
    data."""
    tops = {*TREES, "workflows"}
    found = (f for f in files if f.suffix == ".py" and f.relative_to(ROOT).parts[0] in tops)
    return tuple(f for f in found if f.relative_to(ROOT).parts[:2] != ("workflows", "examples"))


@pytest.fixture(scope="session")
def tree() -> Callable[[Path], ast.Module]:
    """The syntax tree of a Python file."""
    return parsed


@pytest.fixture(scope="session")
def project(root: Path) -> dict[str, Any]:
    """pyproject.toml."""
    return tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))


@pytest.fixture(scope="session")
def wheel(tmp_path_factory: pytest.TempPathFactory, files: tuple[Path, ...]) -> Path:
    """A wheel built from what is or would be committed."""
    return build_wheel(ROOT, files, tmp_path_factory.mktemp("wheel"))


@pytest.fixture
def python() -> Callable[..., subprocess.CompletedProcess[str]]:
    """Run this interpreter in a fresh process: `python("-c", "…", cwd=folder)`."""

    paths = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    path = os.pathsep.join(str(Path(p).resolve()) for p in paths if p)

    def run(*args: str, cwd: Path | None = None, **env: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, *args],
            cwd=cwd,
            env={**os.environ, "PYTHONPATH": path, **env},
            capture_output=True,
            text=True,
            check=False,
            timeout=240,
        )

    return run
