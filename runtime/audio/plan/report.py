"""The page of `flowc audio report`: what was asked for, heard, seen and measured, in one file.

It holds everything it shows and asks for no address; sounds that are too large, or of a kind that
browsers do not play, are links, and it says so.
"""

from __future__ import annotations

import base64
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from html import escape
from importlib.resources import files
from pathlib import Path
from string import Template
from typing import Any
from urllib.parse import quote

from flowc.compiler.source.door import read_file

from ..calls.execute import shape_of
from .check import shown_value
from .metrics import METRICS

PLAYED = {
    ".wav": "audio/wav",
    ".flac": "audio/flac",
    ".mp3": "audio/mpeg",
    ".ogg": "audio/ogg",
    ".opus": "audio/ogg",
    ".m4a": "audio/mp4",
}
"""Types of sound that browsers play, by the file's ending."""
_MARKS = {
    "passed": ("passed", "✓"),
    "failed": ("failed", "✗"),
    "not measured": ("open", "?"),
    "proves nothing": ("idle", "·"),
}
_NUMBERS = (
    ("integrated_lufs", "loudness", "LUFS"),
    ("range_lu", "range", "LU"),
    ("true_peak_dbtp", "true peak", "dBTP"),
)


@dataclass(frozen=True, slots=True)
class Heard:
    """A sound of the page: `role` is before or after, `measured` what `audio_measure` says,
    `drawn` its pictures."""

    role: str
    path: str
    place: Path
    measured: Mapping[str, Any]
    drawn: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Story:
    """The document's own words on the whole, and the review of its sound."""

    name: str
    request: str
    status: str
    review: Mapping[str, Any]


_SWITCH = """<p><button type="button" id="switch" aria-live="polite">Play before</button>
<span class="soft">one click goes from one to the other, at the same place</span></p>
<script>
const sounds = [...document.querySelectorAll(".card audio")];
const button = document.getElementById("switch");
let next = 0;
button.addEventListener("click", () => {
  const from = sounds[1 - next], to = sounds[next];
  if (!from.paused) { to.currentTime = Math.min(from.currentTime, to.duration || 0); from.pause(); }
  to.play();
  next = 1 - next;
  button.textContent = next ? "Switch to after" : "Switch to before";
});
</script>"""
"""A button that plays one sound in the place of the other."""


def page_of(
    story: Story, sounds: list[Heard], drawn: Mapping[str, Any], out: Path, most: int
) -> str:
    """Return the page; `drawn` are the pictures of all sounds together. Those up to `most` bytes
    are in it; links lead from `out`'s folder."""
    body = [
        f"<h1>{escape(story.name)}</h1>",
        f'<p class="soft">{escape(story.status or "not finished")}</p>',
        f'<p class="request">{escape(story.request)}</p>',
        "<h2>Before and after</h2>",
        '<div class="pair">',
        *(part for heard in sounds for part in _sound(heard, out, most)),
        "</div>",
        *([_SWITCH] if all(_is_embedded(heard, most) for heard in sounds) else []),
        *_change(drawn),
        "<h2>Loudness over time</h2>",
        _figure(
            drawn["loudness"], "Momentary (0.4 s, thin) and short-term (3 s, thick) loudness", ""
        ),
        "<h2>Requirements</h2>",
        *_checks(story.review),
    ]
    template = files(__package__).joinpath("report.html").read_text(encoding="utf-8")
    return Template(template).substitute(title=escape(story.name), body="\n".join(body))


def _sound(heard: Heard, out: Path, most: int) -> Iterator[str]:
    swatch = f'<span class="swatch" style="background: var(--{heard.role})"></span>'
    yield f'<section class="card"><h3>{swatch}{heard.role.capitalize()}: {escape(heard.path)}</h3>'
    yield from _player(heard, out, most)
    yield f'<p class="soft">{escape(_facts(heard.measured))}</p>'
    about = f"{heard.role}: {heard.path}"
    yield _figure(heard.drawn["waveform"], "Waveform, all channels", about)
    yield _figure(heard.drawn["spectrogram"], "Spectrogram, mean of the channels", about)
    yield "</section>"


