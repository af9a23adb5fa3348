"""The page of `flowc audio report`: what was asked for, heard, seen and measured, in one file.

It holds everything it shows and asks for no address; sounds that are too large, or of a kind that
browsers do not play, are links, and it says so.
"""

from __future__ import annotations

import base64
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from importlib.resources import files
from pathlib import Path
from string import Template
from typing import Any
from urllib.parse import quote

from flowc.compiler import plan
from flowc.compiler.source.door import read_file

from ...errors import Failure
from ..calls.call import parse_call
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
    """The document's own words on the whole and on its steps, the review of its sound, and at
    which second of the sound before the one after begins, None where it does not lie over it."""

    name: str
    request: str
    status: str
    review: Mapping[str, Any]
    steps: Sequence[plan.Block] = ()
    begin_s: float | None = None


_SWITCH = """<p class="switch"><button type="button" id="switch" aria-live="polite">Play
before</button>
<label$hidden><input type="checkbox" id="equal"> equally loud ($louder $decibels dB down)</label>
<span class="soft">one click goes from one to the other, $where</span></p>
<script>
const sounds = [...document.querySelectorAll(".card audio")];
const begins = $begins, gains = $gains;
const button = document.getElementById("switch"), equal = document.getElementById("equal");
let last = -1;
const loud = () => sounds.forEach((s, n) => { s.volume = equal.checked ? gains[n] : 1; });
sounds.forEach((sound, n) => sound.addEventListener("play", () => {
  if (sound.paused) return;
  sounds[1 - n].pause();
  last = n;
  button.textContent = n ? "Switch to before" : "Switch to after";
}));
button.addEventListener("click", () => {
  const to = last < 0 ? 0 : 1 - last;
  if (last >= 0) {
    const at = sounds[last].ended ? 0 : sounds[last].currentTime + begins[last] - begins[to];
    sounds[to].currentTime = Math.max(0, Math.min(at, sounds[to].duration || 0));
    sounds[last].pause();
  }
  loud();
  sounds[to].play();
});
equal.addEventListener("change", loud);
</script>"""
"""A button that plays one sound in the place of the other; `begins` are the seconds of the first at
which they begin, `gains` what makes them equally loud."""
_TOLD_TO_PROGRAMS = ("measured: ", "found: ", "Measured when ")
"""Lines of results that the requirements tell of."""


def page_of(
    story: Story, sounds: list[Heard], drawn: Mapping[str, Any], out: Path, most: int
) -> str:
    """Return the page; `drawn` are the pictures of all sounds together. Those up to `most` bytes
    are in it, the others are played from where they are; links lead from `out`'s folder."""
    body = [
        f"<h1>{escape(story.name)}</h1>",
        f'<p class="soft">{escape(story.status or "not finished")}</p>',
        f'<p class="request">{escape(story.request)}</p>',
        "<h2>Before and after</h2>",
        '<div class="pair">',
        *(part for heard in sounds for part in _sound(heard, out, most)),
        "</div>",
        *_switch(sounds, story.begin_s),
        *_change(drawn),
        "<h2>Loudness over time</h2>",
        _figure(
            drawn["loudness"], "Momentary (0.4 s, thin) and short-term (3 s, thick) loudness", ""
        ),
        *_steps(story.steps),
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


def _switch(sounds: Sequence[Heard], begin_s: float | None) -> Iterator[str]:
    """Yield what switches between two sounds that browsers play."""
    if len(sounds) < 2 or not all(map(_is_played, sounds)):
        return
    levels = [heard.measured.get("integrated_lufs") for heard in sounds]
    known = [level for level in levels if level is not None]
    down = [known[n] - min(known) for n in range(2)] if len(known) == 2 else [0.0, 0.0]
    most_down = max(down)
    yield Template(_SWITCH).substitute(
        begins=[0.0, begin_s or 0.0],
        gains=[round(10 ** (-one / 20), 4) for one in down],
        louder=sounds[down.index(most_down)].role,
        decibels=f"{most_down:.1f}",
        hidden="" if most_down else " hidden",
        where="at the same place"
        if begin_s is not None
        else "at the same second of each: what was at one place may be at another",
    )


def _steps(steps: Sequence[plan.Block]) -> Iterator[str]:
    """Yield what each step was to do, its call, and what that said of its work."""
    if not steps:
        return
    yield "<h2>Steps</h2>"
    yield '<div class="scroll" role="region" tabindex="0" aria-label="Steps">'
    yield '<table><thead><tr><th scope="col">Step</th><th scope="col">Call</th>'
    yield '<th scope="col">Result</th></tr></thead><tbody>'
    for step in steps:
        status = plan.status_of(step)
        id = f"{plan.text_value(step, 'ID')} {step.title.partition(': ')[2] or step.title}"
        yield f"<tr><td>{escape(id)}</td><td>{escape(_call_of(step))}</td><td>"
        lines = [] if status == "DONE" else [(status or "no status").lower()]
        yield "<br>".join(escape(line) for line in [*lines, *_said_by(step)]) + "</td></tr>"
    yield "</tbody></table></div>"


def _call_of(step: plan.Block) -> str:
    """Return the tool of a step with all values, but for its files."""
    try:
        call = parse_call(plan.text_value(step, "Code"))
    except Failure:
        return "not a call"
    said = [call.tool.name.upper()]
    for parameter in call.tool.parameters:
        value = call.arguments[parameter.name]
        if parameter.kind not in ("input", "inputs", "output", "pattern") and value is not None:
            said.append(f"{parameter.name} {value} {parameter.unit}".rstrip())
    return " · ".join(said)


def _said_by(step: plan.Block) -> Iterator[str]:
    written = f"wrote {plan.text_value(step, 'Output Audio')}: "
    for line in plan.text_value(step, "Execution Results").splitlines():
        if not line.startswith(_TOLD_TO_PROGRAMS):
            yield line.removeprefix(written)


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


def _is_played(heard: Heard) -> bool:
    return heard.place.suffix.lower() in PLAYED


def _player(heard: Heard, out: Path, most: int) -> Iterator[str]:
    """Yield the player of a sound: in the page, or of the file where it lies, and then its link."""
    kind = PLAYED.get(heard.place.suffix.lower())
    size = heard.place.stat().st_size
    link = quote(os.path.relpath(heard.place, out.absolute().parent))
    source, why = link, f"{size / 2**20:.1f} MiB are too much"
    if kind is None:
        why = "browsers do not play it"
    elif size <= most:
        data = base64.b64encode(read_file(heard.place, most)).decode("ascii")
        source, why = f"data:{kind};base64,{data}", ""
    if kind is not None:
        label = escape(f"{heard.role}: {heard.path}")
        yield f'<audio controls preload="metadata" aria-label="{label}" src="{source}"></audio>'
    if why:
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
