"""The words by which executions are found: digests, so that they say nothing in an encrypted store.

A word is a run of letters and digits in any case; an id is several. Every word of a search has to
be there, as a whole.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from ...db.database import Database
from ...secrets import looks_secret
from ...values import Json
from .wanted import Wanted

SCHEMA = """
create table if not exists service_words (
    word text not null, execution text not null, primary key (word, execution)
);
create index if not exists service_words_by_execution on service_words (execution);
"""
MOST = 200
"""Words of one execution."""
FEW = 200
_DIGITS = 24
_WORD = re.compile(r"[^\W_]+")


def words_in(texts: Iterable[str]) -> list[str]:
    """Return the different words of texts, in their order."""
    return list(dict.fromkeys(w for text in texts for w in _WORD.findall(text.casefold())))


def texts_in(inputs: Mapping[str, Json]) -> list[str]:
    """Return the inputs of an execution as texts, without those that look secret by their names."""
    return [str(value) for name, value in inputs.items() if not looks_secret(name)]


@dataclass(frozen=True, slots=True)
class SearchWords:
    """The words of one store. `db` may be the transaction that begins an execution. A word that no
    more than `few` executions have leads to them; of another one it is asked of each."""

    db: Database
    few: int = FEW

    async def keep(self, execution: str, texts: Iterable[str]) -> None:
        """Store the words of an execution, its id among them; of very many the first."""
        words = words_in((execution, *texts))[:MOST]
        values = [value for word in words for value in (self._digest(word), execution)]
        rows = ", ".join(["(?, ?)"] * len(words))
        await self.db.put(f"insert into service_words values {rows} on conflict do nothing", values)

    async def copy(self, execution: str, to: str) -> None:
        """Give another execution the words of one, and those of its own id."""
        await self.db.put(
            "insert into service_words select word, ? from service_words where execution = ?"
            " on conflict do nothing",
            (to, execution),
        )
        await self.keep(to, ())

    async def lacking(self) -> list[str]:
        """Return the executions of an older flowc, which have none."""
        query = (
            "select e.id from service_executions e where not exists"
            " (select 1 from service_words w where w.execution = e.id)"
        )
        return [row[0] for row in await self.db.rows(query)]

    async def narrow(self, wanted: Wanted) -> Wanted:
        """Return what is wanted with its words and its agent as an index finds them."""
        among: set[str] | None = None
        often = []
        for word in words_in((*wanted.words, wanted.agent)):
            query = "select execution from service_words where word = ? limit ?"
            found = await self.db.rows(query, (self._digest(word), self.few + 1))
            if len(found) > self.few:
                often.append(self._digest(word))
            else:
                these = {row[0] for row in found}
                among = these if among is None else among & these
        return replace(wanted, among=None if among is None else sorted(among), digests=often)

    def _digest(self, word: str) -> str:
        return self.db.fingerprint(f"word {word}")[:_DIGITS]


def fits(words: Sequence[str], *texts: str) -> bool:
    """Return whether texts have all of the words."""
    return set(words) <= set(words_in(texts))
