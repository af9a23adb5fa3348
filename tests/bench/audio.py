"""Five effects on 60 s of stereo: streamed in one process, as separate calls, and by sox and ffmpeg
where they are installed. Then what half an hour of sound takes: memory of a call, and an edit from
the request to the review, beside sox and ffmpeg."""

from __future__ import annotations

import asyncio
import json
import math
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "fixtures"))

from sounds import speech_like, write
from timing import line, medians
from usage import usage_of

RATE, SECONDS, ROUNDS = 44_100, 60, 3
CHAIN = (
    ("highpass", {"cutoff_hz": 80}),
    ("eq", {"bands": [{"type": "high_shelf", "freq_hz": 6000, "gain_db": 3}]}),
    ("compress", {"threshold_db": -20, "ratio": 3, "attack_ms": 5, "release_ms": 100}),
    ("gain", {"gain_db": 3}),
    ("distort", {"drive_db": 0, "shape": "hard"}),
)
SOX = "highpass 80 treble 3 6000 compand 0.005,0.1 6:-20,-20,0,-13.3 gain 3 gain -n"
FFMPEG = (
    "highpass=f=80,treble=g=3:f=6000,acompressor=threshold=-20dB:ratio=3:attack=5:release=100,"
    "volume=3dB,alimiter=limit=1"
)


def report() -> None:
    """Print the times, best first, and the memory."""
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        write(place / "a.wav", speech_like(SECONDS - 3, RATE), RATE, "PCM_16")
        sides = {
            "streamed in one process": lambda: _streamed(place),
            "five separate calls, each with its process": lambda: _called(place),
        }
        if sox := shutil.which("sox"):
            command = [sox, "-q", "a.wav", "-b", "16", "s.wav", *SOX.split()]
            sides["sox"] = lambda: subprocess.run(command, cwd=place, check=True)
        if ffmpeg := shutil.which("ffmpeg"):
            argv = [ffmpeg, "-v", "error", "-y", "-i", "a.wav", "-af", FFMPEG, "f.wav"]
            sides["ffmpeg"] = lambda: subprocess.run(argv, cwd=place, check=True)
        sides["measured, in one process"] = lambda: _measured(place)
        took = medians(sides, ROUNDS)
        print(f"five effects on {SECONDS} s of stereo at {RATE} Hz, written with 16 bits")
        for name, seconds in took.items():
            line(name, f"{seconds:.3f} s", f"{SECONDS / seconds:.0f} times as fast as it sounds")
        for name in ("sox", "ffmpeg"):
            if name not in took:
                line(name, "-", "not installed")
        _memory(place)
        _timed(place, "a.wav", f"{SECONDS} s")
        _edited(place, "a.wav", f"{SECONDS} s")
        _edited(place, "long.wav", "30 minutes")


def _streamed(place: Path) -> None:
    from flowc.runtime.audio.calls.call import check_call
    from flowc.runtime.audio.calls.files import open_sound
    from flowc.runtime.audio.calls.output import FileShape, write_sound
    from flowc.runtime.audio.tools.job import Job
    from flowc.runtime.audio.tools.stages import through
    from flowc.runtime.audio.tools.worker import find_function

    sound = open_sound("a.wav", str(place / "a.wav"))
    stages = []
    for tool, arguments in CHAIN:
        call = check_call(tool, {"input": "a.wav", "output": "b.wav", **arguments})
        stages += find_function(call.tool)(
            Job(call, {"a.wav": str(place / "a.wav")}, {}, {})
        ).stages
    (place / "b.wav").touch()
    blocks = through(sound.blocks(), stages)
    shape = FileShape(sound.rate, sound.channels, "PCM_16")
    write_sound("b.wav", str(place / "b.wav"), shape, blocks)


def _called(place: Path) -> None:
    before = "a.wav"
    for number, (tool, arguments) in enumerate(CHAIN):
        _call(place, tool, input=before, output=f"{number}.wav", **arguments)
        before = f"{number}.wav"


def _measured(place: Path) -> None:
    from flowc.runtime.audio.calls.files import open_sound
    from flowc.runtime.audio.meters.measure import measure

    measure(open_sound("a.wav", str(place / "a.wav")))


def _call(place: Path, tool: str, **arguments: object) -> None:
    from flowc.runtime.audio.calls.call import check_call
    from flowc.runtime.cli.audio.workers import workers_on

    call = check_call(tool, arguments)
    asyncio.run(workers_on(None).do_call(call, lambda path: place / path))


