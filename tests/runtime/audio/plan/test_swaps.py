"""Judgement that cannot be fooled: a call is swapped by none, half, double, the opposite.

What is expected after a call has to hold after that call and to fail after every swap that gives
another sound. In `make test` each tool is swapped by a call that does nothing and one other; in
`make soak` by all of them, on speech and on music.
"""

from __future__ import annotations

import asyncio
import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import sounds
from flowc.compiler.catalog.audio_tools import AUDIO_TOOLS
from flowc.runtime.audio.calls.call import AudioCall, check_call
from flowc.runtime.audio.calls.worker_protocol import _answer
from flowc.runtime.audio.plan.check import SubjectFiles, findings_of, line_of
from flowc.runtime.audio.plan.predicates import Predicate, read_predicate
from flowc.runtime.audio.tools.worker import _perform_call
from flowc.runtime.errors import Failure

Arguments = dict[str, Any]
CALLS: dict[str, Arguments] = {
    "trim_silence": {"threshold_dbfs": -50, "keep_s": 0.2},
    "clip": {"start_s": 1, "end_s": 4},
    "cut": {"start_s": 1, "end_s": 3},
    "fade": {"in_s": 1, "out_s": 3},
    "gain": {"gain_db": -4},
    "peak_norm": {"target_dbfs": -3},
    "loudness_norm": {"target_lufs": -21.5},
    "highpass": {"cutoff_hz": 100, "slope": 24},
    "lowpass": {"cutoff_hz": 2000, "slope": 24},
    "bandpass": {"low_hz": 200, "high_hz": 3000, "slope": 24},
    "eq": {"bands": [{"type": "peak", "freq_hz": 400, "gain_db": -6, "q": 1}]},
    "dehum": {"hz": 30, "depth_db": 20},
    "compress": {"threshold_db": -30, "ratio": 3, "makeup_db": 4},
    "limit": {"ceiling_dbtp": -15},
    "noise_gate": {"threshold_db": -18, "ratio": 4},
    "reverb": {"wet_level": 0.2},
    "pitch_shift": {"semitones": 3},
    "time_stretch": {"rate": 1.25},
    "add_noise": {"snr_db": 20},
    "convert": {"channels": 1, "sample_rate_hz": 22_050},
    "distort": {"drive_db": 12},
    "shift": {"offset_s": 0.5},
    "invert": {},
    "denoise": {"reduction_db": 12},
    "declick": {},
    "deess": {"most_db": 8, "threshold_db": -15},
    "shorten_pauses": {"longest_s": 0.5},
    "split_silence": {"least_s": 1},
    "leveller": {"most_db": 8, "window_s": 3},
    "pad": {"start_s": 0.4, "end_s": 1},
    "reverse": {},
    "channels": {"order": [2, 1]},
}
CODED = ("mp3", "ogg", "m4a") if shutil.which("ffmpeg") else ("mp3", "ogg")
MUSIC, OUTRO = "bed.wav", "outro.wav"
CASES: list[tuple[str, Arguments, str]] = [
    *((tool, arguments, "wav") for tool, arguments in CALLS.items()),
    ("trim_silence", {"threshold_dbfs": -50, "keep_s": 0.3, "edges": "end"}, "wav"),
    ("clip", {"start_s": 0.5, "end_s": 1.1}, "wav"),
    ("cut", {"start_s": 2, "end_s": 2.4}, "wav"),
    ("fade", {"in_s": 0.1}, "wav"),
    ("fade", {"out_s": 0.5}, "wav"),
    ("gain", {"gain_db": 0.5}, "wav"),
    ("gain", {"gain_db": -12}, "wav"),
    ("peak_norm", {"target_dbfs": -1}, "wav"),
    ("highpass", {"cutoff_hz": 300, "slope": 48}, "wav"),
    ("highpass", {"cutoff_hz": 40, "slope": 24}, "wav"),
    ("lowpass", {"cutoff_hz": 8000, "slope": 12}, "wav"),
    ("eq", {"bands": [{"type": "low_shelf", "freq_hz": 120, "gain_db": 3, "q": 0.7071}]}, "wav"),
    ("eq", {"bands": [{"type": "peak", "freq_hz": 250, "gain_db": -2, "q": 1.4}]}, "wav"),
    ("compress", {"threshold_db": -25, "ratio": 2}, "wav"),
    ("reverb", {"wet_level": 0.05}, "wav"),
    ("reverb", {"wet_level": 0.5}, "wav"),
    ("pitch_shift", {"semitones": 0.5}, "wav"),
    ("pitch_shift", {"semitones": -12}, "wav"),
    ("time_stretch", {"rate": 0.9}, "wav"),
    ("time_stretch", {"rate": 1.05}, "wav"),
    ("distort", {"drive_db": 3}, "wav"),
    ("denoise", {"reduction_db": 24}, "wav"),
    ("leveller", {"most_db": 4}, "wav"),
    ("dehum", {"hz": 50, "harmonics": 4}, "wav"),
    ("dehum", {"hz": 60, "harmonics": 8}, "wav"),
    ("deess", {"most_db": 8, "threshold_db": -20, "freq_hz": 5000}, "wav"),
    ("shift", {"offset_s": 0.02}, "wav"),
    ("concat", {"inputs": ["", OUTRO], "crossfade_s": 0.1}, "wav"),
    ("mix", {"inputs": ["", MUSIC], "below_db": 6, "length": "first"}, "wav"),
    ("clip", {"start_s": 2}, "wav"),
    ("clip", {"start_s": -2}, "wav"),
    ("clip", {"start_s": 0.5, "end_s": -1}, "wav"),
    ("cut", {"start_s": -2.5, "end_s": -1}, "mp3"),
    ("cut", {"start_s": 1, "end_s": -1.5}, "wav"),
    ("gain", {"gain_db": -6, "start_s": 1, "end_s": 3}, "wav"),
    ("gain", {"gain_db": 2, "end_s": -2}, "mp3"),
    ("gain", {"gain_db": -100, "start_s": -2}, "wav"),
    ("pad", {"end_s": 0.5}, "mp3"),
    ("reverse", {}, "ogg"),
    ("channels", {"order": [1]}, "wav"),
    ("channels", {"order": [2, 2]}, "mp3"),
    ("channels", {"order": [0, 2]}, "wav"),
    ("cut", {"end_s": 2}, "flac"),
    ("eq", {"bands": [{"type": "high_shelf", "freq_hz": 3000, "gain_db": 5, "q": 0.7}]}, "wav"),
    ("loudness_norm", {"target_lufs": -22, "max_true_peak_dbtp": -6}, "mp3"),
    ("shift", {"offset_s": -0.7, "wrap": True}, "wav"),
    ("convert", {"subtype": "PCM_24"}, "wav"),
    ("convert", {"sample_rate_hz": 16_000}, "flac"),
    *(("convert", {"bitrate_kbps": 160}, ending) for ending in CODED),
    ("convert", {"bitrate_kbps": 96, "sample_rate_hz": 48_000}, "opus"),
    ("convert", {"bitrate_kbps": 64, "channels": 1}, "mp3"),
    ("tag", {"title": "A (new) day, at last", "date": "2026"}, "flac"),
    ("concat", {"inputs": ["", OUTRO]}, "wav"),
    ("concat", {"inputs": [OUTRO, ""], "crossfade_s": 1}, "wav"),
    ("concat", {"inputs": [MUSIC, "", OUTRO], "crossfade_s": 0.5}, "mp3"),
    ("mix", {"inputs": ["", MUSIC], "below_db": 12, "length": "first"}, "wav"),
    ("mix", {"inputs": ["", MUSIC], "below_db": 18, "length": "first"}, "mp3"),
    (
        "mix",
        {"inputs": ["", OUTRO, MUSIC], "offsets_s": [0, 1, 2], "gains_db": [-2, -6, -9]},
        "wav",
    ),
]
"""Calls, and the format of what they write. In a list of files "" is the sound itself."""
TROUBLED = {"denoise", "deess", "shorten_pauses", "split_silence", "leveller"}
"""Tools that repair, which need something to repair."""
SOURCES = {
    "trim_silence": "",
    "declick": "-clicking",
    "channels": "-wide",
    **dict.fromkeys(TROUBLED, "-troubled"),
}
WITHOUT = {"measure", "compare", "split", "synth"}
"""Tools that no step of a plan calls: they write no sound, several, or one of nothing."""
OTHERS = {
    "channels": (2, "two channels"),
    "order": ([1, 2], "channels as they are"),
    "length": ("longest", "all of it"),
    "edges": ("start", "the other end"),
    "subtype": ("PCM_16", "another format"),
    "title": ("Another", "another title"),
    "date": ("2025", "another year"),
    "wrap": (False, "without wrapping"),
}
"""What stands in the place of a value that has no half."""
FILES = {
    "another file": lambda names: [one and "third.wav" for one in names],
    "the other order": lambda names: names[::-1],
    "a file twice": lambda names: [*names, next(filter(None, names))],
    "one file less": lambda names: [one for one in names if one != next(filter(None, names))],
}
WHOLE = ("sample_rate_hz", "harmonics")
TIMES = {"half": 0.5, "double": 2, "opposite": -1}
KINDS = ("speech", "music")
LEAST_NOTICED = 0.97


