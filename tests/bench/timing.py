"""Alternate two or more things and take the median of each."""

from __future__ import annotations

import gc
import statistics
import time
from collections.abc import Callable, Mapping


def alternated(sides: Mapping[str, Callable[[], object]], rounds: int) -> dict[str, list[float]]:
    """Seconds of each side in each of `rounds`, after one round that warms up."""
    times: dict[str, list[float]] = {name: [] for name in sides}
    for round in range(rounds + 1):
        for name, side in sides.items():
            gc.collect()
            begin = time.perf_counter()
            side()
            if round:
                times[name].append(time.perf_counter() - begin)
    return times


def medians(sides: Mapping[str, Callable[[], object]], rounds: int) -> dict[str, float]:
    """Seconds of each side: the median of those rounds."""
    return {name: statistics.median(took) for name, took in alternated(sides, rounds).items()}


def ratio(ours: list[float], theirs: list[float]) -> float:
    """The median of the ratios of each round: a disk may be half as fast a minute later, which
    meets both sides of a round."""
    return statistics.median(one / other for one, other in zip(ours, theirs, strict=True))


def line(name: str, value: str, note: str = "") -> None:
    """One line of the report."""
    print(f"  {name:<52} {value:>12}  {note}".rstrip())
