"""A folder of sounds is edited in one run, with one report; one that cannot be ends no other."""

from __future__ import annotations

import json
import os

import pytest
import sounds
from disks import small_disk
from flowc.runtime.cli.app import run


def test_every_sound_of_a_folder_is_edited_and_none_that_an_edit_wrote(
    tmp_path, monkeypatch, capsys
):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "takes").mkdir()
    for name in ("a.wav", "b.wav", "a_0123abcd_final.wav"):
        sounds.write(tmp_path / "takes" / name, sounds.tone(1, 440), 48_000, "PCM_16")
    (tmp_path / "takes/c.wav").write_text("no sound")
    code = run(["run", "batch", "-i", "folder=takes", "-i", "request=quieter by 3 dB", "--json"])
    told = json.loads(capsys.readouterr().out)
    assert (code, told["status"]) == (1, "failed")
    results = {one["audio"]: one for one in told["variables"]["results"]}
    assert list(results) == ["takes/a.wav", "takes/b.wav", "takes/c.wav"]
    assert [one["status"] for one in results.values()] == ["SUCCESS", "SUCCESS", "FAILURE"]
    assert told["variables"]["report"].startswith("2 of 3 files are edited.")
    first, *_, line = told["variables"]["report"].splitlines()
    assert line.startswith("FAILURE · takes/c.wav · `takes/c.wav` cannot be read as sound")
    assert first.endswith(". Left out, as an edit gives such names: takes/a_0123abcd_final.wav")
    assert results["takes/c.wav"]["report"].startswith("`takes/c.wav` cannot be read as sound")
    for one in list(results.values())[:2]:
        after, _ = sounds.read(tmp_path / one["final"])
        assert abs(float(after.max()) / 10 ** (-26 / 20) - 1) < 0.01


def test_no_file_is_left_out_without_a_word(tmp_path, monkeypatch, capsys):
    """Neither a recording whose date looks like a hash, nor one behind the most that is listed."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "night_20240101_final.wav").write_text("of a person")
    assert run(["run", "batch", "-i", "request=quieter by 3 dB"]) == 1
    told = capsys.readouterr().err
    assert "There is no sound file `*.wav` in `.`. Left out" in told
    assert "night_20240101_final.wav" in told
    for number in range(1001):
        (tmp_path / f"{number}.wav").touch()
    assert run(["run", "batch", "-i", "request=quieter by 3 dB"]) == 1
    assert "There are more than 1000 files `*.wav` in `.`. Narrow" in capsys.readouterr().err


def test_a_full_disk_ends_the_batch_and_resume_goes_on_with_room(tmp_path, monkeypatch, capsys):
    place = tmp_path / "disk"
    place.mkdir()
    store = ["--store", f"sqlite:///{tmp_path}/runs.db"]
    with small_disk(place, "size=900k") as mount:
        monkeypatch.chdir(place)
        for name in ("a.wav", "b.wav", "c.wav"):
            sounds.write(place / name, sounds.wide(sounds.tone(1, 440)), 48_000, "PCM_16")
        request = ["-i", "request=quieter by 3 dB", "--run-id", "full"]
        assert run(["run", "batch", *request, *store]) == 1
        told = capsys.readouterr().err
        assert "no space left on device" in told
        assert "flowc resume full" in told
        mount("size=20m")
        assert run(["resume", "full", "--json", *store]) == 0
        results = json.loads(capsys.readouterr().out)["variables"]["results"]
        assert [one["audio"] for one in results] == ["a.wav", "b.wav", "c.wav"]
        assert all((place / one["final"]).exists() for one in results)
        monkeypatch.chdir(tmp_path)


def test_what_an_edit_loses_stands_in_its_line(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    sounds.write(tmp_path / "a.wav", sounds.tone(1, 440), 48_000, "PCM_16")
    data = (tmp_path / "a.wav").read_bytes() + b"iXML" + (4).to_bytes(4, "little") + b"<x/>"
    (tmp_path / "a.wav").write_bytes(data[:4] + (len(data) - 8).to_bytes(4, "little") + data[8:])
    assert run(["run", "batch", "-i", "request=quieter by 3 dB", "--json"]) == 0
    (one,) = json.loads(capsys.readouterr().out)["variables"]["results"]
    lost = "note · step_1: the chunk `iXML` of the source cannot be written into this file"
    assert one["line"] == f"SUCCESS · a.wav {one['final']} · {lost}"
    assert lost in one["report"].splitlines()


def test_a_page_is_of_one_file_and_names_those_that_a_batch_has(tmp_path, monkeypatch, capsys):
    pytest.importorskip("matplotlib", reason="needs the extra `plot`")
    monkeypatch.chdir(tmp_path)
    for name in ("a.wav", "b.wav"):
        sounds.write(tmp_path / name, sounds.tone(1, 440), 48_000, "PCM_16")
    run(["run", "batch", "-i", "request=quieter by 3 dB", "--json"])
    id = json.loads(capsys.readouterr().out)["run"]
    assert run(["audio", "report", id, "-o", "page.html"]) == 2
    told = capsys.readouterr().err
    assert all(f"`{path.name}`" in told for path in tmp_path.glob("workflow_*.md"))
    assert "name one of them" in told
    assert not (tmp_path / "page.html").exists()


def test_a_pattern_in_place_of_a_file_is_a_batch(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert run(["run", "edit", "-i", "audio=takes/*.wav", "-i", "request=trim silence"]) == 1
    assert "`flowc run batch -i pattern=…` edits" in capsys.readouterr().err


def test_a_name_that_is_not_utf_8_is_told_with_the_remedy(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    name = os.fsdecode(b"a\xff.wav")
    sounds.write(tmp_path / "a.wav", sounds.tone(1, 440), 48_000).rename(tmp_path / name)
    assert run(["audio", "measure", name]) == 1
    told = capsys.readouterr().err
    assert "the name `a\\xff.wav` is not UTF-8" in told
    assert "rename the file" in told
    assert run(["run", "batch", "-i", "request=quieter by 3 dB", "--json"]) == 1
    (one,) = json.loads(capsys.readouterr().out)["variables"]["results"]
    assert "is not UTF-8" in one["line"]
    assert "rename the file" in one["line"]


def test_the_report_says_why_an_edit_ended_without_a_result(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    sounds.write(tmp_path / "a.wav", sounds.silence(1), 48_000)
    assert run(["run", "batch", "-i", "request=trim silence", "--json"]) == 1
    (one,) = json.loads(capsys.readouterr().out)["variables"]["results"]
    assert "all of it is silence" in one["line"]
    assert "All of it stands in workflow_" in one["line"]
    assert "not measured" in one["report"]


@pytest.mark.parametrize("kind", ["mp3", "opus"])
def test_a_folder_of_coded_sounds_is_edited_and_nobody_is_asked(
    kind, tmp_path, monkeypatch, capsys
):
    """Each is coded anew by a step of its own, which has to be told from one that does nothing."""
    monkeypatch.chdir(tmp_path)
    for name in "ab":
        sounds.write(tmp_path / "a.wav", sounds.speech_like(1), 48_000)
        call = f'CONVERT(input="a.wav", output="{name}.{kind}")'
        assert run(["audio", "apply", call]) == 0
    asked = ["-i", f"pattern=*.{kind}", "-i", "request=high-pass at 100 Hz"]
    capsys.readouterr()
    code = run(["run", "batch", *asked, "--json"])
    told = json.loads(capsys.readouterr().out)
    assert (code, told["status"]) == (0, "success"), told["variables"]["report"]
    assert all(one["final"].endswith(kind) for one in told["variables"]["results"])
