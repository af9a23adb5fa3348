"""The numbers of the exchanges of an attempt, which are the same in every execution of the run.

The journal notes the number of an effect when the run first asks for it. So a process that goes on
in the middle of an attempt neither counts anew nor counts a call twice.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..checkpoints.keys import visit_of
from ..context import HERE, Here
from ..errors import RunError
from ..services import EffectCall, Journal
from .exchanges import kind_of
from .format import Exchange, Kind

NUMBERED = "exchange of attempt"
"""The journal's name, before its number, for the effects of an attempt by their numbers."""


def here() -> Here:
    """Return the running visit. Raise `RunError` outside of one: a bug of ours."""
    visit = HERE.get()
    if visit is None:
        raise RunError("an exchange belongs to no node", exit_code=3)
    return visit


def exchange_here(kind: Kind, number: int | str, body: Mapping[str, Any]) -> Exchange:
    """Return an exchange of the running visit that is not an effect."""
    at = here()
    return Exchange(kind, at.place, at.visit, at.attempt, number, body)


async def numbered_exchange(journal: Journal, act: EffectCall) -> Exchange:
    """Return the exchange of an effect, still without a body; a new one gets its number here."""
    visit = here()
    own = f"{visit_of(act.runtime)[1]}:{act.ordinal}"
    name = f"{NUMBERED} {visit.attempt}"
    known = await journal.entries(visit.runtime, name)
    number = next((n for n, effect in known.items() if effect == own), None)
    if number is None:
        number = max(known, default=0) + 1
        await journal.keep(visit.runtime, name, number, own)
    return exchange_here(kind_of(act.name), number, {})
