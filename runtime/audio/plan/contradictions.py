"""Calls of audio tools that cannot both be meant: the later one undoes or replaces the earlier.

This is about what somebody asks for in so many words. A chain that was thought out may do such
things on the way: raise the sample rate for an effect and lower it again. What the format of the
result cannot hold is one too.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations, pairwise
from typing import Any, NamedTuple

from flowc.compiler.catalog.audio_levels import HIGH_EDGE, LOW_EDGE

from ..calls.call import AudioCall
from ..calls.containers import CONTAINERS, a_file, holding

Settings = dict[str, Any]
"""The settings of a call: in words, each with its value."""


def contradiction(calls: Sequence[AudioCall]) -> tuple[int, int, str] | None:
    """Return the places of the first two calls that contradict each other, and why in words; None
    when no two do."""
    for first, second in combinations(range(len(calls)), 2):
        if why := next(_between(calls, first, second), ""):
            return first, second, why
    return None


class Shape(NamedTuple):
    """Samples a second and channels of a sound; None where they are not known."""

    rate: int | None = None
    channels: int | None = None


class Unheld(NamedTuple):
    """A quality that the result's format cannot hold: the place of the call that asks for it, None
    when the sound has it from the start; why, and what would do instead."""

    place: int | None
    why: str
    help: str


def unheld(calls: Sequence[AudioCall], kind: str, sound: Shape) -> Unheld | None:
    """Return what of a chain on such a sound a file of the format `kind` cannot hold; None for
    nothing."""
    shape: dict[str, Any] = {
        "subtype": "",
        "sample_rate_hz": sound.rate,
        "channels": sound.channels,
    }
    place: dict[str, int] = {}
    for at, call in enumerate(calls):
        for name in shape if call.tool.name == "convert" else ():
            if call.arguments[name] is not None:
                shape[name], place[name] = call.arguments[name], at
    container = CONTAINERS[kind]
    subtype, rate, channels = shape.values()
    if not (why := container.why_not(subtype, rate, channels)):
        return None
    rates = container.codings.get(subtype or container.subtypes[0])
    if rates is None:
        name, first = "subtype", ""
    elif channels is not None and channels > container.most_channels:
        name, first = "channels", "add `stereo`, or " if channels in _FOLDED else ""
    else:
        name, say = "sample_rate_hz", "ask for" if "sample_rate_hz" in place else "add"
        first = f"{say} `resample to {rates.nearest(rate)} Hz`, or "
    others = ", ".join(holding(subtype, rate, channels))
    why = f"{a_file(kind)} cannot hold {why}"
    return Unheld(place.get(name), why, f"{first}export one of {others}")


_FOLDED = (5, 6)
"""Channels that CONVERT folds down to two."""


def detours(calls: Sequence[AudioCall]) -> Iterator[tuple[int, str]]:
    """Yield the place of each call that a later one takes back, or pretends to, and why: a gain, a
    pitch or a speed the other way, a sample rate that goes down and up again, channels that become
    one and two."""
    for name, what in (("sample_rate_hz", "sample rate"), ("channels", "channels")):
        set_by = [
            (at, number) for at, call in enumerate(calls) if (number := _shape_of(call, name))
        ]
        for (at, number), (_, later) in pairwise(set_by):
            if number < later:
                yield at, f"what it takes off by its {what} does not come back"
    for first, second in combinations(range(len(calls)), 2):
        if ways := _taken_back(calls, first, second):
            yield first, f"a later step takes back {ways}"


def _shape_of(call: AudioCall, name: str) -> int:
    """Return the number of that name which a call gives its sound; 0 where it leaves it as it
    is."""
    if call.tool.name == "convert":
        return int(call.arguments[name] or 0)
    if call.tool.name == "channels" and name == "channels":
        return len({*call.arguments["order"]} - {0})
    return 0


def _between(calls: Sequence[AudioCall], first: int, second: int) -> Iterator[str]:
    one, other = calls[first], calls[second]
    before, after = _settings(one), _settings(other)
    for what in before:
        if what in after and before[what] != after[what]:
            yield f"{what} cannot be {_show(before[what])} and {_show(after[what])}"
    edges = {**before, **after}
    low, high = edges.get(LOW_EDGE), edges.get(HIGH_EDGE)
    if low is not None and high is not None and low[0] >= high[0]:
        yield f"nothing is left above {_show(low)} and below {_show(high)}"
    if one.tool.name == "clip" and other.tool.name in ("clip", "cut", "gain"):
        start, end = one.arguments["start_s"], one.arguments["end_s"]
        kept = end - start if end is not None and (start < 0) == (end <= 0) else None
        if kept is not None and other.arguments["start_s"] >= kept:
            yield f"of {kept:g} s nothing is left after {other.arguments['start_s']:g} s"
    if ways := _taken_back(calls, first, second):
        yield f"one takes back {ways} of the other"


def _taken_back(calls: Sequence[AudioCall], first: int, second: int) -> str:
    ways = _ways(calls[first], calls[second])
    return ways if second == first + 1 or calls[first].tool.name != "gain" else ""


def _ways(one: AudioCall, other: AudioCall) -> str:
    """Return what two calls move in opposite directions. A level may be raised for what follows and
    then be lowered; between pitches and speeds nothing depends on them."""
    planning = one.tool.planning
    if isinstance(planning, str) or planning.moves is None or one.tool is not other.tool:
        return ""
    what, name, middle = planning.moves
    if any(one.arguments.get(edge) != other.arguments.get(edge) for edge in ("start_s", "end_s")):
        return ""  # of two sections
    values = one.arguments[name] - middle, other.arguments[name] - middle
    return what if values[0] * values[1] < 0 else ""


def _settings(call: AudioCall) -> Settings:
    """Return what a call sets, in words, each to a value and its unit."""
    planning = call.tool.planning
    if isinstance(planning, str):
        return {}
    sets = planning.sets(call.arguments) if callable(planning.sets) else planning.sets
    settings: Settings = {}
    for what, name in sets.items():
        parameter, value = call.tool.parameter(name), call.arguments[name]
        # Nought and None as defaults mean that nothing is set.
        if value != parameter.default or parameter.default:
            unit = "" if parameter.unit == "0 to 1" else parameter.unit
            settings[what] = value, unit
    return settings


def _show(value: tuple[Any, str]) -> str:
    number, unit = value
    text = f"{number:g}" if isinstance(number, int | float) else str(number)
    return f"{text}{unit}" if unit.startswith(":") else f"{text} {unit}".rstrip()
