"""The store that a service goes on with: one that the user made, or names.

A store that comes with a folder may hold tokens and executions of anybody, and a service would obey
them. A store is signed by its user before it holds any; like runs, it stays theirs where it goes.
"""

from __future__ import annotations

import secrets

from ..db.database import create_tables
from ..db.schema_version import has_table
from ..errors import RunError
from .runs import RunStore
from .service_tables import OBEYED

SCHEMA = "create table if not exists flow_owners (store text not null, signature text not null)"
_KIND = "store"


async def require_own_store(kept: RunStore) -> None:
    """Sign a store in which a service has nothing to obey yet. Raise `RunError` for one that holds
    something and that the user did not sign. An encrypted one was made with the user's key, and one
    on a server is never a folder's."""
    opened, signer = kept.opened, kept.signer
    if signer.vouched or opened.cipher is not None or opened.location.kind == "postgresql":
        return
    await create_tables(opened.db, SCHEMA)
    async with opened.db.transaction() as inside:
        rows = await inside.rows("select store, signature from flow_owners")
        known = ((str(store), str(signature)) for store, signature in rows)
        if any(signer.knows(signature, _KIND, store) for store, signature in known):
            return
        for table, words in OBEYED.items():
            if await has_table(inside, table) and await inside.rows(
                f"select 1 from {table} limit 1"
            ):
                raise _strange(opened.location.url, words)
        store = secrets.token_hex(16)
        signature = signer.signature(_KIND, store)
        await inside.run("insert into flow_owners values (?, ?)", (store, signature))


def _strange(url: str, words: str) -> RunError:
    return RunError(
        f"the store {url} was not made by you here, and a service would obey the {words} in it",
        help=f"`--store {url}` says that it is yours; another name makes a new one",
    )
