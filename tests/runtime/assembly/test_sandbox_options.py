"""The folder that a run's commands may always write in: made for it, gone with it."""

from __future__ import annotations

import contextlib
from pathlib import Path

import pytest
from deep_folders import deep
from flowc.runtime.assembly.sandbox_options import forget_own_folder, own_folder
from flowc.runtime.cli.app import run

WRITES = """\
# Workflow

```mermaid
flowchart TD
    START([Start]) --> EXECUTE_IT["Execute: echo hello > $HOME/left"]
    EXECUTE_IT --> SUCCESS([Done])
```
"""


def test_it_goes_with_the_run(tmp_path: Path) -> None:
    (tmp_path / "writes.wf.md").write_text(WRITES, encoding="utf-8")
    with contextlib.chdir(tmp_path):
        assert run(["run", "writes.wf.md", "--run-id", "r", "--allow-exec", "--quiet"]) == 0
        own = Path(own_folder("r"))
        assert (own / "left").read_text(encoding="utf-8") == "hello\n"
        assert run(["runs", "prune", "--status", "success"]) == 0
        assert not own.exists()


def test_it_goes_however_deep_its_commands_made_it(tmp_path: Path) -> None:
    own = tmp_path / ".flowc/own/r"
    own.mkdir(parents=True)
    with deep(own):
        forget_own_folder(str(own))
        assert not own.exists()


def test_no_other_folder_is_removed(tmp_path: Path) -> None:
    other = tmp_path / "precious"
    other.mkdir()
    forget_own_folder(str(other))
    assert other.is_dir()
    link = tmp_path / ".flowc" / "own" / "r"
    link.parent.mkdir(parents=True)
    link.symlink_to(other)
    forget_own_folder(str(link))
    assert other.is_dir()


@pytest.mark.parametrize("name", [".flowc", ".flowc/own"])
def test_no_link_is_followed_to_another_folder(tmp_path: Path, name: str) -> None:
    """One that came with the folder, which a run need not have touched."""
    outside, project = tmp_path / "outside", tmp_path / "project"
    own = project / ".flowc/own/r"
    there = outside / own.relative_to(project / name)
    there.mkdir(parents=True)
    (project / name).parent.mkdir(parents=True, exist_ok=True)
    (project / name).symlink_to(outside)
    assert own.is_dir()
    forget_own_folder(str(own))
    assert there.is_dir()
