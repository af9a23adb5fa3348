"""`make langgraph`: the facts about LangGraph hold for the oldest and the newest that is allowed.

Each version lies in a folder of its own in front of what is installed, and goes afterwards.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
import tomllib
from importlib.metadata import distributions
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
FACTS = "tests/runtime/checkpoints/test_langgraph.py"
PARTS = ("langgraph", "langgraph-checkpoint-sqlite", "langgraph-checkpoint-postgres")
SHARED = "langgraph-checkpoint"
"""What all of the parts need: the oldest that every one of them takes."""
REQUIREMENT = re.compile(r"(?P<name>[\w.-]+)\s*(?P<bounds>[<>=!~][^;]*)")


def bounds() -> dict[str, str]:
    """Return what pyproject allows of each part, as `>=1.2.20,<2`."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = [line for extra in project["optional-dependencies"].values() for line in extra]
    parsed = filter(None, map(REQUIREMENT.match, [*project["dependencies"], *extras]))
    return {m["name"]: m["bounds"].strip() for m in parsed if m["name"] in PARTS}


def oldest(text: str) -> str:
    """Return the lower bound, `1.2.20` of `>=1.2.20,<2`."""
    found = re.search(r">=\s*([\w.]+)", text)
    assert found is not None, text
    return found[1]


def install(folder: Path, *requirements: str) -> None:
    """Install packages into a new folder, without what they depend on."""
    pip = (sys.executable, "-m", "pip", "install", "-qq", "--no-deps")
    subprocess.run((*pip, "--target", str(folder), *requirements), check=True)


def shared_bounds(folder: Path) -> list[str]:
    """Return what the parts in a folder say of the package that they share."""
    lines = [line for part in distributions(path=[str(folder)]) for line in part.requires or ()]
    parsed = filter(None, map(REQUIREMENT.match, lines))
    return [m["bounds"].strip() for m in parsed if m["name"] == SHARED]


def version_of(text: str) -> tuple[int, ...]:
    return tuple(int(number) for number in re.findall(r"\d+", text))


def prepare(folder: Path, old: bool) -> list[str]:
    """Install the oldest or the newest of every part, and of what they share. Return the folders:
    two, because all lie below `langgraph`, which pip would replace."""
    parts, common = folder / "parts", folder / "common"
    allowed = bounds()
    install(parts, *(f"{p}=={oldest(b)}" if old else f"{p}{b}" for p, b in allowed.items()))
    shared = shared_bounds(parts)
    least = max(map(oldest, shared), key=version_of)
    install(common, f"{SHARED}=={least}" if old else f"{SHARED}{','.join(shared)}")
    return [str(parts), str(common)]


def main() -> int:
    """Run the facts with both; the exit code is that of the worse."""
    codes = []
    for old in (True, False):
        with tempfile.TemporaryDirectory(prefix="langgraph-") as name:
            folders = prepare(Path(name), old)
            versions = {d.name: d.version for d in distributions(path=folders)}
            print(*(f"{part} {versions[part]}" for part in sorted(versions)), sep=", ", flush=True)
            paths = [*folders, str(ROOT / ".types"), os.environ.get("PYTHONPATH", "")]
            environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, paths))}
            environment["FLOWC_TEST_LANGGRAPH"] = name
            command = (sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", FACTS)
            codes.append(subprocess.run(command, cwd=ROOT, env=environment).returncode)
    return max(codes)


if __name__ == "__main__":
    sys.exit(main())
