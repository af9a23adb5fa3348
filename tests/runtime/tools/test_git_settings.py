"""A repository that comes with settings: git is asked, and none of their programs is started."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest
from flowc.runtime.assembly.reach import Reach
from flowc.runtime.errors import Failure
from flowc.runtime.files.programs import ProgramEnd, ProgramJob
from flowc.runtime.tools.builtin import BuiltinTools
from tool_runs import builtin

TOOLS = ("git_status", "git_diff", "git_log", "git_show")


def call(folder: Path, name: str, **args: object) -> object:
    return asyncio.run(builtin(folder).call(name, args))


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


def test_the_repository_of_another_submodule_is_not_read(tmp_path):
    outer, other = repository(tmp_path / "outer"), repository(tmp_path / "other")
    git(outer, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(other), "sub")
    planted = outer / "planted"
    planted.mkdir()
    (planted / ".git").write_text("gitdir: ../.git/modules/sub\n")
    for tool in TOOLS:
        with pytest.raises(Failure, match="not the repository of this folder"):
            call(planted, tool)


@pytest.mark.parametrize("way", ["around", "link"])
def test_the_repository_around_the_folder_of_a_team_is_not_read(tmp_path, way):
    outer = repository(tmp_path / "outer")
    git(outer, "worktree", "add", "-q", "-b", "side", "room")
    if way == "around":
        (outer / "room/.git").unlink()
    tools = BuiltinTools(Reach(outer / "room").roots(), builtin(outer).programs)
    reason = "not a git repository" if way == "around" else "leads out of the folder"
    for tool in TOOLS:
        with pytest.raises(Failure, match=reason):
            asyncio.run(tools.call(tool, {}))


def test_a_repository_with_longer_hashes_is_read(tmp_path):
    folder = repository(tmp_path / "clone", "--object-format=sha256")
    assert len(call(folder, "git_status")["head"]) == 64


def names_in(told: object) -> str:
    return json.dumps(told)


def test_a_folder_that_another_took_the_place_of_is_not_shown(tmp_path):
    """A command may swap the folder that was granted for a link while git is called."""
    repository(tmp_path / "secret")
    (tmp_path / "secret/private").write_text("")
    folder = repository(tmp_path / "clone")
    tools = builtin(folder)

    def swap(job: ProgramJob) -> ProgramEnd:
        folder.rename(tmp_path / "moved")
        folder.symlink_to(tmp_path / "secret")
        try:
            return tools.programs(job)
        finally:
            folder.unlink()
            (tmp_path / "moved").rename(folder)

    for tool in TOOLS:
        with pytest.raises(Failure, match="is no longer the folder that was granted"):
            asyncio.run(replace(tools, programs=swap).call(tool, {}))


def test_links_out_of_the_folder_lead_nowhere(tmp_path):
    """Objects of another repository, by a link and by a file that names them."""
    secret = repository(tmp_path / "secret")
    git(secret, "commit", "-qam", "Change")  # a commit of the same second would have the same hash
    hash = call(secret, "git_log")["commits"][0]["hash"]
    for way in ("link", "alternates"):
        folder = repository(tmp_path / way)
        objects = folder / ".git/objects"
        if way == "link":
            objects.rename(folder / "old")
            objects.symlink_to(secret / ".git/objects")
        else:
            (objects / "info/alternates").write_text(f"{secret}/.git/objects\n")
        for tool in ("git_log", "git_show"):
            with pytest.raises(Failure):
                call(folder, tool, ref=hash)


def test_git_sees_nothing_beside_the_folders_of_the_run(tmp_path, monkeypatch):
    """A program of the user's own settings, which is started, looks around."""
    folder, seen = repository(tmp_path / "clone"), tmp_path / "secret"
    seen.write_text("canary-of-outside")
    inner = folder / "inner"
    inner.mkdir()
    (inner / "f").write_text("three\n")
    (inner / ".gitattributes").write_text("f filter=look\n")
    (folder / ".gitignore").write_text("*.log\n")
    (folder / "beside").write_text("canary-beside")
    (inner / "a.log").write_text("")
    git(folder, "add", "inner/f")
    (inner / "f").write_text("four\n")
    home = tmp_path / "home"
    home.mkdir()
    look = f"cat; ls {tmp_path} {folder}; cat {seen} {folder}/beside; echo x > {inner}/made"
    (home / ".gitconfig").write_text(f'[filter "look"]\n\tclean = "{look}"\n')
    monkeypatch.setenv("HOME", str(home))
    told = names_in([call(inner, tool) for tool in TOOLS])
    assert "four" in told
    assert "canary" not in told
    assert not (inner / "made").exists()
    assert "a.log" not in told


def test_what_the_user_ignores_everywhere_is_ignored(tmp_path, monkeypatch):
    folder, home = repository(tmp_path / "clone"), tmp_path / "home"
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    (folder / "a.swp").write_text("")
    assert "a.swp" in names_in(call(folder, "git_status"))
    (home / ".gitconfig").write_text("[core]\n\texcludesFile = ~/.ignored\n")
    (home / ".ignored").write_text("*.swp\n")
    assert "a.swp" not in names_in(call(folder, "git_status"))


def test_a_diff_without_end_is_cut(tmp_path):
    folder = repository(tmp_path / "clone")
    (folder / "f").write_text("x" * 60 + "\n" + "many words of one line\n" * 1_000_000)
    told = call(folder, "git_diff")
    assert (told["truncated"], len(told["diff"])) == (True, 200_000)
    assert told["files"][0]["added"] == 1_000_001


def test_a_git_that_lies_in_the_folder_is_not_started(tmp_path, monkeypatch):
    mark, folder = tmp_path / "mark", repository(tmp_path / "clone")
    planted = folder / "git"
    planted.write_text(f"#!/bin/sh\ntouch {mark}\n")
    planted.chmod(0o755)
    monkeypatch.setenv("PATH", os.pathsep.join((".", "", os.environ["PATH"])))
    monkeypatch.chdir(folder)
    assert call(folder, "git_log")["count"] == 1
    assert not mark.exists()