_HALF_AN_HOUR = """
import resource, sys
from flowc.runtime.cli.app import run
sys.stdout = sys.stderr
assert run(sys.argv[1:]) == 0
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss, file=sys.__stdout__)
"""
"""A small process that has a call done: what its child took is not what we take ourselves."""


def _memory(place: Path) -> None:
    import soundfile

    minute = speech_like(57, RATE)  # a minute, for silence is to be trimmed
    with soundfile.SoundFile(str(place / "long.wav"), "w", RATE, 2, "PCM_16") as file:
        for _ in range(30):
            file.write(minute)
    print("memory of the process that does a call on 30 minutes of stereo")
    for call in (
        'HIGHPASS(input="long.wav", output="out.flac", cutoff_hz=80)',
        'LOUDNESS_NORM(input="long.wav", output="out.flac")',
        'MEASURE(input="long.wav")',
    ):
        argv = [sys.executable, "-c", _HALF_AN_HOUR, "audio", "apply", call]
        done = subprocess.run(argv, cwd=place, check=True, capture_output=True)
        line(call.partition("(")[0], f"{int(done.stdout) * 1024 / 1e6:.0f} MB")


_REQUEST = (
    "trim silence, high-pass at 80 Hz, compress 3:1, normalise to -16 LUFS and -1 dBTP, export wav"
)
_TRIM = "silence 1 0.02 0.3% reverse silence 1 0.02 0.3% reverse"
_LONG_SOX = f"{_TRIM} highpass 80 compand 0.005,0.1 6:-20,-20,0,-13.3 gain -n -1"
"""Silence goes at both ends, as TRIM_SILENCE has it. sox measures no loudness: its peak is set.
ffmpeg trims the beginning alone, as it would hold all of a sound in memory to turn it round."""
_LONG_FFMPEG = (
    "silenceremove=start_periods=1:start_threshold=-50dB,highpass=f=80,"
    "acompressor=threshold=-20dB:ratio=3:attack=5:release=100,loudnorm=I=-16:TP=-1"
)


_FLOWC = [sys.executable, "-m", "flowc"]
_TOLD = [*_FLOWC, "run", "edit", "--jsonl"]
_SOUND_TOOLS = ("audio_readable", "audio_measure", "audio_execute", "audio_let_go", "audio_review")
_BATCH = 4


def _beside(sound: str) -> dict[str, list[str]]:
    """Return the commands that edit a sound, as far as they are installed."""
    flowc = [*_FLOWC, "run", "edit", "-i", f"audio={sound}", "-i", f"request={_REQUEST}"]
    sides = {"flowc run edit": [*flowc, "-i", "output=edit.wav"]}
    sides["flowc run of a workflow that does nothing"] = [*_FLOWC, "run", "nothing.flow.yaml"]
    if sox := shutil.which("sox"):
        sides["sox"] = [sox, "-q", sound, "-b", "16", "s.wav", *_LONG_SOX.split()]
    if ffmpeg := shutil.which("ffmpeg"):
        head = [ffmpeg, "-v", "error", "-y", "-i", sound, "-af", _LONG_FFMPEG]
        sides["ffmpeg with loudnorm"] = [*head, "-ar", str(RATE), "f.wav"]
    return sides


def _timed(place: Path, sound: str, length: str) -> None:
    """Print how long an edit takes, and what of it the start takes and the sound: the tools that
    measure and make it, as the run tells them, beside three times sox. Then a sound in a process
    that has edited one, and one of a batch, which is begun once."""
    print(f"how long an edit of {length} of stereo takes, its modules compiled before")
    (place / "nothing.flow.yaml").write_text(_NOTHING)
    options = ["-i", f"audio={sound}", "-i", f"request={_REQUEST}", "-i", "output=edit.wav"]
    parts: list[float] = []
    sides: dict[str, Callable[[], object]] = {
        name: partial(_run, argv, place) for name, argv in _beside(sound).items()
    }
    sides["its tools of sound"] = lambda: parts.append(_sound_part([*_TOLD, *options], place))
    warm: list[float] = []
    twice = [sys.executable, "-c", _TWICE, "run", "edit", *options]
    sides["twice in one process"] = lambda: warm.append(float(_run(twice, place)))
    took = medians(sides, ROUNDS)
    sox = took.get("sox", math.nan)
    begun = took["flowc run of a workflow that does nothing"]
    line("flowc run edit", f"{took['flowc run edit']:.2f} s")
    line("of it the start: a workflow that does nothing", f"{begun:.2f} s")
    for name, seconds in (
        ("of it the sound: its tools, measured parts included", statistics.median(parts[1:])),
        ("the edit once more in a process that has done it", statistics.median(warm[1:])),
        (f"one of {_BATCH} sounds in a batch", _batch(place, sound) / _BATCH),
    ):
        line(name, f"{seconds:.2f} s", f"{seconds / sox:.1f} times sox, aim 3")
    for name in ("sox", "ffmpeg with loudnorm"):
        line(name, f"{took[name]:.2f} s" if name in took else "-")
    line("the calls of that edit, nothing measured", f"{asyncio.run(_work(place, sound)):.2f} s")


