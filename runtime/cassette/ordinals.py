"""Which exchange of a visit this is: the same number in every execution of the run.

An effect is numbered when it is first asked for, and the number is noted in the journal under the
effect's own namespace. A process that goes on in the middle of a visit so neither counts anew nor
counts a call twice.
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
"""The name under which the journal notes the effects of a visit, by their numbers."""


@dataclass(frozen=True, slots=True)
class EffectKey:
    """An effect of a visit."""

    place: str
    visit: int
    number: int


def here() -> Here:
    """The running visit. Raises `RunError` outside of one: a bug of ours."""
    visit = HERE.get()
    if visit is None:
        raise RunError("an exchange belongs to no node", exit_code=3)
    return visit


async def effect_key(journal: Journal, runtime: Runtime[Any], ordinal: int) -> EffectKey:
    """The key of the effect that the journal is asked about."""
    visit = here()
    own = f"{visit_of(runtime)[1]}:{ordinal}"
    known = await journal.entries(visit.runtime, NUMBERED)
    number = next((n for n, name in known.items() if name == own), None)
    if number is None:
        number = max(known, default=0) + 1
        await journal.keep(visit.runtime, NUMBERED, number, own)
    return EffectKey(visit.place, visit.visit, number)
