"""What a worker has freed it gets again without the kernel, which would clear it each time; and it
holds little at once."""

from __future__ import annotations

import json
import subprocess
import sys
import tracemalloc
from collections.abc import Callable

import numpy as np
import pytest
from flowc.runtime.audio.calls.files import BLOCK, UnwrittenSound
from flowc.runtime.audio.calls.word_length import Rounding
from flowc.runtime.audio.meters.dynamics import compressor_law
from flowc.runtime.audio.meters.known import Facts, Needs, Tap
from flowc.runtime.audio.tags.tags import Tags

WORK = """
import resource
import numpy as np
from flowc.runtime.audio.calls.worker_protocol import answer_with

def work(question):
    for _ in range(3):
        np.ones(question["bytes"] // 8)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    for _ in range(50):
        np.ones(question["bytes"] // 8), np.ones(question["bytes"] // 8)
    return {"faults": resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before}

answer_with(work)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="it is an option of glibc")
def test_blocks_of_sound_get_the_memory_of_those_before():
    question = json.dumps({"bytes": 4 * 1024 * 1024}).encode()
    argv = [sys.executable, "-c", WORK, "once", str(6 * 1024**3), "60"]
    done = subprocess.run(argv, input=question, capture_output=True, check=True)
    assert json.loads(done.stdout)["result"]["faults"] < 5000, "a page is 4096 bytes"


def most_held(work: Callable[[], object]) -> int:
    """Return the most bytes that were held at once beside what was there before."""
    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        tracemalloc.reset_peak()
        work()
        return tracemalloc.get_traced_memory()[1] - before
    finally:
        tracemalloc.stop()


FRAMES = np.random.Generator(np.random.PCG64(1)).random((BLOCK, 2), np.float32) - np.float32(0.5)
MB = 1_000_000


def test_a_block_is_rounded_in_pieces():
    rounding = Rounding("PCM_16", True)
    assert most_held(lambda: rounding.apply(FRAMES)) < 2 * MB, "noise and result are 1.3 MB"


def test_the_course_of_a_block_is_found_in_pieces():
    law = ("compressor", -20.0, 3.0, 5.0, 100.0)
    tap = Tap(Needs(True, {law: lambda: compressor_law(*law[1:])}, set()), 44_100, 2, 60.0)
    tap.feed(FRAMES[:100])
    assert most_held(lambda: tap.feed(FRAMES)) < MB, "in double precision the block is 1 MB"


def test_an_unwritten_sound_holds_the_block_that_it_fills():
    def make():
        return (FRAMES[:50_000].copy() for _ in range(8))

    shape = 44_100, 2, 400_000, "WAV", "FLOAT", ()
    sound = UnwrittenSound("a.wav", "", *shape, make=make, written_tags=Tags())
    read = sound.raw_blocks()
    assert most_held(lambda: [len(block) for block in read]) < 2 * MB, "a block is 0.5 MB"


def test_what_limits_nothing_does_without_what_limits():
    code = "import sys; from flowc.runtime.audio.tools import loudness; print(sorted(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True)
    assert "pedalboard" not in done.stdout


def test_the_course_of_a_long_sound_lies_in_one_place():
    law = ("compressor", -20.0, 3.0, 5.0, 100.0)
    minute = 60.0
    tap = Tap(Needs(True, {law: lambda: compressor_law(*law[1:])}, set()), 8000, 1, minute)
    mono = FRAMES[:8000, :1]
    tap.feed(mono)
    held = most_held(lambda: [tap.feed(mono) for _ in range(59)])
    assert held < 0.5 * MB, "there was room for all of it"
    tap.add_to(facts := Facts())
    assert len(facts.course) == len(facts.gains[law]) == minute * 100
