"""The numbers of the exchanges of a visit, which are the same in every execution of the run.

The journal notes the number of an effect when the run first asks for it. So a process that goes on
in the middle of a visit neither counts anew nor counts a call twice.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from langgraph.runtime import Runtime

from ..checkpoints.keys import visit_of
from ..context import HERE, Here
from ..errors import RunError
from ..services import Journal

NUMBERED = "exchange"
"""The journal's name for the effects of a visit, by their numbers."""


@dataclass(frozen=True, slots=True)
class EffectKey:
    """An effect of a visit."""

    place: str
    visit: int
    number: int


def here() -> Here:
    """Return the running visit. Raise `RunError` outside of one: a bug of ours."""
    visit = HERE.get()
    if visit is None:
        raise RunError("an exchange belongs to no node", exit_code=3)
    return visit


async def effect_key(journal: Journal, runtime: Runtime[Any], ordinal: int) -> EffectKey:
    """Return the key of an effect, which gets its number here when it is new."""
    visit = here()
    own = f"{visit_of(runtime)[1]}:{ordinal}"
    known = await journal.entries(visit.runtime, NUMBERED)
    number = next((n for n, name in known.items() if name == own), None)
    if number is None:
        number = max(known, default=0) + 1
        await journal.keep(visit.runtime, NUMBERED, number, own)
    return EffectKey(visit.place, visit.visit, number)
