"""`flowc audio report`: one page that stands alone, with sounds, pictures and measured numbers."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import pytest
import soundfile
from sounds import speech_like, tone

pytest.importorskip("matplotlib", reason="needs the extra `plot`")

DOCUMENT = """\
## 1. Request Summary

*   **Original Request:** Quieter, <b>please</b>.
*   **Input Audio:** `in.wav`

## 2. Product Requirements Document (PRD)

*   **Success Criteria:**
    *   true_peak_dbtp <= -1
    *   integrated_lufs == -10 ± 0.5
    *   integrated_lufs == -20 ± 1
    *   It sounds friendly

## 3. Processing Plan & Status

### Step 1: Gain

*   **ID:** `step_1`
*   **Status:** DONE
*   **Input Audio:** `in.wav`
*   **Output Audio:** `out.wav`

## 4. Final Output

*   **Overall Status:** FAILURE

## 5. Workflow Log
"""


class Page(HTMLParser):
    """Collects tags, and checks that they are closed in order."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: list[tuple[str, dict[str, str | None]]] = []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.seen.append((tag, dict(attrs)))
        if tag not in ("meta", "br", "image", "input"):
            self.open.append(tag)

    def handle_endtag(self, tag):
        if tag in self.open:
            assert self.open.pop() == tag


def test_the_page_holds_sounds_pictures_and_what_was_measured(flowc):
    flowc.write("plan.md", DOCUMENT)
    soundfile.write(flowc.folder / "in.wav", speech_like(3), 44_100)
    soundfile.write(flowc.folder / "out.wav", tone(4, dbfs=-20.0, rate=44_100), 44_100)
    done = flowc("audio", "report", "plan.md", "-o", "report.html")
    assert done.returncode == 0, done.stderr
    text = (flowc.folder / "report.html").read_text()
    page = Page(text)
    assert page.open == []
    tags = [tag for tag, _ in page.seen]
    assert (tags.count("svg"), tags.count("audio"), tags.count("script")) == (5, 2, 1)
    assert tags.count("button") == 1
    assert not re.search(r"(?:https?:)?//[a-z]", re.sub(r'"data:[^"]*"', "", text))
    assert all(a.get("aria-label") for tag, a in page.seen if tag in ("svg", "audio"))
    assert "Quieter, &lt;b&gt;please&lt;/b&gt;." in text
    assert "✓ passed" in text
    assert "· proves nothing" in text
    assert "✗ failed" in text
    assert "? not measured" in text
    assert "prefers-color-scheme: dark" in text
    assert "a step has moved parts of the sound, or is not a call" in text
    told = "*   **Status:** DONE\n"
    code = '*   **Code:**\n```python\nGAIN(input="in.wav", output="out.wav", gain_db=-3)\n```\n'
    flowc.write("plan.md", DOCUMENT.replace(told, told + code))
    assert flowc("audio", "report", "plan.md", "-o", "called.html").returncode == 0
    called = (flowc.folder / "called.html").read_text()
    assert called.count("<svg") == 6
    assert "Spectrogram after less before: red is louder" in called

    small = flowc("audio", "report", "plan.md", "-o", "small.html", "--embed", "0")
    assert small.returncode == 0, small.stderr
    text = (flowc.folder / "small.html").read_text()
    assert 'src="out.wav"></audio>' in text  # played from where it lies
    assert "data:audio" not in text
    assert "<script" in text
    assert re.search(r'Not part of this page, [0-9.]+ MiB are too much: <a href="out.wav">', text)

    (flowc.folder / "out.wav").unlink()
    gone = flowc("audio", "report", "plan.md", "-o", "gone.html")
    assert gone.returncode == 1
    assert "out.wav" in gone.stderr
    assert not (flowc.folder / "gone.html").exists()


@pytest.fixture
def sounds(flowc):
    """A document with its sounds, which have other names too."""
    flowc.write("plan.md", DOCUMENT)
    for name in ("in.wav", "out.wav", ".flowc/runs.db"):
        flowc.write(name, name)
    (flowc.folder / "link").symlink_to("in.wav")
    (flowc.folder / "hard").hardlink_to(flowc.folder / "out.wav")
    return flowc.folder


def test_a_page_never_takes_the_place_of_what_it_is_about(flowc, sounds):
    for out, what in (
        ("link", "the sound `in.wav`"),
        ("hard", "the sound `out.wav`"),
        ("plan.md", "the document"),
        (".flowc/runs.db-wal", "the store of the runs"),
    ):
        done = flowc("audio", "report", "./plan.md", "-o", out)
        assert done.returncode == 2
        assert f"the page cannot be `{out}`: it is {what}" in done.stderr
        assert "help: name another file" in done.stderr
    assert (sounds / "in.wav").read_text() == "in.wav"
    assert (sounds / "out.wav").read_text() == "out.wav"
    assert (sounds / "plan.md").read_text() == DOCUMENT
