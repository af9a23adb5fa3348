"""A document on disk: replaced as a whole or not at all, and every other byte as it was."""

from __future__ import annotations

import itertools
import os
import shutil
import subprocess
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from flowc.compiler.plan import PlanDocument, read_plan
from flowc.runtime.documents.file import MAX_BYTES, DocumentFile
from flowc.runtime.errors import Failure
from killing import Killed, in_process, kill_me

TEXT = """\
# Ä plan

## 3. Processing Plan & Status

### Step 1: Trim   \t

* **ID:** `step_1`
*    **Status:** READY

## 5. Workflow Log
"""


@pytest.fixture
def place(tmp_path: Path) -> Path:
    path = tmp_path / "plan.md"
    path.write_bytes(TEXT.encode())
    return path


def running(document: PlanDocument) -> PlanDocument:
    return document.set("Status", "RUNNING", step="step_1")


def toggled(document: PlanDocument) -> PlanDocument:
    ready = document.value("Status", step="step_1") == "READY"
    return document.set("Status", "RUNNING" if ready else "READY", step="step_1")


@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"], ids=["", "bom"])
@pytest.mark.parametrize("end", [b"\n", b"\r\n"], ids=["lf", "crlf"])
def test_only_the_bytes_of_the_value_change(place, mark, end):
    before = mark + TEXT.encode().replace(b"\n", end)
    place.write_bytes(before)
    DocumentFile(place, "plan.md").change(running)
    assert place.read_bytes() == before.replace(b"READY", b"RUNNING")
    assert os.listdir(place.parent) == ["plan.md"]


def test_mode_and_owner_stay(place):
    os.chmod(place, 0o640)
    if os.getuid() == 0:
        os.chown(place, 65534, 65534)
    before = place.stat()
    DocumentFile(place, "plan.md").change(running)
    after = place.stat()
    assert (after.st_mode, after.st_uid, after.st_gid) == (
        before.st_mode,
        before.st_uid,
        before.st_gid,
    )


def test_without_a_change_the_file_is_not_touched(place):
    before = place.stat()
    DocumentFile(place, "plan.md").change(lambda document: document)
    assert place.stat().st_ino == before.st_ino
    assert place.stat().st_mtime_ns == before.st_mtime_ns


def test_a_link_is_refused_and_stays(place):
    link = place.with_name("link.md")
    link.symlink_to(place)
    with pytest.raises(Failure, match="is a link") as refused:
        DocumentFile(link, "link.md").change(running)
    assert "name the file that it leads to" in refused.value.help
    assert link.is_symlink()


def test_another_name_of_a_file_in_the_place_of_the_next_text_is_taken_away(place, tmp_path):
    """As one that came with a folder: what is written is a file of ours."""
    (tmp_path / "precious").write_text("mine")
    place.with_name(f".{place.name}.next").hardlink_to(tmp_path / "precious")
    DocumentFile(place, "plan.md").change(running)
    assert (tmp_path / "precious").read_text() == "mine"
    assert "RUNNING" in place.read_text()


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda path: path.mkdir(), "is a folder"),
        (lambda path: os.mkfifo(path), "is not a regular file"),
        (lambda path: path.write_bytes(b"\xff"), "is not UTF-8 text (byte 0)"),
        (lambda path: path.write_bytes(bytes(MAX_BYTES + 1)), "is larger than 10 MiB"),
        (lambda path: None, "there is no document `x.md`"),
    ],
)
def test_what_is_no_document_is_said(tmp_path, make: Callable[[Path], object], said):
    make(tmp_path / "x.md")
    with pytest.raises(Failure) as failure:
        DocumentFile(tmp_path / "x.md", "x.md").change(running)
    assert said in failure.value.message
    remedies = {
        "is larger than 10 MiB": "shorten",
        "is not UTF-8 text (byte 0)": "save it as UTF-8",
    }
    assert failure.value.help.startswith(remedies.get(said, ""))


def test_a_change_that_nobody_could_read_again_is_not_written(place):
    long = "x" * MAX_BYTES
    with pytest.raises(Failure, match=r"`x\.md` would become larger than 10 MiB"):
        DocumentFile(place, "x.md").change(lambda d: d.set("Description", long, step="step_1"))
    assert place.read_bytes() == TEXT.encode()
    with pytest.raises(Failure, match=r"`y\.md` would be larger than 10 MiB"):
        DocumentFile(place.with_name("y.md"), "y.md").create(long + "x")
    assert [path.name for path in place.parent.iterdir()] == [place.name]


