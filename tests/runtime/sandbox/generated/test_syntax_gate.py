"""The syntax gate: which code may be tried, and where a fault is said to be."""

from __future__ import annotations

import pytest
from flowc.runtime.sandbox.generated.syntax_gate import MOST_BYTES, MOST_FAULTS, faults

GOOD = """\
import numpy as np
from pedalboard import Compressor, Pedalboard
from pedalboard.io import AudioFile

with AudioFile(INPUT) as source:
    sound = source.read(source.frames)
    rate = source.samplerate
board = Pedalboard([Compressor(threshold_db=-20, ratio=3)])
sound = board(sound, rate)
peak = np.abs(sound).max()
low = [band for band in np.fft.rfft(sound[0]).real if band < 1]
if peak > 0.9:
    sound *= 0.9 / peak
with AudioFile(OUTPUT, "w", rate, sound.shape[0]) as target:
    target.write(sound)
print(f"peak {peak:.3f}", len(low))
"""


def test_ordinary_audio_code_passes():
    assert faults(GOOD) == ()


@pytest.mark.parametrize(
    ("code", "line", "column", "word"),
    [
        ("", 1, 1, "no code"),
        ("x =", 1, 4, "syntax"),
        ("import os\nos.system('x')", 1, 1, "`os`"),
        ("x = 1\n\nx.__class__", 3, 3, "__class__"),
        ("x = __import__('os')", 1, 5, "__import__"),
        ("x = open('f')", 1, 5, "`open`"),
        ("'{0.real}'.format(1)", 1, 12, ".format"),
        ("import numpy as np\nx = np.load('f')", 2, 8, "`load`"),
        ("import numpy as np\nx = np.fft.tofile", 2, 12, "`tofile`"),
        ("import numpy as np\nsave = np", 2, 8, "not a value"),
        ("import numpy as np\nsave = np.fft", 2, 11, "not a value"),
        ("from pedalboard import load_plugin", 1, 1, "load_plugin"),
        ("from os import path", 1, 1, "`os`"),
        ("from . import x", 1, 1, "`.`"),
        ("x = lambda: 1", 1, 5, "function"),
        ("def f(): pass", 1, 1, "function"),
        ("class A: pass", 1, 1, "class"),
        ("try:\n    pass\nexcept ValueError:\n    pass", 1, 1, "try"),
        ("if True:\n    print = 1", 2, 5, "`print`"),
        ("OUTPUT = 'elsewhere'", 1, 1, "`OUTPUT`"),
        ("from math import pi as len", 1, 1, "`len`"),
        ("é = 1; print(q)", 1, 14, "`q`"),
        ("x = 9999999999999", 1, 5, "too large"),
        ("x = b'1'", 1, 5, "bytes"),
        ("x = 1\rx.y\r\nz", 2, 3, ".y"),
        ("(" * 400, 1, 201, "nested"),
        ("x = '\ud800'", 1, 1, "character"),
        ("x = 1\0", 1, 1, "NUL"),
    ],
)
def test_a_fault_is_said_with_its_place(code, line, column, word):
    first = faults(code)[0]
    assert (first.line, first.column) == (line, column), first
    assert word in first.message


def test_code_is_bounded_in_size_and_parts():
    assert "bytes" in faults("#" * (MOST_BYTES + 1))[0].message
    assert "parts" in faults("x = [" + "0," * 2500 + "]")[0].message


def test_few_faults_are_said_at_once():
    assert len(faults("\n".join(f"a{n}" for n in range(50)))) == MOST_FAULTS
