"""Contents that are kept once: under their hash, held by the places that refer to them.

A hash is of the content, so a content that was changed is known when it is read; in a store with a
key it is made with the key of its realm, and nobody can compare guesses with it. Contents are
shared within a realm alone, the team of a service's execution: elsewhere "" is the realm of all.
A place of a run holds what it refers to; a content that nothing holds any more is deleted with its
last place.

Statements that hold and release stand in one transaction with the rows that refer to the content,
and the transaction is about the contents (`about_contents`), so nothing is deleted that somebody
begins to hold.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from hashlib import blake2b

from ..errors import RunError
from .database import Database, marks
from .encryption import Seal

SIZE = 16
"""Bytes of a hash."""
CHECKPOINTS = "@"
"""What the places of checkpoints begin with; the namespace follows."""
SCHEMA = """
create table if not exists realms (run text primary key, realm text not null);
create table if not exists blobs (
    realm text not null, hash blob not null, data blob not null, primary key (realm, hash)
);
create table if not exists holds (
    run text not null, place text not null, hash blob not null, realm text not null,
    primary key (run, place, hash)
);
create index if not exists holds_by_hash on holds (realm, hash);
"""
REALM = "select realm from realms where run = ?"
BELONG = "insert into realms values (?, ?) on conflict do nothing"
KEEP = "insert into blobs values (?, ?, ?) on conflict do nothing"
HOLD = "insert into holds values (?, ?, ?, ?) on conflict do nothing"
_ALONE = (
    "delete from blobs where (realm, hash) in (select realm, hash from holds where {where})"
    " and not exists (select 1 from holds o where o.realm = blobs.realm and o.hash = blobs.hash"
    " and not ({others}))"
)


def _release(where: str, others: str) -> tuple[tuple[str, int], ...]:
    """Return statements that let go what some places hold (said of `holds`, and of `holds o`), each
    with how many times its values are given: first what is held nowhere else, every content once,
    however many of the places hold it."""
    alone = _ALONE.format(where=where, others=others)
    return (alone, 2), (f"delete from holds where {where}", 1)


RELEASE_PLACE = _release("run = ? and place = ?", "o.run = ? and o.place = ?")
"""Statements that let go what a place of a run holds."""
RELEASE_RUN = _release(
    "run = ? and substr(place, 1, 1) = '@'", "o.run = ? and substr(o.place, 1, 1) = '@'"
)
"""Statements that let go what all checkpoints of a run hold."""


def about_contents(realm: str, hashes: Iterable[bytes]) -> list[str]:
    """Return what a transaction is about that holds or releases contents of a realm."""
    return [f"content {realm} {name.hex()}" for name in hashes]


async def release_runs(inside: Database, runs: Collection[str]) -> None:
    """Let go all that a few runs hold."""
    these = marks(runs)
    query = f"select distinct realm, hash from holds where run in ({these})"
    held = await inside.rows(query, tuple(runs))
    about = [name for realm, hash in held for name in about_contents(realm, (hash,))]
    async with inside.transaction(*about) as within:
        for statement, times in _release(f"run in ({these})", f"o.run in ({these})"):
            await within.run(statement, (*runs,) * times)


def hash_of(content: bytes, cipher: Seal | None) -> bytes:
    """Return the name of a content: the same for the same content and key of a realm."""
    key = b"" if cipher is None else cipher.secret
    return blake2b(content, digest_size=SIZE, key=key).digest()


def close_content(content: bytes, cipher: Seal | None) -> bytes:
    """Return a content as it stands in the store."""
    return content if cipher is None else cipher.close(content)


def open_content(data: bytes, name: bytes, cipher: Seal | None) -> bytes | None:
    """Return the content that stands under a hash; None when it is not that one, or was not
    encrypted with this key."""
    try:
        content = data if cipher is None else cipher.open(data)
    except RunError:
        return None
    return content if hash_of(content, cipher) == name else None
