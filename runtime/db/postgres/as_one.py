"""Several statements that write as one: one trip to the server, one transaction."""

from __future__ import annotations

import functools

_FENCE = (
    "held as materialized (select 1 / count(*) as ok from"
    " (select from leases where run = ? and epoch = ? for share) as row)"
)
"""Lets a statement write only while a run has a number. The share of the lock keeps everybody from
taking the run before it is committed; with none, or one `for key share`, a late row would land
after the other process has read."""
_LATER = "later as materialized (select set_config('synchronous_commit', 'off', true))"
"""What a statement has that does not wait for the disk."""


@functools.lru_cache(maxsize=256)
def as_one(statements: tuple[str, ...], behind_fence: bool, later: bool) -> str:
    """Return one statement that does what several do, none of which sees what another one writes.
    `behind_fence`: the values begin with a run and its number, and a process that does not
    hold the run under this number writes nothing."""
    if not behind_fence and len(statements) <= 1:
        return "".join(statements)
    parts = [f"written_{n} as ({each.strip().rstrip(';')})" for n, each in enumerate(statements)]
    before = [_FENCE] * behind_fence + [_LATER] * later
    looked = " from held, later" if later and behind_fence else " from held" * behind_fence
    looked = looked or " from later" * later
    return f"with {', '.join([*before, *parts])} select {'ok' if behind_fence else 1}{looked}"