def _change(drawn: Mapping[str, Any]) -> Iterator[str]:
    """Yield the picture of what changed, or why there is none."""
    if len(drawn["sounds"]) < 2:
        return
    yield "<h2>What changed</h2>"
    if "difference" not in drawn:
        why = drawn.get("undrawn", "a step has moved parts of the sound, or is not a call")
        yield f'<p class="soft">The spectrograms are not compared: {escape(why)}.</p>'
        return
    caption = "Spectrogram after less before: red is louder, blue quieter, white the same"
    yield _figure(drawn["difference"], caption, "")


def _is_embedded(heard: Heard, most: int) -> bool:
    return heard.place.suffix.lower() in PLAYED and heard.place.stat().st_size <= most


def _player(heard: Heard, out: Path, most: int) -> Iterator[str]:
    kind = PLAYED.get(heard.place.suffix.lower())
    size = heard.place.stat().st_size
    if kind is not None and _is_embedded(heard, most):
        data = base64.b64encode(read_file(heard.place, most)).decode("ascii")
        label = escape(f"{heard.role}: {heard.path}")
        yield f'<audio controls preload="metadata" aria-label="{label}" '
        yield f'src="data:{kind};base64,{data}"></audio>'
        return
    why = "browsers do not play it" if kind is None else f"{size / 2**20:.1f} MiB are too much"
    link = quote(os.path.relpath(heard.place, out.absolute().parent))
    yield f'<p>Not part of this page, {why}: <a href="{link}">{escape(heard.path)}</a></p>'


def _facts(measured: Mapping[str, Any]) -> str:
    parts = shape_of(measured)
    for key, name, unit in _NUMBERS:
        value = measured.get(key)
        parts.append(f"{name} {value:.1f} {unit}" if value is not None else f"no {name}")
    return " · ".join(parts)


def _figure(picture: str, caption: str, about: str) -> str:
    label = escape(f"{caption}. {about}".strip())
    image = picture.replace("<svg", f'<svg role="img" aria-label="{label}"', 1)
    return f"<figure>{image}<figcaption>{escape(caption)}</figcaption></figure>"


def _checks(review: Mapping[str, Any]) -> Iterator[str]:
    rows = list(review.get("checks") or ())
    words = list(review.get("unmeasured") or ())
    if not rows and not words:
        yield "<p>The document has no requirements that could be measured.</p>"
        return
    yield f"<p>{escape(review['summary'])}</p>"
    yield '<div class="scroll" role="region" tabindex="0" aria-label="Requirements">'
    yield '<table><thead><tr><th scope="col">Verdict</th>'
    yield '<th scope="col">Requirement</th><th scope="col">Of</th><th scope="col">Asked</th>'
    yield '<th scope="col">Measured</th></tr></thead><tbody>'
    for row in rows:
        yield _row(row["verdict"], row["text"], row["subject"], row["shown"], _value(row))
    for text in words:
        yield _row("not measured", text, "", "", "nobody said how it is measured")
    yield "</tbody></table></div>"


def _row(verdict: str, text: str, subject: str, condition: str, measured: str) -> str:
    kind, mark = _MARKS[verdict]
    return (
        f'<tr><td class="{kind}">{mark} {verdict}</td><td>{escape(text)}</td>'
        f"<td>{escape(subject)}</td><td><code>{escape(condition)}</code></td>"
        f'<td class="number">{escape(measured)}</td></tr>'
    )


def _value(row: Mapping[str, Any]) -> str:
    measured = row["measured"]
    if measured is None:
        return str(row["note"] or "not measured")
    name = str(row["metric"]).partition("(")[0]
    unit = METRICS[name].unit if name in METRICS else ""
    return shown_value(measured, unit)
