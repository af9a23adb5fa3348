"""A process that draws sounds: JSON in, SVG out. Only here is matplotlib imported.

In: {"files": [{"name", "path", "place"}, …], "begin_s"}: at which second of the first sound the
second begins, None where it does not lie over it. Out: {"sounds": [{"seconds", "rate", "channels",
"waveform", "spectrogram"}], "loudness"}, of two such with {"difference"}, or with {"undrawn"}: why
not. Colours of lines and text are those of the page: `currentColor` and CSS variables, so that one
picture fits light and dark.
"""

from __future__ import annotations

import io
import os
import re
import tempfile
from typing import Any

import numpy as np

from ..blocks import Samples
from ..calls.files import Sound, open_sound
from ..calls.worker_protocol import answer_with
from ..meters.spectrogram_difference import difference_between
from ..meters.waveform import FLOOR_DB, LOWEST_HZ, Sketch, sketch

_INK, _GRID = "#010203", "#010204"
_LINES = ("#010205", "#010206")
_COLOURS = {
    _INK: "currentColor",
    _GRID: "var(--grid)",
    _LINES[0]: "var(--before)",
    _LINES[1]: "var(--after)",
}
_SIZE = (5.2, 1.9)
_STYLE: dict[Any, Any] = {
    "svg.fonttype": "none",
    "font.family": "sans-serif",
    "font.size": 9,
    "axes.edgecolor": _GRID,
    "axes.labelcolor": _INK,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.color": _GRID,
    "grid.linewidth": 0.5,
    "text.color": _INK,
    "xtick.color": _INK,
    "ytick.color": _INK,
    "legend.frameon": False,
}
_METADATA = dict.fromkeys(("Creator", "Date", "Format", "Type"))
_LOUDEST, _QUIETEST = 0.0, -60.0
_MOST_CHANGE = 18.0
"""dB from which on a change has the same colour."""


def draw(question: dict[str, Any]) -> dict[str, Any]:
    """Return the pictures of one or two sounds. Raise `Failure` when one cannot be read."""
    import matplotlib

    matplotlib.rcParams.update(_STYLE)
    opened = [open_sound(f["path"], f["place"]) for f in question["files"]]
    names = [file["name"] for file in question["files"]]
    named = [(name, sketch(sound)) for name, sound in zip(names, opened, strict=True)]
    sounds = [
        {
            "seconds": shape.seconds,
            "rate": shape.rate,
            "channels": shape.channels,
            "waveform": _waveform(shape, _LINES[number % 2], f"w{number}"),
            "spectrogram": _spectrogram(shape, f"s{number}"),
        }
        for number, (_, shape) in enumerate(named)
    ]
    begin_s = question.get("begin_s")
    pictures = {"sounds": sounds, "loudness": _loudness(named, begin_s or 0.0)}
    if len(opened) < 2 or begin_s is None:
        return pictures
    before, after = opened
    return {**pictures, **_difference(before, after, begin_s)}


def _difference(before: Sound, after: Sound, begin_s: float) -> dict[str, str]:
    """Return the picture of what changed, or why there is none."""
    found = difference_between(before, after, begin_s)
    if isinstance(found, str):
        return {"undrawn": found}
    most = _MOST_CHANGE
    colours: dict[str, object] = {"cmap": "RdBu_r", "vmin": -most, "vmax": most}
    return {"difference": _heat(found, before, colours, "dB", "d")}


def _waveform(shape: Sketch, colour: str, salt: str) -> str:
    figure, axes = _axes(shape.seconds)
    times = np.linspace(0, shape.seconds, len(shape.low))
    axes.fill_between(times, shape.low, shape.high, color=colour, linewidth=0.4)
    most = max(1.0, float(np.abs([shape.low, shape.high]).max()))
    axes.set_ylim(-most, most)
    axes.set_ylabel("full scale")
    return _svg(figure, salt)


def _spectrogram(shape: Sketch, salt: str) -> str:
    colours: dict[str, object] = {"cmap": "magma", "vmin": FLOOR_DB, "vmax": 0.0}
    return _heat(shape.levels, shape, colours, "dBFS", salt)


