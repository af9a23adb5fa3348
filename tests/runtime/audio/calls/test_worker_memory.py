"""What a worker has freed it gets again without the kernel, which would clear it each time."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

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
