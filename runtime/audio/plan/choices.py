"""Numbers that a plan may choose, because the request does not say them.

"Compress it" names no threshold and no ratio. The rules have usual ones, and a model may know
better ones for this sound. What the rules require with a number that nobody said is met by a
requirement of the plan with the same metric, whose numbers lie within half and twice of the usual
ones, on the same side of zero, and which is as strict.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import zip_longest

from .predicates import Predicate, metric_of

_WIDEST = 2.0
_EXACT = frozenset({"sample_rate_hz", "channels", "subtype", "bitrate_kbps", "format"})
"""Metrics whose value is what was said, also where the word is not a number: "mono"."""


def is_chosen(usual: Predicate, planned: Iterable[Predicate]) -> bool:
    """Tell whether one of the requirements of a plan may stand in the place of a usual one."""
    return any(_is_like(one, usual) for one in planned)


def _is_like(one: Predicate, usual: Predicate) -> bool:
    (metric, at), (own, own_at) = metric_of(one.metric), metric_of(usual.metric)
    if (metric.name, one.op) != (own.name, usual.op) or own.name in _EXACT:
        return False
    if one.tolerance > usual.tolerance:
        return False
    if not own_at:
        return _is_near(one.value, usual.value)
    strict = one.value == usual.value or (
        isinstance(one.value, int | float)
        and isinstance(usual.value, int | float)
        and (one.value < usual.value if usual.op.startswith("<") else one.value > usual.value)
        and usual.op in ("<", "<=", ">", ">=")
    )
    return strict and all(_is_near(*two) for two in zip_longest(at, own_at))


def _is_near(one: object, usual: object) -> bool:
    if one == usual or not isinstance(one, int | float) or not isinstance(usual, int | float):
        return bool(one == usual)
    return usual != 0 and 1 / _WIDEST <= one / usual <= _WIDEST
