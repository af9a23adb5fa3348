"""A store's database, of whatever kind: rows, statements, transactions.

A module that keeps something declares its tables as `SCHEMA`, in the subset of SQL that SQLite and
PostgreSQL share: `text`, `integer` and `blob` columns, `?` for values, `insert … on conflict (…) do
update set …`. JSON is text; where it holds what a workflow or a model wrote it goes through `seal`
on its way in and `unseal` on its way out, so that a byte that was changed is found, and a store
with a key is encrypted. Text compares by code point, as `binary` does in SQLite.

    await db.run("insert into spent values (?, ?)", (run, db.seal(json.dumps(amount))))
    for run, amount in await db.rows("select run, amount from spent"): json.loads(
        db.unseal(amount, f"what run {run} spent")  # the words for an error
    )
    async with db.transaction(f"run {run}") as inside:  # both or neither; those about it wait
        await inside.run("delete from spent where run = ?", (run,))
        await inside.run("insert into spent values (?, ?)", (run, "0"))
"""

from __future__ import annotations

import hashlib
import re
from abc import ABC, abstractmethod
from collections.abc import (
    AsyncIterator,
    Callable,
    Collection,
    Iterable,
    Iterator,
    Mapping,
    Sequence,
)
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Literal, Self

from ..values import Write as Write
from .digests import changed_value, with_digest, without_digest
from .encryption import Seal
from .fence import Epochs

Dialect = Literal["sqlite", "postgresql"]
Row = tuple[Any, ...]
Ahead = Callable[[], AbstractAsyncContextManager[Sequence[Write]]]
"""Yields what a writer takes with it: it is written when the block ends, and waits on when that
raises."""


@asynccontextmanager
async def nothing_ahead() -> AsyncIterator[Sequence[Write]]:
    """Yield nothing."""
    yield ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Database(ABC):
    """A connection to a store. Every statement is its own transaction, and durable when `run`
    returns if the database was opened so. Everything raises `RunError`, which says in words what
    is wrong with the store. Inside a transaction use what it yields and nothing else: the outer
    object waits until the transaction is over.
    """

    dialect: ClassVar[Dialect]
    cipher: Seal | None = None
    epochs: Epochs = field(default_factory=Epochs)
    """The runs of the store that this process holds."""
    of_run: str = ""
    """The run that is written, "" for what belongs to none."""
    there: frozenset[str] = frozenset()
    """What PostgreSQL had when the store was opened: tables, indexes, and TABLE.COLUMN."""

    def for_run(self, run: str) -> Self:
        """Return the same connection for what belongs to a run: while this process holds it, a
        statement that writes raises `NotHeld` once another process has taken it."""
        return replace(self, of_run=run)

    @property
    def epoch(self) -> int | None:
        """Return the number under which this process holds the run; None where it does not."""
        return self.epochs.get(self.of_run)

    @abstractmethod
    async def run(self, query: str, values: Sequence[Any] = ()) -> int:
        """Execute one statement. Return how many rows it wrote."""

    async def put(self, query: str, values: Sequence[Any] = ()) -> None:
        """Execute one statement that leads to the same rows however often it is executed: where a
        server swallowed it, it is simply sent again, which is cheaper than to ask what became of
        it."""
        await self.put_all(((query, values),))

    async def put_all(self, writes: Sequence[Write], *, later: bool = False) -> None:
        """Execute such statements; of a run that this process holds all together or none of them.
        None sees what another one wrote. `later`: they are on the disk with the next writes of the
        store that wait for it."""
        for query, values in writes:
            await self.run(query, values)

    @abstractmethod
    async def many(self, query: str, rows: Iterable[Sequence[Any]]) -> None:
        """Execute one statement for each row of values, all or none of them."""

    @abstractmethod
    async def rows(self, query: str, values: Sequence[Any] = ()) -> list[Row]:
        """Return every row that a query gives."""

    async def rows_of_each(self, queries: Sequence[Write]) -> list[list[Row]]:
        """Return the rows of each query: of PostgreSQL in one trip and one transaction."""
        return [await self.rows(query, values) for query, values in queries]

    @asynccontextmanager
    async def transaction(self, *about: str) -> AsyncIterator[Database]:
        """Open a transaction: its statements commit together when the block ends, or not at all
        when it raises. Transactions that are `about` the same thing, in whatever process, come one
        after another: what one reads, no other writes meanwhile. In SQLite all do. Inside of one
        it is the same one, from then on about this too."""
        yield self

    @abstractmethod
    async def size(self) -> int:
        """Return bytes that the store takes on its disk, LangGraph's tables included."""

    @abstractmethod
    async def shrink(self, *, alone: bool) -> None:
        """Give room that is not used any more back to the disk; PostgreSQL can only when nobody
        else uses the store (`alone`)."""

    def seal(self, text: str) -> str:
        """Return the text as it may stand in the store: encrypted when the store has a key, else
        with a digest."""
        return with_digest(text) if self.cipher is None else self.cipher.close_text(text)

    def seal_name(self, text: str) -> str:
        """Return the same as `seal`, and equal for equal texts, so that queries can compare it."""
        if self.cipher is None:
            return with_digest(text)
        return self.cipher.close_text(text, alike=True)

    def unseal(self, text: str, what: str) -> str:
        """Return the text behind `seal` or `seal_name`. Raise `RunError`, which names it as `what`,
        when it was changed, or has another key."""
        if self.cipher is not None:
            return self.cipher.open_text(text, what)
        plain = without_digest(text)
        if plain is None:
            raise changed_value(what)
        return plain

    def fingerprint(self, text: str) -> str:
        """Return a digest in hex, the same for the same text. In a store with a key nobody can
        compare guesses with it."""
        data = text.encode("utf-8", "surrogatepass")
        if self.cipher is None:
            return hashlib.sha256(data).hexdigest()
        return self.cipher.fingerprint(data)


