"""Attacks on the decoders of sound: damaged headers, sizes and values, read as runs read them.

Each file is decoded in a process of its own, below limits. What comes of it is a result that is
JSON, or a failure with words of flowc's own: no crash, no traceback, no waiting for a limit.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from damaged_sounds import Damaged, damaged
from flowc.runtime.audio.calls.call import check_call
from flowc.runtime.audio.calls.subprocess_call import AudioLimits
from flowc.runtime.errors import Failure

from .conftest import workers

CALLS: tuple[tuple[str, Mapping[str, Any]], ...] = (
    ("measure", {}),
    ("gain", {"gain_db": -3}),
    ("loudness_norm", {"target_lufs": -20}),
    ("trim_silence", {}),
    ("convert", {"sample_rate_hz": 16_000}),
    ("highpass", {"cutoff_hz": 80}),
    ("pitch_shift", {"semitones": 1}),
)
LIMITS = AudioLimits(seconds=60.0, cpu=40, memory=2 * 1024**3)


async def outcome(folder: Path, number: int, file: Damaged) -> str:
    """What a tool says of the file; "" for a result."""
    (folder / file.name).write_bytes(file.data)
    tool, more = CALLS[number % len(CALLS)]
    output = {} if tool == "measure" else {"output": f"out-{number}.wav"}
    call = check_call(tool, {"input": file.name, **output, **more})
    try:
        result = await workers(LIMITS).do_call(call, lambda path: folder / path)
    except Failure as failure:
        return f"{failure.kind} {failure.message}"
    json.dumps(result, allow_nan=False)
    return ""


@pytest.mark.parametrize("count", [30, pytest.param(1000, marks=pytest.mark.soak)])
def test_an_attack_on_the_decoders_ends_in_words(tmp_path: Path, count: int) -> None:
    said: dict[str, str] = {}

    async def attack(numbers: list[int]) -> None:
        for number in numbers:
            file = damaged(number)
            said[f"{number}: {file.story}"] = await outcome(tmp_path, number, file)

    async def all_of_them() -> None:
        await asyncio.gather(attack([*range(0, count, 2)]), attack([*range(1, count, 2)]))

    asyncio.run(all_of_them())
    assert len(said) == count
    faults = ("the process of", "took more than", "not enough memory", "refused")
    assert {story: words for story, words in said.items() if any(f in words for f in faults)} == {}
    assert count / 4 < sum(map(bool, said.values())) < count, "some are read all the same"
    assert not [*tmp_path.glob(".*")], "what was half written is gone"


def test_damaged_files_are_the_same_each_time() -> None:
    assert [damaged(seed) for seed in range(25)] == [damaged(seed) for seed in range(25)]


FEW = b"RIFF\x34\0\0\0WAVEfmt \x10\0\0\0\1\0\1\0\1\0\0\0\2\0\0\0\2\0\x10\0data\x10\0\0\0" + bytes(
    16
)


def test_a_header_with_one_sample_a_second_makes_no_hours(tmp_path: Path) -> None:
    """200 kB of it became gigabytes at a usual rate, and the meter of loudness stumbled."""
    said = asyncio.run(outcome(tmp_path, 4, Damaged("few.wav", FEW, "")))
    assert "`few.wav` says it has 1 samples a second: from 1,000 to 768,000" in said
