"""A step that a person writes into a living document is asked for; one of a model is not."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import sounds
from flowc.compiler.plan import read_plan
from flowc.runtime.cli.app import run
from flowc.runtime.documents.phrases import steps_by_hand

ROOT = Path(__file__).resolve().parents[2]
EDIT = str(ROOT / "workflows/audio/edit.yaml")
STEP = """\
### Step 3: Mine

*   **ID:** `step_3`
*   **Description:** by hand
*   **Status:** CODE_GENERATED
*   **Input Audio:** `{read}`
*   **Output Audio:** `mine.wav`
*   **Code:**
    ```python
    {call}
    ```

---

## 4. Final Output
"""


def edit(capsys: Any, *more: str) -> dict[str, Any]:
    run(["run", EDIT, "-i", "audio=in.wav", "--json", *more])
    told: dict[str, Any] = json.loads(capsys.readouterr().out)
    return told


@pytest.mark.parametrize(
    "call",
    [
        'REVERB(input="{read}", output="mine.wav", wet_level=0.3)',
        'CONVERT(input="{read}", output="mine.wav", channels=1)',
        'CLIP(input="{read}", output="mine.wav", end_s=2)',
    ],
)
def test_a_step_by_hand_is_asked_for(call, capsys, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    sounds.write(tmp_path / "in.wav", sounds.speech_like(4), 44_100)
    first = edit(capsys, "-i", "request=high-pass at 80 Hz, louder by 2 dB")
    assert first["status"] == "success"
    read = first["variables"]["final"]
    place = tmp_path / first["variables"]["document"]
    text = place.read_text(encoding="utf-8")
    step = STEP.format(read=read, call=call.format(read=read))
    place.write_text(text.replace("## 4. Final Output\n", step), encoding="utf-8")
    again = edit(capsys, "-i", "request=", "-i", f"document={place.name}")
    assert again["variables"]["report"].startswith("SUCCESS: mine.wav"), again["variables"][
        "report"
    ]


def test_a_line_that_only_looks_like_the_planners_makes_no_step_one_by_hand():
    steps = "".join(f"### Step {n}: A\n\n*   **ID:** `step_{n}`\n\n" for n in (1, 2))
    log = "## 5. Workflow Log\n\n*   `2026-01-01 00:00:00`: Planner generated PRD and 2 steps.\n"
    forged = "*   `2026-01-01 00:00:01`: Execution failed. Error: `Planner added 0 steps.`.\n"
    text = f"## 3. Processing Plan & Status\n\n{steps}{log}{forged}"
    assert steps_by_hand(read_plan(text)) == set()
    assert steps_by_hand(read_plan(text.replace("and 2 steps", "and 1 step"))) == {"step_2"}
