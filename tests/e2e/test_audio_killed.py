"""The workflow that edits sound, killed at boundaries of the journal, ends in the same sound, in
whatever store it is kept."""

from __future__ import annotations

import json
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import edits
import pytest
from dying import count_boundaries, in_folder
from flowc.runtime.torture.boundaries import kind_of
from flowc.runtime.torture.dying import Blow
from forks import load
from stores import KINDS, fresh_store

NEVER_BEGUN = "there is no run `r`"


def command(*args: str) -> Callable[[], int]:
    def body() -> int:
        from flowc.runtime.cli.app import run

        return run([*args])

    return body


class Room:
    """A folder with a sound, in which runs live and die, and their store."""

    def __init__(self, folder: Path, url: str) -> None:
        folder.mkdir()
        self.folder = folder
        self.run = command(*edits.EDIT, "--run-id", "r", "--store", url)
        self.resume = command("resume", "r", "--json", "--store", url)
        edits.write_sound(folder)

    def said(self, name: str) -> str:
        return (self.folder / name).read_text(encoding="utf-8")

    def killed_and_resumed(self, blow: Blow) -> bool:
        """Whether the run was killed; then it has been resumed to its end, by nobody's answer."""
        end = in_folder(self.run, blow, self.folder)
        if end.code != -signal.SIGKILL:
            assert end.code == 0, self.said("err")
            return False
        end = in_folder(self.resume, Blow(), self.folder)
        if end.code == 2 and NEVER_BEGUN in self.said("err"):
            end = in_folder(self.run, Blow(), self.folder)
        assert end.code == 0, self.said("err")
        assert json.loads(self.said("out"))["status"] == "success"
        return True


@contextmanager
def room(kind: str, parent: Path, name: str) -> Iterator[Room]:
    with fresh_store(kind, parent / name / ".flowc") as url:
        yield Room(parent / name, url)


@dataclass(frozen=True)
class Whole:
    """An undisturbed run: its room, and the boundaries that it came to."""

    kind: str
    room: Room
    names: list[str]


@pytest.fixture(scope="module", params=KINDS)
def whole(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Whole]:
    load()  # before the first fork, so that no child has to
    with room(request.param, tmp_path_factory.mktemp("killed"), "whole") as first:
        yield Whole(request.param, first, count_boundaries(first.run, first.folder))


def test_the_sound_measures_as_it_was_asked_to(whole):
    room, names = whole.room, whole.names
    assert len([name for name in names if name.startswith("after the effect: tool")]) > 20
    told = json.loads(room.said("out"))
    checks = {check["metric"]: check for check in told["variables"]["checks"]}
    assert checks["integrated_lufs"]["measured"] == pytest.approx(-16, abs=0.5)
    assert checks["true_peak_dbtp"]["measured"] <= -1
    assert {check["verdict"] for check in checks.values()} == {"passed", "proves nothing"}
    story = edits.story(room.folder)
    assert story.count("DONE") == 4
    lines = [line for line in story if line != "DONE"]
    assert len(lines) == len({*lines}), "no line stands twice"
    assert edits.left(room.folder) == []


def same_end(whole: Whole, tmp_path: Path, index: int) -> None:
    """Killed at that boundary and resumed, the run ends as the undisturbed one did."""
    kind = kind_of(whole.names[index])
    at = sum(kind_of(name) == kind for name in whole.names[: index + 1])
    where = f"{index}: {whole.names[index]}"
    with room(whole.kind, tmp_path, f"at{index}") as again:
        was_killed = again.killed_and_resumed(Blow(at=at, what=kind))
        # The last ones may come in another order, and then the run may be over.
        assert was_killed or index > len(whole.names) - 10, where
        for found in (edits.story, edits.files):
            assert found(again.folder) == found(whole.room.folder), where
        assert edits.left(again.folder) == [], where


@pytest.mark.parametrize(
    ("name", "nth"),
    [
        ("after the effect: tool audio_execute", 2),
        ("after done: tool document_update", 9),
    ],
)
def test_killed_at_some_boundaries(whole, tmp_path, name, nth):
    """A sound is there and nobody knows; a step is DONE in the document, and for the checkpoint it
    is not."""
    there = [index for index, found in enumerate(whole.names) if found.startswith(name)]
    same_end(whole, tmp_path, there[nth])


@pytest.mark.soak
@pytest.mark.timeout(7200)
def test_killed_at_every_boundary(whole, tmp_path):
    """But those before something is written: on the disk they are the boundary before them."""
    for index, name in enumerate(whole.names):
        if not name.startswith("before"):
            same_end(whole, tmp_path, index)