TABLES = "tables"
"""What a transaction is about that makes tables."""
AT_ONCE = 200
"""Keys in one statement."""
_CREATES = re.compile(r"create (?:unique )?(?:table|index) if not exists (\w+)")
LAST = "\U0010ffff"
"""What every text that begins with another one sorts before, behind that one: text compares by
code point."""


def marks(values: Collection[object]) -> str:
    """Return what stands in `in (…)` for these values. Of none it is "", which no key is."""
    return ", ".join("?" * len(values)) or "''"


def batches(keys: Sequence[str]) -> Iterator[Sequence[str]]:
    """Yield keys, `AT_ONCE` at a time."""
    for begin in range(0, len(keys), AT_ONCE):
        yield keys[begin : begin + AT_ONCE]


async def delete_of(inside: Database, tables: Mapping[str, str], keys: Collection[str]) -> None:
    """Delete the rows of a few keys from tables, each with its column of the key."""
    for table, column in tables.items():
        await inside.run(f"delete from {table} where {column} in ({marks(keys)})", tuple(keys))


async def create_tables(db: Database, *schemas: str) -> None:
    """Create what is not there. Raise `RunError`."""
    statements = [part for part in ";".join(schemas).split(";") if part.strip()]
    if db.dialect == "sqlite":
        await _create(db, statements)
    elif not await _are_there(db, statements):
        # `if not exists` does not help when two processes create a table at the same time.
        async with db.transaction(TABLES) as inside:
            await _create(inside, [re.sub(r"\bblob\b", "bytea", part) for part in statements])


async def _create(db: Database, statements: Sequence[str]) -> None:
    for statement in statements:
        await db.run(statement)


async def _are_there(db: Database, statements: Sequence[str]) -> bool:
    """Return whether PostgreSQL has each table and index that statements create: one question at
    most in place of a statement for each, whenever a store is opened."""
    names = [found[1] for part in statements if (found := _CREATES.search(part))]
    if len(names) == len(statements) and db.there.issuperset(names):
        return True
    query = (
        "select count(*) from pg_class where relnamespace = to_regnamespace('flowc')"
        f" and relname in ({marks(names)})"
    )
    return len(names) == len(statements) and await db.rows(query, names) == [(len(names),)]
