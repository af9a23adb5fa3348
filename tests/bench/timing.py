"""Alternate two or more things and take the median of each."""

from __future__ import annotations

import gc
import statistics
import time
from collections.abc import Callable, Mapping


def medians(sides: Mapping[str, Callable[[], object]], rounds: int) -> dict[str, float]:
    """Seconds of each side, the median of `rounds`, after one round that warms up."""
    times: dict[str, list[float]] = {name: [] for name in sides}
    for round in range(rounds + 1):
        for name, side in sides.items():
            gc.collect()
            begin = time.perf_counter()
            side()
            if round:
                times[name].append(time.perf_counter() - begin)
    return {name: statistics.median(values) for name, values in times.items()}


def line(name: str, value: str, note: str = "") -> None:
    """One line of the report."""
    print(f"  {name:<52} {value:>12}  {note}".rstrip())
