"""Lengths of time as people write them: `30s`, `5m`, `1h30m`, `2 days`."""

from __future__ import annotations

import re
from decimal import Decimal

SECONDS: dict[str, float] = {"ms": 0.001, "s": 1, "m": 60, "h": 3600, "d": 86_400, "w": 604_800}
"""How long each unit is."""
_OTHER: dict[str, str] = {
    "sec": "s", "secs": "s", "second": "s", "seconds": "s", "min": "m", "mins": "m",
    "minute": "m", "minutes": "m", "hr": "h", "hrs": "h", "hour": "h", "hours": "h", "day": "d",
    "days": "d", "week": "w", "weeks": "w", "milliseconds": "ms", "msec": "ms",
}  # fmt: skip
_PART = re.compile(r"(?P<count>[0-9]{1,9}(?:\.[0-9]{1,6})?)(?P<unit>[a-z]{1,12})")
_LONGEST = 60
MOST = 100 * 366 * SECONDS["d"]
"""A century: nothing waits longer."""


def read_duration(text: str) -> float | None:
    """Return the seconds of a length of time in the units of `SECONDS`, from the longest unit to
    the shortest; None for any other text, and for more than `MOST`."""
    at, total, before = 0, Decimal(0), MOST
    while at < len(text) <= _LONGEST and (match := _PART.match(text, at)) is not None:
        length = SECONDS.get(match["unit"])
        if length is None or length >= before:
            return None
        total += Decimal(match["count"]) * Decimal(str(length))
        at, before = match.end(), length
    return float(total) if at and at == len(text) and total <= MOST else None


def guess_duration(text: str) -> str | None:
    """Return the length of time that a text in other words means: `5m` for `5 minutes`."""
    plain = re.sub(r"[\s,]+|\band\b", "", text[:_LONGEST].lower())
    if plain.isdigit() and plain.isascii():
        return f"{plain}s"
    parts = [(m["count"], _OTHER.get(m["unit"], m["unit"])) for m in _PART.finditer(plain)]
    meant = "".join(f"{count}{unit}" for count, unit in parts)
    return meant if read_duration(meant) is not None else None


def show_duration(seconds: float) -> str:
    """Return seconds as a text that reads as the same, with at most two units: `1h30m`, `90.5s`."""
    for unit, below in (("w", "d"), ("d", "h"), ("h", "m"), ("m", "s")):
        length = SECONDS[unit]
        if seconds >= length and seconds % SECONDS[below] == 0:
            whole, rest = divmod(int(seconds), int(length))
            more = f"{rest // int(SECONDS[below])}{below}" if rest else ""
            return f"{whole}{unit}{more}"
    return f"{seconds:.6f}".rstrip("0").rstrip(".") + "s"
