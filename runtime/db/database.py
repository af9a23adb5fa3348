"""A store's database, of whatever kind: rows, statements, transactions.

A module that keeps something declares its tables as `SCHEMA`, in the subset of SQL that SQLite and
PostgreSQL share: `text` and `integer` columns, `?` for values, `insert … on conflict (…) do update
set …`. JSON is text; where it holds what a workflow or a model wrote it goes through `seal` on its
way in and `unseal` on its way out, so that a store with a key is encrypted. Text compares by code
point, as `binary` does in SQLite.

    await db.run("insert into spent values (?, ?)", (run, db.seal(json.dumps(amount))))
    for run, amount in await db.rows("select run, amount from spent"): json.loads(db.unseal(amount))
    async with db.transaction() as inside:              # both or neither; others wait meanwhile
        await inside.run("delete from spent where run = ?", (run,))
        await inside.run("insert into spent values (?, ?)", (run, "0"))
"""

from __future__ import annotations

import hashlib
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Iterable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from .encryption import Seal

Dialect = Literal["sqlite", "postgresql"]
Row = tuple[Any, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Database(ABC):
    """A connection to a store. Every statement is its own transaction, and durable when `run`
    returns if the database was opened so. Everything raises `RunError`, which says in words what
    is wrong with the store. Inside a transaction use what it yields and nothing else: the outer
    object waits until the transaction is over.
    """

    dialect: ClassVar[Dialect]
    cipher: Seal | None = None

    @abstractmethod
    async def run(self, query: str, values: Sequence[Any] = ()) -> int:
        """Execute one statement. Return how many rows it wrote."""

    async def put(self, query: str, values: Sequence[Any] = ()) -> None:
        """Execute one statement that leads to the same rows however often it is executed: where a
        server swallowed it, it is simply sent again, which is cheaper than to ask what became of
        it."""
        await self.run(query, values)

    @abstractmethod
    async def many(self, query: str, rows: Iterable[Sequence[Any]]) -> None:
        """Execute one statement for each row of values, all or none of them."""

    @abstractmethod
    async def rows(self, query: str, values: Sequence[Any] = ()) -> list[Row]:
        """Return every row that a query gives."""

    @asynccontextmanager
    async def transaction(self) -> AsyncIterator[Database]:
        """Open a transaction: its statements commit together when the block ends, or not at all
        when it raises. Transactions on one store, in whatever process, come one after another.
        Inside of one it is the same one."""
        yield self

    @abstractmethod
    async def size(self) -> int:
        """Return bytes that the store takes on its disk, LangGraph's tables included."""

    @abstractmethod
    async def shrink(self, *, alone: bool) -> None:
        """Give room that is not used any more back to the disk; PostgreSQL can only when nobody
        else uses the store (`alone`)."""

    def seal(self, text: str) -> str:
        """Return the text as it may stand in the store: encrypted when the store has a key."""
        return text if self.cipher is None else self.cipher.close_text(text)

    def seal_name(self, text: str) -> str:
        """Return the same as `seal`, and equal for equal texts, so that queries can compare it."""
        return text if self.cipher is None else self.cipher.close_text(text, alike=True)

    def unseal(self, text: str) -> str:
        """Return the text behind `seal` or `seal_name`. Raise `RunError` without its key."""
        return text if self.cipher is None else self.cipher.open_text(text)

    def fingerprint(self, text: str) -> str:
        """Return a digest in hex, the same for the same text. In a store with a key nobody can
        compare guesses with it."""
        data = text.encode("utf-8", "surrogatepass")
        if self.cipher is None:
            return hashlib.sha256(data).hexdigest()
        return self.cipher.fingerprint(data)


async def create_tables(db: Database, schema: str) -> None:
    """Create what is not there. Raise `RunError`."""
    if db.dialect == "sqlite":
        await _create(db, schema)
        return
    # There `if not exists` does not help when two processes create a table at the same time.
    async with db.transaction() as inside:
        await _create(inside, schema)


async def _create(db: Database, schema: str) -> None:
    for statement in schema.split(";"):
        if statement.strip():
            await db.run(statement)
