"""The page of `flowc audio report` in a browser: both sounds in step at one click, equally loud if
that is wanted, no fault, and no address but its own."""

from __future__ import annotations

import shutil
from collections.abc import Iterator

import pytest
import soundfile
from sounds import speech_like

pytest.importorskip("matplotlib", reason="needs the extra `plot`")
pytest.importorskip("playwright", reason="the extra `dev` is not installed")
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, sync_playwright

CHROMIUM = shutil.which("chromium")
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="needs Chromium")
DOCUMENT = """\
## 1. Request Summary

*   **Original Request:** Cut a second off, 6 dB louder, "<b>&'
*   **Input Audio:** `a <b>&"'.wav`

## 2. Product Requirements Document (PRD)

*   **Success Criteria:**
    *   duration_change_s == -1 ± 0.1

## 3. Processing Plan & Status

### Step 1: Cut <i>

*   **ID:** `step_1`
*   **Status:** DONE
*   **Input Audio:** `a <b>&"'.wav`
*   **Output Audio:** `out.wav`
*   **Code:**
    ```python
    CLIP(input="a <b>&\\"'.wav", output="out.wav", start_s=1)
    ```
*   **Execution Results:**
    ```text
    wrote out.wav: 5.00 s, 48000 Hz, 1 channel, WAV PCM_16, peak -6.00 dBFS
    note: the cover of the source cannot be written into this file
    ```

## 4. Final Output

*   **Overall Status:** SUCCESS

## 5. Workflow Log
"""
PLACES = "[...document.querySelectorAll('audio')].map(a => [a.paused, a.currentTime, a.volume])"


@pytest.fixture
def told() -> list[str]:
    """What the page complained of, and every address that it asked for but its own."""
    return []


@pytest.fixture
def page(flowc, told) -> Iterator[Page]:
    flowc.write("plan.md", DOCUMENT)
    sound = speech_like(4, 48_000) / 4
    soundfile.write(flowc.folder / "a <b>&\"'.wav", sound, 48_000)
    soundfile.write(flowc.folder / "out.wav", sound[48_000:] * 2, 48_000)
    done = flowc("audio", "report", "plan.md", "-o", "report.html")
    assert done.returncode == 0, done.stderr
    with sync_playwright() as player:
        browser = player.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        opened = browser.new_page()
        opened.on("console", lambda said: told.append(f"{said.type}: {said.text}"))
        opened.on("pageerror", lambda error: told.append(str(error)))
        own = (flowc.folder / "report.html").as_uri()
        opened.on("request", lambda asked: told.append(asked.url))
        opened.goto(own)
        yield opened
        browser.close()
        assert [one for one in told if one != own and not one.startswith("data:")] == []


def test_one_click_goes_to_the_same_place_of_the_other_sound(page):
    button = page.get_by_role("button", name="Play before")
    button.click()
    page.evaluate("document.querySelectorAll('audio')[0].currentTime = 2.5")
    page.get_by_role("button", name="Switch to after").click()
    page.get_by_role("button", name="Switch to before").wait_for()
    (before, place, _), (after, there, _) = page.evaluate(PLACES)
    assert (before, after) == (True, False)
    assert place - 1 == pytest.approx(there, abs=0.3)  # a second was cut off
    page.evaluate("document.querySelectorAll('audio')[1].pause()")
    page.get_by_role("button", name="Switch to before").click()
    (before, place, _), (after, there, _) = page.evaluate(PLACES)
    assert (before, after) == (False, True)
    assert place - 1 == pytest.approx(there, abs=0.3)
    page.get_by_role("button", name="Switch to after").wait_for()
    page.evaluate("document.querySelectorAll('audio')[1].play()")
    page.get_by_role("button", name="Switch to before").wait_for()
    assert [paused for paused, _, _ in page.evaluate(PLACES)] == [True, False]


def test_both_are_heard_equally_loud_if_that_is_wanted(page):
    assert [volume for _, _, volume in page.evaluate(PLACES)] == [1, 1]
    page.get_by_label("equally loud (after").check()
    before, after = (volume for _, _, volume in page.evaluate(PLACES))
    assert (before, after) == (1, pytest.approx(0.5, abs=0.05))


def test_the_page_is_accessible_and_holds_names_and_steps_as_they_are(page):
    found = Axe().run(page).response["violations"]
    assert [v["id"] for v in found if v["impact"] in ("serious", "critical")] == []
    text = page.locator("body").inner_text()
    assert "Before: a <b>&\"'.wav" in text
    assert "step_1 Cut <i>" in text
    assert "CLIP · start_s 1 s · soften_ms 3 ms" in text
    assert "note: the cover of the source cannot be written into this file" in text
    for width in (1200, 380):
        page.set_viewport_size({"width": width, "height": 800})
        assert page.evaluate("document.documentElement.scrollWidth") <= width
