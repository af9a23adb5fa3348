"""A repository that comes with settings: git is asked, and none of their programs is started."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from flowc.runtime.errors import Failure
from flowc.runtime.files.roots import Roots
from flowc.runtime.tools.builtin import FUNCTIONS, BuiltinTools

TOOLS = ("git_status", "git_diff", "git_log", "git_show")


def call(folder: Path, name: str, **args: object) -> object:
    tools = BuiltinTools(Roots(folder))
    return FUNCTIONS[name](tools.roots, **tools.defaults(name) | args)


def git(folder: Path, *args: str) -> None:
    ours = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
    who = ("-c", "user.name=A", "-c", "user.email=a@b", "-c", "core.fsmonitor=false")
    subprocess.run(["git", *who, *args], cwd=folder, check=True, env={**os.environ, **ours})


def repository(folder: Path, *more: str) -> Path:
    """One with a commit, and a file that differs from it."""
    folder.mkdir(parents=True)
    git(folder, "init", "-q", "-b", "main", *more)
    (folder / "f").write_text("one\n")
    git(folder, "add", "f")
    git(folder, "commit", "-qm", "Begin")
    (folder / "f").write_text("two\n")
    return folder


def settings(mark: Path) -> dict[str, str]:
    """Every setting that names a program which git starts when it looks at files or commits."""
    touch = f"sh -c 'touch {mark}; cat'"
    return {
        "filter.x.clean": touch,
        "filter.x.smudge": touch,
        "filter.y.process": touch,
        "filter.y.required": "true",
        "diff.x.textconv": touch,
        "diff.x.command": touch,
        "diff.external": touch,
        "core.fsmonitor": touch,
        "core.hooksPath": str(mark.parent),
        "core.pager": touch,
        "core.editor": touch,
        "core.sshCommand": touch,
        "core.alternateRefsCommand": touch,
        "core.worktree": str(mark.parent),
        "gpg.program": touch,
        "log.showSignature": "true",
        "merge.x.driver": touch,
        "alias.status": f"!{touch}",
        "alias.diff": f"!{touch}",
        "extensions.partialClone": "far",
        "remote.far.promisor": "true",
        "remote.far.url": f"ext::{touch}",
        "credential.helper": f"!{touch}",
        "include.path": "more",
    }


@pytest.mark.parametrize("attribute", ["filter=x diff=x merge=x", "filter=y"])
def test_no_program_of_a_repositorys_settings_is_started(tmp_path, attribute):
    mark, folder = tmp_path / "marks/mark", repository(tmp_path / "clone")
    mark.parent.mkdir()
    (folder / ".gitattributes").write_text(f"* {attribute}\n")
    (folder / ".git/more").write_text(f'[filter "x"]\n\tclean = touch {mark}\n')
    for name, value in settings(mark).items():
        git(folder, "config", name, value)
    for tool in TOOLS:
        call(folder, tool)
    assert not mark.exists()


def test_settings_of_a_submodule_are_not_followed(tmp_path):
    mark, folder = tmp_path / "mark", repository(tmp_path / "clone")
    inner = repository(folder / "inner")
    git(folder, "-c", "advice.addEmbeddedRepo=false", "add", "inner")
    git(folder, "commit", "-qm", "Add")
    (inner / ".gitattributes").write_text("* filter=x\n")
    git(inner, "config", "filter.x.clean", f"sh -c 'touch {mark}; cat'")
    for tool in TOOLS:
        call(folder, tool)
    assert not mark.exists()


def test_a_file_that_leads_to_somebodys_repository_shows_nothing_of_it(tmp_path):
    private = repository(tmp_path / "private")
    folder = tmp_path / "clone"
    folder.mkdir()
    (folder / ".git").write_text(f"gitdir: {private}/.git\n")
    for tool in TOOLS:
        with pytest.raises(Failure, match="not the repository of this folder"):
            call(folder, tool)
    (folder / ".git").unlink()
    (folder / ".git").symlink_to(private / ".git")
    with pytest.raises(Failure, match="neither a folder nor a file"):
        call(folder, "git_log")


def test_a_second_working_tree_is_read(tmp_path):
    git(repository(tmp_path / "main"), "worktree", "add", "-q", "-b", "side", "../side")
    (tmp_path / "side/f").write_text("three\n")
    assert call(tmp_path / "side", "git_status")["branch"] == "side"
    assert "+three" in call(tmp_path / "side", "git_diff")["diff"]


def test_a_submodule_is_read_from_within(tmp_path):
    outer, other = repository(tmp_path / "outer"), repository(tmp_path / "other")
    git(outer, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(other), "sub")
    assert call(outer / "sub", "git_log")["count"] == 1


def test_a_repository_with_longer_hashes_is_read(tmp_path):
    folder = repository(tmp_path / "clone", "--object-format=sha256")
    assert len(call(folder, "git_status")["head"]) == 64


def test_a_git_that_lies_in_the_folder_is_not_started(tmp_path, monkeypatch):
    mark, folder = tmp_path / "mark", repository(tmp_path / "clone")
    planted = folder / "git"
    planted.write_text(f"#!/bin/sh\ntouch {mark}\n")
    planted.chmod(0o755)
    monkeypatch.setenv("PATH", os.pathsep.join((".", "", os.environ["PATH"])))
    monkeypatch.chdir(folder)
    assert call(folder, "git_log")["count"] == 1
    assert not mark.exists()
