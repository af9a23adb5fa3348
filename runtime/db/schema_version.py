"""The layout of a store's tables, and whether it is encrypted: read before anything else.

Tables that are only added need no new layout: each module creates its own when they are not there.
A store of another layout is refused.
"""

from __future__ import annotations

import os
from collections.abc import Collection

from ..errors import RunError
from .database import TABLES, Database
from .encryption import VARIABLE, Seal, seal_from
from .url import Location

LAYOUT = 7
"""The layout that this flowc reads and writes."""
_TABLE = "create table if not exists layout (version integer not null, seal text not null)"
_PROOF = "flowc store"
"""The text that is kept encrypted to tell the right key from another one."""


async def admit_store(db: Database, location: Location) -> Seal | None:
    """Return the seal of an encrypted store. Raise `RunError` when it has another layout, or the
    key is missing, wrong, or superfluous."""
    cipher = None if location.kind == "memory" else seal_from(os.environ)
    version, proof = await _layout(db) or await _write_layout(db, cipher)
    refuse_other_layout((version,), location)
    _refuse_wrong_key(cipher, proof, location)
    return cipher


def refuse_other_layout(versions: Collection[object], location: Location) -> None:
    """Raise `RunError` when a layout that is kept is not the one of this flowc."""
    for version in versions:
        if version == LAYOUT:
            continue
        age = "a newer" if isinstance(version, int) and version > LAYOUT else "an older"
        raise RunError(
            f"the store {location.url} was made by {age} flowc (layout {version}; this one reads "
            f"{LAYOUT})",
            help="use that version, or name another store with `--store`: it is made anew",
        )


async def _layout(db: Database) -> tuple[int, str] | None:
    if "layout" not in db.there and not await has_table(db, "layout"):
        return None
    rows = await db.rows("select version, seal from layout")
    return (rows[0][0], rows[0][1]) if rows else None


async def has_table(db: Database, name: str) -> bool:
    """Return whether the store has a table."""
    query = "select 1 from sqlite_master where type = 'table' and name = ?"
    if db.dialect == "postgresql":
        # `to_regclass` may say no of a table that another process made while this one waited.
        query = (
            "select 1 from pg_class c join pg_namespace n on n.oid = c.relnamespace"
            " where n.nspname = 'flowc' and c.relname = ?"
        )
    return bool(await db.rows(query, (name,)))


async def _write_layout(db: Database, cipher: Seal | None) -> tuple[int, str]:
    """Write and return the layout. A store that has runs already is of the first one."""
    async with db.transaction(TABLES) as inside:
        layout = await _layout(inside)
        if layout is not None:  # another process was faster
            return layout
        if await has_table(inside, "runs"):
            return 1, ""
        version, proof = LAYOUT, cipher.close_text(_PROOF) if cipher else ""
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
