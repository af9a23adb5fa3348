"""The limits of the user's own settings: a folder's file may lower them, and never raises them."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from .options import OPTIONS, Options


def within_ceilings(own: Options, values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values that a folder's file has for options, held to those of the user. Where the
    user limits the cost, the prices are the user's too."""
    held = dict(values)
    for name, value in values.items():
        row, mine = OPTIONS[name], getattr(own, name)
        if not row.holds or mine is None:
            continue
        if isinstance(value, Mapping):
            held[name] = {**value, **mine}
        elif row.stricter:
            held[name] = max(value, mine, key=row.stricter.index)
        else:
            held[name] = min(value, mine, key=Decimal)
    if own.max_cost is not None and "prices" in held:
        held["prices"] = own.prices
    return held
