"""A run that is killed between two steps and resumed by a new process keeps one file on the way."""

from __future__ import annotations

import json
import re
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import sounds
from dying import count_boundaries, in_folder
from flowc.runtime.torture.boundaries import kind_of
from flowc.runtime.torture.dying import Blow
from forks import load

ON_THE_WAY = re.compile(r"in_[0-9a-f]{8}_step_[0-9]+_.*\.wav")
SEEN = Path("seen.jsonl")
"""Of each call, where a line for one is: its tool, and what lies on the way when it begins."""


def watching(*args: str) -> Callable[[], int]:
    """A command, for a child of its own; what is asked of processes of audio tools is noted."""

    def body() -> int:
        from flowc.runtime.cli.app import run

        plain = json.dumps

        def dumps(value: Any, *more: Any, **other: Any) -> str:
            if isinstance(value, dict) and {"tool", "arguments", "writes"} <= value.keys():
                there = sorted(p.name for p in Path().iterdir() if ON_THE_WAY.fullmatch(p.name))
                with SEEN.open("a") as notes:
                    notes.write(plain({"tool": value["tool"], "there": there}) + "\n")
            return plain(value, *more, **other)

        json.dumps = dumps
        return run([*args])

    return body


def seen(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / SEEN).read_text().splitlines()]


def room(parent: Path, name: str) -> Path:
    folder = parent / name
    folder.mkdir()
    sounds.write(folder / "in.wav", sounds.speech_like(4)[44_100 : -2 * 44_100], 44_100)
    return folder


@pytest.mark.parametrize("searching", ["normalise to -22 LUFS and -12 dBTP", "limit to -15 dBTP"])
def test_what_a_search_led_to_is_made_again_after_a_resume(tmp_path, searching):
    """By the gain and the ceiling that stand in the document: a new process has found nothing."""
    load()  # before the first fork
    request = f"{searching}, then low-pass at 4 kHz, then fade out over 0.5 s, export flac"
    store = ("--run-id", "r", "--store", "sqlite:///.flowc/store.db")
    command = ("run", "edit", "-i", "audio=in.wav", "-i", f"request={request}", "--json", *store)
    whole = room(tmp_path, "whole")
    names = count_boundaries(watching(*command), whole)
    undisturbed = json.loads((whole / "out").read_text())["variables"]
    # The first step is DONE; the step that reads what it wrote has not begun.
    done = "after done: tool document_update"
    index = names.index(done)
    kind = kind_of(names[index])
    blow = Blow(at=sum(kind_of(name) == kind for name in names[: index + 1]), what=kind)
    killed = room(tmp_path, "killed")
    assert in_folder(watching(*command), blow, killed).code == -signal.SIGKILL
    (killed / SEEN).unlink()
    end = in_folder(watching("resume", "r", "--json", "--store", store[-1]), Blow(), killed)
    assert end.code == 0, (killed / "err").read_text()
    calls = seen(killed)
    worked = [call["tool"] for call in calls if call["tool"] not in ("measure", "compare")]
    assert worked[-2:] == ["lowpass", "fade"]
    assert max(len(call["there"]) for call in calls) == 1, calls
    final = json.loads((killed / "out").read_text())["variables"]["final"]
    assert (killed / final).read_bytes() == (whole / undisturbed["final"]).read_bytes()
    assert not [path for path in killed.iterdir() if ON_THE_WAY.fullmatch(path.name)]
