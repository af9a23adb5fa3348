"""How teams share the workers: the one of which least is carried on comes first, and none has more
than the operator lets it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

EVERY = "*"
"""The team of a limit that holds for each one that has none of its own."""
Limits = Mapping[str, int]
"""How many executions of a team are carried on at a time, by team; "" has no team."""


@dataclass(frozen=True, slots=True)
class Share:
    """What a team has of the queue: how many of its executions are carried on, and wait. `most` are
    carried on at a time, None: as many as there is room for."""

    team: str
    runs: int
    waits: int
    most: int | None = None


@dataclass(frozen=True, slots=True)
class Waiting:
    """A team with something that waits, the rank of what comes first of it, and how many wait (a
    thousand or more are a thousand)."""

    team: str
    runs: int
    rank: int
    waits: int = 1


def most_of(team: str, limits: Limits) -> int | None:
    """Return how many executions of a team are carried on at a time."""
    return limits.get(team, limits.get(EVERY))


def next_team(waiting: Iterable[Waiting], limits: Limits) -> Waiting | None:
    """Return the team whose turn it is: of those below their limits the one of which least is
    carried on, then the one with the most urgent job; None when no team may have more."""
    free = [one for one in waiting if one.runs < (most_of(one.team, limits) or one.runs + 1)]
    return min(free, key=lambda one: (one.runs, -one.rank, one.team), default=None)