def _batch(place: Path, sound: str) -> float:
    """Return how long a batch takes."""
    folder = place / "takes"
    folder.mkdir()
    for number in range(_BATCH):
        shutil.copyfile(place / sound, folder / f"{number}.wav")
    argv = [*_FLOWC, "run", "batch", "-i", "folder=takes", "-i", "pattern=*.wav"]
    begin = time.perf_counter()
    _run([*argv, "-i", f"request={_REQUEST}"], place)
    return time.perf_counter() - begin


def _run(argv: list[str], place: Path) -> str:
    """Return what a command prints, which may write compiled modules, as an installer does."""
    env = _env()
    done = subprocess.run(argv, cwd=place, env=env, check=True, capture_output=True, text=True)
    return done.stdout


def _env() -> dict[str, str]:
    """Return the environment of a command that may write compiled modules."""
    env = {name: text for name, text in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return {**env, "PYTHONPATH": os.pathsep.join(sys.path)}


def _sound_part(argv: list[str], place: Path) -> float:
    """Return the seconds of the calls of `_SOUND_TOOLS` that a run tells of."""
    told = [json.loads(row) for row in _run(argv, place).splitlines()]
    calls = [row["data"] for row in told if row["kind"] == "tool_called"]
    return float(sum(call["seconds"] for call in calls if call["tool"] in _SOUND_TOOLS))


def _edited(place: Path, sound: str, length: str) -> None:
    """Print what an edit takes, all processes together; the disk is what is there at once beside
    the input."""
    print(f"what an edit of {length} of stereo takes, all processes together")
    (place / "nothing.flow.yaml").write_text(_NOTHING)
    for name, argv in _beside(sound).items():
        took = usage_of(argv, place, _env())
        most = f"memory {took.memory / 1e6:.0f} MB, largest process {took.largest / 1e6:.0f} MB"
        room = f"{most}, disk {took.disk / 1e6:.0f} MB"
        line(name, f"{took.wall:.1f} s", f"processor {took.processor:.1f} s, {room}")
    for path in (*place.glob("*_step_*"), *(place / f"{n}.wav" for n in ("edit", "s", "f"))):
        path.unlink(missing_ok=True)


_WORK = (
    ("trim_silence", {}),
    ("highpass", {"cutoff_hz": 80}),
    ("compress", {"threshold_db": -20, "ratio": 3, "attack_ms": 5, "release_ms": 100}),
    ("loudness_norm", {"target_lufs": -16, "max_true_peak_dbtp": -1, "subtype": "PCM_16"}),
)


async def _work(place: Path, sound: str) -> float:
    """Return the seconds of the calls of `_REQUEST`, one after the other."""
    from flowc.runtime.audio.calls.call import check_call
    from flowc.runtime.cli.audio.workers import workers_on

    workers = workers_on(None)
    await workers.do_call(
        check_call("measure", {"input": sound, "parts": []}), lambda path: place / path, stays=True
    )
    begin, before = time.perf_counter(), sound
    for number, (tool, arguments) in enumerate(_WORK):
        subtype = {"subtype": "FLOAT", **arguments}
        paths = {"input": before, "output": f"of_step_{number}.wav"}
        call = check_call(tool, {**paths, **subtype})
        await workers.do_call(call, lambda path: place / path, stays=True)
        before = paths["output"]
    took = time.perf_counter() - begin
    await workers.close()
    return took


_NOTHING = """
flow: 1
title: Nothing
state: {done: {type: boolean, default: false}}
nodes:
  - name: nothing
    assign: {done: true}
outputs: [done]
"""
_TWICE = """
import sys, time
from flowc.runtime.cli.app import run
for _ in range(2):
    begin, out, sys.stdout = time.perf_counter(), sys.stdout, sys.stderr
    assert run(sys.argv[1:]) == 0
    sys.stdout = out
print(time.perf_counter() - begin)
"""