def test_a_folder_that_cannot_be_written_is_said(place):
    def as_nobody() -> str:
        if os.getuid() == 0:
            os.chmod(place.parent, 0o555)
            os.chmod(place, 0o644)
            os.setgid(65534)
            os.setuid(65534)
        else:
            os.chmod(place.parent, 0o555)
        try:
            DocumentFile(place, "plan.md").change(running)
        except Failure as failure:
            return f"{failure.message}; {failure.help}"
        return "changed"

    for parent in place.parents:
        if parent.stat().st_uid == os.getuid() and not parent.stat().st_mode & 0o001:
            os.chmod(parent, parent.stat().st_mode | 0o011)
    said = in_process(as_nobody)
    os.chmod(place.parent, 0o755)
    assert "`plan.md` cannot be changed: permission denied" in said
    assert "its folder has to be writable" in said
    assert place.read_bytes() == TEXT.encode()


def test_on_a_full_disk_the_document_stays_as_it_was(tmp_path):
    if not shutil.which("mount") or os.getuid() != 0:
        pytest.skip("needs to mount a small file system")
    folder = tmp_path / "small"
    folder.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", "size=16k", "tmpfs", str(folder)]
    if subprocess.run(command, capture_output=True, check=False).returncode:
        pytest.skip("no file system can be mounted here")
    try:
        place = folder / "plan.md"
        place.write_text(TEXT)
        grown = lambda d: d.set("Description", "x" * 20_000, step="step_1")  # noqa: E731
        with pytest.raises(Failure, match="no space left") as failure:
            DocumentFile(place, "plan.md").change(grown)
        assert "make room" in failure.value.help
        assert place.read_text() == TEXT
        assert os.listdir(folder) == ["plan.md"]
        DocumentFile(place, "plan.md").change(running)
    finally:
        subprocess.run(["umount", str(folder)], check=True)


def test_what_a_person_saves_meanwhile_is_kept(place):
    """The change is made again on what was saved."""
    seen = []

    def change(document: PlanDocument) -> PlanDocument:
        if not seen:
            place.write_text(TEXT.replace("Trim", "Fade"))
        seen.append(document)
        return running(document)

    DocumentFile(place, "plan.md").change(change)
    text = place.read_text()
    assert len(seen) == 2
    assert "Fade" in text
    assert "RUNNING" in text


def test_readers_and_writers_at_once_see_whole_documents_and_lose_nothing(place):
    file, count = DocumentFile(place, "plan.md"), 60
    half: list[str] = []
    over = threading.Event()

    def read() -> None:
        while not over.is_set():
            text = place.read_bytes().decode()
            if read_plan(text).section("log") is None:
                half.append(text)

    def write(name: str) -> None:
        for n in range(count):
            file.change(lambda d, n=n: d.append_log("2031-01-01 00:00:00", f"{name} {n}"))

    readers = [threading.Thread(target=read) for _ in range(2)]
    writers = [threading.Thread(target=write, args=(name,)) for name in "ab"]
    for thread in (*readers, *writers):
        thread.start()
    for thread in writers:
        thread.join()
    over.set()
    assert half == []
    lines = place.read_text().partition("Log\n")[2]
    for name in "ab":
        told = [line for line in lines.splitlines() if f": {name} " in line]
        assert [line.rpartition(" ")[2] for line in told] == [str(n) for n in range(count)]
    assert os.listdir(place.parent) == ["plan.md"]


STEPS = [("ftruncate", 1), ("pwrite", 1), ("fsync", 1), ("replace", 1), ("fsync", 2)]
"""What a change does to the disk, in order; the second `fsync` is that of the folder."""


@pytest.mark.parametrize(("step", "nth"), [*STEPS, ("announce", 1)])
@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
def test_killed_at_any_point_the_document_is_whole(place, step, nth, after, monkeypatch):
    after_text = TEXT.replace("READY", "RUNNING")

    def run() -> None:
        announce = (lambda before, then: kill_me()) if step == "announce" else lambda *texts: None
        if step != "announce":
            real, calls = getattr(os, step), itertools.count(1)

            def dying(*args: object) -> object:
                last = next(calls) == nth
                if last and not after:
                    kill_me()
                result = real(*args)
                if last:
                    kill_me()
                return result

            monkeypatch.setattr(os, step, dying)
        DocumentFile(place, "plan.md").change(running, announce)

    with pytest.raises(Killed):
        in_process(run)
    assert place.read_text() in (TEXT, after_text)
    DocumentFile(place, "plan.md").change(running)
    assert place.read_text() == after_text
    assert os.listdir(place.parent) == ["plan.md"], "nothing is left over"
