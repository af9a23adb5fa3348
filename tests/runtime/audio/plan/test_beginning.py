"""Where a result begins in its original: what cuts or moves says it, the rest moves nothing."""

from __future__ import annotations

import pytest
from flowc.compiler.plan import read_plan
from flowc.runtime.audio.plan.beginning import beginning_of

STEP = """### Step {n}: Do

* **ID:** `step_{n}`
* **Description:** Do it.
* **Status:** {status}
* **Input Audio:** `in.wav`
* **Output Audio:** `out.wav`
* **Code:**
```python
{code}
```
* **Execution Results:**
```text
{results}
```
"""


def document(*steps: str, status: str = "DONE", results: str = "wrote it"):
    text = "# Jingle\n\n## Processing Plan & Status\n\n"
    for n, code in enumerate(steps, start=1):
        text += STEP.format(n=n, status=status, code=code, results=results) + "\n"
    return read_plan(text)


def call(tool: str, values: str) -> str:
    return f'{tool}(input="in.wav", output="out.wav"{values and ", " + values})'


@pytest.mark.parametrize(
    ("steps", "begin"),
    [
        ([call("GAIN", "gain_db=3")], 0.0),
        ([call("CLIP", "start_s=2, end_s=5")], 2.0),
        ([call("CLIP", "start_s=2"), call("CUT", "end_s=1.5")], 3.5),
        ([call("CUT", "start_s=2")], 0.0),
        ([call("CUT", "start_s=2, end_s=3")], None),
        ([call("SHIFT", "offset_s=0.5")], -0.5),
        ([call("SHIFT", "offset_s=0.5, wrap=True")], None),
        ([call("TIME_STRETCH", "rate=1.1")], None),
        (["OUTPUT.write(INPUT.read())"], None),
    ],
)
def test_the_beginning_is_the_sum_of_what_the_steps_cut_and_moved(steps, begin):
    assert beginning_of(document(*steps)) == begin


def test_what_a_trim_has_cut_stands_in_its_results():
    trim = call("TRIM_SILENCE", "")
    results = "wrote out.wav: 2 s\ncut start: 0.95 s\ncut end: 1 s"
    assert beginning_of(document(trim)) is None
    assert beginning_of(document(trim, status="PENDING")) == 0.0
    found = beginning_of(document(trim, results=results))
    assert found == 0.95
