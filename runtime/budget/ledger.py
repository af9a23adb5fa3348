"""The charges of a run's model calls: a row for each call, written before it and again after it.

Before a call its row holds the worst case; afterwards what the provider reported. The row of a call
that was cut off, by a crash or a lost connection, stays as it is: such a call may have been paid.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass

from ..charges import Charge, Usage
from ..config.prices import DOLLAR
from ..db.database import LAST, Database, Write, delete_of
from ..state.thread_turns import scopes_of

SCHEMA = """
create table if not exists charges (
    run text not null, number integer not null, scopes text not null, model text not null,
    input_tokens integer not null, output_tokens integer not null, cached_tokens integer not null,
    cost bigint, chars integer not null, status text not null,
    primary key (run, number)
);
create table if not exists renewals (
    run text not null, scope text not null, name text not null, used bigint not null,
    primary key (run, scope, name)
);
"""
TABLES = ("charges", "renewals")
_ADD = (
    "insert into charges values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) on conflict (run, number) do update"
    " set input_tokens = excluded.input_tokens, output_tokens = excluded.output_tokens,"
    " cached_tokens = excluded.cached_tokens, cost = excluded.cost, chars = excluded.chars,"
    " status = excluded.status"
)
_RENEW = (
    "insert into renewals values (?, ?, ?, ?) on conflict (run, scope, name) do update"
    " set used = excluded.used"
)


@dataclass(frozen=True, slots=True)
class Ledger:
    """The charges of one run. One process at a time writes them."""

    db: Database
    run: str
    soon: Callable[[object, Write | None], None] | None = None
    """Lets something wait for what is written next of the run, under a key."""

    async def write(self, number: int, charge: Charge, *, later: bool = False) -> None:
        """Keep a charge under its number, in the place of what it was before. `later`: with what is
        written next; where that is lost, nothing was called, or the worst case still counts."""
        values = (
            self.run, number, json.dumps(charge.scopes), charge.model, charge.input_tokens,
            charge.output_tokens, charge.cached_tokens, charge.cost, charge.chars, charge.status,
        )  # fmt: skip
        if later and self.soon is not None:
            self.soon(("charge", number), (_ADD, values))
        else:  # before a call it is on the disk; afterwards the worst case is
            later = later and charge.status != "held"
            await self.db.put_all(((_ADD, values),), later=later)

    async def strike(self, number: int) -> None:
        """Delete the charge of a call that was not made, or cost nothing."""
        if self.soon is not None:
            self.soon(("charge", number), None)
        await self.db.put("delete from charges where run = ? and number = ?", (self.run, number))

    async def charges(self) -> dict[int, Charge]:
        """Return every charge by its number."""
        query = (
            "select number, scopes, model, input_tokens, output_tokens, cached_tokens, cost, chars,"
            " status from charges where run = ? order by number"
        )
        rows = await self.db.rows(query, (self.run,))
        return {row[0]: Charge(tuple(json.loads(row[1])), *row[2:]) for row in rows}

    async def renew(self, scope: str, name: str, used: int) -> None:
        """Let the limit `name` of a budget count from `used` on."""
        await self.db.put(_RENEW, (self.run, scope, name, used))

    async def renewals(self) -> dict[tuple[str, str], int]:
        """Return from where limits count, by scope and name."""
        query = "select scope, name, used from renewals where run = ?"
        return {(row[0], row[1]): row[2] for row in await self.db.rows(query, (self.run,))}


def usage_of(charges: Iterable[Charge]) -> Usage:
    """Return what calls used up together."""
    every = tuple(charges)
    unknown = any(charge.cost is None for charge in every)
    return Usage(
        input_tokens=sum(charge.input_tokens for charge in every),
        output_tokens=sum(charge.output_tokens for charge in every),
        cached_tokens=sum(charge.cached_tokens for charge in every),
        cost=None if unknown else sum(charge.cost or 0 for charge in every) / DOLLAR,
        estimated=any(charge.status != "told" for charge in every),
    )


async def forget_charges(inside: Database, runs: Collection[str]) -> None:
    """Drop everything about runs, or threads with all their turns."""
    await delete_of(inside, dict.fromkeys(TABLES, "run"), runs)
    within = [scopes_of(run) for run in runs]
    for table in TABLES:
        # Between these two lies, in the order of an index, what begins with the first one.
        query = f"delete from {table} where run >= ? and run < ?"
        await inside.many(query, [(begin, begin + LAST) for begin in within])
