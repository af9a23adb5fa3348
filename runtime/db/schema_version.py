"""The layout of a store's tables, and whether it is encrypted: read before anything else.

Tables that are only added need no new layout: each module creates its own when they are not there.
What changes a table that exists is a step in `STEPS`, done once, in one transaction.
"""

from __future__ import annotations

import os
from collections.abc import Awaitable, Callable, Sequence

from ..errors import RunError
from .database import Database
from .encryption import VARIABLE, Seal, seal_from
from .url import Location

Step = Callable[[Database], Awaitable[None]]


async def _keep_inputs(db: Database) -> None:
    """Add a column to effects for their inputs. Some stores of the first layout have it."""
    if await has_table(db, "effects") and not await has_column(db, "effects", "input"):
        await db.run("alter table effects add column input text")


STEPS: tuple[Step, ...] = (_keep_inputs,)
"""Step n makes layout n + 2 of layout n + 1, inside a transaction. A table may be missing: it is
made in its newest form later."""
_TABLE = "create table if not exists layout (version integer not null, seal text not null)"
_PROOF = "flowc store"
"""The text that is kept encrypted to tell the right key from another one."""


async def admit_store(
    db: Database, location: Location, steps: Sequence[Step] = STEPS
) -> Seal | None:
    """Bring the tables up to date and return the seal of an encrypted store. Raise `RunError` when
    a newer flowc made the store, or the key is missing, wrong, or superfluous."""
    cipher = None if location.kind == "memory" else seal_from(os.environ)
    newest = 1 + len(steps)
    version, proof = await _layout(db) or await _write_layout(db, cipher, newest)
    if version > newest:
        raise RunError(
            f"the store {location.url} was made by a newer flowc (layout {version}; this one "
            f"knows {newest})",
            help="use that version, or another store",
        )
    _refuse_wrong_key(cipher, proof, location)
    if version < newest:
        await _upgrade(db, version, steps)
    return cipher


async def _layout(db: Database) -> tuple[int, str] | None:
    if not await has_table(db, "layout"):
        return None
    rows = await db.rows("select version, seal from layout")
    return (rows[0][0], rows[0][1]) if rows else None


async def has_table(db: Database, name: str) -> bool:
    """Return whether the store has a table."""
    query = "select 1 from sqlite_master where type = 'table' and name = ?"
    if db.dialect == "postgresql":
        query = "select 1 where to_regclass(?) is not null"
    return bool(await db.rows(query, (name,)))


async def has_column(db: Database, table: str, name: str) -> bool:
    """Return whether a table of the store has a column."""
    query = "select 1 from pragma_table_info(?) where name = ?"
    if db.dialect == "postgresql":
        query = (
            "select 1 from pg_attribute where attrelid = to_regclass(?) and attname = ?"
            " and not attisdropped"
        )
    return bool(await db.rows(query, (table, name)))


async def _write_layout(db: Database, cipher: Seal | None, newest: int) -> tuple[int, str]:
    """Write and return the layout. A store with runs is of the first one, unencrypted."""
    async with db.transaction() as inside:
        layout = await _layout(inside)
        if layout is not None:  # another process was faster
            return layout
        old = await has_table(inside, "runs")
        version, proof = (1, "") if old else (newest, cipher.close_text(_PROOF) if cipher else "")
        await inside.run(_TABLE)
        await inside.run("insert into layout values (?, ?)", (version, proof))
        return version, proof


def _refuse_wrong_key(cipher: Seal | None, proof: str, location: Location) -> None:
    if cipher is None and proof:
        raise RunError(
            f"the store {location.url} is encrypted and {VARIABLE} is not set",
            help=f"export {VARIABLE}=… with the key that the store was made with",
        )
    if cipher is not None and not proof:
        raise RunError(
            f"the store {location.url} is not encrypted, but {VARIABLE} is set",
            help=f"unset {VARIABLE}, or name another store with --store: a new one is encrypted",
        )
    if cipher is None:
        return
    try:
        cipher.open_text(proof)
    except RunError:
        raise RunError(
            f"the key in {VARIABLE} is not that of the store {location.url}",
            help="use the key that the store was made with",
        ) from None


async def _upgrade(db: Database, version: int, steps: Sequence[Step]) -> None:
    async with db.transaction() as inside:
        layout = await _layout(inside)
        for step in steps[layout[0] - 1 if layout else version - 1 :]:
            await step(inside)
        await inside.run("update layout set version = ?", (1 + len(steps),))
