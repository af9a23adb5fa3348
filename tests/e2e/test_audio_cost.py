"""What an edit costs: how often a whole file is measured, what stays on the disk, what a refusal
leaves."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
import sounds
from flowc.runtime.cli.app import run

ROOT = Path(__file__).resolve().parents[2]
EDIT = str(ROOT / "workflows/audio/edit.yaml")
REQUEST = "trim silence, high-pass at 80 Hz, compress 3:1, normalise to -16 LUFS, export flac"
OUR_OWN = re.compile(r"in_[0-9a-f]{8}_step_[0-9]+_.*\.wav")


@pytest.fixture
def calls(monkeypatch, tmp_path) -> list[tuple[str, dict[str, Any], int]]:
    """What processes of audio tools are asked to do: tool, arguments, and how many files on the
    way there were then."""
    made: list[tuple[str, dict[str, Any], int]] = []
    plain = json.dumps

    def dumps(value: Any, *more: Any, **other: Any) -> str:
        if isinstance(value, dict) and {"tool", "arguments", "writes"} <= value.keys():
            made.append((value["tool"], value["arguments"], len(on_the_way(tmp_path))))
        return plain(value, *more, **other)

    monkeypatch.setattr(json, "dumps", dumps)
    monkeypatch.chdir(tmp_path)
    sounds.write(tmp_path / "in.wav", sounds.speech_like(4), 44_100)
    return made


def on_the_way(folder: Path) -> list[str]:
    return sorted(p.name for p in folder.iterdir() if OUR_OWN.fullmatch(p.name))


def edit(capsys: Any, request: str, *more: str) -> dict[str, Any]:
    run(["run", EDIT, "-i", "audio=in.wav", "-i", f"request={request}", "--json", *more])
    told: dict[str, Any] = json.loads(capsys.readouterr().out)
    return told


def passes(calls: list[tuple[str, dict[str, Any], int]]) -> dict[str, int]:
    """How often each part of a measurement was made of a whole file."""
    counts = dict.fromkeys(("levels", "loudness", "spectrum"), 0)
    for tool, arguments, _ in calls:
        assert tool != "compare" or arguments["effects"], "both files are measured for nothing"
        for part in (arguments["parts"] if tool == "measure" else None) or ():
            counts[part] += 1
    return counts


def test_an_edit_measures_no_more_than_its_requirements_need(calls, capsys):
    assert edit(capsys, REQUEST)["status"] == "success"
    # All of the sound as it came, what was trimmed, and the loudness of the result; that of what
    # the last step read it has measured itself.
    assert passes(calls) == {"levels": 2, "loudness": 2, "spectrum": 0}
    assert max(count for _, _, count in calls) == 1


def test_one_file_on_the_way_is_there_at_a_time_and_it_is_the_same_sound(calls, capsys, tmp_path):
    """What was removed is made anew while it is read: in other blocks than it was written in, by
    tools that look at all of it first, and that keep rate, channels and length or do not."""
    request = (
        "high-pass at 80 Hz, trim silence, low-pass at 8 kHz, mono, 22050 Hz, "
        "cut out the section from 2 s to 2.5 s, compress 3:1, peak at -1 dBFS, export flac"
    )
    told = edit(capsys, request, "-i", "output=one.flac")
    assert told["status"] == "success", told
    assert len([tool for tool, _, _ in calls if tool not in ("measure", "compare")]) == 8
    assert max(count for _, _, count in calls) == 1
    evidence, sound = lines_of_evidence(tmp_path, told), (tmp_path / "one.flac").read_bytes()
    told = edit(capsys, request, "-i", "output=one.flac", "-i", "keep=true")
    assert told["status"] == "success", told
    assert lines_of_evidence(tmp_path, told) == evidence
    assert (tmp_path / "one.flac").read_bytes() == sound


@pytest.mark.parametrize(
    "searching",
    [
        "limit to -15 dBTP",
        "normalise to -24 LUFS and -1 dBTP",
        "normalise to -22 LUFS and -12 dBTP",
    ],
)
def test_a_file_that_a_search_led_to_is_made_anew_by_what_was_found(
    calls, capsys, tmp_path, searching
):
    """By the gain and the ceiling, in one pass: the search would read what is before it often."""
    request = f"{searching}, then low-pass at 4 kHz, then fade out over 1 s, export flac"
    told = edit(capsys, request, "-i", "output=one.flac")
    tools = [tool for tool, _, _ in calls]
    assert set(tools) & {"limit", "loudness_norm"}
    assert "lowpass" in tools, told
    assert max(count for _, _, count in calls) == 1
    evidence, sound = lines_of_evidence(tmp_path, told), (tmp_path / "one.flac").read_bytes()
    told = edit(capsys, request, "-i", "output=one.flac", "-i", "keep=true")
    assert lines_of_evidence(tmp_path, told) == evidence
    assert (tmp_path / "one.flac").read_bytes() == sound


def test_a_later_run_knows_what_a_search_came_to(calls, capsys, tmp_path):
    request = "limit to -15 dBTP, low-pass at 4 kHz, fade out over 1 s, export flac"
    first = edit(capsys, request, "-i", "output=one.flac")
    evidence, sound = lines_of_evidence(tmp_path, first), (tmp_path / "one.flac").read_bytes()
    place = tmp_path / first["variables"]["document"]
    head, mark, tail = place.read_text(encoding="utf-8").partition("### Step 2")
    assert "found: {" in head
    place.write_text(head + mark + tail.replace("DONE", "READY", 2), encoding="utf-8")
    calls.clear()
    again = edit(capsys, "", "-i", f"document={place.name}")
    assert [tool for tool, _, _ in calls if tool not in ("measure", "compare")] == [
        "lowpass",
        "fade",
    ], "nothing is searched again"
    assert max(count for _, _, count in calls) <= 1
    assert lines_of_evidence(tmp_path, again) == evidence
    assert (tmp_path / "one.flac").read_bytes() == sound


def lines_of_evidence(folder: Path, told: dict[str, Any]) -> list[str]:
    text = (folder / told["variables"]["document"]).read_text(encoding="utf-8")
    text = re.sub("in_[0-9a-f]{8}_", "", text)
    return [line for line in text.splitlines() if re.match(" +(measured:|wrote .*dBFS)", line)]


def test_only_the_result_stays_unless_somebody_asks(calls, capsys, tmp_path):
    told = edit(capsys, REQUEST)
    assert on_the_way(tmp_path) == []
    assert (tmp_path / told["variables"]["final"]).exists()
    assert edit(capsys, REQUEST, "-i", "keep=true")["status"] == "success"
    assert len(on_the_way(tmp_path)) == 3


def test_a_step_that_is_done_again_gets_its_input_made_again(calls, capsys, tmp_path):
    first = edit(capsys, REQUEST)
    place = tmp_path / first["variables"]["document"]
    text = place.read_text(encoding="utf-8")
    head, mark, tail = text.partition("### Step 4")
    tail = tail.replace("target_lufs=-16", "target_lufs=-18", 1).replace("DONE", "READY", 1)
    assert "target_lufs=-18" in tail
    text = (head + mark + tail).replace("integrated_lufs == -16", "integrated_lufs == -18")
    place.write_text(text, encoding="utf-8")
    calls.clear()
    again = edit(capsys, "", "-i", f"document={place.name}")
    assert again["status"] == "success", again
    done = [tool for tool, _, _ in calls if tool not in ("measure", "compare")]
    assert done == ["compress", "loudness_norm"], "what leads there is done on the way"
    assert on_the_way(tmp_path) == []
    checks = {check["shown"]: check for check in again["variables"]["checks"]}
    assert checks["integrated_lufs == -18 ± 0.5"]["verdict"] == "passed"


def test_a_refused_request_measures_nothing_and_leaves_nothing(calls, capsys, tmp_path):
    told = edit(capsys, "do not compress it")
    assert told["status"] == "failed"
    assert "not to be done" in told["variables"]["report"]
    assert passes(calls) == {"levels": 0, "loudness": 0, "spectrum": 0}
    assert sorted(p.name for p in tmp_path.iterdir() if p.name != ".flowc") == ["in.wav"]
