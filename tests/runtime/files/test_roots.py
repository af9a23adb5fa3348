"""`file:` below the workflow's folder and the granted roots only, links resolved (M22)."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path

import pytest
from flowc.runtime.errors import Failure
from flowc.runtime.files.roots import RootedFiles


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """home/ holds the workflow, outside/ is beside it."""
    for name in ("home/sub", "outside"):
        (tmp_path / name).mkdir(parents=True)
    (tmp_path / "home/note.md").write_text("inside\n")
    (tmp_path / "outside/secret").write_text("secret\n")
    return tmp_path


def base(place: Path) -> str:
    return str(place / "home" / "flow.wf.md")


def write(path: str, text: str, base: str) -> str:
    return asyncio.run(RootedFiles().write(path, text, base))


def refused(call) -> str:
    with pytest.raises(Failure) as caught:
        call()
    assert caught.value.kind == "refused"
    return caught.value.message


def test_paths_count_from_the_workflows_folder(place, monkeypatch):
    monkeypatch.chdir(place / "outside")
    assert RootedFiles().read("note.md", base(place)) == "inside\n"
    assert RootedFiles().read("sub/../note.md", base(place)) == "inside\n"


@pytest.mark.parametrize(
    "path", ["../outside/secret", "/etc/passwd", "sub/../../outside/secret", "", "a\0b"]
)
def test_what_lies_outside_is_refused_for_reading_and_writing(place, path):
    files = RootedFiles()
    refused(lambda: files.read(path, base(place)))
    refused(lambda: write(path, "x", base(place)))
    assert (place / "outside/secret").read_text() == "secret\n"


def test_a_link_out_of_the_folder_is_refused(place):
    (place / "home/link").symlink_to(place / "outside")
    (place / "home/file").symlink_to(place / "outside/secret")
    for path in ("link/secret", "file"):
        refused(lambda path=path: RootedFiles().read(path, base(place)))
    refused(lambda: write("link/new", "x", base(place)))
    assert not (place / "outside/new").exists()


def test_a_link_inside_the_folder_is_followed(place):
    (place / "home/alias").symlink_to("note.md")
    assert RootedFiles().read("alias", base(place)) == "inside\n"
    write("alias", "new\n", base(place))
    assert (place / "home/note.md").read_text() == "new\n"
    assert (place / "home/alias").is_symlink()


def test_the_folder_of_a_called_workflow_is_the_one_that_was_opened(place):
    called = str(place / "home/sub/called.flow.yaml")
    files = RootedFiles(bases=(base(place), called))
    (place / "home/sub").rename(place / "home/moved")
    (place / "home/sub").symlink_to(place / "outside")
    assert RootedFiles().read("secret", called) == "secret\n", "what the link leads to"
    refused(lambda: files.read("secret", called))
    refused(lambda: asyncio.run(files.write("new", "x", called)))
    assert not (place / "outside/new").exists()


def test_a_granted_root_is_reached_by_its_full_path_or_from_the_workflow(place):
    files = RootedFiles((place / "outside",))
    assert files.read("../outside/secret", base(place)) == "secret\n"
    assert files.read(str(place / "outside/secret"), base(place)) == "secret\n"


def test_a_folder_whose_name_begins_alike_is_outside(place):
    (place / "home2").mkdir()
    (place / "home2/x").write_text("x")
    refused(lambda: RootedFiles().read("../home2/x", base(place)))


def test_writing_makes_folders_and_replaces_in_one_step(place):
    assert write("a/b/c.txt", "one", base(place)) == "a/b/c.txt"
    write("a/b/c.txt", "two", base(place))
    assert (place / "home/a/b/c.txt").read_text() == "two"
    assert [p.name for p in (place / "home/a/b").iterdir()] == ["c.txt"]


def test_an_existing_files_mode_is_kept(place):
    script = place / "home/run.sh"
    script.write_text("old")
    script.chmod(0o750)
    write("run.sh", "new", base(place))
    assert script.stat().st_mode & 0o777 == 0o750


@pytest.mark.parametrize(
    ("path", "says"), [("gone.md", "does not exist"), ("sub", "is a folder"), ("raw", "not UTF-8")]
)
def test_what_cannot_be_read_says_why(place, path, says):
    (place / "home/raw").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(Failure, match=says):
        RootedFiles().read(path, base(place))


def test_a_pipe_does_not_hold_the_run(place):
    os.mkfifo(place / "home/pipe")
    assert "not a regular file" in refused(lambda: RootedFiles().read("pipe", base(place)))


def test_a_circle_of_links_is_no_crash(place):
    (place / "home/loop").symlink_to("loop")
    with pytest.raises(Failure):
        RootedFiles().read("loop", base(place))


def test_a_huge_file_is_refused(place):
    with (place / "home/huge").open("wb") as file:
        file.truncate(20 * 1024 * 1024)
    with pytest.raises(Failure, match="larger than 16 MiB"):
        RootedFiles().read("huge", base(place))
