"""Where a result begins in its original: what cuts or moves says it, the rest moves nothing."""

from __future__ import annotations

import pytest
from flowc.compiler.plan import read_plan
from flowc.runtime.audio.plan.beginning import beginning_of

STEP = """### Step {n}: Do

* **ID:** `step_{n}`
* **Description:** Do it.
* **Status:** {status}
* **Input Audio:** `{read}`
* **Output Audio:** `{n}.wav`
* **Code:**
```python
{code}
```
* **Execution Results:**
```text
{results}
```
"""


def document(*steps: str, status: str = "DONE", results: str = "wrote it", again: int = 1):
    """`again` is the step with which a second plan begins."""
    text = "# Jingle\n\n## Request Summary\n\n* **Input Audio:** `in.wav`\n\n"
    text += "## Processing Plan & Status\n\n"
    for n, code in enumerate(steps, start=1):
        read = "in.wav" if n in (1, again) else f"{n - 1}.wav"
        text += STEP.format(n=n, read=read, status=status, code=code, results=results) + "\n"
    return read_plan(text)


def call(tool: str, values: str) -> str:
    return f'{tool}(input="in.wav", output="out.wav"{values and ", " + values})'


@pytest.mark.parametrize(
    ("steps", "begin"),
    [
        ([call("GAIN", "gain_db=3")], 0.0),
        ([call("CLIP", "start_s=2, end_s=5")], 2.0),
        ([call("CLIP", "start_s=2"), call("CUT", "end_s=1.5")], 3.5),
        ([call("CLIP", "start_s=-4")], 6.0),
        ([call("CLIP", "start_s=-40")], 0.0),
        ([call("PAD", "start_s=2, end_s=1")], -2.0),
        ([call("REVERSE", "")], None),
        ([call("CUT", "end_s=-3")], 7.0),
        ([call("CUT", "start_s=2")], 0.0),
        ([call("CUT", "start_s=2, end_s=3")], None),
        ([call("SHIFT", "offset_s=0.5")], -0.5),
        ([call("SHIFT", "offset_s=0.5, wrap=True")], None),
        ([call("TIME_STRETCH", "rate=1.1")], None),
        (["OUTPUT.write(INPUT.read())"], None),
    ],
)
def test_the_beginning_is_the_sum_of_what_the_steps_cut_and_moved(steps, begin):
    assert beginning_of(document(*steps), 10) == begin


def test_what_a_trim_has_cut_stands_in_its_results():
    trim = call("TRIM_SILENCE", "")
    results = "wrote out.wav: 2 s\ncut start: 0.95 s\ncut end: 1 s"
    assert beginning_of(document(trim), 10) is None
    assert beginning_of(document(trim, status="PENDING"), 10) == 0.0
    found = beginning_of(document(trim, results=results), 10)
    assert found == 0.95


def test_what_counts_from_the_end_counts_from_that_of_the_step_before():
    steps = call("CLIP", "start_s=1"), call("CLIP", "start_s=-2")
    results = "wrote 1.wav: 4.00 s, 48000 Hz, 1 channel, WAV FLOAT, peak -3.00 dBFS"
    assert beginning_of(document(*steps, results=results), 10) == 1 + 2


def test_a_plan_that_was_given_up_counts_for_nothing():
    steps = call("CLIP", "start_s=1"), call("CLIP", "start_s=1"), call("GAIN", "gain_db=3")
    assert beginning_of(document(*steps, again=2), 10) == 1.0