async def do(call: AudioCall) -> dict[str, Any]:
    return perform(call)


def perform(call: AudioCall) -> dict[str, Any]:
    """The call, in this process: thousands are made."""
    for path in call.writes:
        Path(path).write_bytes(b"")
    question = {
        "tool": call.tool.name,
        "arguments": dict(call.arguments),
        "reads": {path: os.path.abspath(path) for path in call.reads},
        "known": {},
        "writes": {path: os.path.abspath(path) for path in call.writes},
    }
    answer = _answer(_perform_call, question)
    if "failure" in answer:
        raise Failure(answer["failure"]["message"])
    result: dict[str, Any] = answer["result"]
    return result


def made(tool: str, **arguments: Any) -> None:
    perform(check_call(tool, arguments))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Speech and music, with silence at the ends and without."""
    folder = tmp_path_factory.mktemp("sounds")
    for kind in KINDS:
        whole, heard = str(folder / f"{kind}.wav"), str(folder / f"{kind}-heard.wav")
        made("synth", output=whole, kind=kind, duration_s=9)
        made("trim_silence", input=whole, output=heard, keep_s=0)
        frames, rate = sounds.read(Path(heard))
        sounds.write(folder / f"{kind}-wide.wav", sounds.wide(frames), rate)
        for name, clicks in (("troubled", False), ("clicking", True)):
            repaired = sounds.troubled(frames, rate, clicks)
            sounds.write(folder / f"{kind}-{name}.wav", repaired, rate)
    heard = str(folder / "music-heard.wav")
    made("clip", input=heard, output=str(folder / "part.wav"), start_s=1, end_s=5)
    part = str(folder / "part.wav")
    made("convert", input=part, output=str(folder / OUTRO), sample_rate_hz=32_000, channels=1)
    made("time_stretch", input=heard, output=str(folder / "long.wav"), rate=0.8)
    made("shift", input=str(folder / "long.wav"), output=str(folder / MUSIC), offset_s=3, wrap=True)
    made("pitch_shift", input=part, output=str(folder / "third.wav"), semitones=5)
    return folder


def swaps_of(tool: str, arguments: Arguments) -> Iterator[tuple[str, str, Arguments]]:
    """What is done in place of the call, in words; no two are the same."""
    yield "nothing", "gain", {"gain_db": 0}
    for name, value in arguments.items():
        if name in OTHERS:
            other, word = OTHERS[name]
            yield word, tool, {**arguments, name: other}
        elif name == "inputs":
            for word, files in FILES.items():
                yield word, tool, {**arguments, name: files(value)}
        elif isinstance(value, list) and name != "bands":
            for word, times in TIMES.items():
                yield f"{word} {name}", tool, {**arguments, name: [one * times for one in value]}
        elif name == "bitrate_kbps":
            for word, other in (("half", value // 2), ("double", value * 2)):
                yield f"{word} {name}", tool, {**arguments, name: other}
        elif name == "bands":
            for word, times in TIMES.items():
                for key in ("gain_db", "freq_hz"):
                    band = {**value[0], key: value[0][key] * times}
                    yield f"{word} {key}", tool, {name: [band]}
        elif name != "slope":
            for word, times in TIMES.items():
                other = int(value * times) if name in WHOLE else value * times
                yield f"{word} {name}", tool, {**arguments, name: other}


def passes(predicates: list[Predicate], before: str, after: str) -> tuple[bool, list[str]]:
    """Whether QA lets it pass: nothing failed, and something proves it."""
    files = {"result": SubjectFiles(before, after)}
    findings = asyncio.run(findings_of(predicates, files, do))
    verdicts = {finding.verdict for finding in findings}
    good = "passed" in verdicts and verdicts <= {"passed", "proves nothing"}
    return good, [line_of(finding) for finding in findings]


def with_paths(folder: Path, source: str, arguments: Arguments) -> Arguments:
    if "inputs" not in arguments:
        return {"input": source, **arguments}
    return {
        **arguments,
        "inputs": [str(folder / one) if one else source for one in arguments["inputs"]],
    }


def noticed(folder: Path, case: int, kind: str, every: bool) -> Iterator[tuple[str, bool]]:
    """Each swap that gives another sound, and whether it is noticed. The call itself passes."""
    tool, said, ending = CASES[case]
    source = str(folder / f"{kind}{SOURCES.get(tool, '-heard')}.wav")
    target = str(folder / f"{tool}-{kind}-{case}.{ending}")
    call = check_call(tool, {"output": target, **with_paths(folder, source, said)})
    predicates = [read_predicate(one) for one in call.expects(source)]
    perform(call)
    own = Path(target).read_bytes()
    good, lines = passes(predicates, source, target)
    assert good, (tool, kind, lines)
    swaps = list(swaps_of(tool, said))
    for word, other, arguments in swaps if every else swaps[:2]:
        try:
            made(other, output=target, **with_paths(folder, source, arguments))
        except Failure:
            continue
        if Path(target).read_bytes() != own:
            yield f"{tool} {ending} {kind}: {word}", not passes(predicates, source, target)[0]


def test_every_tool_that_changes_sound_is_swapped():
    assert {tool for tool, _, _ in CASES} | WITHOUT == {tool.name for tool in AUDIO_TOOLS}


@pytest.mark.parametrize("case", range(len(CASES)), ids=lambda case: CASES[case][0])
def test_a_call_that_is_swapped_by_nothing_or_half_of_it_does_not_pass(case, folder):
    results = list(noticed(folder, case, "speech", every=False))
    assert results
    assert [word for word, found in results if not found] == []


@pytest.mark.parametrize("tool", ["trim_silence", "shift"])
def test_a_cut_or_a_shift_that_differs_by_little_does_not_pass(tool, folder):
    """Music begins within a few frames; what comes in at the end is a twelfth of the sound."""
    cases = [number for number, (name, _, _) in enumerate(CASES) if name == tool]
    found = [one for case in cases for one in noticed(folder, case, "music", every=True)]
    assert len(found) > 8
    assert [word for word, seen in found if not seen] == []


@pytest.mark.parametrize("tool", ["dehum", "deess"])
def test_a_repair_at_other_frequencies_does_not_pass(tool, folder):
    cases = [number for number, (name, _, _) in enumerate(CASES) if name == tool]
    found = [one for case in cases for one in noticed(folder, case, "speech", every=True)]
    assert any("half" in word for word, _ in found)
    assert [word for word, seen in found if not seen] == []


@pytest.mark.soak
def test_of_all_swaps_nearly_every_one_is_noticed(folder):
    results = [
        one
        for case in range(len(CASES))
        for kind in KINDS
        for one in noticed(folder, case, kind, every=True)
    ]
    unnoticed = [word for word, found in results if not found]
    print(f"{len(results) - len(unnoticed)} of {len(results)} swaps are noticed; not noticed are "
          f"{', '.join(unnoticed)}")  # fmt: skip
    assert len(results) > 250
    assert 1 - len(unnoticed) / len(results) >= LEAST_NOTICED