def _heat(
    levels: Samples, shape: Sketch | Sound, colours: dict[str, object], unit: str, salt: str
) -> str:
    """Draw values by time and frequency."""
    figure, axes = _axes(shape.seconds)
    axes.grid(False)
    highest = shape.rate / 2
    reach = (0.0, max(shape.seconds, 1e-3), np.log10(LOWEST_HZ), np.log10(highest))
    picture = axes.imshow(
        levels, origin="lower", aspect="auto", extent=reach, interpolation="none", **colours
    )
    ticks = [hz for hz in (50, 200, 1000, 5000, 20_000) if hz <= highest]
    axes.set_yticks(np.log10(ticks), [f"{hz // 1000} k" if hz >= 1000 else str(hz) for hz in ticks])
    axes.set_ylabel("Hz")
    figure.colorbar(picture, ax=axes, label=unit, pad=0.02, fraction=0.05)
    return _svg(figure, salt)


def _loudness(named: list[tuple[str, Sketch]], begin_s: float) -> str:
    """Draw the loudness of all sounds; the second begins where `begin_s` of the first is."""
    begins = [0.0, begin_s][: len(named)]
    ends = [begin + shape.seconds for begin, (_, shape) in zip(begins, named, strict=True)]
    figure, axes = _axes(max(ends))
    axes.set_xlim(left=min(begins))
    for number, (name, shape) in enumerate(named):
        colour = _LINES[number % 2]
        for curve, window, width, what in (
            (shape.momentary, 0.4, 0.7, "momentary"),
            (shape.short, 3.0, 1.8, "short-term"),
        ):
            if len(curve):
                times = begins[number] + window + 0.1 * np.arange(len(curve))
                times, curve = _thin(times, np.maximum(curve, _QUIETEST))
                axes.plot(times, curve, color=colour, linewidth=width, label=f"{name}, {what}")
    axes.set_ylim(_QUIETEST, _LOUDEST)
    axes.set_ylabel("LUFS")
    if axes.lines:
        axes.legend(fontsize=8, ncols=2, loc="upper center", bbox_to_anchor=(0.5, 1.35))
    return _svg(figure, "l")


def _thin(times: Any, values: Any, most: int = 1200) -> tuple[Any, Any]:
    """Return at most so many points: of each stretch the loudest."""
    every = -(-len(values) // most)
    if every <= 1:
        return times, values
    starts = np.arange(0, len(values), every)
    return times[starts], np.maximum.reduceat(values, starts)


def _axes(seconds: float) -> tuple[Any, Any]:
    from matplotlib.figure import Figure

    figure = Figure(figsize=_SIZE, layout="constrained")
    axes = figure.add_subplot()
    axes.set_xlim(0, max(seconds, 1e-3))
    axes.set_xlabel("seconds")
    return figure, axes


def _svg(figure: Any, salt: str) -> str:
    """Return the picture without a prologue, addresses, or colours of its own."""
    import matplotlib

    matplotlib.rcParams["svg.hashsalt"] = salt
    file = io.StringIO()
    figure.savefig(file, format="svg", transparent=True, metadata=_METADATA)
    text = file.getvalue()
    text = text[text.index("<svg") :]
    text = re.sub(r"<metadata>.*?</metadata>", "", text, flags=re.DOTALL)
    text = re.sub(r"<defs>\s*<style.*?</style>\s*</defs>", "", text, flags=re.DOTALL)
    text = re.sub(r'<g id="[^"]*">', "<g>", text)
    text = re.sub(r'\s(?:xmlns(?::\w+)?|version|width|height)="[^"]*"', "", text, count=5)
    text = text.replace("xlink:href", "href")
    for own, css in _COLOURS.items():
        text = text.replace(own, css)
    return text.strip()


def main() -> None:
    """Read the question, draw it."""
    with tempfile.TemporaryDirectory(prefix="flowc-") as own:
        # matplotlib keeps a list of fonts; those of the system are not shown here anyway.
        os.environ["MPLCONFIGDIR"] = own
        answer_with(draw)
