"""The workflow that edits sound, killed at boundaries of the journal, ends in the same sound."""

from __future__ import annotations

import hashlib
import json
import re
import signal
from collections.abc import Callable
from importlib import import_module
from pathlib import Path

import pytest
import sounds
from dying import count_boundaries, in_folder
from flowc.runtime.torture.boundaries import kind_of
from flowc.runtime.torture.dying import Blow

REQUEST = "trim silence, high-pass at 80 Hz, compress 3:1, normalise to -16 LUFS, export flac"
RUN = ("run", "edit", "-i", "audio=in.wav", "-i", f"request={REQUEST}", "--run-id", "r", "--json")
NEVER_BEGUN = "there is no run `r`"


def command(*args: str) -> Callable[[], int]:
    def body() -> int:
        from flowc.runtime.cli.app import run

        return run([*args])

    return body


class Room:
    """A folder with a sound, in which runs live and die."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir()
        self.folder = folder
        sounds.write(folder / "in.wav", sounds.speech_like(1.2), 44_100, "PCM_16")

    def files(self) -> dict[str, str]:
        """A digest of the bytes of every sound, by its name."""
        found = [*self.folder.glob("*.wav"), *self.folder.glob("*.flac")]
        return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in found}

    def story(self) -> list[str]:
        """The log of the only document without times, then the status of each step."""
        (place,) = self.folder.glob("workflow_*.md")
        text = place.read_text(encoding="utf-8")
        return [
            *re.findall(r"^\*   `[^`]*`: (.*)$", text, re.MULTILINE),
            *re.findall(r"\*\*Status:\*\* (\w+)", text),
        ]

    def left(self) -> list[str]:
        """What is hidden in the folder, but for the store."""
        return [p.name for p in self.folder.glob(".*") if p.name != ".flowc"]

    def said(self, name: str) -> str:
        return (self.folder / name).read_text(encoding="utf-8")

    def killed_and_resumed(self, blow: Blow) -> bool:
        """Whether the run was killed; then it has been resumed to its end, by nobody's answer."""
        end = in_folder(command(*RUN), blow, self.folder)
        if end.code != -signal.SIGKILL:
            assert end.code == 0, self.said("err")
            return False
        end = in_folder(command("resume", "r", "--json"), Blow(), self.folder)
        if end.code == 2 and NEVER_BEGUN in self.said("err"):
            end = in_folder(command(*RUN), Blow(), self.folder)
        assert end.code == 0, self.said("err")
        assert json.loads(self.said("out"))["status"] == "success"
        return True


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> tuple[Room, list[str]]:
    """An undisturbed run, and the boundaries that it came to."""
    for module in ("flowc.runtime.cli.running.run", "flowc.runtime.cli.running.resume"):
        import_module(module)  # before the first fork, so that no child has to
    room = Room(tmp_path_factory.mktemp("killed") / "whole")
    names = count_boundaries(command(*RUN), room.folder)
    return room, names


def test_the_sound_measures_as_it_was_asked_to(whole):
    room, names = whole
    assert len([name for name in names if name.startswith("after the effect: tool")]) > 20
    told = json.loads(room.said("out"))
    checks = {check["metric"]: check for check in told["variables"]["checks"]}
    assert checks["integrated_lufs"]["measured"] == pytest.approx(-16, abs=0.5)
    assert checks["true_peak_dbtp"]["measured"] <= -1
    assert {check["verdict"] for check in checks.values()} == {"passed", "proves nothing"}
    story = room.story()
    assert story.count("DONE") == 4
    lines = [line for line in story if line != "DONE"]
    assert len(lines) == len({*lines}), "no line stands twice"
    assert room.left() == []


def same_end(whole: tuple[Room, list[str]], tmp_path: Path, index: int) -> None:
    """Killed at that boundary and resumed, the run ends as the undisturbed one did."""
    room, names = whole
    kind = kind_of(names[index])
    at = sum(kind_of(name) == kind for name in names[: index + 1])
    again = Room(tmp_path / f"at{index}")
    was_killed = again.killed_and_resumed(Blow(at=at, what=kind))
    where = f"{index}: {names[index]}"
    # The last ones may come in another order, and then the run may be over.
    assert was_killed or index > len(names) - 10, where
    assert again.story() == room.story(), where
    assert again.files() == room.files(), where
    assert again.left() == [], where


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
    there = [index for index, found in enumerate(whole[1]) if found.startswith(name)]
    same_end(whole, tmp_path, there[nth])


@pytest.mark.soak
@pytest.mark.timeout(7200)
def test_killed_at_every_boundary(whole, tmp_path):
    """But those before something is written: on the disk they are the boundary before them."""
    for index, name in enumerate(whole[1]):
        if not name.startswith("before"):
            same_end(whole, tmp_path, index)
